/** One advisory lock for all of the job, so that of two jobs one works and the other waits. It ends with its session. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OtherSession, Report } from './events.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

/** "kiln" in ASCII, and the first of its locks. Advisory locks are those of one database. */
const LOCK = [0x6b696c6e, 1] as const;

const SHORTEST_PAUSE = 50;
const LONGEST_PAUSE = 1000;
const BETWEEN_REPORTS = 10_000;

/**
 * Asks again and again rather than waiting inside of Postgres: a statement that waits has a snapshot, and
 * `CREATE INDEX CONCURRENTLY` of the other job would wait for that snapshot to go.
 */
export async function takeJobLock(session: Session, report: Report, signal: AbortSignal | undefined): Promise<void> {
  const start = Date.now();
  let reported = Number.NEGATIVE_INFINITY;
  for (let pause = SHORTEST_PAUSE; !(await tryLock(session)); pause = Math.min(pause * 1.5, LONGEST_PAUSE)) {
    if (Date.now() - reported >= BETWEEN_REPORTS) {
      reported = Date.now();
      report({ kind: 'waiting-for-lock', holder: await lockHolder(session), milliseconds: reported - start });
    }
    await sleep(pause, undefined, signal && { signal });
  }
}

async function tryLock({ client }: Session): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS held', [...LOCK]);
  return rows[0]?.held === true;
}

const HELD = `
  locktype = 'advisory' AND granted AND classid = ${LOCK[0]} AND objid = ${LOCK[1]} AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

async function lockHolder({ client }: Session): Promise<OtherSession | null> {
  const { rows } = await client.query<OtherSession>(`
    SELECT activity.pid, application_name AS name, state,
      extract(epoch FROM clock_timestamp() - backend_start)::float8 AS seconds
    FROM pg_locks JOIN pg_stat_activity AS activity USING (pid) WHERE ${HELD}`);
  return rows[0] ?? null;
}

/** True where this very connection has it. */
export const HOLDS_JOB_LOCK = `SELECT EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND ${HELD}) AS held`;

export async function requireJobLock({ client }: Session): Promise<void> {
  const { rows } = await client.query<HeldRow>(HOLDS_JOB_LOCK);
  requireHeld(rows[0]);
}

export interface HeldRow {
  readonly held: boolean;
}

/** A pooler that gives every transaction another connection leaves the lock behind. */
export function requireHeld(row: HeldRow | undefined): void {
  if (row?.held) return;
  throw new Refusal(
    'unavailable',
    'The connection is no longer the one that holds the lock of this job. Connect to Postgres itself, or to a pooler in session mode.',
  );
}
