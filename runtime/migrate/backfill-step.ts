/**
 * Fills columns, some rows at a time, each time in a transaction of its own. What is left to do is asked of the rows
 * themselves, so nothing is done twice when a run before this one was cut off.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationStep } from '../../compiler/definition/migration.ts';
import { quotedName } from '../../compiler/definition/sql/sql.ts';
import { nowAndThen, type StepPosition } from './events.ts';
import type { BatchBudget, Job } from './job.ts';
import { withLockAttempts } from './lock-attempts.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';
import { inTransaction, refuse, runStatement } from './statement.ts';

type BackfillStep = Extract<MigrationStep, { kind: 'backfill' }>;

const BETWEEN_REPORTS = 1000;

/** Rows that are still to be done when they were done several times would keep the job busy for ever. */
const MOST_PASSES = 5;

/** An id below all existing ones. */
const FIRST_ID = { bigint: String(-(2n ** 63n)), uuid: '00000000-0000-0000-0000-000000000000' };

export async function backfill(job: Job, place: StepPosition, step: BackfillStep): Promise<void> {
  const { table } = step;
  const column = (step.columns ?? [step.column]).join(', ');
  const progress = await BackfillProgress.of(job.session, table);
  const rest = paceOf(job, place);
  const start = performance.now();
  let reported = start;
  let size = job.batches.first;
  let rows = 0;
  const tell = (ids: readonly string[] = []) => {
    reported = performance.now();
    const rowsPerSecond = Math.round((rows * 1000) / Math.max(reported - start, 1));
    const reached = progress?.after(ids) ?? { share: 1, secondsLeft: null };
    job.report({ kind: 'batch', ...place, table, column, rows, rowsPerSecond, ...reached, isLast: ids.length === 0 });
  };
  const first = FIRST_ID[step.idType];
  let after = first;
  let passes = 1;
  for (;;) {
    const { ids, milliseconds, tried } = await fillBatch(job, place, step, size, after);
    const last = ids.at(-1);
    // The scan restarts from the beginning: rows may have been inserted behind it.
    if (last === undefined && after === first) break;
    after = last ?? first;
    if (last === undefined && ++passes > MOST_PASSES) throw standstill(step);
    rows += ids.length;
    size = nextSize(tried, milliseconds, job.batches);
    if (ids.length > 0 && performance.now() - reported >= BETWEEN_REPORTS) tell(ids);
    await rest(milliseconds);
  }
  tell();
}

interface Batch {
  readonly ids: readonly string[];
  /** The time of the change itself. Finding the rows locks none of them. */
  readonly milliseconds: number;
  /** How many rows it would have taken. */
  readonly tried: number;
}

async function fillBatch(
  job: Job,
  place: StepPosition,
  step: BackfillStep,
  size: number,
  after: string,
): Promise<Batch> {
  const { pending, statement } = step;
  const what = () => statement.says;
  return withLockAttempts(job, job.locks, what, (attempt) =>
    inTransaction(job, async () => {
      // A batch that waits for a row has locked others, which somebody may want: in the end it takes only that one row.
      const tried = Math.max(1, Math.floor(size / 10 ** (attempt - 1)));
      const ids = await pendingIds(job.session, pending, [tried, after]).catch((error: unknown) =>
        refuse(error, place, statement.says),
      );
      const start = performance.now();
      if (ids.length > 0) await runStatement(job, place, statement, [ids]);
      return { ids, milliseconds: performance.now() - start, tried };
    }),
  );
}

type Range = [size: number, after: string];

async function pendingIds({ client }: Session, pending: string, range: Range): Promise<readonly string[]> {
  const { rows } = await client.query<[unknown]>({ text: pending, values: range, rowMode: 'array' });
  return rows.map(([id]) => String(id));
}

/** Adjusts the size towards the target time of a batch, at most by half or double at once. */
function nextSize(size: number, took: number, { milliseconds, most }: BatchBudget): number {
  const factor = Math.min(2, Math.max(0.5, milliseconds / Math.max(took, 1)));
  return Math.max(1, Math.min(most, Math.round(size * factor)));
}

function standstill({ table, column, statement }: BackfillStep): Refusal {
  return new Refusal(
    'failed',
    `Rows of "${table}" are still to be filled after they were: what \`backfill\` gives for "${column}" leaves them as they are (${statement.says}).`,
  );
}

// ── Backfill progress ────────────────────────────────────────────────────────────────────────────────────────────────

// How far a backfill has come.

interface Progress {
  /** The done share, from 0 to 1. */
  readonly share: number;
  /** Null while there is nothing to tell it from. */
  readonly secondsLeft: number | null;
}

/**
 * Rows are filled in the order of their ids, so the id of the last one says how far it is. A run that goes on where
 * another one stopped begins in the middle.
 */
export class BackfillProgress {
  readonly #first: bigint;
  readonly #last: bigint;
  readonly #start = performance.now();
  #began: number | undefined;

  constructor(first: string, last: string) {
    this.#first = position(first);
    this.#last = position(last);
  }

  /** Measures a table; null for one without rows. */
  static async of({ client }: Session, table: string): Promise<BackfillProgress | null> {
    // The order is by the column, not by the selected text of it.
    const at = (order: 'ASC' | 'DESC') =>
      `(SELECT rows.id::text FROM ${quotedName(table)} AS rows ORDER BY rows.id ${order} LIMIT 1)`;
    const { rows } = await client.query<Ends>(`SELECT ${at('ASC')} AS first, ${at('DESC')} AS last`);
    const [{ first, last }] = rows as [Ends];
    return first === null || last === null ? null : new BackfillProgress(first, last);
  }

  /** The progress after a batch, given its ids in order. */
  after(ids: readonly string[], now = performance.now()): Progress | null {
    const [from, to] = [ids[0], ids.at(-1)];
    if (from === undefined || to === undefined) return null;
    this.#began ??= this.#shareOf(from);
    const share = this.#shareOf(to);
    const done = share - this.#began;
    const elapsed = (now - this.#start) / 1000;
    return { share, secondsLeft: done > 0 ? Math.round((elapsed * (1 - share)) / done) : null };
  }

  #shareOf(id: string): number {
    const all = this.#last - this.#first;
    if (all === 0n) return 1;
    const share = Number(((position(id) - this.#first) * PARTS) / all) / Number(PARTS);
    // Rows may have come since.
    return Math.min(1, Math.max(0, share));
  }
}

interface Ends {
  readonly first: string | null;
  readonly last: string | null;
}

const PARTS = 1_000_000n;

/** The number of an id: a number, or a UUID, whose order is that of its digits. */
function position(id: string): bigint {
  return BigInt(id.includes('-', 1) ? `0x${id.replaceAll('-', '')}` : id);
}

// The pauses between batches of a backfill: it waits for standbys that have fallen behind, and for a busy database.

/** The time between two checks, in milliseconds. */
const BETWEEN_LOOKS = 500;
const LONGEST_REST = 5000;
const BETWEEN_STANDBY_REPORTS = 10_000;

/** Gives the function that pauses after a batch that took this many milliseconds. */
export function paceOf({ batches, locks, report, session, signal }: Job, place: StepPosition) {
  let looked = performance.now();
  let isBusy = false;
  /** How far the furthest standby was behind at first: some always are. */
  let usuallyBehind: number | undefined;
  const pause = (milliseconds: number) => sleep(milliseconds, undefined, signal && { signal });
  const look = async (): Promise<void> => {
    const start = performance.now();
    const isReportDue = nowAndThen(BETWEEN_STANDBY_REPORTS);
    let load = await loadOf(session);
    usuallyBehind ??= load.behind ?? 0;
    for (; isBehind(load, usuallyBehind + batches.mostBehind); load = await loadOf(session)) {
      if (performance.now() - start >= locks.deadline) throw standbyBehind(load);
      if (isReportDue()) report({ kind: 'standby-behind', ...place, standby: load.standby, bytes: load.behind });
      await pause(BETWEEN_LOOKS);
    }
    isBusy = load.active >= batches.mostActive;
    looked = performance.now();
  };
  return async (took: number): Promise<void> => {
    if (performance.now() - looked >= BETWEEN_LOOKS) await look();
    // A database that is busy all the time still gets its column, at half the speed.
    if (isBusy) await pause(Math.min(took, LONGEST_REST));
  };
}

interface Load {
  /** Statements of others that run at this moment. */
  readonly active: number;
  /** The standby that is furthest behind, and by how many bytes: null where there is none, or the role may not know. */
  readonly standby: string | null;
  readonly behind: number | null;
}

const LOAD = `
  SELECT standby, behind,
    (SELECT count(*)::integer FROM pg_stat_activity
    WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()) AS active
  FROM (SELECT) AS one LEFT JOIN (
    SELECT application_name AS standby, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 AS behind
    FROM pg_stat_replication WHERE replay_lsn IS NOT NULL ORDER BY replay_lsn LIMIT 1
  ) AS standbys ON true`;

async function loadOf({ client }: Session): Promise<Load> {
  const { rows } = await client.query<Load>(LOAD);
  return (rows as [Load])[0];
}

type Behind = Load & { readonly standby: string; readonly behind: number };

function isBehind(load: Load, most: number): load is Behind {
  return load.behind !== null && load.behind > most;
}

function standbyBehind({ standby, behind }: Behind): Refusal {
  return new Refusal(
    'blocked',
    `The standby "${standby}" is ${megabytes(behind)} behind and does not catch up, so no more rows are filled.`,
    {
      details: [
        'Look at the standby, or disconnect it while `migrate` runs if it is late on purpose. Then run `migrate` again.',
      ],
    },
  );
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
