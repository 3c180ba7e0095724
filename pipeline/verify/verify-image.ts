/**
 * Is an image what its commit gives? The commit that the image names is built again from the repository, on the same base
 * and with the ledger as it was, and both are compared. Nothing is written, and nothing of the image is run.
 */
import type { KeyObject } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { baseIn, configOf } from '../bake/bake.ts';
import { type BuildInput, type BuiltRelease, prepareRelease, recordedLayers } from '../bake/build-release.ts';
import { SIGNED_PROVENANCE, signedStatement } from '../bake/provenance-files.ts';
import { CHAIN_FILE } from '../bake/release-of-revision.ts';
import { areHere } from '../git/objects.ts';
import { type Repository, referencesIn } from '../git/repository.ts';
import { revisionOf } from '../git/revision.ts';
import { baseFromArchive, type StoredImage, storedImage } from '../image/base-archive.ts';
import { DockerEngine } from '../image/docker-engine.ts';
import { type BaseImage, baseDigest, type ImageConfig } from '../image/image-config.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import { filesInLayers, type Layer } from '../image/layer.ts';
import { ownBase } from '../image/own-node.ts';
import { credentialsFor } from '../image/registry-credentials.ts';
import { readBuildFile } from '../ledger/build-files.ts';
import { ledgerBranches, ledgerFor, readLedger } from '../ledger/ledger.ts';
import { branchOfLedger, recordsOf } from '../ledger/ledger-reference.ts';
import { Steps } from '../smoke/steps.ts';

interface VerifyInput {
  readonly name: string;
  readonly repository: Repository;
  /** The revision to use instead of the one that the image names. */
  readonly rev: string | undefined;
  readonly base: string;
  readonly baseArchive: string | undefined;
  readonly runtimeFolder: string;
}

export interface Verification {
  readonly revision: string;
  /** The id of the image that was made again. */
  readonly id: string;
  readonly base: { readonly name: string; readonly digest: string };
  readonly releases: number;
  /** Empty where it is the same image. */
  readonly differences: readonly Difference[];
  /** The ledger has recorded the release as the image has it, and this Kiln gives something else. */
  readonly isAsRecorded: boolean;
}

export async function verifyImage(input: VerifyInput): Promise<Verification> {
  const { name, repository } = input;
  const image = await namedImage(name);
  const revision = revisionFor(input, image);
  const base = await baseFor(input, image);
  const candidates = await rebuiltImages(repository, revision, base);
  const same = candidates.find(({ config }) => config.id === image.id);
  return same ? verificationOf(revision, base, same, []) : compared(revision, base, image, candidates);
}

const REVISION_LABEL = 'org.opencontainers.image.revision';
const DEFINITION_LABEL = 'kiln.definition';

function revisionFor({ name, rev, repository }: VerifyInput, { labels }: NamedImage): string {
  const said = labels[REVISION_LABEL];
  if (said === undefined || labels[DEFINITION_LABEL] === undefined)
    throw new ImageRefusal(`\`${name}\` is not an image that Kiln has built: it has no label ${DEFINITION_LABEL}.`);
  if (rev !== undefined) return revisionOf(repository, rev);
  if (areHere(repository, [`${said}^{commit}`])[0]) return said;
  const advice = 'Fetch it, or name the repository that has it behind the image';
  throw new ImageRefusal(`\`${name}\` is made of the commit ${said}, which is not in this repository. ${advice}.`);
}

/** A file has no engine that could have its base, so it is compared with what `kiln build --output` would take. */
async function baseFor(input: VerifyInput, { engine }: NamedImage): Promise<BaseImage> {
  const { base, baseArchive, runtimeFolder } = input;
  if (baseArchive !== undefined) return (await baseFromArchive(baseArchive)).image;
  return engine === null ? (await ownBase(runtimeFolder)).image : baseIn(engine, base);
}

/** Compares with the nearest of several images: it has the fewest differences. */
async function compared(
  revision: string,
  base: BaseImage,
  image: NamedImage,
  candidates: readonly RebuiltImage[],
): Promise<Verification> {
  const stored = await image.read();
  const all = await Promise.all(
    candidates.map(async (each) => {
      const isSame = each.config.id === stored.id;
      const differences = isSame ? [] : await imageDifferences(stored, each, base);
      return verificationOf(revision, base, each, differences, each.recordedId === stored.id);
    }),
  );
  const [nearest] = all.sort((one, other) => one.differences.length - other.differences.length);
  if (nearest === undefined) throw new Error('there is nothing to compare with');
  return nearest;
}

function verificationOf(
  revision: string,
  base: BaseImage,
  { config, built }: RebuiltImage,
  differences: readonly Difference[],
  isRecorded = false,
): Verification {
  return {
    revision,
    id: config.id,
    base: { name: base.name, digest: baseDigest(base) },
    releases: built.release.chain.releases.length,
    differences,
    isAsRecorded: isRecorded && differences.length > 0,
  };
}

// ── Named image ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The image that is to be verified: in a file, in the engine, or pulled into it.

interface NamedImage {
  readonly labels: Readonly<Record<string, string>>;
  /** The engine that has it; null for a file. */
  readonly engine: DockerEngine | null;
  /**
   * The name of the image in an engine: for most engines the digest of its configuration, for some that of its
   * manifest.
   */
  readonly id: string;
  /** All of it, which takes its time where an engine has to write it out. */
  readonly read: () => Promise<StoredImage>;
}

async function namedImage(name: string): Promise<NamedImage> {
  return statSync(name, { throwIfNoEntry: false })?.isFile() ? inFile(name) : inEngine(name);
}

async function inFile(name: string): Promise<NamedImage> {
  const image = await storedImage(createReadStream(name), `\`${name}\``);
  const labels = image.config.config.Labels ?? {};
  return { labels, engine: null, id: image.id, read: async () => image };
}

async function inEngine(name: string): Promise<NamedImage> {
  const engine = await DockerEngine.connect();
  const { id, config } = (await engine.imageOf(name)) ?? (await pulled(engine, name));
  const read = async () => storedImage(await engine.saved(name), `The image ${name}`);
  return { labels: config.Labels ?? {}, engine, id, read };
}

async function pulled(engine: DockerEngine, name: string): Promise<BaseImage> {
  if (/^(sha256:)?[0-9a-f]{12,64}$/.test(name)) {
    const advice = 'One in a registry is named in full, as in `ghcr.io/acme/blog@sha256:…`';
    throw new ImageRefusal(`The Docker engine has no image ${name}. ${advice}.`);
  }
  if (!NAME.test(name)) throw new ImageRefusal(`There is no file \`${name}\`, and no image can have that name.`);
  await engine.pull(name, credentialsFor(name));
  const image = await engine.imageOf(name);
  if (image === null) throw new ImageRefusal(`The image ${name} was pulled, but the Docker engine does not have it.`);
  return image;
}

/** A name with a tag, with a digest, or with neither. The engine decides what exactly is allowed. */
const NAME = /^[A-Za-z0-9][\w./:-]*(@sha256:[0-9a-f]{64})?$/;

// ── Signed provenance ────────────────────────────────────────────────────────────────────────────────────────────────

// Whether somebody with a certain key has signed that a build made an image.

/** Compares the signed provenance; empty where it is valid. `id` is that of the image that the revision gives. */
export function signatureDifferences(
  repository: Repository,
  { revision, id }: { readonly revision: string; readonly id: string },
  key: KeyObject,
): readonly Difference[] {
  const branches = referencesIn(repository, recordsOf(repository, 'reports')).map(({ name }) => branchOfLedger(name));
  const envelopes = branches.flatMap((branch) => readBuildFile(repository, branch, revision, SIGNED_PROVENANCE) ?? []);
  if (envelopes.length === 0)
    return [{ of: 'signature', says: `no build of ${revision} has left one here; ${ADVICE}` }];
  const statements = envelopes.flatMap((envelope) => signedStatement(envelope, key) ?? []);
  if (statements.length === 0) return [{ of: 'signature', says: 'it is not of this key' }];
  if (statements.some((statement) => subjectsOf(statement).includes(id))) return [];
  return [{ of: 'signature', says: `this key has signed another image of ${revision}` }];
}

const ADVICE =
  "builds sign with KILN_SIGNING_KEY, and `git fetch origin 'refs/kiln/*:refs/kiln/*'` fetches what they left";

function subjectsOf(statement: string): readonly string[] {
  const { subject = [] } = JSON.parse(statement) as {
    readonly subject?: readonly { readonly digest?: { readonly sha256?: string } }[];
  };
  return subject.map(({ digest }) => `sha256:${digest?.sha256}`);
}

// ── Differences ──────────────────────────────────────────────────────────────────────────────────────────────────────

// How an image differs from the one that was made again: its base, its layers file by file, its labels one by one,
// its settings by name. Values of settings are not shown, since a base may have secrets in its environment.

interface Difference {
  readonly of: 'base' | 'application' | 'releases' | 'label' | 'setting' | 'signature';
  /** A sentence without a full stop. */
  readonly says: string;
}

/** Explains the differences of images with different ids, so there is always one. */
async function imageDifferences(
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

interface RebuiltImage {
  readonly config: ImageConfig;
  readonly built: BuiltRelease;
  /** The id of the image that the ledger's own record of the release gives; null where it has none. */
  readonly recordedId: string | null;
}

/**
 * Makes an image for each chain of releases that the revision is on: branches may have reached it by different paths.
 */
async function rebuiltImages(
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
  return { repository, revision, branch, folder: repository.folder, ledger: ledgerFor(repository, branch, revision) };
}

async function rebuilt(input: BuildInput, base: BaseImage): Promise<RebuiltImage> {
  const built = await prepareRelease(input, new Steps(() => undefined));
  const recorded = await recordedLayers(input);
  const recordedId = recorded ? configOf(base, { ...built, ...recorded }).id : null;
  return { config: configOf(base, built), built, recordedId };
}
