/** An index that is built while others read and write. It is not part of a transaction, so it may be there by half. */
import type { MigrationStep } from '../../compiler/definition/migration.ts';
import { quotedName } from '../../compiler/definition/sql/names.ts';
import type { StepPosition } from './events.ts';
import type { Job } from './job.ts';
import { requireJobLock } from './job-lock.ts';
import { withLockAttempts } from './lock-attempts.ts';
import { indexProgressOf } from './observer.ts';
import { Refusal } from './refusal.ts';
import { withRowsInTheWay } from './rows-in-the-way.ts';
import type { Session } from './session.ts';
import { runStatement } from './statement.ts';

type IndexStep = Extract<MigrationStep, { kind: 'index' }>;

export async function buildIndex(job: Job, place: StepPosition, step: IndexStep): Promise<void> {
  const { session, indexLocks, report } = job;
  const tellProgress = async (observing: Session) => {
    const progress = await indexProgressOf(observing, session.pid);
    if (progress) report({ kind: 'index', name: step.name, ...progress });
  };
  await withLockAttempts(
    job,
    indexLocks,
    () => step.statement.says,
    () => attempt(job, place, step),
    tellProgress,
  );
  job.certifier?.notSeen(place, step.statement);
}

async function attempt(job: Job, place: StepPosition, { name, statement }: IndexStep): Promise<void> {
  const { session, lockWait } = job;
  await requireJobLock(session);
  await session.client.query(`SET lock_timeout = ${lockWait.timeout}`);
  const found = await indexState(session, name);
  if (found === 'valid') return;
  if (found === 'invalid') await dropIndex(session, name);
  try {
    const build = () => runStatement(job, place, statement);
    await (job.certifier ? job.certifier.index(place, statement, build) : build());
  } catch (error) {
    const refusal = await withRowsInTheWay(session, error);
    // Who was in the way of building it is in the way of dropping it too: that is left to the next attempt.
    if (error instanceof Refusal) await dropInvalid(session, name).catch(() => undefined);
    throw refusal;
  }
}

/** It would be kept up to date by every write, and used by nobody. */
async function dropInvalid(session: Session, name: string): Promise<void> {
  if ((await indexState(session, name)) === 'invalid') await dropIndex(session, name);
}

async function dropIndex({ client }: Session, name: string): Promise<void> {
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${quotedName(name)}`);
}

const INDEX_STATE = `
  SELECT indisvalid AND indisready AND indislive AS valid
  FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE relname = $1 AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`;

async function indexState({ client }: Session, name: string): Promise<'valid' | 'invalid' | 'missing'> {
  const { rows } = await client.query<{ valid: boolean }>(INDEX_STATE, [name]);
  const [row] = rows;
  if (!row) return 'missing';
  return row.valid ? 'valid' : 'invalid';
}
