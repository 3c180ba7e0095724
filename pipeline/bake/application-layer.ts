/**
 * What an image carries of its application, all of it below `/app`, in one layer: an engine starts a process for each layer
 * that it adds, and waits for the disk. All of it depends on the revision alone but the chain of releases, which depends on
 * the ledger: the releases that databases have gone through are a fact that no commit can know.
 */
import { artifactsFor } from '../../compiler/definition/artifacts.ts';
import { type Layer, type LayerFile, layerFrom, textFile } from '../image/layer.ts';
import type { PreparedRelease } from './release-of-revision.ts';

/** In the image. */
export const CHAIN_FILE = 'app/releases.json';

export function applicationLayer(release: PreparedRelease, hooks: string | undefined): Promise<Layer> {
  return layerFrom(applicationFiles(release, hooks));
}

function applicationFiles(
  { texts, chain }: PreparedRelease,
  hooks: string | undefined,
): ReadonlyMap<string, LayerFile> {
  const contents = { ...texts, 'releases.json': JSON.stringify(chain), 'hooks/hooks.mjs': hooks };
  return new Map(artifactsFor('image', contents).map(({ name, content }) => [`app/${name}`, textFile(content)]));
}
