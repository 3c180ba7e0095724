/**
 * How an image differs from the one that was made again: its base, its layers file by file, its labels one by one, its
 * settings by name. Values of settings are not shown, since a base may have secrets in its environment.
 */
import { isDeepStrictEqual } from 'node:util';
import { configOf } from '../bake/bake.ts';
import { type BuildInput, type BuiltRelease, prepareRelease, recordedLayers } from '../bake/build-release.ts';
import { CHAIN_FILE } from '../bake/release-of-revision.ts';
import type { Repository } from '../git/repository.ts';
import type { StoredImage } from '../image/base-archive.ts';
import { type BaseImage, baseDigest, type ImageConfig } from '../image/image-config.ts';
import { filesInLayers, type Layer } from '../image/layer.ts';
import { ledgerBranches, ledgerFor, readLedger } from '../ledger/ledger.ts';
import { Steps } from '../smoke/steps.ts';

export interface Difference {
  readonly of: 'base' | 'application' | 'releases' | 'label' | 'setting' | 'signature';
  /** A sentence without a full stop. */
  readonly says: string;
}

/** Explains the differences of images with different ids, so there is always one. */
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

/** The layers on the base; if the image has another base, the one that Kiln added. */
function addedLayers(image: StoredImage, base: BaseImage): readonly Layer[] {
  return image.layers.slice(standsOn(image, base) ? base.layers.length : -1);
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
  const [found, expected] = [await filesInLayers(theirs), await filesInLayers(ours)];
  const names = [...new Set([...expected.keys(), ...found.keys()])].filter((name) => name !== CHAIN_FILE).sort();
  const files = names.flatMap((name) => fileDifference(name, found.get(name), expected.get(name)));
  const isSameChain = String(found.get(CHAIN_FILE)) === String(expected.get(CHAIN_FILE));
  const differences: readonly Difference[] = [
    ...files.map((says) => ({ of: 'application', says }) as const),
    ...(isSameChain ? [] : [{ of: 'releases', says: OTHER_RELEASES } as const]),
  ];
  return differences.length > 0 ? differences : [{ of: 'application', says: PACKED }];
}

const OTHER_RELEASES = 'the releases in the image are not those of the ledger here';
const PACKED = 'the layers have the same files, but other times, owners, modes or links';

function fileDifference(name: string, found: Buffer | undefined, expected: Buffer | undefined): readonly string[] {
  if (found === undefined) return [`${name} is missing from the image`];
  if (expected === undefined) return [`${name} is only in the image`];
  return found.equals(expected) ? [] : [`${name} differs: ${found.length} bytes in the image, ${expected.length} here`];
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

// ── Rebuilt image ────────────────────────────────────────────────────────────────────────────────────────────────────

// An image of a revision, made again from its sources: the release is compiled and compared again, whatever the ledger
// has recorded of it, with the ledger as it was before that release. Nothing is written.

export interface RebuiltImage {
  readonly config: ImageConfig;
  readonly built: BuiltRelease;
  /** The id of the image that the ledger's own record of the release gives; null where it has none. */
  readonly recordedId: string | null;
}

/**
 * Makes an image for each chain of releases that the revision is on: branches may have reached it by different paths.
 */
export async function rebuiltImages(
  repository: Repository,
  revision: string,
  base: BaseImage,
): Promise<readonly RebuiltImage[]> {
  const images: RebuiltImage[] = [];
  for (const input of inputsFor(repository, revision)) images.push(await rebuilt(input, base));
  return images;
}

function inputsFor(repository: Repository, revision: string): readonly BuildInput[] {
  const folder = repository.folder;
  const found = new Map<string, BuildInput>();
  for (const branch of ledgerBranches(repository)) {
    const ledger = readLedger(repository, branch);
    const at = ledger.releases.findIndex(({ release }) => release.revision === revision);
    const commit = ledger.releases[at]?.commit;
    if (commit === undefined || found.has(commit)) continue;
    const before = { ...ledger, releases: ledger.releases.slice(0, at) };
    found.set(commit, { repository, revision, branch, folder, ledger: before });
  }
  return found.size > 0 ? [...found.values()] : [notReleased(repository, revision)];
}

/**
 * The input for a revision that is not released, as a new branch would be built here. The name of that branch is in no
 * image.
 */
function notReleased(repository: Repository, revision: string): BuildInput {
  const branch = `verify-${revision}`;
  const ledger = ledgerFor(repository, branch, revision);
  return { repository, revision, branch, folder: repository.folder, ledger };
}

async function rebuilt(input: BuildInput, base: BaseImage): Promise<RebuiltImage> {
  const built = await prepareRelease(input, new Steps(() => undefined));
  const recorded = await recordedLayers(input);
  const recordedId = recorded ? configOf(base, { ...built, ...recorded }).id : null;
  return { config: configOf(base, built), built, recordedId };
}
