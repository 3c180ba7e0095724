/** What two databases have in their tables, as far as it can be compared without reading it. */
import { quotedName } from '../../compiler/definition/sql/names.ts';
import type { DatabaseName, SmokePostgres } from './smoke-postgres.ts';

/** The columns of each table, both by name. */
export type TableColumns = ReadonlyMap<string, readonly string[]>;

export interface TableContent {
  readonly table: string;
  readonly records: number;
  /** A digest of the values by column. */
  readonly values: ReadonlyMap<string, string>;
}

const COLUMNS = `SELECT coalesce(json_agg(json_build_array(relname, attname) ORDER BY relname, attnum), '[]')::text AS found
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
    AND NOT starts_with(relname, 'kiln_')`;

export async function tableColumns(postgres: SmokePostgres, database: DatabaseName): Promise<TableColumns> {
  const [row] = await postgres.firstRows(database, [COLUMNS]);
  const found = JSON.parse(row?.found ?? '[]') as readonly (readonly [string, string])[];
  const tables = new Map<string, string[]>();
  for (const [table, column] of found) tables.set(table, [...(tables.get(table) ?? []), column]);
  return tables;
}

/** Of all tables, and of those columns that were there before. */
export async function contentOf(
  postgres: SmokePostgres,
  database: DatabaseName,
  before: TableColumns,
): Promise<readonly TableContent[]> {
  const tables = [...(await tableColumns(postgres, database))].map(([table, columns]) => ({
    table,
    columns: columns.filter((column) => before.get(table)?.includes(column)),
  }));
  const rows = tables.length === 0 ? [] : await postgres.firstRows(database, tables.map(digestSql));
  return tables.map(({ table, columns }, at) => ({
    table,
    records: Number(rows[at]?.records),
    values: new Map(columns.map((column, index) => [column, String(rows[at]?.[`value_${index}`])])),
  }));
}

/** The order of rows does not count. */
function digestSql({ table, columns }: { readonly table: string; readonly columns: readonly string[] }): string {
  const digests = columns.map(
    (column, at) => `coalesce(sum(hashtextextended(${quotedName(column)}::text, 0)::numeric), 0)::text AS value_${at}`,
  );
  return `SELECT ${['count(*)::text AS records', ...digests].join(', ')} FROM ${quotedName(table)}`;
}

/** In a few words; nothing where they have the same. `computed` are columns that may differ, and null all of them. */
export function contentDifference(
  expected: readonly TableContent[],
  found: readonly TableContent[],
  computed: readonly string[] | null,
): string | undefined {
  const others = new Map(found.map((content) => [content.table, content]));
  for (const { table, records, values } of expected) {
    const other = others.get(table);
    if (other?.records !== records) return `"${table}" has ${other?.records ?? 0} instead of ${records}`;
    const columns = computed === null ? [] : [...values.keys()].filter((column) => !computed.includes(column));
    const wrong = columns.find((column) => other.values.get(column) !== values.get(column));
    if (wrong !== undefined) return `values of "${wrong}" in "${table}" differ`;
  }
  return undefined;
}
