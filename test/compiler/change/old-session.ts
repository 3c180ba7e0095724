/**
 * A connection of the previous release, as a server of it has one: it finds its tables through its own schema, prepares its
 * statements once, and knows nothing of what happens beside it. Whatever it writes, it must read again as it was; only a
 * null in what the new release requires may be filled.
 */
import { expect } from 'chai';
import pg from 'pg';
import { comparisonOf } from '../../../compiler/change/comparison.ts';
import { type TablePair, tablePairs } from '../../../compiler/change/table-pairs.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { digitsOfColumn } from '../../../compiler/definition/digits.ts';
import { compatibilitySchema } from '../../../compiler/definition/migration.ts';
import type { CATALOG_NAMES } from '../../../compiler/definition/scalars.ts';
import {
  type Column,
  type ColumnType,
  type ForeignKey,
  itemTypeOf,
  type Schema,
  type Table,
} from '../../../compiler/definition/schema.ts';
import { storageFingerprint } from '../../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';

/** Beyond the ids of all rows that a test makes. */
const FIRST_ID = 1_000_000;

interface MadeRow {
  readonly table: Table;
  /** The values of the primary key. */
  readonly key: readonly string[];
}

export class OldSession {
  readonly #client: pg.Client;
  readonly #schema: Schema;
  /** Columns that are in a unique key of either release, each as `table.column`. */
  readonly #unique: ReadonlySet<string>;
  /** Columns of which the new release fills a null. */
  readonly #filled: ReadonlySet<string>;
  readonly #hint: string;
  #made = 0;
  #turn = 0;

  private constructor(client: pg.Client, previous: Definition, next: Definition, hint: string) {
    this.#client = client;
    this.#schema = schemaFromDefinition(previous);
    const after = schemaFromDefinition(next);
    const { kept } = tablePairs(comparisonOf(previous, next), this.#schema, after);
    this.#unique = new Set([...this.#schema.tables.flatMap(uniqueColumns), ...kept.flatMap(uniqueNow)]);
    this.#filled = new Set(kept.flatMap(requiredNow));
    this.#hint = hint;
  }

  /** Of the release `previous`, while the database becomes that of `next`. */
  static async open(url: string, previous: Definition, next: Definition, hint: string): Promise<OldSession> {
    const schema = schemaFromDefinition(previous);
    const path = `${compatibilitySchema(storageFingerprint(previous))},public`;
    const client = new pg.Client({ connectionString: url, options: `-c search_path=${path} -c TimeZone=UTC` });
    await client.connect();
    const sequences = schema.tables.flatMap(({ columns }) =>
      columns.flatMap(({ identity }) => identity?.sequence ?? []),
    );
    for (const name of sequences) await client.query(`SELECT setval('"${name}"', ${FIRST_ID})`);
    return new OldSession(client, previous, next, hint);
  }

  end(): Promise<void> {
    return this.#client.end();
  }

  async useAll(): Promise<void> {
    for (const table of this.#schema.tables) await this.#use(table);
  }

  /** One after the other, each time it is called. */
  async useNext(): Promise<void> {
    const { tables } = this.#schema;
    const table = tables[this.#turn++ % tables.length];
    if (table) await this.#use(table);
  }

  async change(table: string, column: string, id: number | string, value: string | null): Promise<void> {
    const { rowCount } = await this.#run(`UPDATE "${table}" SET "${column}" = $1 WHERE "id" = $2`, [value, String(id)]);
    expect(rowCount, `${this.#hint}\na row of "${table}" to change`).to.equal(1);
  }

  /** Makes a row and those that it refers to, changes it, and leaves nothing behind. */
  async #use(table: Table): Promise<void> {
    const names = table.columns.map(({ name }) => `"${name}"`);
    await this.#run(`SELECT ${names} FROM "${table.name}"`);
    const made: MadeRow[] = [];
    const row = await this.#insert(table, made);
    await this.#update(row);
    for (const { table: of, key } of made.toReversed()) {
      const gone = await this.#run(`DELETE FROM "${of.name}" WHERE ${isKey(of, 1)}`, key);
      expect(gone.rowCount, `${this.#hint}\nrows deleted from "${of.name}"`).to.equal(1);
    }
  }

  async #insert(table: Table, made: MadeRow[]): Promise<MadeRow> {
    const isLeftOut = this.#made++ % 2 === 0;
    const hasDefault = ({ name, default: value }: Column) =>
      value !== null && !this.#unique.has(`${table.name}.${name}`);
    const columns = table.columns.filter((column) => !column.identity && !(isLeftOut && hasDefault(column)));
    const values = await this.#values(table, columns, made);
    const names = columns.map(({ name }) => `"${name}"`);
    const into = names.length === 0 ? 'DEFAULT VALUES' : `(${names}) VALUES (${columns.map((_, at) => `$${at + 1}`)})`;
    const { rows } = await this.#run(
      `INSERT INTO "${table.name}" ${into} RETURNING ${textsOf(table.primaryKey.columns)}`,
      values,
    );
    const row = { table, key: rows[0] as string[] };
    made.push(row);
    await this.#expectRead(row, columns, values);
    return row;
  }

  /** All but the key, and what it refers to. */
  async #update(row: MadeRow): Promise<void> {
    const { table, key } = row;
    const fixed = [...table.primaryKey.columns, ...table.foreignKeys.map(({ column }) => column)];
    const columns = table.columns.filter(({ name }) => !fixed.includes(name));
    if (columns.length === 0) return;
    const values = columns.map((column) => this.#value(column));
    const sets = columns.map(({ name }, at) => `"${name}" = $${at + 1}`);
    await this.#run(`UPDATE "${table.name}" SET ${sets} WHERE ${isKey(table, columns.length + 1)}`, [
      ...values,
      ...key,
    ]);
    await this.#expectRead(row, columns, values);
  }

  async #expectRead({ table, key }: MadeRow, columns: readonly Column[], values: readonly (string | null)[]) {
    if (columns.length === 0) return;
    const text = `SELECT ${textsOf(columns.map(({ name }) => name))} FROM "${table.name}" WHERE ${isKey(table, 1)} FOR UPDATE`;
    const { rows } = await this.#run(text, key);
    const [row = []] = rows as (string | null)[][];
    const expected = values.map((value, at) => (this.#isFilled(table, columns[at], value) ? row[at] : value));
    expect(rows, `${this.#hint}\na row of "${table.name}", as it was written`).to.deep.equal([expected]);
  }

  #isFilled(table: Table, column: Column | undefined, value: string | null): boolean {
    return value === null && this.#filled.has(`${table.name}.${column?.name}`);
  }

  async #values(table: Table, columns: readonly Column[], made: MadeRow[]): Promise<(string | null)[]> {
    const values: (string | null)[] = [];
    for (const column of columns) {
      const key = table.foreignKeys.find((candidate) => candidate.column === column.name);
      values.push(key ? await this.#reference(key, column, made) : this.#value(column));
    }
    return values;
  }

  async #reference({ to }: ForeignKey, { nullable }: Column, made: MadeRow[]): Promise<string | null> {
    if (nullable) return null;
    const { key } = await this.#insert(this.#schema.tables.find(({ name }) => name === to.table) as Table, made);
    return key[0] as string;
  }

  /** As Postgres writes it: at times null, where that may be, and otherwise no two are equal, where the type has enough of them. */
  #value({ type, nullable }: Column): string | null {
    const n = FIRST_ID + ++this.#made;
    if (nullable && n % 5 === 0) return null;
    const item = itemTypeOf(type);
    return item ? arrayText([this.#one(item, n, true), this.#one(item, n + 1, true)]) : this.#one(type, n);
  }

  #one(type: ColumnType, n: number, isItem = false): string {
    if (typeof type === 'string' && isItem && type === 'boolean') return n % 2 === 0 ? 't' : 'f';
    if (digitsOfColumn(type)) return `${n % 9}`;
    if (typeof type === 'string') return VALUES[type as keyof typeof CATALOG_NAMES](n);
    const { values } = this.#schema.enums.find(({ name }) => name === type.enum) as Schema['enums'][number];
    return values[n % values.length] as string;
  }

  async #run(text: string, values: readonly (string | null)[] = []): Promise<pg.QueryArrayResult> {
    try {
      return await this.#client.query({ name: nameOf(text), text, values: [...values], rowMode: 'array' });
    } catch (cause) {
      throw new Error(`the previous release: ${(cause as Error).message}\n${text}\n${this.#hint}`, { cause });
    }
  }
}

function uniqueColumns({ name: table, uniques }: Table): readonly string[] {
  return uniques.flatMap(({ columns }) => columns.map((name) => `${table}.${name}`));
}

/** By the names of before. */
function uniqueNow({ previous, next, columns }: TablePair): readonly string[] {
  const unique = next.uniques.flatMap((key) => key.columns);
  return [...columns].filter(([, now]) => unique.includes(now)).map(([name]) => `${previous.name}.${name}`);
}

function requiredNow({ previous, next, columns }: TablePair): readonly string[] {
  const required = next.columns.filter(({ nullable }) => !nullable).map(({ name }) => name);
  const nullable = previous.columns.filter((column) => column.nullable).map(({ name }) => name);
  return nullable
    .filter((name) => required.includes(columns.get(name) ?? ''))
    .map((name) => `${previous.name}.${name}`);
}

const VALUES: Readonly<Record<keyof typeof CATALOG_NAMES, (n: number) => string>> = {
  text: (n) => `old ${n}`,
  bigint: (n) => `${n}`,
  'double precision': (n) => `${n}.5`,
  boolean: (n) => String(n % 2 === 0),
  numeric: (n) => `${n}.10`,
  timestamptz: (n) => new Date(n * 1000).toISOString().replace('T', ' ').replace('.000Z', '+00'),
  date: (n) => new Date((n - FIRST_ID + 300_000) * 86_400_000).toISOString().slice(0, 10),
  uuid: (n) => `018f4e6a-7c1b-7d2e-9a3f-${n.toString(16).padStart(12, '0')}`,
  jsonb: (n) => `"old ${n}"`,
  bytea: (n) => `\\x${n.toString(16).padStart(8, '0')}`,
};

/** Postgres quotes only the items that need it. */
function arrayText(items: readonly string[]): string {
  const written = items.map((item) => (/[\s",\\{}]/.test(item) ? `"${item.replace(/["\\]/g, '\\$&')}"` : item));
  return `{${written.join(',')}}`;
}

function textsOf(columns: readonly string[]): string {
  return columns.map((name) => `"${name}"::text`).join(', ');
}

function isKey({ primaryKey }: Table, first: number): string {
  return primaryKey.columns.map((name, at) => `"${name}" = $${first + at}`).join(' AND ');
}

/** Names may have 63 bytes. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return name;
}
