/**
 * How a database passes over releases that were given up. A release that withdraws others can be reached in two ways: from
 * the previous release, or, where what it withdraws was never completed, from the one before that.
 */
import {
  type MigrationStep,
  pathAround,
  type Release,
  type ReleaseChain,
  releaseChecksum,
  type Undo,
  undoChecksum,
  withdrawalOf,
  withdrawnBy,
} from '../../compiler/definition/migration.ts';
import type { LedgerRow, Progress } from './ledger.ts';

// ── The paths to a release ──────────────────────────────────────────────────────────────────────────────────────────

/** The path that a database has taken to this release, or is on; nothing where its steps are not known here. */
export function pathTaken(release: Release, { checksum }: Pick<LedgerRow, 'checksum'>): Release | undefined {
  // Each as a release whose steps are those of the path.
  const paths = [release, ...(release.withdraws ?? []).map((withdrawal) => pathAround(release, withdrawal))];
  return paths.find((path) => releaseChecksum(path) === checksum);
}

// ── What is undone ──────────────────────────────────────────────────────────────────────────────────────────────────

/** What a database has begun of a release that is given up, on the way back. */
export interface Undoing {
  readonly progress: Progress;
  /** The fingerprint of the release that the database goes back to. */
  readonly beside: string;
  /** Of all steps of the release, as if it had been complete. */
  readonly steps: readonly MigrationStep[];
  /** Those of steps that were never begun, and those of a run before this one. */
  readonly stepsDone: number;
  /** Of the steps, as the ledger has it once the first one is undone. */
  readonly checksum: string;
  /** What is not undone. */
  readonly remains: readonly string[];
}

/** Undefined where nothing in the chain says how. */
export function undoingOf({ releases }: ReleaseChain, done: number, progress: Progress): Undoing | undefined {
  const next = releases[done];
  const release = releases[progress.position - 1];
  if (!next || !release) return undefined;
  const withdrawals = releases.flatMap((each) => withdrawalOf(each, next.revision) ?? []).toReversed();
  for (const { beside, undo } of withdrawals) {
    const own = undo.find(({ revision }) => revision === progress.revision);
    const undoing = own && undoingBy(own, release, progress);
    if (undoing) return { progress, beside, ...undoing };
  }
  return undefined;
}

/**
 * What a database may have begun that has recorded nothing of it: an index is not part of any transaction. `recorded`
 * are the releases that are complete or withdrawn.
 */
export function unrecordedStart({ releases }: ReleaseChain, done: number, recorded: number): Progress | null {
  const [next, release] = [releases[done], releases[recorded]];
  const withdrawal = next && release && withdrawalOf(release, next.revision);
  const path = withdrawal ? pathAround(release, withdrawal) : release;
  if (!path || stepsBegun(path, { stepsDone: 0 }) === 0) return null;
  const { revision, beside = null } = path;
  const position = recorded + 1;
  return { position, revision, checksum: releaseChecksum(path), beside, stepsDone: 0, milliseconds: 0 };
}

function undoingBy(undo: Undo, release: Release, progress: Progress): Omit<Undoing, 'progress' | 'beside'> | undefined {
  const steps = stepsOf(undo);
  const checksum = undoChecksum(steps);
  if (progress.checksum === checksum) return { steps, checksum, stepsDone: progress.stepsDone, remains: [] };
  const path = pathTaken(release, progress);
  if (!path) return undefined;
  const begun = stepsBegun(path, progress);
  const remains = new Set(undo.steps.slice(0, begun).flatMap((step) => step.remains ?? []));
  return { steps, checksum, stepsDone: stepsOf(undo, begun).length, remains: [...remains] };
}

/** Without those of the first ones. The last one that was begun is undone first. */
function stepsOf({ steps }: Undo, from = 0): readonly MigrationStep[] {
  return steps
    .slice(from)
    .toReversed()
    .flatMap((step) => step.steps);
}

/** Only a transaction is there all or not at all. */
function stepsBegun({ steps }: Release, { stepsDone }: Pick<Progress, 'stepsDone'>): number {
  const next = steps[stepsDone];
  return next && next.kind !== 'transaction' ? stepsDone + 1 : stepsDone;
}

// ── In the ledger ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Without those that are withdrawn, which come after them or between them. */
export function completeReleases(rows: readonly LedgerRow[]): readonly LedgerRow[] {
  return rows.filter((row) => withdrawnBy(row) === undefined);
}

/** The position of the newest release that is complete. */
export function releasesCompleted(rows: readonly LedgerRow[]): number {
  return completeReleases(rows).at(-1)?.position ?? 0;
}
