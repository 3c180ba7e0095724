/** A base image from a file: what `docker save` writes, or an OCI layout. */
import { createReadStream } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { filesIn } from './archive-files.ts';
import type { BaseConfig, BaseImage } from './image-config.ts';
import { ImageRefusal } from './image-refusal.ts';
import type { OwnBase } from './own-node.ts';

interface StoredConfig {
  readonly architecture: string;
  readonly variant?: string;
  readonly os: string;
  readonly config: BaseConfig;
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

type Files = ReadonlyMap<string, Buffer>;

export async function baseFromArchive(file: string): Promise<OwnBase> {
  const files = await filesIn(createReadStream(file)).catch((cause: unknown) => {
    throw new ImageRefusal(`The base archive ${file} cannot be read.`, { cause });
  });
  try {
    const found = files.has('manifest.json') ? fromDocker(files) : files.has('index.json') ? fromOci(files) : null;
    if (found) return baseOf(file, found.id, found.config, found.layers);
  } catch (cause) {
    if (cause instanceof ImageRefusal) throw cause;
    throw new ImageRefusal(`The base archive ${file} is damaged: ${(cause as Error).message}`, { cause });
  }
  throw new ImageRefusal(`${file} holds no image: neither what \`docker save\` writes nor an OCI layout.`);
}

function fromDocker(files: Files) {
  const [manifest] = jsonIn<readonly { Config: string; Layers: readonly string[] }[]>(files, 'manifest.json');
  if (!manifest) throw new ImageRefusal('The base archive names no image.');
  const id = `sha256:${manifest.Config.replace(/^.*\//, '').replace(/\.json$/, '')}`;
  return {
    id,
    config: jsonIn<StoredConfig>(files, manifest.Config),
    layers: manifest.Layers.map((name) => fileIn(files, name)),
  };
}

interface Descriptor {
  readonly digest: string;
}

function fromOci(files: Files) {
  const index = jsonIn<{ manifests: readonly Descriptor[] }>(files, 'index.json');
  const [first] = index.manifests;
  if (!first) throw new ImageRefusal('The base archive names no image.');
  const manifest = jsonIn<{ config: Descriptor; layers: readonly Descriptor[] }>(files, blobPath(first));
  const layers = manifest.layers.map((layer) => plain(fileIn(files, blobPath(layer))));
  return { id: manifest.config.digest, config: jsonIn<StoredConfig>(files, blobPath(manifest.config)), layers };
}

function baseOf(name: string, id: string, config: StoredConfig, tars: readonly Buffer[]): OwnBase {
  const layers = config.rootfs.diff_ids.map((diffId, at) => ({ diffId, tar: tars[at] as Buffer }));
  const { architecture, os, variant } = config;
  const image: BaseImage = {
    name,
    id,
    architecture,
    ...(variant ? { variant } : {}),
    os,
    layers: config.rootfs.diff_ids,
    config: config.config,
  };
  return { image, layers };
}

function blobPath({ digest }: Descriptor): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function plain(bytes: Buffer): Buffer {
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

function fileIn(files: Files, name: string): Buffer {
  const found = files.get(name);
  if (!found) throw new ImageRefusal(`The base archive has no file ${name}, though it names it.`);
  return found;
}

function jsonIn<T>(files: Files, name: string): T {
  return JSON.parse(fileIn(files, name).toString('utf8')) as T;
}
