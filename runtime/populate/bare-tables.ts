/**
 * Empty tables that get many rows are filled without their uniques, indexes and foreign keys, which are built at the
 * end, in the same transaction: a sort of all rows costs a fraction of an insert into an index for each. The ids keep
 * their key. Names and definitions are afterwards what they were.
 */
import type pg from 'pg';
import type { Model } from '../../compiler/definition/definition.ts';
import { quotedName } from '../../compiler/definition/sql/names.ts';

/** Fewer rows are in before the indexes are gone. */
export const MANY_ROWS = 10_000;

interface Part {
  readonly drop: string;
  readonly build: string;
}

/** Building failed: a value comes twice, or leads nowhere. Postgres does not say in which row. */
export class BuildFailure extends Error {
  override readonly name = 'BuildFailure';
}

/** Takes the parts away, and gives what builds them again. `emptyTables` are those that nobody can be reading. */
export async function strip(
  client: pg.Client,
  models: readonly Model[],
  emptyTables: readonly string[],
): Promise<() => Promise<void>> {
  const tables = models.map(({ table }) => table);
  if (tables.length === 0) return async () => undefined;
  const constraints = await partsFrom(client, CONSTRAINTS, [tables, emptyTables]);
  const indexes = await partsFrom(client, INDEXES, [tables]);
  const parts = [...constraints, ...indexes];
  for (const { drop } of parts) await client.query(drop);
  return async () => {
    await client.query(`SET LOCAL maintenance_work_mem = '256MB'`);
    for (const { build } of parts) await built(client, build);
  };
}

async function built(client: pg.Client, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (cause) {
    throw new BuildFailure('building constraints and indexes', { cause });
  }
}

/** Only of tables that belong to us, in the schema that unqualified names lead to. */
const OWN = `c.oid = any (SELECT to_regclass(quote_ident(t)) FROM unnest($1::text[]) t) AND pg_has_role(c.relowner, 'USAGE')`;

/** Uniques first: they are wanted soonest. A foreign key goes only where nobody reads what it leads to. */
const CONSTRAINTS = `
  SELECT c.relname AS table, k.conname AS name, pg_get_constraintdef(k.oid) AS definition
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid LEFT JOIN pg_class f ON f.oid = k.confrelid
  WHERE ${OWN} AND k.convalidated
    AND (k.contype = 'u' OR (k.contype = 'f' AND pg_has_role(f.relowner, 'USAGE')
      AND f.oid = any (SELECT to_regclass(quote_ident(t)) FROM unnest($2::text[]) t)))
  ORDER BY k.contype DESC, c.relname, k.conname`;

const INDEXES = `
  SELECT i.relname AS index, pg_get_indexdef(i.oid) AS definition
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
  WHERE ${OWN} AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.oid AND k.contype <> 'f')
  ORDER BY i.relname`;

interface Found {
  readonly table?: string;
  readonly name?: string;
  readonly index?: string;
  readonly definition: string;
}

async function partsFrom(
  client: pg.Client,
  sql: string,
  values: readonly (readonly string[])[],
): Promise<readonly Part[]> {
  const { rows } = await client.query<Found>(sql, [...values]);
  return rows.map(({ table = '', name = '', index, definition }) =>
    index === undefined
      ? {
          drop: `ALTER TABLE ${quotedName(table)} DROP CONSTRAINT ${quotedName(name)}`,
          build: `ALTER TABLE ${quotedName(table)} ADD CONSTRAINT ${quotedName(name)} ${definition}`,
        }
      : { drop: `DROP INDEX ${quotedName(index)}`, build: definition },
  );
}
