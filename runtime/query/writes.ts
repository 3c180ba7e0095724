/**
 * The statements that change records. Each is built with the values that it writes, so that no order of values has to
 * be maintained elsewhere. The values of a changed record's own columns come back with the change.
 */

import type { Link, PathRecord } from '../../compiler/definition/endpoint.ts';
import type { Expression, Query, Read, Selected } from '../../compiler/definition/expression.ts';
import type { CataloguedModel } from '../../compiler/definition/sql/catalogue.ts';
import { Frame, Row } from '../../compiler/definition/sql/frame.ts';
import { limitOf, orderSql, recordsOf } from '../../compiler/definition/sql/paths.ts';
import { exact, joined, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { after, type Compiled, someInTurn } from '../expressions/compiled.ts';
import type { Scope } from '../expressions/scope.ts';
import { binderOf } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import type { Bound } from './database.ts';
import { rowsOf } from './lookup.ts';
import { bound, type Given, given, isSent, type Prepared, type QueryScope, run } from './prepared.ts';
import { type JsonReading, jsonReadingOf } from './rows-json.ts';
import { Columns, partsOf } from './selection.ts';
import { Gathering, objectFromRow, type Part, type Target } from './shape.ts';
import type { Statements } from './statements.ts';

/** Null where there is no such record. */
export type Writing = (scope: QueryScope) => Promise<Written | null>;

/** A value as it is bound. A promise is given only where `isAsync` says so. */
export interface WrittenValue {
  readonly isAsync: boolean;
  run(scope: Scope): Bound | Promise<Bound>;
}

/** The values of one statement. All are evaluated before it runs, in the order in which it was built with them. */
export class WrittenValues {
  readonly #values: (readonly [string, WrittenValue])[] = [];

  sql(value: WrittenValue, type: Sql): Sql {
    const name = `value${this.#values.length}`;
    this.#values.push([name, value]);
    return given(name, type);
  }

  /** A promise only where one of them has to be waited for. */
  evaluated(scope: Scope): Given | Promise<Given> {
    const found: Record<string, Bound> = {};
    const evaluate = ([name, value]: readonly [string, WrittenValue]) =>
      after(value.run(scope), (result) => {
        found[name] = result;
        return false;
      });
    return after(someInTurn(this.#values, evaluate), () => found);
  }
}

/** A statement that writes records of a model, before what it gives back is known. */
interface Write {
  readonly model: CataloguedModel;
  readonly values: WrittenValues;
  readonly text: Sql;
}

/** The result of a write. */
interface Written {
  readonly reads: Target;
  /** The answer, where it comes with the change. */
  readonly json: Buffer | null;
  /** Whether a create has found the record, so that it is not new. */
  readonly wasThere: boolean;
}

export interface Returned {
  readonly reads: readonly Read[];
  /** The selection for the answer; null where the answer does not come from here. */
  readonly select: readonly Selected[] | null;
}

/** The last of the records that the path of the request names, found by the statement itself. */
export function placeOf(records: readonly PathRecord[], statements: Statements): Row {
  return rowsOf(records, new Frame(statements.building()), statements).at(-1) as Row;
}

export interface InsertedField {
  readonly field: string;
  /** A row stands for its id. */
  readonly value: WrittenValue | Row;
}

/** What the statement that makes a record stores beside it. The piece reads the record as `CHANGED`. */
export type Alongside = (values: WrittenValues) => Sql;

/** A new record with these fields, if there is a record at the place, or without a place. */
export function insertOf(
  model: string,
  fields: readonly InsertedField[],
  place: Row | null,
  returned: Returned,
  statements: Statements,
  alongside: Alongside | null = null,
): Writing {
  const { catalogue } = statements;
  const described = catalogue.model(model);
  const values = new WrittenValues();
  const pieces = fields.map(({ field, value }) =>
    value instanceof Row ? value.id : values.sql(value, catalogue.sqlType(described.field(field).type)),
  );
  const columns = fields.map(({ field }) => sql`${described.column(field)}`);
  const into = fields.length === 0 ? described.table : sql`${described.table} (${joined(columns, ', ')})`;
  const text = sql`INSERT INTO ${into} ${sourceOf(pieces, place)}`;
  return writingOf({ model: described, values, text }, returned, statements, alongside?.(values));
}

/** The source of the new row. A place yields one row or none. */
function sourceOf(values: readonly Sql[], place: Row | null): Sql {
  if (place) return place.frame.select(joined(values, ', '));
  return values.length === 0 ? sql`DEFAULT VALUES` : sql`VALUES (${joined(values, ', ')})`;
}

/**
 * Changes one record: a row, or the one with this id. A field that may be left out says whether it is changed, and to
 * what. So there is one statement, whatever a client sends.
 */
export function updateOf(
  model: string,
  fields: readonly UpdatedField[],
  target: Row | WrittenValue,
  returned: Returned,
  statements: Statements,
): Writing {
  const { catalogue } = statements;
  const described = catalogue.model(model);
  const values = new WrittenValues();
  const set = fields.map(({ field, value, when, condition }) => {
    const column = described.column(field);
    const type = catalogue.sqlType(described.field(field).type);
    const changed = (isChanged: Sql, to: WrittenValue) =>
      sql`${column} = CASE WHEN ${isChanged} THEN ${values.sql(to, type)} ELSE ${described.table}.${column} END`;
    if (condition) {
      const { holds, wanted } = whereHolds(value, when === null ? condition : whereSent(condition, when, false));
      return changed(values.sql(holds, sql`boolean`), wanted);
    }
    return when === null
      ? sql`${column} = ${values.sql(value, type)}`
      : changed(isSent(when), whereSent(value, when, null));
  });
  const condition = sql`"id" = ${targetId(described, target, values, statements)}`;
  return writingOf({ model: described, values, text: updateSql(described, set, condition) }, returned, statements);
}

/** Skips the value, or its condition, where the client has not sent the input. */
function whereSent<Value extends Compiled | WrittenValue>(
  value: Value,
  when: readonly string[],
  otherwise: false | null,
): Value {
  const name = when.join('.');
  return { ...value, run: (scope: Scope) => (scope.sent.has(name) ? value.run(scope) : otherwise) };
}

/**
 * Skips the value where the condition does not hold. Each time the statement runs, the condition is evaluated once, and
 * before the value.
 */
function whereHolds(value: WrittenValue, condition: Compiled) {
  const held = new WeakMap<Scope, boolean>();
  const keep = (scope: Scope, result: unknown): Bound => {
    held.set(scope, result === true);
    return String(result === true);
  };
  const holds: WrittenValue = {
    isAsync: condition.isAsync,
    run: (scope) => after(condition.run(scope), (result) => keep(scope, result)),
  };
  const { isAsync, run: evaluate } = value;
  const wanted: WrittenValue = { isAsync, run: (scope) => (held.get(scope) ? evaluate(scope) : null) };
  return { holds, wanted };
}

/**
 * The update is written by hand: builders take the names of columns for keys of an object, and not every name can be
 * one.
 */
function updateSql({ table }: CataloguedModel, set: readonly Sql[], condition: Sql): Sql {
  return sql`UPDATE ${table} SET ${joined(set, ', ')} WHERE ${condition}`;
}

function targetId(
  model: CataloguedModel,
  target: Row | WrittenValue,
  values: WrittenValues,
  { catalogue }: Statements,
): Sql {
  if (target instanceof Row) return sql`(${target.frame.select(target.id)})`;
  return values.sql(target, catalogue.sqlType(model.field('id').type));
}

interface UpdatedField {
  readonly field: string;
  readonly value: WrittenValue;
  /** The path of the input that the client must have sent; null where there is none. */
  readonly when: readonly string[] | null;
  /** The condition that must hold; null where there is none. */
  readonly condition: Compiled | null;
}

/**
 * Writes a record. Records that it refers to are joined to the returned row where they are needed. They are read as
 * they were before the statement, which does not change records of other models.
 */
function writingOf(
  { model, values, text }: Write,
  returned: Returned,
  statements: Statements,
  alongside?: Sql,
): Writing {
  const columns = new Columns();
  // Its columns go by the name of the table: a write has no alias.
  const itself = new Row(new Frame(statements.building()), sql`${model.table}`, model);
  const shape = writtenShape(returned, itself, columns, statements);
  if (!itself.frame.isBare || alongside) {
    const stored = alongside ? sql`, "#stored" AS (${alongside})` : sql``;
    const sources = sql`${CHANGED} AS (${text} RETURNING *)${stored}`;
    const joinedTo = changedReading(sources, null, returned, model, statements);
    return writingFrom(joinedTo.statement, values, joinedTo.shape);
  }
  return writingFrom(statements.written(sql`${text} RETURNING ${joined(columns.list, ', ')}`, model), values, shape);
}

export interface ChangedReading {
  readonly statement: Prepared;
  readonly shape: WrittenShape;
  /** The place of the value of `column` in a row; negative without one. */
  readonly at: number;
}

/** Reads the records that the sources call changed, and those that they refer to. */
export function changedReading(
  sources: Sql,
  column: Sql | null,
  returned: Returned,
  model: CataloguedModel,
  statements: Statements,
): ChangedReading {
  const columns = new Columns();
  const frame = new Frame(statements.building());
  frame.addSource(CHANGED);
  const shape = writtenShape(returned, new Row(frame, CHANGED, model), columns, statements);
  const at = column === null ? -1 : columns.place(sql`${CHANGED}.${column}`);
  const text = sql`WITH ${sources} SELECT ${joined(columns.list, ', ')} FROM ${frame.from()}`;
  return { statement: statements.written(text, model), shape, at };
}

/** No table of an author has such a name. */
export const CHANGED = sql`"#changed"`;

export interface WrittenShape {
  readonly reads: readonly Part[];
  readonly json: JsonReading | null;
}

function writtenShape({ reads, select }: Returned, row: Row, columns: Columns, statements: Statements): WrittenShape {
  return {
    reads: partsOf(reads, row, columns, statements),
    json: select && jsonReadingOf(partsOf(select, row, columns, statements)),
  };
}

function writingFrom(statement: Prepared, values: WrittenValues, { reads, json }: WrittenShape): Writing {
  return async (scope) => {
    const { rows } = await run(statement, scope, await values.evaluated(scope));
    const row = rows[0];
    if (!row) return null;
    const record = objectFromRow(row, reads, new Gathering());
    return { reads: record, json: json && (await json.record(row, scope)), wasThere: false };
  };
}

/** Gives how many records it changed. */
type Changing = (scope: QueryScope) => Promise<number>;

/** Deletes a row, or the record with this id. */
export function deleteOf(model: string, target: Row | WrittenValue, statements: Statements): Changing {
  const described = statements.catalogue.model(model);
  const values = new WrittenValues();
  const id = targetId(described, target, values, statements);
  const text = sql`DELETE FROM ${described.table} WHERE "id" = ${id}`;
  return changingOf({ model: described, values, text }, statements);
}

export function deleteAllOf(query: Query, statements: Statements): Changing {
  const model = statements.catalogue.model(query.model);
  const text = sql`DELETE FROM ${model.table} WHERE ${isAmong(query, statements)}`;
  return changingOf({ model, values: new WrittenValues(), text }, statements);
}

/** `of` is read of each record, in the database; `value` is known before. */
type UpdatedValue = { readonly field: string } & ({ readonly of: Expression } | { readonly value: WrittenValue });

/** Sets fields of all the records of a query. */
export function updateAllOf(query: Query, fields: readonly UpdatedValue[], statements: Statements): Changing {
  const { catalogue } = statements;
  const model = catalogue.model(query.model);
  const values = new WrittenValues();
  const set = fields.map((field) => {
    const type = catalogue.sqlType(model.field(field.field).type);
    const piece =
      'value' in field ? values.sql(field.value, type) : sql`${exact(ofEach(field.of, model, statements))}::${type}`;
    return sql`${model.column(field.field)} = ${piece}`;
  });
  return changingOf({ model, values, text: updateSql(model, set, isAmong(query, statements)) }, statements);
}

function ofEach(value: Expression, model: CataloguedModel, statements: Statements): Sql {
  return ofItself(sql`${model.table}`, model, statements, (row) => row.frame.building.value(value, row));
}

/** Computes it from the row itself where that is enough: then two concurrent updates both count. */
export function ofItself(alias: Sql, model: CataloguedModel, statements: Statements, of: (row: Row) => Sql): Sql {
  const itself = new Row(new Frame(statements.building()), alias, model);
  const direct = of(itself);
  if (itself.frame.isBare) return direct;
  const row = new Frame(statements.building()).add(model.definition.name);
  row.frame.where(sql`${row.id} = ${itself.id}`);
  return sql`(${row.frame.select(of(row))})`;
}

function isAmong(query: Query, statements: Statements): Sql {
  const found = recordsOf(query, null, new Frame(statements.building()));
  const limit = query.cardinality === 'many' ? query.limit : 1;
  const isWhole = limit === null && query.offset === null;
  const order = isWhole || query.orderBy.length === 0 ? sql`` : sql` ORDER BY ${orderSql(query.orderBy, found)}`;
  const ids = found.frame.select(found.id, sql`${order}${limitOf(query, limit, found.frame.building)}`);
  return sql`"id" IN (${ids})`;
}

function changingOf({ model, values, text }: Write, statements: Statements): Changing {
  // The rows to change or delete are never guessed: a condition that cannot be decided fails the request.
  const statement = statements.written(exact(text), model);
  return async (scope) => (await run(statement, scope, await values.evaluated(scope))).count;
}

interface LinkOptions {
  /** The record that the reference is pointed at; null for none. */
  readonly to: { readonly record: string; readonly model: string } | null;
  /** Leaves a reference alone that points somewhere already. */
  readonly onlyFree: boolean;
}

/** Points a reference of an outer record somewhere else. */
export function linkOf(
  { record, model, field }: Link,
  { to, onlyFree }: LinkOptions,
  statements: Statements,
): Changing {
  const { catalogue } = statements;
  const outer = catalogue.model(model);
  const column = outer.column(field);
  const value = to ? idSql(to.record, catalogue.model(to.model), statements) : sql`NULL`;
  const id = idSql(record, outer, statements);
  const isFree = onlyFree ? sql` AND ${column} IS NULL` : sql``;
  const text = updateSql(outer, [sql`${column} = ${value}`], sql`"id" = ${id}${isFree}`);
  return changingOf({ model: outer, values: new WrittenValues(), text }, statements);
}

/** The id of a record that was found or made before. */
function idSql(record: string, model: CataloguedModel, { catalogue }: Statements): Sql {
  const { type } = model.field('id');
  const bind = binderOf(type);
  return bound(({ records }) => bind((records[record] as Target).id as Value), catalogue.sqlType(type));
}
