/** The Docker engine, behind the few things that are asked of it. Its errors come inside progress streams: they are found there. */

import { PassThrough, Readable } from 'node:stream';
import Docker from 'dockerode';
import { filesIn } from './archive-files.ts';
import { archiveStart } from './docker-archive.ts';
import { engineAddress } from './docker-context.ts';
import { engineRefusal, mustBeRecentEngine, noEngine, reasonOf } from './engine-refusal.ts';
import type { BaseConfig, BaseImage } from './image-config.ts';
import { ImageRefusal } from './image-refusal.ts';
import type { Platform } from './platform.ts';
import type { Credentials } from './registry-credentials.ts';
import { pushRefusal, withoutSecrets } from './registry-refusal.ts';

/** What takes an archive as `docker-archive.ts` makes it. */
export interface ImageLoader {
  load(archive: Buffer): Promise<void>;
}

/** Abandoned, it leaves nothing in the engine. */
export interface OpenedLoad extends ImageLoader {
  abandon(): void;
}

/** An image as an engine tells of it. */
export interface EngineImage extends BaseImage {
  /** The id is the digest of its configuration; some engines take that of its manifest. */
  readonly isIdOfConfig: boolean;
}

export class DockerEngine implements ImageLoader {
  readonly docker: Docker;
  /** What its containers run on; null where it does not say. */
  readonly platform: Platform | null;

  private constructor(docker: Docker, { Os, Arch }: Docker.DockerVersion) {
    this.docker = docker;
    this.platform = Os && Arch ? { os: Os, architecture: Arch } : null;
  }

  /** Refuses with a sentence where no engine answers, or one that is too old. */
  static async connect(docker?: Docker): Promise<DockerEngine> {
    const engine = docker ?? engineHere();
    const version = await engine.version().catch((error: unknown) => {
      throw noEngine(error);
    });
    mustBeRecentEngine(version);
    return new DockerEngine(engine, version);
  }

  /** Null where the engine has no such image. */
  imageOf(name: string): Promise<EngineImage | null> {
    return imageIn(this.docker, name);
  }

  async load(archive: Buffer): Promise<void> {
    await this.#loaded(Readable.from([archive])).catch(refuseLoad);
  }

  /** A connection through a network may be lost without a word while nothing is sent. */
  get canWaitForArchive(): boolean {
    const { socketPath } = this.docker.modem as { readonly socketPath?: unknown };
    return socketPath !== undefined;
  }

  /**
   * Begins to load an image whose archive is not there yet. Before an engine reads the first byte of it, it starts a process,
   * and others have work to do in the meantime.
   */
  async openLoad(): Promise<OpenedLoad> {
    const body = new PassThrough();
    body.write(await archiveStart());
    const loading = this.#loaded(body);
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    loading.then(over, over);
    return {
      load: async (archive) => {
        // A proxy or a time limit has ended it: it waited for too long.
        if (isOver) return this.load(archive);
        body.end(archive);
        await loading.catch(refuseLoad);
      },
      abandon: () => {
        if (!body.writableEnded) body.destroy(new Error('there is no image to load'));
      },
    };
  }

  async #loaded(archive: NodeJS.ReadableStream): Promise<void> {
    await this.#followed(await this.docker.loadImage(archive, { quiet: true }));
  }

  async tag(image: string, repository: string, tag: string): Promise<void> {
    await this.docker.getImage(image).tag({ repo: repository, tag });
  }

  /** In this order. False where the engine has no such image, or not under this id. */
  async name(id: string, names: readonly string[]): Promise<boolean> {
    try {
      for (const { repository, tag } of names.map(partsOfName)) await this.tag(id, repository, tag);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw engineRefusal('naming the image', error);
    }
  }

  /** Removes an image, unless it has a name, also one that a registry knows it by, or is used. */
  async removeUnnamed(id: string): Promise<void> {
    const image = this.docker.getImage(id);
    const { RepoTags, RepoDigests } = await image.inspect();
    if (!RepoTags?.length && !RepoDigests?.length) await image.remove();
  }

  /** The layers of an image as plain archives, for an engine elsewhere that has none of them. */
  async layersOf(name: string): Promise<ReadonlyMap<string, Buffer>> {
    const saved = await this.docker.getImage(name).get();
    const files = await filesIn(saved);
    const manifest = JSON.parse(String(files.get('manifest.json')))[0] as { Config: string; Layers: string[] };
    const config = JSON.parse(String(files.get(manifest.Config))) as { rootfs: { diff_ids: string[] } };
    return new Map(
      config.rootfs.diff_ids.map((diffId, at) => [diffId, files.get(manifest.Layers[at] as string) as Buffer]),
    );
  }

  /** Takes a name away; where it was the last one, the image goes too. */
  async untag(name: string): Promise<void> {
    await this.docker
      .getImage(name)
      .remove({ noprune: false })
      .catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
  }

  /** From its registry. An engine that is given no tag would pull all of them. */
  async pull(name: string, credentials?: Credentials): Promise<void> {
    const full = /@|:[^/]+$/.test(name) ? name : `${name}:latest`;
    try {
      await this.#followed(await this.docker.pull(full, credentials ? { authconfig: credentials } : {}));
    } catch (cause) {
      const what = `The image ${name} is not in the Docker engine, and cannot be pulled`;
      // Not with the cause: it may repeat what it was told to prove who is asking.
      throw new ImageRefusal(`${what}: ${withoutSecrets(reasonOf(cause), credentials)}`);
    }
  }

  /** All of an image, as `docker save` writes it. */
  async saved(name: string): Promise<NodeJS.ReadableStream> {
    try {
      return await this.docker.getImage(name).get();
    } catch (error) {
      throw engineRefusal(`reading ${name}`, error);
    }
  }

  /**
   * Gives the digest that the registry knows the image by; nothing where the engine does not tell it. Engines want to be
   * told who is asking, be it nobody.
   */
  async push(name: string, credentials: Credentials | undefined): Promise<string | undefined> {
    const { repository, tag } = partsOfName(name);
    try {
      const options = { tag, authconfig: credentials ?? NOBODY };
      const lines = await this.#followed(await this.docker.getImage(repository).push(options));
      return lines.findLast(({ aux }) => aux?.Digest)?.aux?.Digest;
    } catch (error) {
      throw pushRefusal(name, credentials, error);
    }
  }

  /** To the end of a progress stream, in which a failure is a line like any other. */
  async #followed(stream: NodeJS.ReadableStream): Promise<readonly ProgressLine[]> {
    const lines = await new Promise<readonly ProgressLine[]>((resolve, reject) => {
      this.docker.modem.followProgress(stream, (error, output) => (error ? reject(error) : resolve(output ?? [])));
    });
    const failed = lines.find(({ error }) => error !== undefined);
    if (failed) throw new Error(failed.error);
    return lines;
  }
}

function refuseLoad(error: unknown): never {
  throw engineRefusal('loading the image', error);
}

/** The engine that Docker's command line uses too. Nothing is asked of it yet. */
export function engineHere(): Docker {
  try {
    return new Docker(engineAddress());
  } catch (error) {
    throw error instanceof ImageRefusal ? error : noEngine(error);
  }
}

/** Null where the engine has no such image. */
export async function imageIn(docker: Docker, name: string): Promise<EngineImage | null> {
  try {
    const seen = await docker.getImage(name).inspect();
    const { Architecture, Os, Id, RootFS, Config, Variant, RepoDigests } = seen as typeof seen & {
      readonly Variant?: string;
    };
    const layers = RootFS.Layers ?? [];
    return {
      name,
      id: Id,
      architecture: Architecture,
      ...(Variant ? { variant: Variant } : {}),
      os: Os,
      layers,
      config: Config as BaseConfig,
      isIdOfConfig: !RepoDigests?.some((digest) => digest.endsWith(`@${Id}`)),
    };
  } catch (error) {
    if (isMissing(error)) return null;
    throw engineRefusal(`looking for ${name}`, error);
  }
}

function isMissing(error: unknown): boolean {
  return (error as { readonly statusCode?: number }).statusCode === 404;
}

interface ProgressLine {
  readonly error?: string;
  /** What came of it, at the end of a push. */
  readonly aux?: { readonly Digest?: string };
}

/** A host may have a port, so the tag is behind the last part of the path. */
function partsOfName(name: string): { readonly repository: string; readonly tag: string } {
  const at = name.indexOf(':', name.lastIndexOf('/') + 1);
  return at < 0 ? { repository: name, tag: 'latest' } : { repository: name.slice(0, at), tag: name.slice(at + 1) };
}

const NOBODY = { username: '', password: '', serveraddress: '' };
