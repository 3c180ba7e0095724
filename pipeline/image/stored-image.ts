/** An image as registries and OCI layouts keep it: compressed layers, a configuration, and a manifest that names both. */
import type { BaseImage, ImageConfig, Platform } from './image-config.ts';
import {
  archiveOf,
  type CompressedLayer,
  compressed,
  digestOf,
  hexOf,
  type Layer,
  type LayerFile,
  textFile,
} from './layer.ts';

export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const INDEX = 'application/vnd.oci.image.index.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

export interface WholeImage {
  readonly base: BaseImage;
  /** All of them, from the bottom up. */
  readonly layers: readonly Layer[];
  readonly config: ImageConfig;
}

export interface StoredImage {
  readonly platform: Platform;
  readonly config: ImageConfig;
  readonly layers: readonly CompressedLayer[];
  readonly manifest: StoredText;
}

export interface StoredText {
  readonly text: string;
  readonly digest: string;
}

/** Layers that images share are compressed once. */
export function storedImages(images: readonly WholeImage[]): readonly StoredImage[] {
  const known = new Map<string, CompressedLayer>();
  return images.map(({ base: { os, architecture, variant }, layers, config }) => {
    for (const layer of layers) if (!known.has(layer.diffId)) known.set(layer.diffId, compressed(layer));
    const stored = layers.map(({ diffId }) => known.get(diffId) as CompressedLayer);
    const platform = { os, architecture, ...(variant ? { variant } : {}) };
    return { platform, config, layers: stored, manifest: textOf(manifestOf(config, stored)) };
  });
}

/** The list by which a machine finds the image that is for it. */
export function imageIndex(images: readonly StoredImage[]): StoredText {
  return textOf({ schemaVersion: 2, mediaType: INDEX, manifests: images.map((image) => descriptorOf(image)) });
}

function descriptorOf({ manifest, platform: { os, architecture, variant } }: StoredImage): object {
  return {
    mediaType: MANIFEST,
    digest: manifest.digest,
    size: Buffer.byteLength(manifest.text),
    platform: { architecture, os, ...(variant ? { variant } : {}) },
  };
}

function manifestOf({ id, text }: ImageConfig, layers: readonly CompressedLayer[]): object {
  return {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: CONFIG, digest: id, size: Buffer.byteLength(text) },
    layers: layers.map(({ digest, bytes }) => ({ mediaType: LAYER, digest, size: bytes.length })),
  };
}

function textOf(value: object): StoredText {
  const text = JSON.stringify(value);
  return { text, digest: digestOf(text) };
}

// ── Oci layout ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Images as a file: an OCI layout in a tar archive, for registries and engines that read one. Engines before 25 read
// `manifest.json` alone, as `docker save` writes it. It names the same blobs, so both are in the archive.

/** Makes a layout. Several images are behind an index of their own, which has the name. */
export function imagesLayout(images: readonly StoredImage[], reference: string): Promise<Buffer> {
  const [first] = images;
  if (first === undefined) throw new Error('a layout has an image');
  const list = images.length === 1 ? [] : [imageIndex(images)];
  const top = list.map(listDescriptor)[0] ?? descriptorOf(first);
  const annotations = { 'org.opencontainers.image.ref.name': reference };
  const index = { schemaVersion: 2, mediaType: INDEX, manifests: [{ ...top, annotations }] };
  return archiveOf(
    new Map([
      ['oci-layout', textFile(JSON.stringify({ imageLayoutVersion: '1.0.0' }))],
      ['index.json', textFile(JSON.stringify(index))],
      ['manifest.json', dockerManifest(first, reference)],
      ...list.map(blob),
      ...images.flatMap(imageBlobs),
    ]),
  );
}

function listDescriptor({ text, digest }: StoredText): object {
  return { mediaType: INDEX, digest, size: Buffer.byteLength(text) };
}

/** The manifest for Docker, which can state one image for each name: the first. */
function dockerManifest({ config, layers }: StoredImage, reference: string): LayerFile {
  const files = layers.map(({ digest }) => blobPath(digest));
  return textFile(JSON.stringify([{ Config: blobPath(config.id), RepoTags: [reference], Layers: files }]));
}

function imageBlobs({ config, layers, manifest }: StoredImage): readonly [string, LayerFile][] {
  return [
    blob(manifest),
    blob({ text: config.text, digest: config.id }),
    ...layers.map(({ digest, bytes }): [string, LayerFile] => [blobPath(digest), { bytes }]),
  ];
}

function blob({ text, digest }: StoredText): [string, LayerFile] {
  return [blobPath(digest), textFile(text)];
}

export function blobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

// ── Docker archive ───────────────────────────────────────────────────────────────────────────────────────────────────

// The archive that `docker load` reads: configuration, layers, and the names that the image is to have.

/**
 * Carries the added layers, and names those of the base without carrying them: an engine that has them looks no further. `carried` are those
 * of the base that have to go along.
 */
export function dockerArchive(
  base: BaseImage,
  added: readonly Layer[],
  config: ImageConfig,
  tags: readonly string[],
  carried: readonly Layer[] = [],
): Promise<Buffer> {
  const layers = [...base.layers, ...added.map(({ diffId }) => diffId)].map(layerFile);
  const manifest = [{ Config: `${hexOf(config.id)}.json`, RepoTags: tags, Layers: layers }];
  return archiveOf(
    new Map([
      ['manifest.json', textFile(JSON.stringify(manifest))],
      [`${hexOf(config.id)}.json`, textFile(config.text)],
      ...[...added, ...carried].map(({ diffId, tar }) => [layerFile(diffId), { bytes: tar }] as const),
    ]),
  );
}

function layerFile(diffId: string): string {
  return `${hexOf(diffId)}/layer.tar`;
}
