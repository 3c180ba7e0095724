/** A base image from a file: what `docker save` writes, or an OCI layout. */
import { createReadStream } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { filesIn } from './archive-files.ts';
import type { BaseConfig, BaseImage } from './image-config.ts';
import { ImageRefusal } from './image-refusal.ts';
import { digestOf } from './layer.ts';
import { OWN_ARCHITECTURE, type OwnBase } from './own-node.ts';

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
    if (found) return baseOf(found);
  } catch (cause) {
    if (cause instanceof ImageRefusal) throw cause;
    throw new ImageRefusal(`The base archive ${file} is damaged: ${(cause as Error).message}`, { cause });
  }
  throw new ImageRefusal(`${file} holds no image: neither what \`docker save\` writes nor an OCI layout.`);
}

interface StoredImage {
  readonly name: string;
  readonly id: string;
  readonly config: StoredConfig;
  readonly layers: readonly Buffer[];
}

interface DockerManifest {
  readonly Config: string;
  readonly Layers: readonly string[];
  readonly RepoTags?: readonly string[] | null;
}

/** Where the file lies is nobody's business: the same base is to give the same image. */
const UNNAMED = 'base';

const OTHER_LAYERS =
  'The layers of the base archive are not what its configuration says: it is damaged, or they are compressed with ' +
  'something other than gzip.';

function fromDocker(files: Files): StoredImage {
  const [manifest] = jsonIn<readonly DockerManifest[]>(files, 'manifest.json');
  if (!manifest) throw new ImageRefusal('The base archive names no image.');
  const id = `sha256:${manifest.Config.replace(/^.*\//, '').replace(/\.json$/, '')}`;
  return {
    name: manifest.RepoTags?.[0] ?? UNNAMED,
    id,
    config: jsonIn<StoredConfig>(files, manifest.Config),
    layers: manifest.Layers.map((name) => plain(fileIn(files, name))),
  };
}

interface Descriptor {
  readonly digest: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly platform?: { readonly architecture: string };
}

function fromOci(files: Files): StoredImage {
  const index = jsonIn<OciIndex>(files, 'index.json');
  const [first] = index.manifests;
  if (!first) throw new ImageRefusal('The base archive names no image.');
  const manifest = manifestOf(files, first);
  const layers = manifest.layers.map((layer) => plain(fileIn(files, blobPath(layer))));
  const name = first.annotations?.['org.opencontainers.image.ref.name'] ?? UNNAMED;
  return { name, id: manifest.config.digest, config: jsonIn<StoredConfig>(files, blobPath(manifest.config)), layers };
}

interface OciIndex {
  readonly manifests: readonly Descriptor[];
}

interface OciManifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** What is made for several machines, or with a statement of where it comes from, has an index below the index. */
function manifestOf(files: Files, descriptor: Descriptor): OciManifest {
  const found = jsonIn<OciManifest | OciIndex>(files, blobPath(descriptor));
  if (!('manifests' in found)) return found;
  const fitting = found.manifests.find(({ platform }) => platform?.architecture === OWN_ARCHITECTURE);
  if (!fitting) throw new ImageRefusal(`The base archive has no image for ${OWN_ARCHITECTURE}.`);
  return manifestOf(files, fitting);
}

function baseOf({ name, id, config, layers: tars }: StoredImage): OwnBase {
  const layers = config.rootfs.diff_ids.map((diffId, at) => ({ diffId, tar: tars[at] ?? Buffer.alloc(0) }));
  if (layers.some(({ diffId, tar }) => digestOf(tar) !== diffId)) throw new ImageRefusal(OTHER_LAYERS);
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
