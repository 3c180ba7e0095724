/** Bases of a few bytes, for tests that never run what they build. */

import type { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { type BaseImage, type ImageConfig, imageConfig } from '../../../pipeline/image/image-config.ts';
import { type Layer, layerFrom, textFile } from '../../../pipeline/image/layer.ts';
import { dockerArchive, imagesLayout, storedImages } from '../../../pipeline/image/stored-image.ts';

export const NOTHING: BaseImage = {
  name: 'small',
  id: 'sha256:0',
  architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
  os: 'linux',
  layers: [],
  config: {},
};
const FACTS = { application: 'base', revision: '0', source: null, created: new Date(0), definition: '', schema: '' };

function smallLayer(content = ''): Promise<Layer> {
  return layerFrom(new Map([['kiln/main.mjs', textFile(content)]]));
}

/** As a file for `--base-archive`. */
export async function smallBaseArchive(
  content = '',
  name = 'base:1',
  architecture = NOTHING.architecture,
): Promise<Buffer> {
  const layer = await smallLayer(content);
  const base = { ...NOTHING, architecture };
  return ociLayout(base, [layer], imageConfig(base, [layer.diffId], FACTS), name);
}

/** In an engine, under this name. */
export async function loadSmallBase(engine: DockerEngine, name: string): Promise<void> {
  const layer = await smallLayer();
  await engine.load(await dockerArchive(NOTHING, [layer], imageConfig(NOTHING, [layer.diffId], FACTS), [name]));
}

/** An image as a file, with all of its layers, from the bottom up. */
export function ociLayout(
  base: BaseImage,
  layers: readonly Layer[],
  config: ImageConfig,
  name: string,
): Promise<Buffer> {
  return imagesLayout(storedImages([{ base, layers, config }]), name);
}
