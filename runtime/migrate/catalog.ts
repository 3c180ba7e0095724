/**
 * Reads the catalog of Postgres in the terms of a schema, without any code of the compiler. Tables of others are read
 * too, so there may be types and defaults that no schema has.
 */
import type pg from 'pg';
import { groupedBy } from '../../compiler/definition/lookup.ts';
import { CATALOG_NAMES } from '../../compiler/definition/scalars.ts';
import {
  type Column,
  type ColumnDefault,
  type ColumnType,
  type EnumType,
  type ForeignKey,
  type Index,
  type Key,
  type ReactionTrigger,
  type Table,
  WITHDRAWN_VALUE,
} from '../../compiler/definition/schema.ts';

export interface CatalogSchema {
  readonly enums: readonly EnumType[];
  readonly tables: readonly CatalogTable[];
  /** The triggers of reactions that are enabled. Absent where there are none. */
  readonly reactions?: readonly Pick<ReactionTrigger, 'name' | 'table'>[];
}

export interface CatalogTable extends Omit<Table, 'columns' | 'primaryKey'> {
  readonly columns: readonly CatalogColumn[];
  readonly primaryKey: Key | undefined;
}

export interface CatalogColumn extends Omit<Column, 'type' | 'default'> {
  /** The type as Postgres writes it, where it is not a type of a schema. */
  readonly type: ColumnType | string;
  readonly default: CatalogDefault | null;
}

export async function schemaInCatalog(client: pg.Client): Promise<CatalogSchema> {
  const { rows: enums } = await client.query<EnumType>(ENUMS);
  const { rows: tables } = await client.query<{ readonly name: string; readonly unlogged: boolean }>(TABLES);
  const { rows: columns } = await client.query<ColumnRow>(COLUMNS);
  const { rows: keys } = await client.query<KeyRow>(KEYS);
  const { rows: indexes } = await client.query<Index & InTable>(INDEXES);
  const { rows: reactions } = await client.query<Pick<ReactionTrigger, 'name' | 'table'>>(REACTIONS);
  const defaults = await readDefaults(client, columns);
  const columnsOf = inTables(columns);
  const keysOf = inTables(keys);
  const indexesOf = inTables(indexes);
  return {
    enums,
    ...(reactions.length > 0 && { reactions }),
    tables: tables.map(({ name, unlogged }): CatalogTable => {
      const own = keysOf(name);
      return {
        name,
        columns: columnsOf(name).map((column) => columnOf(column, defaults)),
        primaryKey: keysOfKind(own, 'p')[0],
        uniques: keysOfKind(own, 'u'),
        foreignKeys: own.filter(({ kind }) => kind === 'f').map(foreignKeyOf),
        indexes: indexesOf(name).map(({ name: own, columns, search, language }) => ({
          name: own,
          columns: columns ?? [],
          ...(search && { search }),
          ...(language && { language }),
        })),
        ...(unlogged && { unlogged }),
      };
    }),
  };
}

interface InTable {
  readonly table: string;
}

function inTables<T extends InTable>(rows: readonly T[]): (table: string) => readonly T[] {
  const groups = groupedBy(rows, (row) => row.table);
  return (table) => groups.get(table) ?? [];
}

/** The schema of the tables of an application. */
export const HERE = '(SELECT oid FROM pg_namespace WHERE nspname = current_schema())';

/** A value that was withdrawn is not there for anybody. */
const ENUMS = `
  SELECT typname AS name, array_agg(enumlabel::text ORDER BY enumsortorder) AS values
  FROM pg_type JOIN pg_enum ON enumtypid = pg_type.oid
  WHERE typnamespace = ${HERE} AND NOT starts_with(enumlabel, '${WITHDRAWN_VALUE}')
  GROUP BY typname ORDER BY typname`;

const TABLES = `
  SELECT relname AS name, relpersistence = 'u' AS unlogged FROM pg_class
  WHERE relnamespace = ${HERE} AND relkind = 'r'
  ORDER BY relname`;

const REACTIONS = `
  SELECT tgname AS name, relname AS table FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
  WHERE relnamespace = ${HERE} AND starts_with(tgname, 'kiln_reaction_') AND tgenabled IN ('O', 'A')`;

// ── Columns ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface ColumnRow extends InTable, DefaultRow {
  readonly name: string;
  /** The type of the column or of the items of its arrays. */
  readonly enum: string | null;
  readonly nullable: boolean;
  readonly identity: '' | 'd' | 'a';
  readonly sequence: string | null;
}

const COLUMNS = `
  SELECT relname AS table, attname AS name, NOT attnotnull AS nullable, attidentity AS identity,
    pg_get_expr(adbin, adrelid) AS expression,
    format_type(atttypid, atttypmod) AS type,
    (SELECT item.typname FROM pg_type own
        JOIN pg_type item ON item.oid = CASE own.typcategory WHEN 'A' THEN own.typelem ELSE own.oid END
      WHERE own.oid = atttypid AND item.typtype = 'e' AND item.typnamespace = ${HERE}) AS enum,
    (SELECT owned.relname FROM pg_depend JOIN pg_class owned ON owned.oid = objid
      WHERE refclassid = 'pg_class'::regclass AND refobjid = attrelid AND refobjsubid = attnum
        AND deptype = 'i' AND owned.relkind = 'S') AS sequence
  FROM pg_attribute
    JOIN pg_class ON pg_class.oid = attrelid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE relnamespace = ${HERE} AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
   
  ORDER BY relname, attnum`;

const NAMES_IN_SCHEMAS = new Map(Object.entries(CATALOG_NAMES).map(([name, inCatalog]) => [inCatalog, name]));

function columnOf(row: ColumnRow, defaults: ReadonlyMap<DefaultRow, CatalogDefault>): CatalogColumn {
  return {
    name: row.name,
    type: typeOf(row),
    nullable: row.nullable,
    default: defaults.get(row) ?? null,
    identity: row.sequence === null ? null : { sequence: row.sequence },
  };
}

function typeOf({ type, enum: name }: ColumnRow): ColumnType | string {
  const isArray = type.endsWith('[]');
  if (name !== null) return { enum: name, ...(isArray ? { many: true } : {}) };
  const item = isArray ? type.slice(0, -2) : type;
  return `${NAMES_IN_SCHEMAS.get(item) ?? item}${isArray ? '[]' : ''}`;
}

// ── Keys and indexes ────────────────────────────────────────────────────────────────────────────────────────────────

interface KeyRow extends Key, InTable {
  readonly kind: string;
  readonly to: string;
  readonly targets: readonly string[];
  readonly on_delete: string;
}

const KEYS = `
  SELECT relname AS table, conname AS name, contype AS kind, confdeltype AS on_delete,
    (SELECT relname FROM pg_class WHERE oid = confrelid) AS to,
    ${columnNames('conrelid', 'conkey')} AS columns,
    ${columnNames('confrelid', 'confkey')} AS targets
  FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
  WHERE connamespace = ${HERE}
  ORDER BY conname`;

function columnNames(table: string, numbers: string): string {
  return `(
      SELECT array_agg(attname::text ORDER BY place)
      FROM unnest(${numbers}) WITH ORDINALITY AS part(number, place)
        JOIN pg_attribute ON attrelid = ${table} AND attnum = part.number
    )`;
}

function keysOfKind(rows: readonly KeyRow[], wanted: 'p' | 'u'): readonly Key[] {
  return rows.filter(({ kind }) => kind === wanted).map(({ name, columns }) => ({ name, columns }));
}

const ON_DELETE: Readonly<Record<string, ForeignKey['onDelete']>> = { c: 'cascade', n: 'set null', r: 'restrict' };

/** `NO ACTION` and `SET DEFAULT` are in no schema, and are told of as oddities. */
function foreignKeyOf({ name, columns, to, targets, on_delete }: KeyRow): ForeignKey {
  const onDelete = ON_DELETE[on_delete] ?? 'restrict';
  return { name, column: columns.join(), to: { table: to, column: targets.join() }, onDelete };
}

/** Whether the index is a search over the words of its columns. */
export const IS_SEARCH = `coalesce(pg_get_expr(indexprs, indrelid) LIKE 'to_tsvector(%', FALSE)`;

const INDEXES = `
  SELECT relation.relname AS table, named.relname AS name,
    CASE WHEN indexprs IS NULL THEN (
      SELECT json_agg(json_build_object('name', attname, 'descending', option & 1 = 1) ORDER BY place)
      FROM unnest(indkey, indoption) WITH ORDINALITY AS part(number, option, place)
        JOIN pg_attribute ON attrelid = indrelid AND attnum = part.number
    ) ELSE (
      SELECT json_agg(json_build_object('name', attname, 'descending', false) ORDER BY attname COLLATE "C")
      FROM pg_depend JOIN pg_attribute ON attrelid = indrelid AND attnum = refobjsubid
      WHERE classid = 'pg_class'::regclass AND objid = indexrelid AND refobjid = indrelid
    ) END AS columns,
    ${IS_SEARCH} AS search,
    nullif(substring(pg_get_expr(indexprs, indrelid) FROM '^to_tsvector\\(''(?:pg_catalog\\.)?(\\w+)'''), 'simple') AS language
  FROM pg_index
    JOIN pg_class named ON named.oid = indexrelid
    JOIN pg_class relation ON relation.oid = indrelid
  WHERE named.relnamespace = ${HERE}
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
  ORDER BY named.relname`;

// Defaults of columns as a schema writes them. A constant is known by what it gives, not by how it was written.

/** A default. One that no schema asks for stays as Postgres writes it. */
export type CatalogDefault = ColumnDefault | { readonly kind: 'expression'; readonly text: string };

interface DefaultRow {
  readonly type: string;
  readonly expression: string | null;
}

const CLOCKS: Readonly<Record<string, ColumnDefault>> = {
  'now()': { kind: 'now' },
  '(floor((EXTRACT(epoch FROM now()) * (1000)::numeric)))::bigint': { kind: 'now' },
  "((now() AT TIME ZONE 'UTC'::text))::date": { kind: 'today' },
};

/** The only expressions that are evaluated: any other might have side effects. */
const CONSTANT =
  /^\(*(?:E?'(?:[^']|'')*'|-?[\d.]+(?:e[+-]?\d+)?|true|false)\)*(?:::[\w ".]+(?:\([\d,]+\))?(?:\[\])?\)*)*$/;

async function readDefaults<Row extends DefaultRow>(
  client: pg.Client,
  rows: readonly Row[],
): Promise<ReadonlyMap<Row, CatalogDefault>> {
  const texts = await constantTexts(
    client,
    rows.filter(({ expression }) => expression !== null && CONSTANT.test(expression)),
  );
  return new Map(
    rows.flatMap((row): [Row, CatalogDefault][] =>
      row.expression === null ? [] : [[row, defaultOf(row, row.expression, texts)]],
    ),
  );
}

function defaultOf(row: DefaultRow, expression: string, texts: ReadonlyMap<DefaultRow, string>): CatalogDefault {
  const text = texts.get(row);
  if (text === undefined) return CLOCKS[expression] ?? { kind: 'expression', text: expression };
  return { kind: 'value', text: isArray(row) ? listText(row, text) : ourText(row.type, text) };
}

function ourText(type: string, text: string): string {
  return OUR_WAY[type]?.(text) ?? text;
}

function isArray({ type }: DefaultRow): boolean {
  return type.endsWith('[]');
}

/** The list as a schema has it: a JSON list of the texts of the items. */
function listText({ type }: DefaultRow, json: string): string {
  return JSON.stringify((JSON.parse(json) as readonly string[]).map((item) => ourText(type.slice(0, -2), item)));
}

/** Evaluates the constants in one array, because a row has fewer columns than a large schema has defaults. */
async function constantTexts(client: pg.Client, rows: readonly DefaultRow[]): Promise<ReadonlyMap<DefaultRow, string>> {
  const expressions = rows.map((row) => {
    const value = `(${row.expression})::${row.type}`;
    return isArray(row) ? `to_jsonb(${value}::text[])::text` : `${value}::text`;
  });
  await client.query("SET TimeZone = 'UTC'");
  const { rows: values } = await client.query<{ texts: readonly string[] }>(
    `SELECT ARRAY[${expressions.join(', ')}]::text[] AS texts`,
  );
  return new Map(rows.map((row, at) => [row, values[0]?.texts[at] ?? '']));
}

/** Postgres writes some values in another way than a schema does. */
const OUR_WAY: Readonly<Record<string, (text: string) => string>> = {
  jsonb: (text) => JSON.stringify(JSON.parse(text)),
  'double precision': (text) => String(Number(text)),
  'timestamp with time zone': (text) => text.replace(' ', 'T').replace('+00', 'Z'),
};
