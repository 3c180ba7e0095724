/**
 * How an image differs from the one that was made again: its base, its layers file by file, its labels one by one, its
 * settings by name. Values of settings are not shown, since a base may have secrets in its environment.
 */
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { CHAIN_FILE } from '../bake/application-layer.ts';
import { filesIn } from '../image/archive-files.ts';
import type { StoredImage } from '../image/base-archive.ts';
import { type BaseImage, baseDigest, MADE_BY } from '../image/image-config.ts';
import type { Layer } from '../image/layer.ts';
import { chainDifferences } from './chain-differences.ts';
import type { RebuiltImage } from './rebuilt-image.ts';

export interface Difference {
  readonly of: 'base' | 'application' | 'releases' | 'label' | 'setting' | 'signature';
  /** A sentence without a full stop. */
  readonly says: string;
}

/** For images with different ids, so there is always one. */
export async function imageDifferences(
  image: StoredImage,
  { config, built }: RebuiltImage,
  base: BaseImage,
): Promise<readonly Difference[]> {
  const own = JSON.parse(config.text) as Readonly<Record<string, unknown>>;
  const theirs = image.config as unknown as Readonly<Record<string, unknown>>;
  const otherBase = baseDifferences(image, base);
  const isSameBase = otherBase.length === 0;
  const differences: readonly Difference[] = [
    ...otherBase,
    ...(await layerDifferences(addedLayers(image, base), built.layers)),
    ...labelDifferences(labelsIn(theirs), labelsIn(own), isSameBase),
    // Another base has other settings, and nobody knows which.
    ...(isSameBase ? settingDifferences(theirs, own) : []),
  ];
  return differences.length > 0 ? differences : [{ of: 'setting', says: WRITTEN }];
}

const WRITTEN = 'the history, or the way in which the configuration is written: not the same';

const DIGEST_LABEL = 'org.opencontainers.image.base.digest';

function standsOn({ layers }: StoredImage, base: BaseImage): boolean {
  return base.layers.every((diffId, at) => layers[at]?.diffId === diffId);
}

/** What lies on the base; where the image has another one, what Kiln would have put there. */
function addedLayers(image: StoredImage, base: BaseImage): readonly Layer[] {
  return image.layers.slice(standsOn(image, base) ? base.layers.length : -ownLayers(image));
}

/** Kiln adds one, and earlier versions of it added two. */
function ownLayers({ config }: StoredImage): number {
  const { history } = config as { readonly history?: readonly { readonly created_by?: string }[] | null };
  return history?.filter((entry) => entry.created_by === MADE_BY).length || 1;
}

function baseDifferences(image: StoredImage, base: BaseImage): readonly Difference[] {
  const said = labelsIn(image.config)[DIGEST_LABEL];
  const digest = baseDigest(base);
  const other = `${base.name} is ${digest}. Name the right one with --base`;
  if (said !== undefined && said !== digest)
    return [{ of: 'base', says: `the image is made on a base ${said}, and ${other}` }];
  if (standsOn(image, base)) return [];
  return [
    { of: 'base', says: `the lower layers of the image are not those of ${base.name}, though it names that base` },
  ];
}

async function layerDifferences(theirs: readonly Layer[], ours: readonly Layer[]): Promise<readonly Difference[]> {
  if (theirs.map(({ diffId }) => diffId).join() === ours.map(({ diffId }) => diffId).join()) return [];
  const [found, expected] = [await filesOf(theirs), await filesOf(ours)];
  const names = [...new Set([...expected.keys(), ...found.keys()])].filter((name) => name !== CHAIN_FILE).sort();
  const files = names.flatMap((name) => fileDifference(name, found.get(name), expected.get(name)));
  const chain = chainDifferences(found.get(CHAIN_FILE)?.toString(), String(expected.get(CHAIN_FILE)));
  const differences: readonly Difference[] = [
    ...files.map((says) => ({ of: 'application', says }) as const),
    ...chain.map((says) => ({ of: 'releases', says }) as const),
  ];
  return differences.length > 0 ? differences : [{ of: 'application', says: PACKED }];
}

const PACKED = 'the layers have the same files, but other times, owners, modes or links';

function fileDifference(name: string, found: Buffer | undefined, expected: Buffer | undefined): readonly string[] {
  if (found === undefined) return [`${name} is missing from the image`];
  if (expected === undefined) return [`${name} is only in the image`];
  return found.equals(expected) ? [] : [`${name} differs: ${found.length} bytes in the image, ${expected.length} here`];
}

/** An upper layer hides what is below it. */
async function filesOf(layers: readonly Layer[]): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const { tar } of layers) {
    for (const [name, bytes] of await filesIn(Readable.from([tar]))) files.set(name, bytes);
  }
  return files;
}

type Labels = Readonly<Record<string, string>>;

function labelsIn(config: unknown): Labels {
  return (config as { readonly config?: { readonly Labels?: Labels | null } }).config?.Labels ?? {};
}

/** The base is told by itself. Another one may bring labels of its own. */
function labelDifferences(theirs: Labels, ours: Labels, isSameBase: boolean): readonly Difference[] {
  const found = isSameBase ? Object.keys(theirs) : [];
  const names = [...new Set([...found, ...Object.keys(ours)])].filter((name) => name !== DIGEST_LABEL);
  return names.sort().flatMap((name): readonly Difference[] => {
    const [found, expected] = [theirs[name], ours[name]];
    if (found === expected) return [];
    if (found === undefined) return [{ of: 'label', says: `${name} is missing from the image` }];
    if (expected === undefined) return [{ of: 'label', says: `${name} is only in the image` }];
    return [{ of: 'label', says: `${name} is \`${found}\` in the image, and \`${expected}\` here` }];
  });
}

type Settings = Readonly<Record<string, unknown>>;

/** Layers and labels are told by themselves, and the history is only about how many layers there are. */
const TOLD = new Set(['rootfs', 'history', 'config']);

function settingDifferences(theirs: Settings, ours: Settings): readonly Difference[] {
  const outer = namesOfOthers(theirs, ours).filter((name) => !TOLD.has(name));
  const inner = namesOfOthers(theirs.config as Settings, ours.config as Settings).filter((name) => name !== 'Labels');
  const names = [...inner, ...outer];
  if (names.length === 0) return [];
  return [{ of: 'setting', says: `${names.join(', ')}: not the same` }];
}

function namesOfOthers(theirs: Settings, ours: Settings): readonly string[] {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].sort();
  return names.filter((name) => !isDeepStrictEqual(meantBy(theirs[name]), meantBy(ours[name])));
}

/** Builders write out what others leave out. */
function meantBy(value: unknown): unknown {
  const isEmpty = value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);
  return isEmpty ? undefined : value;
}
