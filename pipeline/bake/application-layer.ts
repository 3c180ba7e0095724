import { type Layer, type LayerFile, layerFrom, textFile } from '../image/layer.ts';
import type { PreparedRelease } from './release-of-revision.ts';

/** What an image carries of its application: all of it below `/app`. */
export function applicationLayer({ texts, chain }: PreparedRelease, hooks: string | undefined): Promise<Layer> {
  const files = new Map<string, LayerFile>([
    ['app/definition.json', textFile(texts['definition.json'])],
    ['app/openapi.json', textFile(texts['openapi.json'])],
    ['app/releases.json', textFile(JSON.stringify(chain))],
    ['app/schema.sql', textFile(texts['schema.sql'])],
  ]);
  if (hooks !== undefined) files.set('app/hooks/hooks.mjs', textFile(hooks));
  return layerFrom(files);
}
