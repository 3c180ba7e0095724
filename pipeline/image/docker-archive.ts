/** The archive that `docker load` reads: configuration, layers, and the names that the image is to have. */

import type { BaseImage, ImageConfig } from './image-config.ts';
import { archiveOf, type Layer, textFile } from './layer.ts';

/** What an engine gets before the archive is there: an empty file, which engines do not look at. */
export async function archiveStart(): Promise<Buffer> {
  const archive = await archiveOf(new Map([['kiln', textFile('')]]));
  return archive.subarray(0, BLOCK);
}

/** A file without a content is one block of a tar archive. */
const BLOCK = 512;

/**
 * Carries the added layers, and names those of the base without carrying them: an engine that has them looks no further. `carried` are those
 * that have to go along, by their digests.
 */
export function dockerArchive(
  base: BaseImage,
  added: readonly Layer[],
  config: ImageConfig,
  tags: readonly string[],
  carried: ReadonlyMap<string, Buffer> = new Map(),
): Promise<Buffer> {
  const layers = [...base.layers, ...added.map(({ diffId }) => diffId)].map(layerFile);
  const manifest = [{ Config: `${hexOf(config.id)}.json`, RepoTags: tags, Layers: layers }];
  return archiveOf(
    new Map([
      ['manifest.json', textFile(JSON.stringify(manifest))],
      [`${hexOf(config.id)}.json`, textFile(config.text)],
      ...added.map(({ diffId, tar }) => [layerFile(diffId), { bytes: tar }] as const),
      ...[...carried].map(([diffId, tar]) => [layerFile(diffId), { bytes: tar }] as const),
    ]),
  );
}

function layerFile(diffId: string): string {
  return `${hexOf(diffId)}/layer.tar`;
}

function hexOf(digest: string): string {
  return digest.replace(/^sha256:/, '');
}
