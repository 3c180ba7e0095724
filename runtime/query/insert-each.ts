/**
 * Many records are made by one statement, or found by a unique key where they are there: its rows come from lists, one
 * for each column. What is given twice for a key is stored once: the first where a record is kept, the last where it
 * is changed.
 */
import type { CataloguedModel } from '../../compiler/definition/sql/catalogue.ts';
import { all, joined, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import type { Scope } from '../expressions/scope.ts';
import { textFromBound } from '../values/kinds.ts';
import type { DataRow } from './data-row.ts';
import type { Bound, DataConnection } from './database.ts';
import { type Given, given, givenList, run } from './prepared.ts';
import { Gathering, objectFromRow, type Target } from './shape.ts';
import type { Statements } from './statements.ts';
import { CHANGED, changedReading, type Returned, type WrittenShape } from './writes.ts';

/** `rows` has the values of the fields, in their order; `others` those of changes that are the same for all. */
export type EachWriting = (
  rows: readonly (readonly Bound[])[],
  others: readonly Bound[],
  connection: DataConnection,
  scope: Scope,
) => Promise<readonly Target[]>;

export interface EachConflict {
  readonly key: readonly string[];
  /** `other` is the place of the value among those that are the same for all; null for the value of the new record. */
  readonly changes: readonly { readonly field: string; readonly other: number | null }[];
}

export function insertEachOf(
  model: string,
  fields: readonly string[],
  conflict: EachConflict | null,
  returned: Returned,
  statements: Statements,
): EachWriting {
  const described = statements.catalogue.model(model);
  const parts = new Parts(described, fields, statements);
  if (!conflict && isUnread(returned)) return unreadOf(parts.insertingUnread(), fields, described, statements);
  const insert = changedReading(parts.inserting(conflict), AT, returned, described, statements);
  const search = conflict && changedReading(parts.searching(conflict), AT, returned, described, statements);
  return async (rows, others, connection, scope) => {
    const values = valuesOf(rows, fields.length, others);
    // The second attempt sees what another request has made in the meantime. A conflict after that is with another key.
    const attempts = search ? [search, search, insert] : [insert];
    for (const { statement, shape, at } of attempts) {
      const found = (await run(statement, connection, scope, values)).rows;
      if (found.length === rows.length) return inOrder(found, shape, at);
    }
    throw new Error('an insert gave too few rows back');
  };
}

/** Changes a record for each row. The first of `fields` is the `id`. No two rows may have the same. */
export function updateEachOf(
  model: string,
  fields: readonly string[],
  returned: Returned,
  statements: Statements,
): EachWriting {
  const described = statements.catalogue.model(model);
  const parts = new Parts(described, fields, statements);
  if (isUnread(returned)) return unreadOf(parts.updatingUnread(), fields, described, statements);
  const { statement, shape, at } = changedReading(parts.updating(), AT, returned, described, statements);
  return async (rows, others, connection, scope) => {
    const found = (await run(statement, connection, scope, valuesOf(rows, fields.length, others))).rows;
    return inOrder(found, shape, at);
  };
}

function isUnread({ reads, select }: Returned): boolean {
  return reads.length === 0 && select === null;
}

/** Writes rows of which nothing is read back, so Postgres need not keep and order them. Returns as many as it has written. */
function unreadOf(text: Sql, fields: readonly string[], model: CataloguedModel, statements: Statements): EachWriting {
  const statement = statements.written(text, model);
  return async (rows, others, connection, scope) => {
    const { count } = await run(statement, connection, scope, valuesOf(rows, fields.length, others));
    return Array.from({ length: count }, () => ({}));
  };
}

/** Deletes records, and returns how many of them there were. */
export function deleteEachOf(model: string, statements: Statements) {
  const described = statements.catalogue.model(model);
  const ids = givenList('ids', statements.catalogue.sqlType(described.field('id').type));
  const statement = statements.written(sql`DELETE FROM ${described.table} WHERE "id" = ANY (${ids})`, described);
  return async (found: readonly (string | null)[], connection: DataConnection, scope: Scope): Promise<number> =>
    (await run(statement, connection, scope, { ids: found })).count;
}

/** A list of lists would be one array of two dimensions in Postgres, so a list among the values is bound as its text. */
function valuesOf(rows: readonly (readonly Bound[])[], width: number, others: readonly Bound[]): Given {
  const values: Record<string, Bound> = { count: String(rows.length) };
  for (let at = 0; at < width; at++) values[`list${at}`] = rows.map((row) => textFromBound(row[at] ?? null));
  others.forEach((other, at) => {
    values[`other${at}`] = other;
  });
  return values;
}

function inOrder(rows: readonly DataRow[], { reads }: WrittenShape, at: number): readonly Target[] {
  const found = new Array<Target>(rows.length);
  for (const row of rows) found[Number(row.text(at)) - 1] = objectFromRow(row, reads, new Gathering());
  return found;
}

// No table and no column of an author has such a name.
const GIVEN = sql`"#given"`;
const ONCE = sql`"#once"`;
const NEW = sql`"#new"`;
const LOCKED = sql`"#locked"`;
const OLD = sql`"#old"`;
const ALL = sql`"#all"`;
const THERE = sql`"#there"`;
const AT = sql`"#at"`;

class Parts {
  readonly #model: CataloguedModel;
  readonly #fields: readonly string[];
  readonly #statements: Statements;

  constructor(model: CataloguedModel, fields: readonly string[], statements: Statements) {
    this.#model = model;
    this.#fields = fields;
    this.#statements = statements;
  }

  #type(field: string): Sql {
    return this.#statements.catalogue.sqlType(this.#model.field(field).type);
  }

  get #columns(): Sql {
    return joined(
      this.#fields.map((field) => sql`${this.#model.column(field)}`),
      ', ',
    );
  }

  /** The items with their places, from 1. */
  get #given(): Sql {
    if (this.#fields.length === 0)
      return sql`${GIVEN} AS (SELECT ${AT} FROM generate_series(1, ${given('count', 'bigint')}) AS ${AT})`;
    const lists = this.#fields.map((field, at) => {
      const type = this.#isList(field) ? sql`text` : this.#type(field);
      // The longest list decides, and one whose length is not seen counts as ten. So one of them is enough.
      return at === 0 ? givenList(`list${at}`, type) : given(`list${at}`, sql`${type}[]`);
    });
    const items = sql`unnest(${joined(lists, ', ')}) WITH ORDINALITY AS "#items" (${this.#columns}, ${AT})`;
    const read = this.#fields.map((field) => {
      const column = this.#model.column(field);
      return this.#isList(field) ? sql`${column}::${this.#type(field)} AS ${column}` : sql`${column}`;
    });
    return sql`${GIVEN} AS (SELECT ${joined(read, ', ')}, ${AT} FROM ${items})`;
  }

  #isList(field: string): boolean {
    return this.#model.field(field).type.many === true;
  }

  #insert(from: Sql, where: Sql, order: Sql = AT): Sql {
    const { table } = this.#model;
    const into = this.#fields.length === 0 ? sql`${table}` : sql`${table} (${this.#columns})`;
    return sql`INSERT INTO ${into} SELECT ${this.#columns} FROM ${from}${where} ORDER BY ${order}`;
  }

  /**
   * Inserts the rows. Ids are in the order of the rows, or made by us. With a conflict, this only serves the error: it
   * finds what is in the way.
   */
  inserting(conflict: EachConflict | null): Sql {
    const inserted = sql`${NEW} AS (${this.#insert(GIVEN, conflict ? this.#isFree(conflict, GIVEN) : sql``)} RETURNING *)`;
    const placed =
      !conflict && this.#fields.includes('id')
        ? sql`SELECT ${NEW}.*, ${GIVEN}.${AT} FROM ${NEW} JOIN ${GIVEN} USING ("id")`
        : sql`SELECT *, row_number() OVER (ORDER BY "id") AS ${AT} FROM ${NEW}`;
    return sql`${this.#given}, ${inserted}, ${CHANGED} AS (${placed})`;
  }

  insertingUnread(): Sql {
    return sql`WITH ${this.#given} ${this.#insert(GIVEN, sql``)}`;
  }

  updating(): Sql {
    return sql`${this.#given}, ${CHANGED} AS (${this.#update} RETURNING ${THERE}.*, ${GIVEN}.${AT})`;
  }

  updatingUnread(): Sql {
    return sql`WITH ${this.#given} ${this.#update}`;
  }

  get #update(): Sql {
    const set = this.#fields.slice(1).map((field) => {
      const column = this.#model.column(field);
      return sql`${column} = ${GIVEN}.${column}`;
    });
    const into = sql`UPDATE ${this.#model.table} AS ${THERE} SET ${joined(set, ', ')}`;
    return sql`${into} FROM ${GIVEN} WHERE ${THERE}."id" = ${GIVEN}."id"`;
  }

  #isFree({ key }: EachConflict, from: Sql): Sql {
    return sql` WHERE NOT EXISTS (SELECT FROM ${this.#model.table} AS ${THERE} WHERE ${this.#same(key, THERE, from)})`;
  }

  searching(conflict: EachConflict): Sql {
    const { key } = conflict;
    const inserted = sql`${this.#insert(ONCE, this.#isFree(conflict, ONCE), this.#insertOrder(key))} ON CONFLICT DO NOTHING RETURNING *`;
    const found = sql`SELECT ${ALL}.*, ${GIVEN}.${AT} FROM ${ALL} JOIN ${GIVEN} ON ${this.#same(key, ALL, GIVEN)}`;
    return joined(
      [
        this.#given,
        sql`${ONCE} AS (${this.#once(conflict)})`,
        sql`${NEW} AS (${inserted})`,
        ...this.#old(conflict),
        sql`${ALL} AS (SELECT * FROM ${NEW} UNION ALL SELECT * FROM ${OLD})`,
        sql`${CHANGED} AS (${found})`,
      ],
      ', ',
    );
  }

  /**
   * Requests that make the same records in the order of their keys do not wait for each other in a circle. Ids of
   * Postgres are given in the order of the items instead, which lists show. Where that ends in a deadlock, the request is
   * run again, unless it calls hooks.
   */
  #insertOrder(key: readonly string[]): Sql {
    return this.#fields.includes('id') ? this.#columnsOf(key, ONCE) : AT;
  }

  #columnsOf(key: readonly string[], from: Sql): Sql {
    return joined(
      key.map((field) => sql`${from}.${this.#model.column(field)}`),
      ', ',
    );
  }

  #once({ key, changes }: EachConflict): Sql {
    const columns = this.#columnsOf(key, GIVEN);
    const order = changes.length > 0 ? sql`${AT} DESC` : AT;
    return sql`SELECT DISTINCT ON (${columns}) * FROM ${GIVEN} ORDER BY ${columns}, ${order}`;
  }

  #same(key: readonly string[], one: Sql, other: Sql): Sql {
    const columns = key.map((field) => this.#model.column(field));
    return all(columns.map((column) => sql`${one}.${column} = ${other}.${column}`));
  }

  /** They are locked in the order of their keys: in the order of a join, two requests could wait for each other. */
  #old({ key, changes }: EachConflict): readonly Sql[] {
    const { table } = this.#model;
    const isOld = sql`NOT EXISTS (SELECT FROM ${NEW} WHERE ${this.#same(key, NEW, ONCE)})`;
    const from = sql`FROM ${table} AS ${THERE}, ${ONCE} WHERE ${this.#same(key, THERE, ONCE)} AND ${isOld}`;
    const ordered = sql`${from} ORDER BY ${this.#columnsOf(key, ONCE)}`;
    if (changes.length === 0) return [sql`${OLD} AS (SELECT ${THERE}.* ${ordered} FOR KEY SHARE OF ${THERE})`];
    const set = changes.map(({ field, other }) => {
      const value =
        other === null ? sql`${LOCKED}.${this.#model.column(field)}` : given(`other${other}`, this.#type(field));
      return sql`${this.#model.column(field)} = ${value}`;
    });
    const locked = sql`SELECT ${THERE}."id" AS "#id", ${ONCE}.* ${ordered} FOR NO KEY UPDATE OF ${THERE}`;
    const where = sql`WHERE ${THERE}."id" = ${LOCKED}."#id"`;
    const updated = sql`UPDATE ${table} AS ${THERE} SET ${joined(set, ', ')} FROM ${LOCKED} ${where} RETURNING ${THERE}.*`;
    return [sql`${LOCKED} AS (${locked})`, sql`${OLD} AS (${updated})`];
  }
}
