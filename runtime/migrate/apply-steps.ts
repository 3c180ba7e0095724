/** Carries out steps in order. After each one its record is committed, so that a run after a cut goes on behind it. */
import type { MigrationStep } from '../../compiler/definition/migration.ts';
import { quotedName } from '../../compiler/definition/sql/names.ts';
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

export async function applySteps(job: Job, { place, steps, stepsDone, record, reached }: StepsToApply): Promise<void> {
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
  const { session, lockWait } = job;
  await requireJobLock(session);
  await session.client.query(`SET lock_timeout = ${lockWait.timeout}`);
  const found = await indexState(session, name);
  if (found === 'valid') return;
  if (found === 'invalid') await dropIndex(session, name);
  try {
    await runStatement(job, place, statement);
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

// The rows that violate a key or a check that Postgres has rejected: their number, and the statement that lists them.
// Their values are never shown: they do not belong in the log of a pipeline.

interface RowsInTheWay {
  readonly sentence: string;
  /** The statement that lists them. */
  readonly sql: string;
}

type Finder = (session: Session, constraint: string) => Promise<RowsInTheWay | null>;

/**
 * The finders by SQLSTATE. The key or the check is still in the catalog: an earlier step made it, or it is an invalid
 * index.
 */
const FINDERS: Readonly<Record<string, Finder>> = { '23503': unmatched, '23505': duplicates, '23514': unchecked };

/** Adds to the refusal what must be changed in the data. Called outside of the transaction that has failed. */
async function withRowsInTheWay(session: Session, error: unknown): Promise<unknown> {
  if (!(error instanceof Refusal) || error.failure === null || error.failure.constraint === null) return error;
  const find = FINDERS[error.failure.sqlState];
  // If the rows cannot be found, the error is still reported.
  const rows = await find?.(session, error.failure.constraint).catch(() => null);
  if (!rows) return error;
  const { reason, message, failure, cause } = error;
  const advice = `${rows.sentence} Change these rows first, then run \`migrate\` again. This lists them:`;
  return new Refusal(reason, message, { details: [...error.details, advice, rows.sql], failure, cause });
}

const UNIQUE_INDEX = `
  SELECT own.relname AS "table", array_agg(attname::text ORDER BY place) AS columns
  FROM pg_index JOIN pg_class AS named ON named.oid = indexrelid JOIN pg_class AS own ON own.oid = indrelid
    CROSS JOIN unnest(indkey) WITH ORDINALITY AS key (number, place)
    JOIN pg_attribute ON attrelid = own.oid AND attnum = number
  WHERE named.relname = $1 AND named.relnamespace = current_schema()::regnamespace
    AND indisunique AND indexprs IS NULL AND indpred IS NULL
  GROUP BY own.relname`;

/** Two nulls are not the same value. */
async function duplicates({ client }: Session, constraint: string): Promise<RowsInTheWay | null> {
  const { rows } = await client.query<{ table: string; columns: readonly string[] }>(UNIQUE_INDEX, [constraint]);
  const [key] = rows;
  if (!key) return null;
  const columns = key.columns.map(quotedName);
  const present = columns.map((column) => `${column} IS NOT NULL`).join(' AND ');
  const groups = `FROM ${quotedName(key.table)} WHERE ${present} GROUP BY ${columns.join(', ')} HAVING count(*) > 1`;
  const counted = await client.query<{ values: string; rows: string }>(
    `SELECT count(*) AS values, sum(size) AS rows FROM (SELECT count(*) AS size ${groups}) AS shared`,
  );
  const [values, records] = [Number(counted.rows[0]?.values), Number(counted.rows[0]?.rows)];
  if (values === 0) return null;
  const what = columns.length === 1 ? `${columns[0]}` : `(${columns.join(', ')})`;
  return {
    sentence: `${numberOf(values, 'value')} of ${what} in ${quotedName(key.table)} ${values === 1 ? 'occurs' : 'occur'} more than once, in ${numberOf(records, 'row')}.`,
    sql: `SELECT ${columns.join(', ')}, count(*) ${groups};`,
  };
}

const FOREIGN_KEY = `
  SELECT own.relname AS "table", own_column.attname AS "column", target.relname AS "to", target_column.attname AS "toColumn"
  FROM pg_constraint JOIN pg_class AS own ON own.oid = conrelid JOIN pg_class AS target ON target.oid = confrelid
    JOIN pg_attribute AS own_column ON own_column.attrelid = own.oid AND own_column.attnum = conkey[1]
    JOIN pg_attribute AS target_column ON target_column.attrelid = target.oid AND target_column.attnum = confkey[1]
  WHERE conname = $1 AND contype = 'f' AND own.relnamespace = current_schema()::regnamespace
    AND cardinality(conkey) = 1`;

interface ForeignKeyRow {
  readonly table: string;
  readonly column: string;
  readonly to: string;
  readonly toColumn: string;
}

async function unmatched(session: Session, constraint: string): Promise<RowsInTheWay | null> {
  const { rows } = await session.client.query<ForeignKeyRow>(FOREIGN_KEY, [constraint]);
  const [key] = rows;
  if (!key) return null;
  const column = `own.${quotedName(key.column)}`;
  const matching = `SELECT FROM ${quotedName(key.to)} AS target WHERE target.${quotedName(key.toColumn)} = ${column}`;
  const from = `FROM ${quotedName(key.table)} AS own WHERE ${column} IS NOT NULL AND NOT EXISTS (${matching})`;
  const count = await countOf(session, from);
  if (count === 0) return null;
  const has = count === 1 ? 'has' : 'have';
  return {
    sentence: `${numberOf(count, 'row')} of ${quotedName(key.table)} ${has} a value in ${quotedName(key.column)} that is no ${quotedName(key.toColumn)} in ${quotedName(key.to)}.`,
    sql: `SELECT own.* ${from};`,
  };
}

const CHECK = `
  SELECT relname AS "table", pg_get_expr(conbin, conrelid) AS condition
  FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
  WHERE conname = $1 AND contype = 'c' AND relnamespace = current_schema()::regnamespace`;

/** Names of checks are those of a table, so several may have this one. */
async function unchecked(session: Session, constraint: string): Promise<RowsInTheWay | null> {
  const { rows } = await session.client.query<{ table: string; condition: string }>(CHECK, [constraint]);
  for (const { table, condition } of rows) {
    const from = `FROM ${quotedName(table)} WHERE (${condition}) IS FALSE`;
    const count = await countOf(session, from);
    const sentence = `${condition} is false for ${numberOf(count, 'row')} of ${quotedName(table)}.`;
    if (count > 0) return { sentence, sql: `SELECT * ${from};` };
  }
  return null;
}

async function countOf({ client }: Session, from: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(`SELECT count(*) ${from}`);
  return Number(rows[0]?.count);
}

function numberOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
