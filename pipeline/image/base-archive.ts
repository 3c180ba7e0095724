/** An image from an archive: what `docker save` writes, or an OCI layout. Bases are read from files of that kind. */
import { createReadStream } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type BaseConfig, type BaseImage, isSamePlatform, type Platform } from './image-config.ts';
import { ImageRefusal } from './image-refusal.ts';
import { digestOf, filesIn, type Layer } from './layer.ts';
import { OWN_ARCHITECTURE, OWN_PLATFORM, type OwnBase } from './own-node.ts';
import { RegistryClient } from './registry-client.ts';
import { type Credentials, partsOfName } from './registry-credentials.ts';
import { blobPath } from './stored-image.ts';

interface StoredConfig extends Platform {
  readonly config: BaseConfig;
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

type Files = ReadonlyMap<string, Buffer>;

export async function baseFromArchive(file: string): Promise<OwnBase> {
  return baseOf(await storedImage(createReadStream(file), `The base archive ${file}`));
}

/** The image in it that is for this platform; undefined where there is none. */
export async function platformBase(file: string, platform: Platform): Promise<OwnBase | undefined> {
  const found = await readArchive(
    createReadStream(file),
    `The base archive ${file}`,
    (files) =>
      (files.has('index.json') ? fromOci(files, platform) : undefined) ??
      (files.has('manifest.json') ? fromDocker(files, platform) : undefined),
  );
  return found && baseOf(found);
}

/**
 * Reads an image; if the archive has several, the one for this machine. `what` begins the sentence about what is wrong
 * with it.
 */
export async function storedImage(archive: NodeJS.ReadableStream, what: string): Promise<StoredImage> {
  const found = await readArchive(archive, what, (files) => {
    const saved = files.has('manifest.json') ? fromDocker(files, null) : undefined;
    if (saved && (isSamePlatform(configOf(saved), OWN_PLATFORM) || !files.has('index.json'))) return saved;
    return (files.has('index.json') ? fromOci(files, saved ? OWN_PLATFORM : null) : undefined) ?? saved;
  });
  if (found) return found;
  throw new ImageRefusal(`${what} holds no image: neither what \`docker save\` writes nor an OCI layout.`);
}

async function readArchive(
  archive: NodeJS.ReadableStream,
  what: string,
  find: (files: Files) => FoundImage | undefined,
): Promise<StoredImage | undefined> {
  const files = await filesIn(archive).catch((cause: unknown) => {
    throw new ImageRefusal(`${what} cannot be read.`, { cause });
  });
  try {
    const found = find(files);
    return found && withLayers(found);
  } catch (cause) {
    if (cause instanceof ImageRefusal) throw cause;
    throw new ImageRefusal(`${what} is damaged: ${(cause as Error).message}`, { cause });
  }
}

export interface StoredImage {
  readonly name: string;
  /** The digest of the configuration. */
  readonly id: string;
  readonly config: StoredConfig;
  /** The layers, from the bottom up. */
  readonly layers: readonly Layer[];
}

interface FoundImage {
  readonly name: string;
  readonly config: Buffer;
  readonly layers: readonly Buffer[];
}

interface DockerManifest {
  readonly Config: string;
  readonly Layers: readonly string[];
  readonly RepoTags?: readonly string[] | null;
}

/** The name of a base without one. The path of its file must not count: the same base is to give the same image. */
const UNNAMED = 'base';

const OTHER_LAYERS =
  'The layers of the archive are not what its configuration says: it is damaged, or they are compressed with ' +
  'something other than gzip.';

function fromDocker(files: Files, platform: Platform | null): FoundImage | undefined {
  const manifests = jsonIn<readonly DockerManifest[]>(files, 'manifest.json');
  if (manifests.length === 0) throw new ImageRefusal('The archive names no image.');
  const isFitting = ({ Config }: DockerManifest) =>
    platform === null || isSamePlatform(jsonIn<StoredConfig>(files, Config), platform);
  const manifest = manifests.find(isFitting);
  if (!manifest) return undefined;
  return {
    name: manifest.RepoTags?.[0] ?? UNNAMED,
    config: fileIn(files, manifest.Config),
    layers: manifest.Layers.map((name) => plain(fileIn(files, name))),
  };
}

interface Descriptor {
  readonly digest: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly platform?: Platform;
}

function fromOci(files: Files, platform: Platform | null): FoundImage | undefined {
  const index = jsonIn<OciIndex>(files, 'index.json');
  const [first] = index.manifests;
  if (!first) throw new ImageRefusal('The archive names no image.');
  const manifest = platform === null ? manifestOf(files, first) : manifestFor(files, index, platform);
  if (!manifest) return undefined;
  const layers = manifest.layers.map((layer) => plain(fileIn(files, blobPath(layer.digest))));
  const name = first.annotations?.['org.opencontainers.image.ref.name'] ?? UNNAMED;
  return { name, config: fileIn(files, blobPath(manifest.config.digest)), layers };
}

/** Looks into all lists. What is named and not there is left out, as are statements of where an image comes from. */
function manifestFor(files: Files, { manifests }: OciIndex, platform: Platform): OciManifest | undefined {
  for (const descriptor of manifests.filter((each) => files.has(blobPath(each.digest)))) {
    const found = jsonIn<OciManifest | OciIndex>(files, blobPath(descriptor.digest));
    const manifest = 'manifests' in found ? manifestFor(files, found, platform) : found;
    if (!manifest || !files.has(blobPath(manifest.config.digest))) continue;
    if (isSamePlatform(jsonIn<StoredConfig>(files, blobPath(manifest.config.digest)), platform)) return manifest;
  }
  return undefined;
}

interface OciIndex {
  readonly manifests: readonly Descriptor[];
}

interface OciManifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** Finds the manifest. An image for several machines, or with provenance, has an index below the index. */
function manifestOf(files: Files, descriptor: Descriptor): OciManifest {
  const found = jsonIn<OciManifest | OciIndex>(files, blobPath(descriptor.digest));
  if (!('manifests' in found)) return found;
  const fitting = found.manifests.find(({ platform }) => platform?.architecture === OWN_ARCHITECTURE);
  if (!fitting) throw new ImageRefusal(`The archive has no image for ${OWN_ARCHITECTURE}.`);
  return manifestOf(files, fitting);
}

function configOf({ config }: FoundImage): StoredConfig {
  return JSON.parse(config.toString('utf8')) as StoredConfig;
}

function withLayers(found: FoundImage): StoredImage {
  const { name, config: bytes, layers: tars } = found;
  const config = configOf(found);
  const layers = config.rootfs.diff_ids.map((diffId, at) => ({ diffId, tar: tars[at] ?? Buffer.alloc(0) }));
  if (layers.some(({ diffId, tar }) => digestOf(tar) !== diffId)) throw new ImageRefusal(OTHER_LAYERS);
  return { name, id: digestOf(bytes), config, layers };
}

function baseOf({ name, id, config, layers }: StoredImage): OwnBase {
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

/** A layer as it was before it was compressed. */
function plain(bytes: Buffer): Buffer {
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

function fileIn(files: Files, name: string): Buffer {
  const found = files.get(name);
  if (!found) throw new ImageRefusal(`The archive has no file ${name}, though it names it.`);
  return found;
}

function jsonIn<T>(files: Files, name: string): T {
  return JSON.parse(fileIn(files, name).toString('utf8')) as T;
}

// ── Registry base ────────────────────────────────────────────────────────────────────────────────────────────────────

// A base image from the registry that its name says, for a platform of which no Docker engine has to have it.

/** Finds a base in a registry; undefined where it has none for the platform. */
export async function baseInRegistry(
  name: string,
  platform: Platform,
  credentials: Credentials | undefined,
): Promise<OwnBase | undefined> {
  const { repository, reference } = partsOfName(name);
  const registry = new RegistryClient(repository, credentials);
  const manifest = await manifestInRegistry(registry, reference, platform);
  if (manifest === undefined) return undefined;
  const config = await registry.blob(manifest.config.digest);
  if (!isSamePlatform(JSON.parse(String(config)) as StoredConfig, platform)) return undefined;
  const layers: Buffer[] = [];
  for (const { digest } of manifest.layers) layers.push(plain(await registry.blob(digest)));
  return baseOf(withLayers({ name, config, layers }));
}

async function manifestInRegistry(registry: RegistryClient, reference: string, platform: Platform) {
  const found = await registry.manifest(reference);
  if (found === undefined) return undefined;
  const manifest = JSON.parse(found.text) as OciIndex | OciManifest;
  if (!('manifests' in manifest)) return manifest;
  const fitting = manifest.manifests.find((each) => each.platform && isSamePlatform(each.platform, platform));
  const inner = fitting && (await registry.manifest(fitting.digest));
  const image = inner && (JSON.parse(inner.text) as OciIndex | OciManifest);
  return image && 'config' in image ? image : undefined;
}
