/** An image as registries and OCI layouts keep it: compressed layers, a configuration, and a manifest that names both. */
import type { BaseImage, ImageConfig } from './image-config.ts';
import { type CompressedLayer, compressed, digestOf, type Layer } from './layer.ts';
import type { Platform } from './platform.ts';

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

export function descriptorOf({ manifest, platform: { os, architecture, variant } }: StoredImage): object {
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
