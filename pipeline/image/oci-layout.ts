/**
 * Images as a file: an OCI layout in a tar archive, for registries and engines that read one. Engines before 25 read
 * `manifest.json` alone, as `docker save` writes it. It names the same blobs, so both are in the archive.
 */
import type { BaseImage, ImageConfig } from './image-config.ts';
import { archiveOf, type Layer, type LayerFile, textFile } from './layer.ts';
import { descriptorOf, INDEX, imageIndex, type StoredImage, type StoredText, storedImages } from './stored-image.ts';

/** All layers go along, from the bottom up. */
export function ociLayout(
  base: BaseImage,
  layers: readonly Layer[],
  config: ImageConfig,
  reference: string,
): Promise<Buffer> {
  return imagesLayout(storedImages([{ base, layers, config }]), reference);
}

/** Several are behind a list of their own, which has the name. */
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

/** It can say one image for each name: the first. */
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

function blobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}
