/**
 * The statements that make the database of a schema where there is nothing yet. Foreign keys come after all tables,
 * because tables may refer to each other.
 */

import { digitsOfColumn } from '../../definition/digits.ts';
import type { ReleaseChain } from '../../definition/migration.ts';
import {
  type Column,
  type ColumnDefault,
  type ColumnType,
  type EnumType,
  type ForeignKey,
  type Identity,
  type Index,
  itemTypeOf,
  type Key,
  type Schema,
  type Table,
} from '../../definition/schema.ts';
import { nowSql, searchedSql, TODAY } from '../../definition/sql/call-sql.ts';
import { quotedText } from '../../definition/sql/literals.ts';
import { quotedName, typeName } from '../../definition/sql/names.ts';
import { sql } from '../../definition/sql/sql.ts';
import { createReaction } from './routines.ts';

export function schemaSql(schema: Schema): string {
  return schemaInParts(schema).schemaSql;
}

/**
 * The largest number of statements in a transaction, which holds the locks of all that it makes: six to ten for a table
 * and its keys. A stock Postgres has capacity for 6,400 of them, shared by all connections.
 */
const MOST_STATEMENTS = 250;

/** The schema as in a release. */
export function schemaInParts(schema: Schema): Pick<ReleaseChain, 'schema' | 'schemaSql' | 'schemaCuts'> {
  const cuts: number[] = [];
  let text = HEAD;
  let count = 0;
  for (const [between, statements] of paragraphsOf(schema)) {
    for (const [at, statement] of statements.entries()) {
      text += at === 0 ? '\n\n' : between;
      if (count > 0 && count % MOST_STATEMENTS === 0) cuts.push(text.length);
      text += statement;
      count++;
    }
  }
  return { schema, schemaSql: `${text}\n`, ...(cuts.length > 0 && { schemaCuts: cuts }) };
}

const HEAD = '-- What `kiln compile` makes of the models: the tables of an empty database.';

/** The statements by kind, each kind with its separator. */
function paragraphsOf({
  enums,
  tables,
  reactions = [],
}: Schema): readonly (readonly [between: string, statements: readonly string[]])[] {
  return [
    ['\n', enums.map(createEnum)],
    ['\n\n', tables.map(createTable)],
    ['\n', tables.flatMap((table) => table.foreignKeys.map((key) => addForeignKey(table, key)))],
    ['\n', tables.flatMap((table) => table.indexes.map((index) => createIndex(table, index)))],
    ['\n\n', reactions.map(createReaction)],
  ];
}

export function createEnum({ name, values }: EnumType): string {
  return `CREATE TYPE ${quotedName(name)} AS ENUM (${values.map(quotedText).join(', ')});`;
}

export function createTable(table: Table): string {
  const lines = [
    ...table.columns.map((column) => columnSql(table, column)),
    keySql(table.primaryKey, 'PRIMARY KEY'),
    ...table.uniques.map((key) => keySql(key, 'UNIQUE')),
  ];
  return `CREATE ${table.unlogged ? 'UNLOGGED ' : ''}TABLE ${quotedName(table.name)} (\n  ${lines.join(',\n  ')}\n);`;
}

export function addForeignKey(table: Table, key: ForeignKey): string {
  return `ALTER TABLE ${quotedName(table.name)} ADD CONSTRAINT ${foreignKeySql(key)};`;
}

export function foreignKeySql({ name, column, to, onDelete }: ForeignKey): string {
  const target = `${quotedName(to.table)} ${columnList([to.column])}`;
  const key = `FOREIGN KEY ${columnList([column])} REFERENCES ${target} ON DELETE ${onDelete.toUpperCase()}`;
  return `${quotedName(name)}\n  ${key}`;
}

export function createIndex(table: Table, index: Index): string {
  return `CREATE INDEX ${quotedName(index.name)} ON ${indexedSql(table.name, index)};`;
}

/** The SQL after ON. */
export function indexedSql(table: string, { columns, search, language }: Index): string {
  if (search) {
    const names = columns.map(({ name }) => sql`${quotedName(name)}`);
    const words = searchedSql(names, language);
    return `${quotedName(table)} USING gin (${words.text})`;
  }
  const parts = columns.map((column) => quotedName(column.name) + (column.descending ? ' DESC' : ''));
  return `${quotedName(table)} (${parts.join(', ')})`;
}

function keySql({ name, columns }: Key, kind: 'PRIMARY KEY' | 'UNIQUE'): string {
  return `CONSTRAINT ${quotedName(name)} ${kind} ${columnList(columns)}`;
}

export function columnList(columns: readonly string[]): string {
  return `(${columns.map(quotedName).join(', ')})`;
}

export function columnSql(table: Table, column: Column): string {
  const { name, type, nullable, identity, default: value } = column;
  return [
    `${quotedName(name)} ${typeName(type)}`,
    ...(nullable ? [] : ['NOT NULL']),
    ...(identity ? [identitySql(table, name, identity)] : []),
    ...(value ? [`DEFAULT ${defaultSql(value, type)}`] : []),
  ].join(' ');
}

/** The sequence is named only where Postgres would choose another name by itself. */
function identitySql(table: Table, column: string, { sequence }: Identity): string {
  const isUsual = sequence === `${table.name}_${column}_seq`;
  const name = isUsual ? '' : ` (SEQUENCE NAME ${quotedName(sequence)})`;
  return `GENERATED BY DEFAULT AS IDENTITY${name}`;
}

export function defaultSql(value: ColumnDefault, type: ColumnType): string {
  switch (value.kind) {
    case 'now':
      return nowSql(type === 'bigint').text;
    case 'today':
      return TODAY.text;
    case 'value':
      if (itemTypeOf(type)) return quotedText(arrayText(JSON.parse(value.text) as readonly string[]));
      return BARE.has(type) || digitsOfColumn(type) ? value.text : quotedText(value.text);
  }
}

/** An array as Postgres reads it. Within quotes an item can have any text. */
function arrayText(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

const BARE: ReadonlySet<ColumnType> = new Set<ColumnType>(['bigint', 'double precision', 'numeric', 'boolean']);
