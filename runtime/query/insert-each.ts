/**
 * Many records are made by one statement, or found by a unique key where they are there: its rows come from lists, one
 * for each column. What is given twice for a key is stored once: the first where a record is kept, the last where it
 * is changed.
 */
import type { CataloguedModel } from '../../compiler/definition/sql/catalogue.ts';
import { all as allOf, joined, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { textFromBound } from '../values/kinds.ts';
import type { DataRow } from './data-row.ts';
import type { Bound } from './database.ts';
import { type Given, given, givenList, type QueryScope, run } from './prepared.ts';
import { Gathering, objectFromRow, type Target } from './shape.ts';
import type { Statements } from './statements.ts';
import { CHANGED, changedReading, type Returned, type WrittenShape } from './writes.ts';

/** `rows` has the values of the fields, in their order; `others` those of changes that are the same for all. */
export type EachWriting = (
  rows: readonly (readonly Bound[])[],
  others: readonly Bound[],
  scope: QueryScope,
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
  const parts = insertParts(described, fields, givenItems(described, fields, statements), statements);
  if (!conflict && isUnread(returned)) return unreadOf(parts.insertingUnread(), fields, described, statements);
  const insert = changedReading(parts.inserting(conflict), AT, returned, described, statements);
  const search = conflict && changedReading(parts.searching(conflict), AT, returned, described, statements);
  return async (rows, others, scope) => {
    const values = valuesOf(rows, fields.length, others);
    // The second attempt sees what another request has made in the meantime. A conflict after that is with another key.
    const attempts = search ? [search, search, insert] : [insert];
    for (const { statement, shape, at } of attempts) {
      const found = (await run(statement, scope, values)).rows;
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
  const parts = insertParts(described, fields, givenItems(described, fields, statements), statements);
  if (isUnread(returned)) return unreadOf(parts.updatingUnread(), fields, described, statements);
  const { statement, shape, at } = changedReading(parts.updating(), AT, returned, described, statements);
  return async (rows, others, scope) => {
    const found = (await run(statement, scope, valuesOf(rows, fields.length, others))).rows;
    return inOrder(found, shape, at);
  };
}

function isUnread({ reads, select }: Returned): boolean {
  return reads.length === 0 && select === null;
}

/** Writes rows of which nothing is read back, so Postgres need not keep and order them. Returns as many as it has written. */
function unreadOf(text: Sql, fields: readonly string[], model: CataloguedModel, statements: Statements): EachWriting {
  const statement = statements.written(text, model);
  return async (rows, others, scope) => {
    const { count } = await run(statement, scope, valuesOf(rows, fields.length, others));
    return Array.from({ length: count }, () => ({}));
  };
}

/** Deletes records, and returns how many of them there were. */
export function deleteEachOf(model: string, statements: Statements) {
  const described = statements.catalogue.model(model);
  const ids = givenList('ids', statements.catalogue.sqlType(described.field('id').type));
  const statement = statements.written(sql`DELETE FROM ${described.table} WHERE "id" = ANY (${ids})`, described);
  return async (found: readonly (string | null)[], scope: QueryScope): Promise<number> =>
    (await run(statement, scope, { ids: found })).count;
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
export const GIVEN = sql`"#given"`;
export const THERE = sql`"#there"`;
const ONCE = sql`"#once"`;
const NEW = sql`"#new"`;
const LOCKED = sql`"#locked"`;
const OLD = sql`"#old"`;
const ALL = sql`"#all"`;
const AT = sql`"#at"`;
export const WAS_THERE = sql`"#was_there"`;

/** The items with their places, from 1. */
function givenItems(model: CataloguedModel, fields: readonly string[], { catalogue }: Statements): Sql {
  if (fields.length === 0) return sql`SELECT ${AT} FROM generate_series(1, ${given('count', 'bigint')}) AS ${AT}`;
  const isList = (field: string) => model.field(field).type.many === true;
  const type = (field: string) => catalogue.sqlType(model.field(field).type);
  const lists = fields.map((field, at) => {
    const item = isList(field) ? sql`text` : type(field);
    // The longest list decides, and one whose length is not seen counts as ten. So one of them is enough.
    return at === 0 ? givenList(`list${at}`, item) : given(`list${at}`, sql`${item}[]`);
  });
  const items = sql`unnest(${joined(lists, ', ')}) WITH ORDINALITY AS "#items" (${columnsOf(model, fields)}, ${AT})`;
  const read = fields.map((field) => {
    const column = model.column(field);
    return isList(field) ? sql`${column}::${type(field)} AS ${column}` : sql`${column}`;
  });
  return sql`SELECT ${joined(read, ', ')}, ${AT} FROM ${items}`;
}

function columnsOf(model: CataloguedModel, fields: readonly string[], from?: Sql): Sql {
  const columns = fields
    .map((field) => model.column(field))
    .map((name) => (from ? sql`${from}.${name}` : sql`${name}`));
  return joined(columns, ', ');
}

/** The parts of statements that make records of what `items` selects, or find them by a key. */
export function insertParts(model: CataloguedModel, fields: readonly string[], items: Sql, { catalogue }: Statements) {
  const { table } = model;
  const all = sql`${GIVEN} AS (${items})`;
  const type = (field: string) => catalogue.sqlType(model.field(field).type);

  const insert = (from: Sql, where: Sql, order: Sql | null = AT): Sql => {
    const into = fields.length === 0 ? sql`${table}` : sql`${table} (${columnsOf(model, fields)})`;
    const by = order ? sql` ORDER BY ${order}` : sql``;
    return sql`INSERT INTO ${into} SELECT ${columnsOf(model, fields)} FROM ${from}${where}${by}`;
  };

  const same = (key: readonly string[], one: Sql, other: Sql): Sql =>
    allOf(key.map((field) => model.column(field)).map((column) => sql`${one}.${column} = ${other}.${column}`));

  const isFree = (key: readonly string[], from: Sql): Sql =>
    sql` WHERE NOT EXISTS (SELECT FROM ${table} AS ${THERE} WHERE ${same(key, THERE, from)})`;

  const update = (): Sql => {
    const set = fields.slice(1).map((field) => {
      const column = model.column(field);
      return sql`${column} = ${GIVEN}.${column}`;
    });
    const into = sql`UPDATE ${table} AS ${THERE} SET ${joined(set, ', ')}`;
    return sql`${into} FROM ${GIVEN} WHERE ${THERE}."id" = ${GIVEN}."id"`;
  };

  const once = ({ key, changes }: EachConflict): Sql => {
    const columns = columnsOf(model, key, GIVEN);
    const order = changes.length > 0 ? sql`${AT} DESC` : AT;
    return sql`SELECT DISTINCT ON (${columns}) * FROM ${GIVEN} ORDER BY ${columns}, ${order}`;
  };

  /** They are locked in the order of their keys: in the order of a join, two requests could wait for each other. */
  const oldOnes = ({ key, changes }: EachConflict): readonly Sql[] => {
    const isOld = sql`NOT EXISTS (SELECT FROM ${NEW} WHERE ${same(key, NEW, ONCE)})`;
    const from = sql`FROM ${table} AS ${THERE}, ${ONCE} WHERE ${same(key, THERE, ONCE)} AND ${isOld}`;
    const ordered = sql`${from} ORDER BY ${columnsOf(model, key, ONCE)}`;
    if (changes.length === 0) return [sql`${OLD} AS (SELECT ${THERE}.* ${ordered} FOR KEY SHARE OF ${THERE})`];
    const set = changes.map(({ field, other }) => {
      const value = other === null ? sql`${LOCKED}.${model.column(field)}` : given(`other${other}`, type(field));
      return sql`${model.column(field)} = ${value}`;
    });
    const locked = sql`SELECT ${THERE}."id" AS "#id", ${ONCE}.* ${ordered} FOR NO KEY UPDATE OF ${THERE}`;
    const where = sql`WHERE ${THERE}."id" = ${LOCKED}."#id"`;
    const updated = sql`UPDATE ${table} AS ${THERE} SET ${joined(set, ', ')} FROM ${LOCKED} ${where} RETURNING ${THERE}.*`;
    return [sql`${LOCKED} AS (${locked})`, sql`${OLD} AS (${updated})`];
  };

  return {
    /**
     * Inserts the rows. Ids are in the order of the rows, or made by us. With a conflict, this only serves the error: it
     * finds what is in the way.
     */
    inserting(conflict: EachConflict | null): Sql {
      const inserted = sql`${NEW} AS (${insert(GIVEN, conflict ? isFree(conflict.key, GIVEN) : sql``)} RETURNING *)`;
      const placed =
        !conflict && fields.includes('id')
          ? sql`SELECT ${NEW}.*, ${GIVEN}.${AT} FROM ${NEW} JOIN ${GIVEN} USING ("id")`
          : sql`SELECT *, row_number() OVER (ORDER BY "id") AS ${AT} FROM ${NEW}`;
      return sql`${all}, ${inserted}, ${CHANGED} AS (${placed})`;
    },
    insertingUnread: () => sql`WITH ${all} ${insert(GIVEN, sql``)}`,
    updating: () => sql`${all}, ${CHANGED} AS (${update()} RETURNING ${THERE}.*, ${GIVEN}.${AT})`,
    updatingUnread: () => sql`WITH ${all} ${update()}`,
    /**
     * Requests that make the same records in the order of their keys do not wait for each other in a circle. Ids of
     * Postgres are given in the order of the items instead, which lists show. Where that ends in a deadlock, the request is
     * run again, unless it calls hooks.
     */
    searching(conflict: EachConflict): Sql {
      const { key } = conflict;
      const order = fields.includes('id') ? columnsOf(model, key, ONCE) : AT;
      const inserted = sql`${insert(ONCE, isFree(key, ONCE), order)} ON CONFLICT DO NOTHING RETURNING *`;
      const found = sql`SELECT ${ALL}.*, ${GIVEN}.${AT} FROM ${ALL} JOIN ${GIVEN} ON ${same(key, ALL, GIVEN)}`;
      return joined(
        [
          all,
          sql`${ONCE} AS (${once(conflict)})`,
          sql`${NEW} AS (${inserted})`,
          ...oldOnes(conflict),
          sql`${ALL} AS (SELECT * FROM ${NEW} UNION ALL SELECT * FROM ${OLD})`,
          sql`${CHANGED} AS (${found})`,
        ],
        ', ',
      );
    },
    insertingOne: () => sql`${all}, ${CHANGED} AS (${insert(GIVEN, sql``, null)} RETURNING *, FALSE AS ${WAS_THERE})`,
    /**
     * Searches before it inserts: an existing record takes no number of the sequence, which an insert with a conflict
     * would. `set` is what is changed of an existing one, which meets the condition `only`.
     */
    searchingOne(key: readonly string[], only: Sql | null, set: readonly Sql[], isHeld: boolean): Sql {
      const inserted = sql`${insert(GIVEN, isFree(key, GIVEN), null)} ON CONFLICT DO NOTHING RETURNING *`;
      const isFound = allOf([same(key, THERE, GIVEN), ...(only ? [only] : [])]);
      const where = sql`WHERE ${isFound} AND NOT EXISTS (SELECT FROM ${NEW})`;
      const lock = isHeld ? sql` FOR KEY SHARE OF ${THERE}` : sql``;
      const old =
        set.length > 0
          ? sql`UPDATE ${table} AS ${THERE} SET ${joined(set, ', ')} FROM ${GIVEN} ${where} RETURNING ${THERE}.*`
          : sql`SELECT ${THERE}.* FROM ${table} AS ${THERE}, ${GIVEN} ${where}${lock}`;
      const found = sql`SELECT *, FALSE AS ${WAS_THERE} FROM ${NEW} UNION ALL SELECT *, TRUE FROM ${OLD}`;
      return sql`${all}, ${NEW} AS (${inserted}), ${OLD} AS (${old}), ${CHANGED} AS (${found})`;
    },
  };
}
