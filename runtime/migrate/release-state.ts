/** The position of a database in a chain of releases. Reading it changes and locks nothing. */

import {
  isUndoChecksum,
  partsChecksum,
  type Release,
  type ReleaseChain,
  withdrawnBy,
} from '../../compiler/definition/migration.ts';
import type { Connection } from '../query/database.ts';
import {
  besideNewest,
  completeReleases,
  imageReleaseOf,
  type LedgerRow,
  shortRevision,
  standingOf,
} from '../query/database-release.ts';
import type { Contraction } from './contraction.ts';
import { type Ledger, type Progress, readLedger } from './ledger.ts';
import { pathTaken, releasesCompleted, undoingOf } from './withdrawal.ts';

export type ReleaseState =
  | { readonly kind: 'current'; readonly contraction: Contraction | null }
  /** No tables but ours, and no release. Some parts of the schema may be there, from a run before this one. */
  | { readonly kind: 'empty'; readonly sentence: string; readonly partsDone: number }
  | Behind
  | Compatible
  | { readonly kind: 'ahead' | 'diverged' | 'not-ours'; readonly sentence: string };

export interface Behind {
  readonly kind: 'behind';
  readonly sentence: string;
  /** The number of releases up to and including the last complete one. */
  readonly releasesDone: number;
  /** The same number, including the releases that are withdrawn after it. */
  readonly releasesRecorded: number;
  /** The progress of a release that is begun, or is being undone. */
  readonly progress: Progress | null;
  /** The contraction of the last release that changed the tables, where it is not done yet. */
  readonly contraction: Contraction | null;
  /** Whether that release has a contraction at all, done or not: the way that the database took may have none. */
  readonly isContracted: boolean;
}

/** The database is ahead, and works with this image too. */
export interface Compatible {
  readonly kind: 'compatible';
  readonly sentence: string;
  /** The position and the revision of the database. */
  readonly position: number;
  readonly revision: string;
  /** False while a `migrate` brings it there. */
  readonly isComplete: boolean;
}

/** Reads the state for `/readyz` and `migrate`: each state but `current` has a sentence that says what to do. */
export async function releaseState(connection: Connection, chain: ReleaseChain): Promise<ReleaseState> {
  return stateFromLedger(await readLedger(connection), chain);
}

export function stateFromLedger(ledger: Ledger, chain: ReleaseChain): ReleaseState {
  const { releases, progress } = ledger;
  if (releases.length === 0) return stateWithoutReleases(ledger, chain);
  return divergence(releases, progress, chain) ?? aheadOf(releases, progress, chain) ?? stateOnTheWay(ledger, chain);
}

function stateWithoutReleases({ others, progress }: Ledger, chain: ReleaseChain): ReleaseState {
  if (progress) return stateOfParts(progress, chain);
  if (others.length === 0)
    return { kind: 'empty', sentence: 'The database is empty. Run `migrate` first.', partsDone: 0 };
  const sentence = `The database has tables (${namesOf(others)}), but no ledger of releases, so Kiln does not change them. Use an empty database, or the right one.`;
  return { kind: 'not-ours', sentence };
}

/** The state where a previous run has made some of the tables, and was stopped. */
function stateOfParts({ position, revision, checksum, stepsDone }: Progress, chain: ReleaseChain): ReleaseState {
  const { releases } = chain;
  const last = releases.at(-1);
  const isThis = position === releases.length && revision === last?.revision && checksum === partsChecksum(chain);
  if (isThis) {
    const sentence = 'The database has only a part of its tables. Run `migrate` first.';
    return { kind: 'empty', sentence, partsDone: stepsDone };
  }
  const sentence = `The database has only a part of the tables of release ${position} (${shortRevision(revision)}). Run \`migrate\` with the image of that release, or use an empty database.`;
  return { kind: 'diverged', sentence };
}

const MOST_NAMES = 5;

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => `"${name}"`);
  const rest = names.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

// ── Diverged ────────────────────────────────────────────────────────────────────────────────────────────────────────

const WAY_OUT = 'Build the image from a branch that holds the releases of this database, or use another database.';

function divergence(
  releases: readonly LedgerRow[],
  progress: Progress | null,
  chain: ReleaseChain,
): ReleaseState | undefined {
  for (const [index, row] of [...releases, ...(progress ? [progress] : [])].entries()) {
    const isKnown = row === progress ? isKnownProgress(progress, releases, chain) : isKnownRow(row as LedgerRow, chain);
    const difference = differenceAt(index + 1, row, isKnown, chain);
    if (difference && isForDevelopment(row.revision)) return { kind: 'diverged', sentence: FOR_DEVELOPMENT };
    if (difference && isWithdrawnLater(row, chain)) return { kind: 'ahead', sentence: withdrawnLater(row) };
    if (difference) return { kind: 'diverged', sentence: `${difference} ${WAY_OUT}` };
  }
  return undefined;
}

/** Whether a release that this chain lacks has withdrawn a release that this chain has. */
function isWithdrawnLater(row: LedgerRow | Progress, { releases }: ReleaseChain): boolean {
  const isWithdrawn = withdrawnBy(row) !== undefined || isUndoChecksum(row.checksum);
  return isWithdrawn && releases[row.position - 1]?.revision === row.revision;
}

function withdrawnLater(row: LedgerRow | Progress): string {
  const release = `Release ${row.position} (${shortRevision(row.revision)})`;
  const by = withdrawnBy(row);
  return by === undefined
    ? `${release} is being withdrawn in this database by a later release. Use the image of that release.`
    : `${release} was withdrawn in this database by ${shortRevision(by)}. Use the image of that revision or a later one.`;
}

/** Whether its steps are those that this chain has for it, or this chain withdraws it too. */
function isKnownRow(row: LedgerRow, { releases }: ReleaseChain): boolean {
  const release = releases[row.position - 1];
  const by = withdrawnBy(row);
  if (by !== undefined) return releases.some(({ revision, withdraws }) => revision === by && withdraws !== undefined);
  return release !== undefined && pathTaken(release, row) !== undefined && row.fingerprint === release.fingerprint;
}

function isKnownProgress(progress: Progress, rows: readonly LedgerRow[], chain: ReleaseChain): boolean {
  const release = chain.releases[progress.position - 1];
  const isOnTheWay = release !== undefined && pathTaken(release, progress) !== undefined;
  return isOnTheWay || undoingOf(chain, releasesCompleted(rows), progress) !== undefined;
}

/** The names that `kiln dev` gives to the releases of its databases. */
const DEVELOPMENT = /^dev-\d+-/;

export function isForDevelopment(revision: string): boolean {
  return DEVELOPMENT.test(revision);
}

const FOR_DEVELOPMENT =
  'This is a development database, made by `kiln dev`, `kiln start` or `kiln db`. Releases go to a database of their own: use an empty one.';

function differenceAt(
  position: number,
  row: LedgerRow | Progress,
  isKnown: boolean,
  { releases }: ReleaseChain,
): string | undefined {
  if (row.position !== position) return `The ledger of the database has no release ${position}.`;
  const release = releases[position - 1];
  if (!release) return undefined;
  if (row.revision !== release.revision)
    return `Release ${position} of the database is ${shortRevision(row.revision)}, but here it is ${shortRevision(release.revision)}.`;
  return isKnown
    ? undefined
    : `Release ${position} (${shortRevision(row.revision)}) was applied with different steps than it has here.`;
}

// ── Ahead, behind ───────────────────────────────────────────────────────────────────────────────────────────────────

function aheadOf(
  releases: readonly LedgerRow[],
  progress: Progress | null,
  chain: ReleaseChain,
): ReleaseState | undefined {
  const known = chain.releases.length;
  const newest = progress ?? releases.at(-1);
  if (!newest || newest.position <= known) return undefined;
  const { position, revision } = newest;
  const last = `${shortRevision(revision)}${progress ? ', which is not complete' : ''}`;
  if (worksWith(chain, releases, progress)) {
    const sentence = `The database is at release ${position} (${last}), which works with this image too.`;
    return { kind: 'compatible', sentence, position, revision, isComplete: progress === null };
  }
  const here = `the last one here is ${known} (${shortRevision(chain.releases.at(-1)?.revision ?? '')})`;
  const isContracted = standingWith(chain, releases) === 'contracted';
  const why = isContracted ? ' What this image needs was removed with the contraction.' : '';
  const sentence = `The database is ahead: it is at release ${position} (${last}), and ${here}.${why} Use the image of that release or a later one.`;
  return { kind: 'ahead', sentence };
}

function worksWith(chain: ReleaseChain, releases: readonly LedgerRow[], progress: Progress | null): boolean {
  const image = imageReleaseOf(chain);
  if (progress !== null) return progress.beside === image.fingerprint;
  const standing = standingWith(chain, releases);
  return standing === 'same' || standing === 'beside';
}

function standingWith(chain: ReleaseChain, releases: readonly LedgerRow[]) {
  const [newest, deciding] = [releases.at(-1), besideNewest(releases)];
  if (!newest || !deciding) return undefined;
  const { beside, isContracted } = deciding;
  const others = { pendingSteps: 0, underWay: null, withdrawn: [] };
  return standingOf(imageReleaseOf(chain), { ...newest, beside, isContracted, ...others });
}

function stateOnTheWay({ releases, progress }: Ledger, chain: ReleaseChain): ReleaseState {
  const releasesDone = releasesCompleted(releases);
  const of = chain.releases.length;
  const newest = releases[releasesDone - 1];
  const contraction = contractionOf(besideNewest(completeReleases(releases)), chain);
  if (releasesDone === of) return { kind: 'current', contraction };
  const at = `release ${releasesDone} of ${of} (${shortRevision(newest?.revision ?? '')})`;
  const sentence = `The database is at ${at}. Run \`migrate\` first.`;
  const isContracted = newest !== undefined && newest.contractSteps > 0;
  const releasesRecorded = releases.length;
  return { kind: 'behind', sentence, releasesDone, releasesRecorded, progress, contraction, isContracted };
}

/** The contraction of the release that made the tables, even if later ones have left them as they are. */
function contractionOf(row: LedgerRow | undefined, { releases }: ReleaseChain): Contraction | null {
  if (!row || row.contractDone >= row.contractSteps) return null;
  const release = pathTaken(releases[row.position - 1] as Release, row) as Release;
  return { position: row.position, release, stepsDone: row.contractDone };
}
