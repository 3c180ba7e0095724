/**
 * Which rows stand in the way of a key or a check that Postgres has refused: how many they are, and the statement that
 * lists them. Their values are told nowhere: they belong in no log of a pipeline.
 */
import { quotedName } from '../../compiler/definition/sql/names.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

interface RowsInTheWay {
  readonly sentence: string;
  /** Lists them. */
  readonly sql: string;
}

type Finder = (session: Session, constraint: string) => Promise<RowsInTheWay | null>;

/** By SQLSTATE. The key or the check is still in the catalog: it was made by a step before, or is an index by half. */
const FINDERS: Readonly<Record<string, Finder>> = { '23503': unmatched, '23505': duplicates, '23514': unchecked };

/** The same refusal, with what must be changed in the data. Called outside of the transaction that has failed. */
export async function withRowsInTheWay(session: Session, error: unknown): Promise<unknown> {
  if (!(error instanceof Refusal) || error.failure === null || error.failure.constraint === null) return error;
  const find = FINDERS[error.failure.sqlState];
  // What is known without it is told in any case.
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
