/** The contents of a database, as far as an application is concerned. Nothing here changes it. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { WITHDRAWN } from '../../compiler/definition/migration.ts';
import type { ColumnType, EnumType, Schema, Table } from '../../compiler/definition/schema.ts';
import { typeName } from '../../compiler/definition/sql/names.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { type CatalogSchema, schemaInCatalog } from '../../runtime/migrate/catalog.ts';
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
  const found = await withClient(url, async (client) => misfits(schema, await schemaInCatalog(client)));
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

/** One phrase for each thing that is missing or different. Other objects in the database do not matter. */
export function misfits({ tables, enums }: Schema, found: CatalogSchema): readonly string[] {
  return [
    ...tables.flatMap((table) => tableMisfits(table, found)),
    ...enums.flatMap((type) => enumMisfits(type, found)),
  ];
}

function tableMisfits({ name, columns }: Table, found: CatalogSchema): readonly string[] {
  const there = found.tables.find((table) => table.name === name);
  if (!there) return [`the table \`${name}\` is missing`];
  return columns.flatMap((column) => {
    const type = there.columns.find((each) => each.name === column.name)?.type;
    if (type === undefined) return [`the column \`${name}.${column.name}\` is missing`];
    const [is, wanted] = [typeName(type as ColumnType), typeName(column.type)];
    return is === wanted ? [] : [`the column \`${name}.${column.name}\` is \`${is}\`, not \`${wanted}\``];
  });
}

function enumMisfits({ name, values }: EnumType, { enums }: CatalogSchema): readonly string[] {
  const there = enums.find((type) => type.name === name);
  if (!there) return [`the enum \`${name}\` is missing`];
  return values
    .filter((value) => !there.values.includes(value))
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

/** The newest release that is complete and not withdrawn. */
const NEWEST = `
  SELECT position, revision, coalesce(contract_steps > contract_done, false) AS "isContractionPending"
  FROM kiln_releases WHERE NOT starts_with(checksum, '${WITHDRAWN}') ORDER BY position DESC LIMIT 1`;

const TABLES = `
  SELECT to_regclass('kiln_history.releases') IS NOT NULL AS "history",
    to_regclass('kiln_releases') IS NOT NULL AS "releases",
    (SELECT count(*) FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')) AS "tables"`;
