/** Carries out steps in order. After each one its record is committed, so that a run after a cut goes on behind it. */
import type { MigrationStep } from '../../compiler/definition/migration.ts';
import { quotedName } from '../../compiler/definition/sql/sql.ts';
import { backfill } from './backfill-step.ts';
import type { StepPosition } from './events.ts';
import type { Job } from './job.ts';
import { requireJobLock } from './job-lock.ts';
import { withLockAttempts } from './lock-attempts.ts';
import { indexProgressOf } from './observer.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';
import { inTransaction, runStatement } from './statement.ts';
import { turnsOf } from './turns.ts';

interface StepsToApply {
  readonly place: Omit<StepPosition, 'step'>;
  readonly steps: readonly MigrationStep[];
  /** The steps that a previous run has done. */
  readonly stepsDone: number;
  /** Writes down how many are done, in the transaction that it is called in. */
  readonly record: (done: number) => Promise<void>;
  /** Called when the record is committed. */
  readonly reached?: (done: number) => void;
}

export async function applySteps(job: Job, all: StepsToApply): Promise<void> {
  if (!job.isAtOnce) return applyTurns(job, all);
  const { reached, ...work } = all;
  const what = () => 'change the tables';
  await withLockAttempts(job, job.locks, what, () => inTransaction(job, () => applyTurns(job, work)));
  reached?.(all.steps.length);
}

async function applyTurns(job: Job, { place, steps, stepsDone, record, reached }: StepsToApply): Promise<void> {
  for (const { step, done } of turnsOf(steps, stepsDone, place.phase)) {
    const at = { ...place, step: done };
    job.report({ kind: 'step', ...at, how: step.kind });
    await applyStep(job, at, step, () => record(done));
    reached?.(done);
  }
}

async function applyStep(
  job: Job,
  place: StepPosition,
  step: MigrationStep,
  record: () => Promise<void>,
): Promise<void> {
  switch (step.kind) {
    case 'transaction':
      return applyTransaction(job, place, step, record);
    case 'index':
      await buildIndex(job, place, step);
      return inTransaction(job, record);
    case 'backfill':
      await backfill(job, place, step);
      return inTransaction(job, record);
  }
}

async function applyTransaction(
  job: Job,
  place: StepPosition,
  { statements }: Extract<MigrationStep, { kind: 'transaction' }>,
  record: () => Promise<void>,
): Promise<void> {
  let at = '';
  await withLockAttempts(
    job,
    job.locks,
    () => at,
    () =>
      inTransaction(job, async () => {
        for (const statement of statements) {
          at = statement.says;
          await runStatement(job, place, statement);
        }
        await record();
      }).catch(async (error: unknown) => {
        throw await withRowsInTheWay(job.session, error);
      }),
  );
}

// ── Index step ───────────────────────────────────────────────────────────────────────────────────────────────────────

// An index that is built while others read and write. It is not part of a transaction, so it may be there by half.

type IndexStep = Extract<MigrationStep, { kind: 'index' }>;

async function buildIndex(job: Job, place: StepPosition, step: IndexStep): Promise<void> {
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
}

async function attempt(job: Job, place: StepPosition, { name, statement }: IndexStep): Promise<void> {
  const { session, lockWait, isAtOnce } = job;
  const sql = isAtOnce ? statement.sql.replace(' CONCURRENTLY', '') : statement.sql;
  await requireJobLock(session);
  await session.client.query(`SET lock_timeout = ${lockWait.timeout}`);
  const found = await indexState(session, name);
  if (found === 'valid') return;
  if (found === 'invalid') await dropIndex(session, name);
  try {
    await runStatement(job, place, { ...statement, sql });
  } catch (error) {
    const refusal = await withRowsInTheWay(session, error);
    // A session that blocked the build blocks the drop too: that is left to the next attempt.
    if (error instanceof Refusal) await dropInvalid(session, name).catch(() => undefined);
    throw refusal;
  }
}

/** Drops an invalid index: every write would update it, and nothing would use it. */
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

// ── Rows in the way ──────────────────────────────────────────────────────────────────────────────────────────────────

// The rows that violate a key or a check that Postgres has rejected: the statement that lists them. Their values are
// never shown: they do not belong in the log of a pipeline.

const HERE = 'current_schema()::regnamespace';

/** The statements for a unique index, a foreign key or a check of this name. Two nulls are not the same value. */
const LISTINGS = `
  SELECT format('SELECT %s, count(*) FROM %I WHERE %s GROUP BY %1$s HAVING count(*) > 1',
    string_agg(quote_ident(attname), ', ' ORDER BY place), own.relname,
    string_agg(format('%I IS NOT NULL', attname), ' AND ' ORDER BY place)) AS sql
  FROM pg_index JOIN pg_class AS named ON named.oid = indexrelid JOIN pg_class AS own ON own.oid = indrelid
    CROSS JOIN unnest(indkey) WITH ORDINALITY AS key (number, place)
    JOIN pg_attribute ON attrelid = own.oid AND attnum = number
  WHERE named.relname = $1 AND named.relnamespace = ${HERE} AND indisunique AND indexprs IS NULL AND indpred IS NULL
  GROUP BY own.relname
  UNION ALL
  SELECT CASE contype
    WHEN 'c' THEN format('SELECT * FROM %I WHERE (%s) IS FALSE', relname, pg_get_expr(conbin, conrelid))
    ELSE format('SELECT own.* FROM %I AS own WHERE own.%I IS NOT NULL AND NOT EXISTS (SELECT FROM %s AS target WHERE target.%I = own.%2$I)',
      relname, own.attname, confrelid::regclass, target.attname) END
  FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
    LEFT JOIN pg_attribute AS own ON own.attrelid = conrelid AND own.attnum = conkey[1]
    LEFT JOIN pg_attribute AS target ON target.attrelid = confrelid AND target.attnum = confkey[1]
  WHERE conname = $1 AND relnamespace = ${HERE} AND (contype = 'c' OR contype = 'f' AND cardinality(conkey) = 1)`;

/** Adds to the refusal what must be changed in the data. Called outside of the transaction that has failed. */
async function withRowsInTheWay(session: Session, error: unknown): Promise<unknown> {
  if (!(error instanceof Refusal) || !error.failure?.constraint) return error;
  // If the rows cannot be found, the error is still reported.
  const listing = await listingFor(session, error.failure.constraint).catch(() => undefined);
  if (listing === undefined) return error;
  const { reason, message, failure, cause } = error;
  const advice = 'Existing rows do not fit. Change them first, then run `migrate` again. This lists them:';
  return new Refusal(reason, message, { details: [...error.details, advice, `${listing};`], failure, cause });
}

/** Names of checks are those of a table, so several may have this one. */
async function listingFor({ client }: Session, constraint: string): Promise<string | undefined> {
  const { rows } = await client.query<{ sql: string }>(LISTINGS, [constraint]);
  for (const { sql } of rows) if ((await client.query(`${sql} LIMIT 1`)).rowCount) return sql;
  return undefined;
}
