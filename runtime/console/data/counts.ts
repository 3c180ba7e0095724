/** How many records there are, without reading a large table: counting stops at a limit, and then Postgres's estimate is used. */
import { integer, joined, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import type { DataConnection } from '../../query/database.ts';
import type { Count } from './data-forms.ts';
import type { KnownModel } from './data-models.ts';
import { execute, value } from './data-statements.ts';

/** The limit up to which the number is exact. */
export const EXACT = 10_000;

/** Counts rows: at most `limit`, where `isExact` is false. */
export async function countOf(connection: DataConnection, from: Sql, limit = EXACT): Promise<Count> {
  const { rows } = await execute(connection, sql`SELECT count(*) FROM (${bounded(from, limit)}) AS bounded`);
  return upTo(Number(rows[0]?.text(0)), limit);
}

export function upTo(found: number, limit: number): Count {
  return { count: Math.min(found, limit), isExact: found <= limit };
}

/** `from` begins with FROM. */
export function bounded(from: Sql, limit: number): Sql {
  return sql`SELECT 1 ${from} LIMIT ${integer(limit + 1)}`;
}

/** The estimate by the statistics of Postgres. Null where the table was never analysed. */
interface Estimate {
  readonly rows: number | null;
  readonly isEmpty: boolean;
}

/**
 * Counts the rows of each model. A table without any space on the disk is not counted, nor is one that has many rows by
 * its statistics.
 */
export async function countAll(
  connection: DataConnection,
  models: readonly KnownModel[],
): Promise<ReadonlyMap<string, Count>> {
  const estimates = await estimatesOf(connection, models);
  const counts = new Map<string, Count>();
  const open: KnownModel[] = [];
  for (const known of models) {
    const { rows, isEmpty } = estimates.get(known.model.name) ?? UNKNOWN;
    if (isEmpty) counts.set(known.model.name, { count: 0, isExact: true });
    else if (rows !== null && rows > EXACT) counts.set(known.model.name, { count: rows, isExact: false });
    else open.push(known);
  }
  const found = await countTogether(connection, open);
  for (const [index, { model }] of open.entries()) counts.set(model.name, upTo(found[index] ?? 0, EXACT));
  return counts;
}

const UNKNOWN: Estimate = { rows: null, isEmpty: false };

async function countTogether(connection: DataConnection, models: readonly KnownModel[]): Promise<readonly number[]> {
  if (models.length === 0) return [];
  const counts = models.map(
    ({ table }) => sql`(SELECT count(*) FROM (${bounded(sql`FROM ${table}`, EXACT)}) AS bounded)`,
  );
  const { rows } = await execute(connection, sql`SELECT ${joined(counts, ', ')}`);
  return models.map((_, at) => Number(rows[0]?.text(at)));
}

async function estimatesOf(
  connection: DataConnection,
  models: readonly KnownModel[],
): Promise<ReadonlyMap<string, Estimate>> {
  const tables = value(
    models.map(({ model }) => model.table),
    sql`text[]`,
  );
  const { rows } = await execute(
    connection,
    sql`SELECT reltuples::bigint, pg_relation_size(oid) = 0 FROM unnest(${tables}) WITH ORDINALITY AS wanted (name, at)
      LEFT JOIN pg_class ON oid = to_regclass(quote_ident(name)) ORDER BY at`,
  );
  return new Map(models.map(({ model }, at) => [model.name, estimateFrom(rows[at]?.fields ?? [])]));
}

function estimateFrom([rows = null, isEmpty = null]: readonly (string | null)[]): Estimate {
  const estimate = rows === null || Number(rows) < 0 ? null : Number(rows);
  return { rows: estimate, isEmpty: isEmpty === 't' };
}

/** Counts the rows of a whole table. */
export async function tableCount(connection: DataConnection, known: KnownModel): Promise<Count> {
  const counted = await countOf(connection, sql`FROM ${known.table}`);
  if (counted.isExact) return counted;
  const estimate = (await estimatesOf(connection, [known])).get(known.model.name)?.rows ?? 0;
  return { count: Math.max(estimate, counted.count), isExact: false };
}
