/** What Postgres says it has, in the words of a schema: read from the catalog, without any code of the compiler. */
import type pg from 'pg';
import type { Column, ColumnDefault, ForeignKey, Index, Key, Schema, Table } from '../../compiler/definition/schema.ts';

export async function schemaInCatalog(client: pg.Client): Promise<Schema> {
  const { rows: enums } = await client.query(ENUMS);
  const { rows: tables } = await client.query<{ readonly name: string }>(TABLES);
  const { rows: columns } = await client.query<ColumnRow>(COLUMNS);
  const { rows: keys } = await client.query<KeyRow>(KEYS);
  const { rows: indexes } = await client.query<Index & InTable>(INDEXES);
  const texts = await constantTexts(client, columns);
  return {
    enums,
    tables: tables.map(({ name }): Table => {
      const own = <T extends InTable>(rows: readonly T[]) => rows.filter(({ table }) => table === name);
      const [primaryKey] = keysOfKind(own(keys), 'p');
      return {
        name,
        columns: own(columns).map((column) => columnOf(column, texts)),
        primaryKey: primaryKey as Key,
        uniques: keysOfKind(own(keys), 'u'),
        foreignKeys: own(keys)
          .filter(({ kind }) => kind === 'f')
          .map(foreignKeyOf),
        indexes: own(indexes).map((index) => ({ name: index.name, columns: index.columns })),
      };
    }),
  };
}

interface InTable {
  readonly table: string;
}

const ENUMS = `
  SELECT typname AS name, array_agg(enumlabel::text ORDER BY enumsortorder) AS values
  FROM pg_type JOIN pg_enum ON enumtypid = pg_type.oid
  WHERE typnamespace = 'public'::regnamespace
  GROUP BY typname ORDER BY typname`;

const TABLES = `
  SELECT relname AS name FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
  ORDER BY relname`;

// ── Columns ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface ColumnRow extends InTable {
  readonly name: string;
  readonly type: string;
  readonly enum: string | null;
  readonly nullable: boolean;
  readonly expression: string | null;
  readonly identity: '' | 'd';
  readonly sequence: string | null;
}

const COLUMNS = `
  SELECT relname AS table, attname AS name, NOT attnotnull AS nullable, attidentity AS identity,
    pg_get_expr(adbin, adrelid) AS expression,
    format_type(atttypid, atttypmod) AS type,
    (SELECT typname FROM pg_type
      WHERE pg_type.oid = atttypid AND typtype = 'e' AND typnamespace = 'public'::regnamespace) AS enum,
    (SELECT owned.relname FROM pg_depend JOIN pg_class owned ON owned.oid = objid
      WHERE refobjid = attrelid AND refobjsubid = attnum AND deptype = 'i' AND owned.relkind = 'S') AS sequence
  FROM pg_attribute
    JOIN pg_class ON pg_class.oid = attrelid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0
  ORDER BY relname, attnum`;

function columnOf(row: ColumnRow, texts: ReadonlyMap<ColumnRow, string>): Column {
  const type = row.type === 'timestamp with time zone' ? 'timestamptz' : row.type;
  return {
    name: row.name,
    type: row.enum === null ? (type as Column['type']) : { enum: row.enum },
    nullable: row.nullable,
    default: defaultOf(row, texts),
    identity: row.identity === 'd' ? { sequence: row.sequence as string } : null,
  };
}

const CLOCKS: Readonly<Record<string, ColumnDefault>> = {
  'now()': { kind: 'now' },
  '(floor((EXTRACT(epoch FROM now()) * (1000)::numeric)))::bigint': { kind: 'now' },
  "((now() AT TIME ZONE 'UTC'::text))::date": { kind: 'today' },
};

function defaultOf(row: ColumnRow, texts: ReadonlyMap<ColumnRow, string>): ColumnDefault | null {
  if (row.expression === null) return null;
  const text = texts.get(row) ?? '';
  return CLOCKS[row.expression] ?? { kind: 'value', text: OUR_WAY[row.type]?.(text) ?? text };
}

/** A constant is known by what it gives. */
async function constantTexts(client: pg.Client, rows: readonly ColumnRow[]): Promise<ReadonlyMap<ColumnRow, string>> {
  const constants = rows.filter(({ expression }) => expression !== null && !CLOCKS[expression]);
  const expressions = constants.map(({ expression, type }) => `(${expression})::${type}::text`);
  const text = `SELECT ${expressions.join(', ')}`;
  await client.query("SET TimeZone = 'UTC'");
  const { rows: values } = await client.query<string[]>({ text, rowMode: 'array' });
  return new Map(constants.map((row, at) => [row, values[0]?.[at] ?? '']));
}

/** Postgres writes some values in another way than a schema does. */
const OUR_WAY: Readonly<Record<string, (text: string) => string>> = {
  jsonb: (text) => JSON.stringify(JSON.parse(text)),
  'double precision': (text) => String(Number(text)),
  'timestamp with time zone': (text) => text.replace(' ', 'T').replace('+00', 'Z'),
};

// ── Keys and indexes ────────────────────────────────────────────────────────────────────────────────────────────────

interface KeyRow extends Key, InTable {
  readonly kind: 'p' | 'u' | 'f';
  readonly to: string;
  readonly targets: readonly string[];
  readonly on_delete: 'c' | 'n' | 'r';
}

const KEYS = `
  SELECT relname AS table, conname AS name, contype AS kind, confdeltype AS on_delete,
    (SELECT relname FROM pg_class WHERE oid = confrelid) AS to,
    ${columnNames('conrelid', 'conkey')} AS columns,
    ${columnNames('confrelid', 'confkey')} AS targets
  FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
  WHERE connamespace = 'public'::regnamespace
  ORDER BY conname`;

function columnNames(table: string, numbers: string): string {
  return `(
      SELECT array_agg(attname::text ORDER BY place)
      FROM unnest(${numbers}) WITH ORDINALITY AS part(number, place)
        JOIN pg_attribute ON attrelid = ${table} AND attnum = part.number
    )`;
}

function keysOfKind(rows: readonly KeyRow[], wanted: KeyRow['kind']): readonly Key[] {
  return rows.filter(({ kind }) => kind === wanted).map(({ name, columns }) => ({ name, columns }));
}

const ON_DELETE = { c: 'cascade', n: 'set null', r: 'restrict' } as const;

function foreignKeyOf({ name, columns, to, targets, on_delete }: KeyRow): ForeignKey {
  return { name, column: columns.join(), to: { table: to, column: targets.join() }, onDelete: ON_DELETE[on_delete] };
}

const INDEXES = `
  SELECT relation.relname AS table, named.relname AS name,
    (
      SELECT json_agg(json_build_object('name', attname, 'descending', option & 1 = 1) ORDER BY place)
      FROM unnest(indkey, indoption) WITH ORDINALITY AS part(number, option, place)
        JOIN pg_attribute ON attrelid = indrelid AND attnum = part.number
    ) AS columns
  FROM pg_index
    JOIN pg_class named ON named.oid = indexrelid
    JOIN pg_class relation ON relation.oid = indrelid
  WHERE named.relnamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
  ORDER BY named.relname`;

// ── What a schema has no words for ──────────────────────────────────────────────────────────────────────────────────

/** Views, checks, keys that wait, indexes of another kind: what no schema asks for. */
export async function oddities(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly what: string }>(ODDITIES);
  return rows.map(({ what }) => what);
}

const ODDITIES = `
  SELECT relname AS what FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('r', 'i', 'S')
  UNION ALL
  SELECT conname FROM pg_constraint
  WHERE connamespace = 'public'::regnamespace AND (
    contype NOT IN ('p', 'u', 'f', 'n') OR condeferrable OR NOT convalidated
    OR contype = 'f' AND (confupdtype <> 'a' OR confmatchtype <> 's'))
  UNION ALL
  SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
  WHERE relnamespace = 'public'::regnamespace AND (
    amname <> 'btree' OR indpred IS NOT NULL OR indexprs IS NOT NULL OR indnatts <> indnkeyatts
    OR NOT indisvalid OR indnullsnotdistinct
    OR indisunique AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    OR EXISTS (SELECT FROM unnest(indoption) AS option WHERE option NOT IN (0, 3)))
  UNION ALL
  SELECT attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND (attgenerated <> '' OR attidentity = 'a')`;
