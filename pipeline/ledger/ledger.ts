/**
 * The releases of a branch. A repository and a branch come in; a verified chain goes out, with the place of the
 * reference at the time of reading, from which alone it can be moved on. See README.md for the rules.
 */
import type { Release } from '../../compiler/definition/migration.ts';
import { areHere, readBlobs } from '../git/objects.ts';
import { type Repository, referenceId, referencesIn } from '../git/repository.ts';
import { branchOfLedger, recordReference, recordsOf } from './ledger-reference.ts';
import { baseChain, type RecordedRelease, readChain } from './read-chain.ts';
import { RELEASE_FILES, type ReleaseFile, type ReleaseTexts } from './release-files.ts';

export interface Ledger {
  readonly branch: string;
  readonly reference: string;
  /** The commit of the reference when it was read; null where the branch has no release of its own yet. */
  readonly tip: string | null;
  /** Oldest first; what the branch starts from is in it. */
  readonly releases: readonly RecordedRelease[];
}

/** Reads the releases of the branch; none where it has none yet. */
export function readLedger(repository: Repository, branch: string): Ledger {
  const reference = recordReference(repository, 'releases', branch);
  const tip = referenceId(repository, reference);
  const releases = tip === null ? [] : readChain(repository, reference, tip);
  return { branch, reference, tip, releases };
}

/**
 * Reads the ledger for a release of `revision`: a branch without releases starts from the newest one among its
 * ancestors.
 */
export function ledgerFor(repository: Repository, branch: string, revision: string): Ledger {
  const ledger = readLedger(repository, branch);
  return ledger.tip === null ? { ...ledger, releases: baseChain(repository, revision) } : ledger;
}

/** Lists all branches that ever had a release. */
export function ledgerBranches(repository: Repository): readonly string[] {
  return referencesIn(repository, recordsOf(repository, 'releases')).map(({ name }) => branchOfLedger(name));
}

export function newestRelease({ releases }: Ledger): RecordedRelease | undefined {
  return releases.at(-1);
}

export function releaseOf({ releases }: Ledger, revision: string): RecordedRelease | undefined {
  return releases.find(({ release }) => release.revision === revision);
}

/**
 * Lists the releases as the image of a release carries them: oldest first, up to and including that release, or all.
 */
export function chainOf({ releases }: Ledger, revision?: string): readonly Release[] {
  const all = releases.map(({ release }) => release);
  if (revision === undefined) return all;
  const at = all.findIndex((release) => release.revision === revision);
  if (at < 0) throw new Error(`${revision} is not a release of this ledger`);
  return all.slice(0, at + 1);
}

export function readReleaseTexts(repository: Repository, { files }: RecordedRelease): ReleaseTexts {
  const blobs = readBlobs(repository, Object.values(files));
  const texts = RELEASE_FILES.map((name) => [name, blobs.get(files[name])?.toString('utf8')] as const);
  return Object.fromEntries(texts) as ReleaseTexts;
}

/** Reads one file of a release: the others may be large. */
export function readReleaseText(repository: Repository, { files }: RecordedRelease, name: ReleaseFile): string {
  return readBlobs(repository, [files[name]]).get(files[name])?.toString('utf8') ?? '';
}

/** Releases whose source is gone: they stay valid as history, but their images cannot be built again. */
export function releasesWithoutSource(repository: Repository, { releases }: Ledger): readonly RecordedRelease[] {
  const here = areHere(
    repository,
    releases.map(({ release }) => `${release.revision}^{commit}`),
  );
  return releases.filter((_, at) => !here[at]);
}
