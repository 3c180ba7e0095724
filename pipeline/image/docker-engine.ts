/** The Docker engine, behind the few things that are asked of it. Its errors come inside progress streams: they are found there. */

import { Readable } from 'node:stream';
import Docker from 'dockerode';
import { filesIn } from './archive-files.ts';
import type { BaseConfig, BaseImage } from './image-config.ts';
import { ImageRefusal } from './image-refusal.ts';

export class DockerEngine {
  readonly docker: Docker;

  private constructor(docker: Docker) {
    this.docker = docker;
  }

  /** Refuses with a sentence where no engine answers, or one that is too old. */
  static async connect(docker = new Docker()): Promise<DockerEngine> {
    const version = await docker.version().catch((cause: NodeJS.ErrnoException) => {
      throw new ImageRefusal(noEngine(cause), { cause });
    });
    if (Number.parseFloat(version.ApiVersion) < OLDEST_API) throw new ImageRefusal(tooOld(version));
    return new DockerEngine(docker);
  }

  /** Null where the engine has no such image. */
  async imageOf(name: string): Promise<BaseImage | null> {
    try {
      const seen = await this.docker.getImage(name).inspect();
      const { Architecture, Os, Id, RootFS, Config, Variant } = seen as typeof seen & { readonly Variant?: string };
      const layers = RootFS.Layers ?? [];
      return {
        name,
        id: Id,
        architecture: Architecture,
        ...(Variant ? { variant: Variant } : {}),
        os: Os,
        layers,
        config: known(Config as BaseConfig),
      };
    } catch (error) {
      if ((error as { readonly statusCode?: number }).statusCode === 404) return null;
      throw error;
    }
  }

  async load(archive: Buffer): Promise<void> {
    const stream = await this.docker.loadImage(Readable.from([archive]), { quiet: true });
    await this.#followed(stream, 'loading the image');
  }

  async tag(image: string, repository: string, tag: string): Promise<void> {
    await this.docker.getImage(image).tag({ repo: repository, tag });
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
      .catch((error: { readonly statusCode?: number }) => {
        if (error.statusCode !== 404) throw error;
      });
  }

  /** From its registry. An engine that is given no tag would pull all of them. */
  async pull(name: string): Promise<void> {
    const full = /@|:[^/]+$/.test(name) ? name : `${name}:latest`;
    const stream: NodeJS.ReadableStream = await this.docker.pull(full).catch((cause: EngineError) => {
      const why = (cause.json?.message ?? cause.message).trim();
      throw new ImageRefusal(`The image ${name} is not in the Docker engine, and cannot be pulled: ${why}`, { cause });
    });
    await this.#followed(stream, `pulling ${name}`);
  }

  async push(name: string, tag: string, credentials: Docker.AuthConfig | undefined): Promise<void> {
    const stream = await this.docker
      .getImage(`${name}:${tag}`)
      .push({ tag, ...(credentials ? { authconfig: credentials } : {}) });
    await this.#followed(stream, `pushing ${name}:${tag}`);
  }

  /** To the end of a progress stream, in which a failure is a line like any other. */
  async #followed(stream: NodeJS.ReadableStream, act: string): Promise<void> {
    const lines = await new Promise<readonly { readonly error?: string }[]>((resolve, reject) => {
      this.docker.modem.followProgress(stream, (error, output) => (error ? reject(error) : resolve(output ?? [])));
    }).catch((cause: Error) => {
      throw new ImageRefusal(`${act} failed: ${cause.message}`, { cause });
    });
    const failed = lines.find(({ error }) => error !== undefined);
    if (failed) throw new ImageRefusal(`${act} failed: ${failed.error}`);
  }
}

/** What the engine says is in `json`; the message has the status around it. */
type EngineError = Error & { readonly json?: { readonly message?: string } };

/** Docker 20.10. */
const OLDEST_API = 1.41;

function noEngine({ code }: NodeJS.ErrnoException): string {
  const why = code === 'EACCES' ? 'this user may not use it' : 'it does not answer';
  return `A Docker engine is needed to load the image, but ${why}. Start Docker, or write the image to a file with --output.`;
}

function tooOld({ Version, ApiVersion }: Docker.DockerVersion): string {
  return `The Docker engine is too old: ${Version} has API ${ApiVersion}, and ${OLDEST_API} (Docker 20.10) is needed.`;
}

const KEPT = [
  'Env',
  'Entrypoint',
  'Cmd',
  'User',
  'WorkingDir',
  'ExposedPorts',
  'Healthcheck',
  'Labels',
  'StopSignal',
] as const satisfies readonly (keyof BaseConfig)[];

/** Engines of different versions add settings of their own; only these mean something to a container. */
function known(config: BaseConfig): BaseConfig {
  return Object.fromEntries(KEPT.filter((key) => config[key] !== undefined).map((key) => [key, config[key]]));
}
