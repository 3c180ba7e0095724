/**
 * An image as a file: an OCI layout in a tar archive, for registries and engines that read one. Engines before 25 read
 * `manifest.json` alone, as `docker save` writes it. It names the same blobs, so both are in the archive.
 */
import type { BaseImage, ImageConfig } from './image-config.ts';
import {
  archiveOf,
  type CompressedLayer,
  compressed,
  digestOf,
  type Layer,
  type LayerFile,
  textFile,
} from './layer.ts';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

/** All layers go along, from the bottom up. */
export async function ociLayout(
  base: BaseImage,
  layers: readonly Layer[],
  config: ImageConfig,
  reference: string,
): Promise<Buffer> {
  const blobs = layers.map(compressed);
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: CONFIG, digest: config.id, size: Buffer.byteLength(config.text) },
    layers: blobs.map(({ digest, bytes }) => ({ mediaType: LAYER, digest, size: bytes.length })),
  });
  return archiveOf(
    new Map([
      ...layoutFiles(manifest, base, reference),
      ['manifest.json', dockerManifest(config, blobs, reference)],
      ...blobFiles(blobs),
      blob(config.id, config.text),
    ]),
  );
}

function dockerManifest({ id }: ImageConfig, blobs: readonly CompressedLayer[], reference: string): LayerFile {
  const layers = blobs.map(({ digest }) => blobPath(digest));
  return textFile(JSON.stringify([{ Config: blobPath(id), RepoTags: [reference], Layers: layers }]));
}

function layoutFiles(
  manifest: string,
  { architecture, os }: BaseImage,
  reference: string,
): readonly [string, LayerFile][] {
  const digest = digestOf(manifest);
  const index = {
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: [
      {
        mediaType: MANIFEST,
        digest,
        size: Buffer.byteLength(manifest),
        platform: { architecture, os },
        annotations: { 'org.opencontainers.image.ref.name': reference },
      },
    ],
  };
  return [
    ['oci-layout', textFile(JSON.stringify({ imageLayoutVersion: '1.0.0' }))],
    ['index.json', textFile(JSON.stringify(index))],
    blob(digest, manifest),
  ];
}

function blobFiles(blobs: readonly CompressedLayer[]): readonly [string, LayerFile][] {
  return blobs.map(({ digest, bytes }) => [blobPath(digest), { bytes }]);
}

function blob(digest: string, text: string): [string, LayerFile] {
  return [blobPath(digest), textFile(text)];
}

function blobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}
