/**
 * What an image carries of its application, all of it below `/app`, in two layers. The lower one depends on the revision
 * alone. The upper one is the chain of releases, which depends on the ledger: the releases that databases have gone
 * through are a fact that no commit can know.
 */
import { artifactsFor } from '../../compiler/definition/artifacts.ts';
import { type Layer, type LayerFile, layerFrom, textFile } from '../image/layer.ts';
import type { PreparedRelease } from './release-of-revision.ts';

/** In the image. */
export const CHAIN_FILE = 'app/releases.json';

/** From the bottom up. */
export async function applicationLayers(
  release: PreparedRelease,
  hooks: string | undefined,
): Promise<readonly [Layer, Layer]> {
  const files = [...applicationFiles(release, hooks)];
  const ofRevision = files.filter(([path]) => path !== CHAIN_FILE);
  const ofLedger = files.filter(([path]) => path === CHAIN_FILE);
  return [await layerFrom(new Map(ofRevision)), await layerFrom(new Map(ofLedger))];
}

function applicationFiles(
  { texts, chain }: PreparedRelease,
  hooks: string | undefined,
): ReadonlyMap<string, LayerFile> {
  const contents = { ...texts, 'releases.json': JSON.stringify(chain), 'hooks/hooks.mjs': hooks };
  return new Map(artifactsFor('image', contents).map(({ name, content }) => [`app/${name}`, textFile(content)]));
}
