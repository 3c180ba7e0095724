/** Runs statements of a release, alone or in a transaction, and says which one it was when Postgres refuses. */
import type pg from 'pg';
import { type MigrationStatement, RAISED_BY_MIGRATION, WORK_LEFT } from '../../compiler/definition/migration.ts';
import { WITHOUT_REACTIONS } from '../../compiler/definition/work.ts';
import { isLostConnection, sqlStateOf } from '../query/connections/database-error-from.ts';
import type { StepPosition } from './events.ts';
import { isInTransaction, type Job, type LockWait, QUIET_TIMEOUT } from './job.ts';
import { type HeldRow, HOLDS_JOB_LOCK, requireHeld } from './job-lock.ts';
import { type FailedStatement, postgresWords, Refusal } from './refusal.ts';
import type { Session } from './session.ts';

/** Runs all of the work or nothing, in the session that holds the lock of the job. */
export async function inTransaction<T>(job: Job, work: () => Promise<T>): Promise<T> {
  if (isInTransaction(job)) return work();
  const { session, lockWait } = job;
  const { client } = session;
  try {
    await begin(session, lockWait);
    await lockQuietly(session, lockWait);
    lockWait.isShared = true;
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    lockWait.isShared = false;
  }
}

/**
 * Begins a transaction in one message, because a backfill begins many. The driver returns a result for each statement.
 */
async function begin({ client }: Session, { timeout }: LockWait): Promise<void> {
  const results: unknown = await client.query(
    `BEGIN; SET LOCAL lock_timeout = ${timeout}; ${WITHOUT_REACTIONS}; ${HOLDS_JOB_LOCK}`,
  );
  const [, , , { rows }] = results as [unknown, unknown, unknown, pg.QueryResult<HeldRow>];
  requireHeld(rows[0]);
}

/**
 * Waits for a vacuum or another job on a table with a lock of the same strength: reads and writes continue, and
 * Postgres ends an autovacuum that blocks somebody for a second. The locks that the statements need are taken after
 * that.
 */
async function lockQuietly({ client }: Session, { quietTables, timeout }: LockWait): Promise<void> {
  if (quietTables.size === 0) return;
  const lock = `LOCK TABLE ${[...quietTables].join(', ')} IN SHARE UPDATE EXCLUSIVE MODE`;
  await client.query(`SET LOCAL lock_timeout = ${QUIET_TIMEOUT}; ${lock}; SET LOCAL lock_timeout = ${timeout}`);
}

export async function runStatement(
  job: Job,
  place: StepPosition,
  { sql, says }: MigrationStatement,
  values?: readonly unknown[],
): Promise<void> {
  const { session, lockWait } = job;
  const start = performance.now();
  // It waits no longer than the time that earlier statements have left. Both are one message, because the locks of
  // those are held until then.
  const limit = lockWait.isShared && !values ? `SET LOCAL lock_timeout = ${lockWait.left()}; ` : '';
  await session.client
    .query(`${limit}${sql}`, values && [...values])
    .catch((error: unknown) => refuse(error, place, says));
  // A batch has an event of its own, with all that is known about it.
  if (!values) job.report({ kind: 'statement', ...place, says, milliseconds: Math.round(performance.now() - start) });
}

/** Contention and lost connections are dealt with further up. */
const LEFT_TO_OTHERS: ReadonlySet<string> = new Set(['55P03', '40P01', '40001', '25006']);

export function refuse(error: unknown, place: StepPosition, says: string): never {
  const sqlState = sqlStateOf(error);
  if (sqlState === undefined || LEFT_TO_OTHERS.has(sqlState) || isLostConnection(error)) throw error;
  const { position, revision, step, phase } = place;
  const { message, constraint } = postgresWords(error);
  const failure = { position, revision, step, ...(phase && { phase }), says, sqlState, constraint };
  if (sqlState === RAISED_BY_MIGRATION) throw ownRefusal('failed', error, failure);
  if (sqlState === WORK_LEFT) throw ownRefusal('blocked', error, failure);
  throw new Refusal('failed', `Postgres refused to ${says}: ${message}.`, { failure, cause: error });
}

/** The statement has found by itself that it cannot go on, and says so in sentences of ours. */
function ownRefusal(reason: 'failed' | 'blocked', cause: unknown, failure: FailedStatement): Refusal {
  const { message, hint } = cause as { readonly message: string; readonly hint?: string };
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  return new Refusal(reason, sentence, { details: hint === undefined ? [] : [hint], failure, cause });
}
