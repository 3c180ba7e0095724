/** The contents of a database, as far as an application is concerned. Nothing here changes it. */
import type pg from 'pg';
import type { Definition } from '../../compiler/definition/definition.ts';
import { WITHDRAWN } from '../../compiler/definition/migration.ts';
import {
  type ColumnType,
  type EnumType,
  itemTypeOf,
  type Schema,
  type Table,
} from '../../compiler/definition/schema.ts';
import { typeName } from '../../compiler/definition/sql/names.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { DatabaseRefusal, databaseName, withClient } from './connect.ts';

export function isEmptyDatabase(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')`,
    );
    return rows[0]?.count === '0';
  });
}

/** Throws a sentence where tables or columns are missing or of other types. */
export async function refuseMisfits(url: string, definition: Definition): Promise<void> {
  const schema = schemaFromDefinition(definition);
  const found = await withClient(url, async (client) => misfits(schema, await readCatalog(client, schema)));
  if (found.length === 0) return;
  const shown = found.slice(0, MOST_SHOWN);
  const rest = found.length - shown.length;
  const list = [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  const { kind } = await provenanceOf(url);
  throw new DatabaseRefusal(
    `the database \`${databaseName(url).database}\` does not match the sources: ${list}; ${kind === 'releases' ? BY_RELEASES : BY_SYNC}`,
  );
}

const BY_SYNC = '`kiln start` creates the tables of an empty database, but does not migrate: `kiln db sync` does';
const BY_RELEASES =
  'releases bring this database up to date: `kiln build` makes a release of the sources, `kiln migrate` brings the database to it';

const MOST_SHOWN = 5;

// ── Catalog ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// The parts of a schema that a database has, and those that it lacks.

interface Catalog {
  /** The types of the columns of each existing table, as Postgres writes them. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The values of each existing enum. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
}

/** Reads only the tables and enums of the schema: other objects in the database do not matter. */
export async function readCatalog(client: pg.Client, { tables, enums }: Schema): Promise<Catalog> {
  const columns = await client.query<ColumnRow>(COLUMNS, [tables.map(({ name }) => name)]);
  const values = await client.query<EnumRow>(ENUMS, [enums.map(({ name }) => name)]);
  return { columns: columnsFromRows(columns.rows), enums: new Map(values.rows.map((row) => [row.name, row.values])) };
}

interface ColumnRow {
  readonly table: string;
  readonly column: string | null;
  readonly type: string | null;
}

interface EnumRow {
  readonly name: string;
  readonly values: readonly string[];
}

const COLUMNS = `
  SELECT c.relname AS "table", a.attname AS "column", 
    CASE 'numeric' WHEN coalesce(item.typname, t.typname) THEN format_type(a.atttypid, a.atttypmod)
      ELSE coalesce(item.typname || '[]', t.typname) END AS "type"
  FROM pg_class c
  LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_type item ON item.oid = t.typelem AND t.typcategory = 'A'
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND c.relname = ANY ($1::text[])`;

const ENUMS = `
  SELECT t.typname AS "name", array_agg(e.enumlabel::text ORDER BY e.enumsortorder) AS "values"
  FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid
  WHERE t.typnamespace = current_schema()::regnamespace AND t.typname = ANY ($1::text[])
  GROUP BY t.typname`;

function columnsFromRows(rows: readonly ColumnRow[]): Catalog['columns'] {
  const tables = new Map<string, Map<string, string>>();
  for (const { table, column, type } of rows) {
    const columns = tables.get(table) ?? new Map<string, string>();
    if (column !== null && type !== null) columns.set(column, type);
    tables.set(table, columns);
  }
  return tables;
}

/** One phrase for each thing that is missing or different. */
export function misfits({ tables, enums }: Schema, catalog: Catalog): readonly string[] {
  return [
    ...tables.flatMap((table) => tableMisfits(table, catalog)),
    ...enums.flatMap((type) => enumMisfits(type, catalog)),
  ];
}

function tableMisfits({ name, columns }: Table, catalog: Catalog): readonly string[] {
  const there = catalog.columns.get(name);
  if (!there) return [`the table \`${name}\` is missing`];
  return columns.flatMap((column) => {
    const type = there.get(column.name);
    if (type === undefined) return [`the column \`${name}.${column.name}\` is missing`];
    const wanted = catalogName(column.type);
    return type === wanted
      ? []
      : [`the column \`${name}.${column.name}\` is \`${type}\`, not \`${typeName(column.type)}\``];
  });
}

function catalogName(type: ColumnType): string {
  const item = itemTypeOf(type);
  if (item) return `${catalogName(item)}[]`;
  return typeof type === 'string' ? (TYPE_NAMES[type] ?? type) : type.enum;
}

/** The names of types that differ in the catalog. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  bigint: 'int8',
  'double precision': 'float8',
  boolean: 'bool',
};

function enumMisfits({ name, values }: EnumType, catalog: Catalog): readonly string[] {
  const there = catalog.enums.get(name);
  if (!there) return [`the enum \`${name}\` is missing`];
  return values
    .filter((value) => !there.includes(value))
    .map((value) => `the value \`${value}\` of \`${name}\` is missing`);
}

// ── Provenance ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The origin of the contents of a database, which decides who may change them. */
type Provenance =
  | { readonly kind: 'empty' }
  /** Made by `kiln dev`, `kiln start` or `kiln db`. */
  | { readonly kind: 'development' }
  /** Made by `kiln migrate` or the `migrate` of an image. */
  | { readonly kind: 'releases'; readonly newest: NewestRelease | null }
  | { readonly kind: 'others' };

/** The last one that the database was brought to. */
export interface NewestRelease {
  readonly position: number;
  readonly revision: string;
  /** Whether it still keeps what only the previous release needs. */
  readonly isContractionPending: boolean;
}

/** Reads the provenance, and changes nothing. */
export function provenanceOf(url: string): Promise<Provenance> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Tables>(TABLES);
    const { tables, history, releases } = rows[0] as Tables;
    if (history) return { kind: 'development' };
    if (!releases) return { kind: tables === '0' ? 'empty' : 'others' };
    const { rows: newest } = await client.query<NewestRelease>(NEWEST);
    return { kind: 'releases', newest: newest[0] ?? null };
  });
}

interface Tables {
  readonly tables: string;
  readonly history: boolean;
  readonly releases: boolean;
}

/**
 * The newest release that is complete and not withdrawn. A ledger of an older Kiln has no columns for the contraction.
 */
const NEWEST = `
  SELECT position, revision,
    coalesce((release ->> 'contract_steps')::integer > (release ->> 'contract_done')::integer, false)
      AS "isContractionPending"
  FROM (SELECT position, revision, to_jsonb(kiln_releases) AS release FROM kiln_releases
    WHERE NOT starts_with(checksum, '${WITHDRAWN}')) AS releases
  ORDER BY position DESC LIMIT 1`;

const TABLES = `
  SELECT to_regclass('kiln_history.releases') IS NOT NULL AS "history",
    to_regclass('kiln_releases') IS NOT NULL AS "releases",
    (SELECT count(*) FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')) AS "tables"`;
