/** One advisory lock for all of the job, so that of two jobs one works and the other waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowAndThen, type OtherSession, type Report, sessionText } from './events.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

/** "kiln" in ASCII, and the first of its locks. Advisory locks are those of one database. */
const LOCK = [0x6b696c6e, 1] as const;

const SHORTEST_PAUSE = 50;
const LONGEST_PAUSE = 1000;
const BETWEEN_REPORTS = 10_000;

/** How long another job is waited for, in milliseconds. */
export const JOB_WAIT = 600_000;

interface Waiting {
  readonly report: Report;
  /** How long to wait, in milliseconds. */
  readonly wait: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Takes the lock by repeated attempts rather than waiting inside of Postgres: a waiting statement has a snapshot, and
 * `CREATE INDEX CONCURRENTLY` of the other job would wait for that snapshot to go.
 */
export async function takeJobLock(session: Session, { report, wait, signal }: Waiting): Promise<LockPid> {
  const start = Date.now();
  const isReportDue = nowAndThen(BETWEEN_REPORTS);
  for (let pause = SHORTEST_PAUSE; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE)) {
    const { held, pid } = await tryLock(session);
    if (held) return pid;
    const milliseconds = Date.now() - start;
    if (milliseconds >= wait) throw heldByOther(await lockHolder(session), milliseconds);
    if (isReportDue()) report({ kind: 'waiting-for-lock', holder: await lockHolder(session), milliseconds });
    await sleep(pause, undefined, signal && { signal });
  }
}

/** The process id of the connection that holds the lock. */
type LockPid = number;

interface TriedRow extends HeldRow {
  readonly pid: LockPid;
}

async function tryLock({ client }: Session): Promise<TriedRow> {
  const { rows } = await client.query<TriedRow>(
    'SELECT pg_try_advisory_lock($1, $2) AS held, pg_backend_pid() AS pid',
    [...LOCK],
  );
  return (rows as [TriedRow])[0];
}

function heldByOther(holder: OtherSession | null, milliseconds: number): Refusal {
  const by = holder ? ` by ${sessionText(holder)}` : '';
  const message = `The lock for migrations is held${by}, and was not released within ${Math.round(milliseconds / 1000)} s.`;
  const remedy = holder
    ? ` If no migration is running, a pooler has kept the connection of an earlier one: \`SELECT pg_terminate_backend(${holder.pid})\` ends it.`
    : '';
  return new Refusal('blocked', message, { details: [`If a migration is running, try again later.${remedy}`] });
}

/**
 * Releases the lock. A pooler keeps the connection when the job is over. If the pooler has given the job another
 * connection in the meantime, the one with the lock is ended, unless somebody else is using it.
 */
export async function releaseJobLock(session: Session, pid: LockPid): Promise<void> {
  const isHere = await unlock(session);
  // A job that was killed may have left the lock to the same connection, and locks of one connection are counted.
  if (isHere) while (await unlock(session));
  else await session.client.query(END_IDLE_HOLDER, [pid]);
}

/** Unlocks; false where this connection does not hold the lock. */
async function unlock({ client }: Session): Promise<boolean> {
  const { rows } = await client.query<{ released: boolean }>(UNLOCK);
  return rows[0]?.released === true;
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

const HELD_HERE = `EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND ${HELD})`;

/** Whether this very connection has the lock. */
export const HOLDS_JOB_LOCK = `SELECT ${HELD_HERE} AS held`;

/** The release of the lock. Postgres would warn about the release of a lock that is not held. */
const UNLOCK = `SELECT CASE WHEN ${HELD_HERE} THEN pg_advisory_unlock(${LOCK.join(', ')}) ELSE false END AS released`;

const END_IDLE_HOLDER = `
  SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE pid = $1 AND state = 'idle' AND ${HELD}`;

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
    'The connection no longer holds the lock of this migration. Connect to Postgres directly, or to a pooler in session mode.',
  );
}
