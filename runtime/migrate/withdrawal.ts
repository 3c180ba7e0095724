/**
 * The paths of a database past withdrawn releases. A release that withdraws others can be reached by two paths: from
 * the previous release, or, if the withdrawn one was never completed, from the one that precedes it.
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
} from '../../compiler/definition/migration.ts';
import { completeReleases, type LedgerRow } from '../query/database-release.ts';
import type { Progress } from './ledger.ts';

// ── The paths to a release ──────────────────────────────────────────────────────────────────────────────────────────

/** The path that a database has taken to this release, or is on; undefined where its steps are not known here. */
export function pathTaken(release: Release, { checksum }: Pick<LedgerRow, 'checksum'>): Release | undefined {
  // Each as a release whose steps are those of the path.
  const paths = [release, ...(release.withdraws ?? []).map((withdrawal) => pathAround(release, withdrawal))];
  return paths.find((path) => releaseChecksum(path) === checksum);
}

// ── What is undone ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The undo of a withdrawn release that a database has begun. */
export interface Undoing {
  readonly progress: Progress;
  /** The fingerprint of the release that the database goes back to. */
  readonly beside: string;
  /** The undo steps of the whole release, as if it had been complete. */
  readonly steps: readonly MigrationStep[];
  /** The number of undo steps that are done: those of steps that were never begun, and those of a previous run. */
  readonly stepsDone: number;
  /** The checksum of the steps, as the ledger has it once the first one is undone. */
  readonly checksum: string;
  /** The changes that are not undone. */
  readonly remains: readonly string[];
}

/** Finds the undo; undefined where the chain does not have it. */
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
 * The release that a database may have begun without a record: an index is not part of any transaction. `recorded` is
 * the number of releases that are complete or withdrawn.
 */
export function unrecordedStart({ releases }: ReleaseChain, done: number, recorded: number): Progress | null {
  const [next, release] = [releases[done], releases[recorded]];
  const withdrawal = next && release && withdrawalOf(release, next.revision);
  const path = withdrawal ? pathAround(release, withdrawal) : release;
  if (!path || stepsBegun(path, { stepsDone: 0 }) === 0) return null;
  const { revision, beside = null } = path;
  return { position: recorded + 1, revision, checksum: releaseChecksum(path), beside, stepsDone: 0, milliseconds: 0 };
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

/** The undo steps, without those of the first `from` steps. The step that was begun last is undone first. */
function stepsOf({ steps }: Undo, from = 0): readonly MigrationStep[] {
  return steps
    .slice(from)
    .toReversed()
    .flatMap((step) => step.steps);
}

/**
 * Counts the begun steps. Only a transaction is applied as a whole or not at all, so any other next step may have
 * begun.
 */
function stepsBegun({ steps }: Release, { stepsDone }: Pick<Progress, 'stepsDone'>): number {
  const next = steps[stepsDone];
  return next && next.kind !== 'transaction' ? stepsDone + 1 : stepsDone;
}

// ── In the ledger ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The position of the newest release that is complete. */
export function releasesCompleted(rows: readonly LedgerRow[]): number {
  return completeReleases(rows).at(-1)?.position ?? 0;
}
