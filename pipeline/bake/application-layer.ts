import { artifactsFor } from '../../compiler/definition/artifacts.ts';
import { type Layer, layerFrom, textFile } from '../image/layer.ts';
import type { PreparedRelease } from './release-of-revision.ts';

/** What an image carries of its application: all of it below `/app`. */
export function applicationLayer({ texts, chain }: PreparedRelease, hooks: string | undefined): Promise<Layer> {
  const contents = { ...texts, 'releases.json': JSON.stringify(chain), 'hooks/hooks.mjs': hooks };
  const files = artifactsFor('image', contents).map(({ name, content }) => [`app/${name}`, textFile(content)] as const);
  return layerFrom(new Map(files));
}
