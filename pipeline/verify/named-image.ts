/** The image that is to be verified: in a file, in the engine, or pulled into it. */
import { createReadStream, statSync } from 'node:fs';
import { type StoredImage, storedImage } from '../image/base-archive.ts';
import { DockerEngine } from '../image/docker-engine.ts';
import type { BaseImage } from '../image/image-config.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import { credentialsFor } from '../image/registry-credentials.ts';

export interface NamedImage {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The engine that has it; null for a file. */
  readonly engine: DockerEngine | null;
  /** What an engine knows it by: for most of them the digest of its configuration, for some that of its manifest. */
  readonly id: string;
  /** All of it, which takes its time where an engine has to write it out. */
  readonly read: () => Promise<StoredImage>;
}

export async function namedImage(name: string): Promise<NamedImage> {
  return statSync(name, { throwIfNoEntry: false })?.isFile() ? inFile(name) : inEngine(name);
}

async function inFile(name: string): Promise<NamedImage> {
  const image = await storedImage(createReadStream(name), `\`${name}\``);
  const labels = image.config.config.Labels ?? {};
  return { name, labels, engine: null, id: image.id, read: async () => image };
}

async function inEngine(name: string): Promise<NamedImage> {
  const engine = await DockerEngine.connect();
  const { id, config } = (await engine.imageOf(name)) ?? (await pulled(engine, name));
  const read = async () => storedImage(await engine.saved(name), `The image ${name}`);
  return { name, labels: config.Labels ?? {}, engine, id, read };
}

async function pulled(engine: DockerEngine, name: string): Promise<BaseImage> {
  if (/^(sha256:)?[0-9a-f]{12,64}$/.test(name)) {
    const advice = 'One in a registry is named in full, as in `ghcr.io/acme/blog@sha256:…`';
    throw new ImageRefusal(`The Docker engine has no image ${name}. ${advice}.`);
  }
  if (!NAME.test(name)) throw new ImageRefusal(`There is no file \`${name}\`, and no image can have that name.`);
  await engine.pull(name, credentialsFor(name));
  const image = await engine.imageOf(name);
  if (image === null) throw new ImageRefusal(`The image ${name} was pulled, but the Docker engine does not have it.`);
  return image;
}

/** With a tag or a digest, or without. What it may be exactly, the engine says. */
const NAME = /^[A-Za-z0-9][\w./:-]*(@sha256:[0-9a-f]{64})?$/;
