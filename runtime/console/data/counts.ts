/** How many records there are, without reading a large table: counting stops at a limit, and then Postgres's estimate is used. */
import { integer, joined, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import type { DataConnection } from '../../query/database.ts';
import type { Count } from './data-forms.ts';
import type { KnownModel } from './data-models.ts';
import { execute, text } from './data-statements.ts';

/** The limit up to which the number is exact. */
export const EXACT = 10_000;

/** Counts rows: at most `limit`, where `isExact` is false. */
export async function countOf(connection: DataConnection, from: Sql, limit = EXACT): Promise<Count> {
  const { rows } = await execute(connection, sql`SELECT ${countSql(from, limit)}`);
  return upTo(Number(rows[0]?.text(0)), limit);
}

export function upTo(found: number, limit: number): Count {
  return { count: Math.min(found, limit), isExact: found <= limit };
}

/** `from` begins with FROM. */
export function countSql(from: Sql, limit = EXACT): Sql {
  return sql`(SELECT count(*) FROM (SELECT 1 ${from} LIMIT ${integer(limit + 1)}) AS bounded)`;
}

/** Counts the rows of each model. Above the limit it is the estimate by the statistics of Postgres, where there is one. */
export async function countAll(
  connection: DataConnection,
  models: readonly KnownModel[],
): Promise<ReadonlyMap<string, Count>> {
  if (models.length === 0) return new Map();
  const counts = models.map(
    ({ model, table }) => sql`(${text(model.name)}, ${text(model.table)}, ${countSql(sql`FROM ${table}`)})`,
  );
  const { rows } = await execute(
    connection,
    sql`SELECT "model", "counted", reltuples::bigint FROM (VALUES ${joined(counts, ', ')}) AS "found" ("model", "table", "counted")
      LEFT JOIN pg_class ON oid = to_regclass(quote_ident("table"))`,
  );
  return new Map(
    rows.map((row) => [String(row.text(0)), tableCountFrom(Number(row.text(1)), Number(row.text(2)))] as const),
  );
}

/** The estimate of a table that was never analysed is -1. */
function tableCountFrom(counted: number, estimate: number): Count {
  const { count, isExact } = upTo(counted, EXACT);
  return isExact ? { count, isExact } : { count: Math.max(estimate, count), isExact };
}
