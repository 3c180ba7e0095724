/** The Docker engine, behind the few things that are asked of it. Its errors come inside progress streams: they are found there. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix } from 'node:path';
import { Readable } from 'node:stream';
import Docker from 'dockerode';
import type { BaseConfig, BaseImage, Platform } from './image-config.ts';
import { engineRefusal, ImageRefusal, mustBeRecentEngine, noEngine, reasonOf } from './image-refusal.ts';
import { filesIn } from './layer.ts';
import { type Credentials, partsOfName, registryFailure, withoutSecrets } from './registry-credentials.ts';

export class DockerEngine {
  readonly docker: Docker;
  /** The platform of its containers; null where the engine does not state it. */
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

  /** Finds an image; null where the engine does not have it. */
  async imageOf(name: string): Promise<BaseImage | null> {
    try {
      const seen = await this.docker.getImage(name).inspect();
      const { Architecture, Os, Id, RootFS, Config, Variant } = seen as typeof seen & {
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
      };
    } catch (error) {
      if (isMissing(error)) return null;
      throw engineRefusal(`looking for ${name}`, error);
    }
  }

  /** Takes an archive as `dockerArchive` makes it. */
  async load(archive: Buffer): Promise<void> {
    try {
      await this.#followed(await this.docker.loadImage(Readable.from([archive]), { quiet: true }));
    } catch (error) {
      throw engineRefusal('loading the image', error);
    }
  }

  async tag(image: string, repository: string, tag: string): Promise<void> {
    await this.docker.getImage(image).tag({ repo: repository, tag });
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

  /** Pulls an image from its registry. An engine that is given no tag would pull all of them. */
  async pull(name: string, credentials?: Credentials): Promise<void> {
    const full = /@|:[^/]+$/.test(name) ? name : `${name}:latest`;
    try {
      await this.#followed(await this.docker.pull(full, credentials ? { authconfig: credentials } : {}));
    } catch (cause) {
      const what = `The image ${name} is not in the Docker engine, and cannot be pulled`;
      // The cause is left out: it may repeat the credentials.
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
    const { repository, reference: tag } = partsOfName(name);
    try {
      const options = { tag, authconfig: credentials ?? NOBODY };
      const lines = await this.#followed(await this.docker.getImage(repository).push(options));
      return lines.findLast(({ aux }) => aux?.Digest)?.aux?.Digest;
    } catch (error) {
      throw registryFailure(`${name} is not pushed`, name, credentials, error, `pushing ${name}`);
    }
  }

  /** Reads a progress stream to its end; a failure is a line like any other. */
  async #followed(stream: NodeJS.ReadableStream): Promise<readonly ProgressLine[]> {
    const lines = await new Promise<readonly ProgressLine[]>((resolve, reject) => {
      this.docker.modem.followProgress(stream, (error, output) => (error ? reject(error) : resolve(output ?? [])));
    });
    const failed = lines.find(({ error }) => error !== undefined);
    if (failed) throw new Error(failed.error);
    return lines;
  }
}

/** The engine that Docker's command line uses too. Nothing is asked of it yet. */
function engineHere(): Docker {
  try {
    return new Docker(engineAddress());
  } catch (error) {
    throw error instanceof ImageRefusal ? error : noEngine(error);
  }
}

function isMissing(error: unknown): boolean {
  return (error as { readonly statusCode?: number }).statusCode === 404;
}

interface ProgressLine {
  readonly error?: string;
  /** The result, at the end of a push. */
  readonly aux?: { readonly Digest?: string };
}

const NOBODY = { username: '', password: '', serveraddress: '' };

// ── Docker context ───────────────────────────────────────────────────────────────────────────────────────────────────

// The engine that Docker's command line uses: from a context, unless DOCKER_HOST names it. Kiln uses the same one.

const SOCKET = 'unix://';

/** The address of the engine; empty where none is set: then it is the default one, or that of DOCKER_HOST. */
export function engineAddress(environment: NodeJS.ProcessEnv = process.env): { readonly socketPath?: string } {
  if (environment.DOCKER_HOST) return {};
  const folder = environment.DOCKER_CONFIG || join(homedir(), '.docker');
  const name = environment.DOCKER_CONTEXT || stringIn(jsonIn(join(folder, 'config.json')), 'currentContext');
  if (name === undefined || name === 'default') return {};
  const host = hostOf(folder, name);
  if (host === undefined) return {};
  if (host.startsWith(SOCKET)) return { socketPath: host.slice(SOCKET.length) };
  throw new ImageRefusal(
    `Docker's context \`${name}\` has its engine on another machine. Set DOCKER_HOST=${host} to use it, or DOCKER_CONTEXT=default for the engine of this one.`,
  );
}

/** Docker keeps each context in a folder that is called as the hash of its name. */
function hostOf(folder: string, name: string): string | undefined {
  const id = createHash('sha256').update(name).digest('hex');
  const context = jsonIn(join(folder, 'contexts/meta', id, 'meta.json'));
  const endpoints = context?.Endpoints as { readonly docker?: Record<string, unknown> } | undefined;
  return stringIn(endpoints?.docker, 'Host');
}

function stringIn(value: Readonly<Record<string, unknown>> | undefined, key: string): string | undefined {
  const found = value?.[key];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** Reads a JSON file; undefined where it cannot be read, which the caller reports if it needs the file. */
function jsonIn(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

export const THIS_MACHINE = '127.0.0.1';

/** The host where the engine's published ports are reached. */
export function engineHost({ DOCKER_HOST: host }: NodeJS.ProcessEnv = process.env): string {
  const address = /^(?:tcp|ssh|https?):\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*)/.exec(host ?? '')?.[1];
  return address === undefined || /^(localhost|127\.[\d.]+|\[::1\])$/.test(address) ? THIS_MACHINE : address;
}

/** A push is tested through ports that only this machine reaches, for others may not look into it. */
export function mustBeOnThisMachine(environment: NodeJS.ProcessEnv = process.env): void {
  const address = engineHost(environment);
  if (address === THIS_MACHINE) return;
  throw new ImageRefusal(
    `The Docker engine is on ${address}, as DOCKER_HOST says, and a push is tested through ports of this machine. Use an engine here, or \`kiln build --test\` in a CI job.`,
  );
}

// ── Image file ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reads those of the paths that the image has, and the contents of folders, by their full paths. */
export async function filesInImage(
  { docker }: DockerEngine,
  image: string,
  paths: readonly string[],
  labels: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, Buffer>> {
  const act = `reading ${paths[0]} of ${image}`;
  // An engine reads from containers only, so one is made, and never started. It wants a command all the same.
  const made = docker.createContainer({
    Image: image,
    Cmd: ['none'],
    Labels: { ...labels, 'kiln.read': paths[0] ?? '' },
  });
  const container = await made.catch((cause: unknown) => {
    throw engineRefusal(act, cause);
  });
  const read = async (path: string) => {
    try {
      const found = await filesIn(await container.getArchive({ path }));
      return [...found].map(([name, bytes]) => [posix.join(posix.dirname(path), name), bytes] as const);
    } catch (error) {
      if (isMissing(error)) return [];
      throw engineRefusal(act, error);
    }
  };
  try {
    return new Map((await Promise.all(paths.map(read))).flat());
  } finally {
    // A failure to remove the container must not spoil what was read.
    await container.remove({ force: true }).catch(() => undefined);
  }
}

// ── Image definition ─────────────────────────────────────────────────────────────────────────────────────────────────

const FILE = '/app/definition.json';

/** The text of `definition.json` in an image of the engine; null where it has no such image. Nothing of it is run. */
export async function definitionInImage(engine: DockerEngine, name: string): Promise<string | null> {
  const image = await engine.imageOf(name);
  if (image === null) return null;
  // Images that Kiln has made are labelled, and a base is not.
  const isOurs = image.config.Labels?.['kiln.definition'] !== undefined;
  const [file] = isOurs ? (await filesInImage(engine, image.id, [FILE])).values() : [];
  if (file) return file.toString('utf8');
  throw new ImageRefusal(`\`${name}\` is not an image of an application that Kiln has built`);
}
