/** Where a database stands on the way of a chain. Nothing is changed by asking, and nothing is locked. */
import type { ReleaseChain } from '../../compiler/definition/migration.ts';
import type { Connection } from '../query/database.ts';
import { stepsChecksum } from './checksum.ts';
import { type Ledger, type LedgerRow, type Progress, readLedger } from './ledger.ts';

export type ReleaseState =
  | { readonly kind: 'current' }
  /** No tables but ours, and no release. */
  | { readonly kind: 'empty'; readonly sentence: string }
  | Behind
  | { readonly kind: 'ahead' | 'diverged' | 'not-ours'; readonly sentence: string };

export interface Behind {
  readonly kind: 'behind';
  readonly sentence: string;
  /** How many releases are complete. */
  readonly releasesDone: number;
  /** Of the release after them. */
  readonly stepsDone: number;
  /** What those steps have taken. */
  readonly milliseconds: number;
}

/** For `/readyz` as for `migrate`: each state but `current` has a sentence that says what to do. */
export async function releaseState(connection: Connection, chain: ReleaseChain): Promise<ReleaseState> {
  return stateFromLedger(await readLedger(connection), chain);
}

export function stateFromLedger(ledger: Ledger, chain: ReleaseChain): ReleaseState {
  const { releases, progress } = ledger;
  if (releases.length === 0) return stateWithoutReleases(ledger);
  return divergence(releases, progress, chain) ?? aheadOf(releases, progress, chain) ?? stateOnTheWay(ledger, chain);
}

function stateWithoutReleases({ others }: Ledger): ReleaseState {
  if (others.length === 0) return { kind: 'empty', sentence: 'The database is empty. Run `migrate` first.' };
  const sentence = `The database has tables (${namesOf(others)}), but no ledger of releases, so they are not ours to change. Use an empty database, or the right one.`;
  return { kind: 'not-ours', sentence };
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
  const begun = progress && { ...progress, fingerprint: chain.releases[progress.position - 1]?.fingerprint };
  const rows = [...releases, ...(begun ? [begun] : [])];
  for (const [index, row] of rows.entries()) {
    const difference = differenceAt(index + 1, row, chain);
    if (difference && DEVELOPMENT.test(row.revision)) return { kind: 'diverged', sentence: FOR_DEVELOPMENT };
    if (difference) return { kind: 'diverged', sentence: `${difference} ${WAY_OUT}` };
  }
  return undefined;
}

/** As `kiln dev` names what it brings a database to. */
const DEVELOPMENT = /^dev-\d+-/;
const FOR_DEVELOPMENT =
  'This is a development database, made by `kiln dev`, `kiln start` or `kiln db`. Releases go to a database of their own: use an empty one.';

function differenceAt(
  position: number,
  row: Omit<LedgerRow, 'fingerprint'> & { readonly fingerprint: string | undefined },
  { releases }: ReleaseChain,
): string | undefined {
  if (row.position !== position) return `The ledger of the database has no release ${position}.`;
  const release = releases[position - 1];
  if (!release) return undefined;
  if (row.revision !== release.revision) {
    return `Release ${position} of the database is ${short(row.revision)}, but here it is ${short(release.revision)}.`;
  }
  const isSame = row.checksum === stepsChecksum(release.steps) && row.fingerprint === release.fingerprint;
  return isSame
    ? undefined
    : `Release ${position} (${short(row.revision)}) was applied with other steps than it has here.`;
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
  const last = `${short(newest.revision)}${progress ? ', which is not complete' : ''}`;
  const sentence = `The database is ahead: it is at release ${newest.position} (${last}), and the last one here is ${known} (${short(chain.releases.at(-1)?.revision ?? '')}). Use the image of that release or a later one.`;
  return { kind: 'ahead', sentence };
}

function stateOnTheWay({ releases, progress }: Ledger, chain: ReleaseChain): ReleaseState {
  const releasesDone = releases.length;
  const of = chain.releases.length;
  if (releasesDone === of) return { kind: 'current' };
  const at = `release ${releasesDone} of ${of} (${short(releases.at(-1)?.revision ?? '')})`;
  return {
    kind: 'behind',
    sentence: `The database is at ${at}. Run \`migrate\` first.`,
    releasesDone,
    stepsDone: progress?.stepsDone ?? 0,
    milliseconds: progress?.milliseconds ?? 0,
  };
}

const SHORT = 12;

/** As much of a revision as people read. */
export function short(revision: string): string {
  return /^[0-9a-f]{40,}$/.test(revision) ? revision.slice(0, SHORT) : revision;
}
