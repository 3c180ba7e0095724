/**
 * Statements that change records. Their values are evaluated before and handed over; of a changed record, what can be
 * read from its own columns comes back with the change.
 */
import type { Knex } from 'knex';
import type { Expression, Link, PathRecord, Query, Read, Selected } from '../../compiler/definition/definition.ts';
import type { Scope } from '../expressions/scope.ts';
import type { CataloguedModel } from './catalogue.ts';
import type { Bound, DataConnection } from './database.ts';
import { Frame, Row } from './frame.ts';
import { rowsOf } from './lookup.ts';
import { limitOf, orderSql, recordsOf } from './paths.ts';
import { type Prepared, placeholders, prepared, run } from './prepared.ts';
import { type Json, type JsonReading, jsonReadingOf } from './rows-json.ts';
import { Columns, partsOf } from './selection.ts';
import { Gathering, objectFromRow, type Part, type Target } from './shape.ts';
import { given, joined, raw, type Sql, sql } from './sql.ts';
import type { Statements } from './statements.ts';

export interface Writing {
  /** Null where there is no such record. */
  write(connection: DataConnection, scope: Scope, values: readonly Bound[]): Promise<Written | null>;
}

/** What a changed record gives back. */
export interface Written {
  readonly reads: Target;
  /** The answer, where it comes with the change. */
  readonly json: Json | null;
}

export interface Returned {
  readonly reads: readonly Read[];
  /** For the answer; null where that does not come from here. */
  readonly select: readonly Selected[] | null;
}

/** Where a write finds the record that it is about, or the parent of a new one: by the path, or by an id. */
export interface Place {
  /** How many values are handed over before those of the write. */
  readonly identifiers: number;
  readonly row: Row | null;
}

export const BY_ID: Place = { identifiers: 0, row: null };

/** The last of the records that a path names; its identifiers are handed over first. */
export function placeOf(records: readonly PathRecord[], statements: Statements): Place {
  const row = rowsOf(records, new Frame(statements.building()), statements).at(-1) as Row;
  return { identifiers: records.filter(({ identify }) => identify !== null).length, row };
}

export interface InsertedField {
  readonly field: string;
  /** Whether it takes the id of the record at the place. */
  readonly isPlace: boolean;
}

/** A new record with these fields, in this order. */
export function insertOf(
  model: string,
  fields: readonly InsertedField[],
  place: Place,
  returned: Returned,
  statements: Statements,
): Writing {
  const { catalogue, knex } = statements;
  const described = catalogue.model(model);
  let at = place.identifiers;
  const values = fields.map(({ field, isPlace }) => {
    if (isPlace && place.row) return place.row.id;
    return given(at++, catalogue.sqlType(described.field(field).type));
  });
  const columns = fields.map(({ field }) => described.field(field).column);
  const insert = place.row
    ? insertFrom(described, columns, values, place.row, knex)
    : insertValues(described, columns, values, knex);
  return writingOf(insert, described, returned, statements);
}

function insertValues(
  model: CataloguedModel,
  columns: readonly string[],
  values: readonly Sql[],
  knex: Knex,
): Knex.QueryBuilder {
  const pairs = columns.map((column, at) => [column, rawOf(values[at] as Sql, knex)]);
  return knex(model.definition.table).insert(Object.fromEntries(pairs));
}

/** One for each row that is found, which is one or none. */
function insertFrom(
  model: CataloguedModel,
  columns: readonly string[],
  values: readonly Sql[],
  row: Row,
  knex: Knex,
): Knex.QueryBuilder {
  const into = knex.raw(`?? (${columns.map(() => '??').join(', ')})`, [model.definition.table, ...columns]);
  const source = row.frame.select(joined(values, ', '));
  return knex(into as unknown as string).insert(rawOf(source, knex));
}

/**
 * Changes one record: the one at the place, or the one whose id comes last. A field that may be left out takes two
 * values: whether it is to be changed, and to what. So there is one statement, whatever a client sends.
 */
export function updateOf(
  model: string,
  fields: readonly UpdatedField[],
  place: Place,
  returned: Returned,
  statements: Statements,
): Writing {
  const { catalogue, knex } = statements;
  const described = catalogue.model(model);
  let at = place.identifiers;
  const values = fields.map(({ field, isOptional }) => {
    const column = described.column(field);
    const type = catalogue.sqlType(described.field(field).type);
    if (!isOptional) return [described.field(field).column, rawOf(given(at++, type), knex)];
    const isSent = given(at++, 'boolean');
    const value = sql`CASE WHEN ${isSent} THEN ${given(at++, type)} ELSE ${described.table}.${column} END`;
    return [described.field(field).column, rawOf(value, knex)];
  });
  const update = knex(described.definition.table).update(Object.fromEntries(values));
  return writingOf(update.where('id', targetId(described, place, at, statements)), described, returned, statements);
}

function targetId(model: CataloguedModel, { row }: Place, at: number, { catalogue, knex }: Statements): Knex.Raw {
  if (row) return rawOf(sql`(${row.frame.select(row.id)})`, knex);
  return rawOf(given(at, catalogue.sqlType(model.field('id').type)), knex);
}

export interface UpdatedField {
  readonly field: string;
  readonly isOptional: boolean;
}

/**
 * Where records that it refers to are wanted too, they are joined to what the change gives back. They are read as they
 * were before the statement, which for records of other models is as they are.
 */
function writingOf(
  builder: Knex.QueryBuilder,
  model: CataloguedModel,
  returned: Returned,
  statements: Statements,
): Writing {
  const { knex } = statements;
  const columns = new Columns();
  // Its columns go by the name of the table: a write has no alias.
  const itself = new Row(new Frame(statements.building()), model.table, model);
  const shape = writtenShape(returned, itself, columns, statements);
  if (!itself.frame.isBare) return joinedWriting(builder, model, returned, statements);
  builder.returning(columns.list.map((column) => rawOf(column, knex)) as never);
  return writingFrom(prepared(builder, false), shape);
}

function joinedWriting(
  builder: Knex.QueryBuilder,
  model: CataloguedModel,
  returned: Returned,
  statements: Statements,
): Writing {
  const { knex } = statements;
  const columns = new Columns();
  const frame = new Frame(statements.building());
  frame.addSource(raw(CHANGED));
  const row = new Row(frame, CHANGED, model);
  const shape = writtenShape(returned, row, columns, statements);
  const query = knex
    .with(CHANGED, builder.returning('*'))
    .select(columns.list.map((column) => rawOf(column, knex)))
    .from(rawOf(frame.from(), knex) as never);
  return writingFrom(prepared(query, false), shape);
}

const CHANGED = 'changed';

interface WrittenShape {
  readonly reads: readonly Part[];
  readonly json: JsonReading | null;
}

function writtenShape({ reads, select }: Returned, row: Row, columns: Columns, statements: Statements): WrittenShape {
  return {
    reads: partsOf(reads, row, columns, statements),
    json: select && jsonReadingOf(partsOf(select, row, columns, statements)),
  };
}

function writingFrom(statement: Prepared, { reads, json }: WrittenShape): Writing {
  return {
    async write(connection, scope, values) {
      const { rows } = await run(statement, connection, scope, values);
      const row = rows[0];
      if (!row) return null;
      const record = objectFromRow(row, reads, new Gathering());
      return { reads: record, json: json && (await json.record(row, connection, scope)) };
    },
  };
}

/** Gives how many records it changed. */
export interface Changing {
  change(connection: DataConnection, scope: Scope, values: readonly Bound[]): Promise<number>;
}

/** Deletes the record at the place, or the one whose id is handed over. */
export function deleteOf(model: string, place: Place, statements: Statements): Changing {
  const described = statements.catalogue.model(model);
  const id = targetId(described, place, place.identifiers, statements);
  return changingOf(statements.knex(described.definition.table).delete().where('id', id));
}

export function deleteAllOf(query: Query, statements: Statements): Changing {
  const { catalogue, knex } = statements;
  const { definition } = catalogue.model(query.model);
  return changingOf(
    knex(definition.table)
      .delete()
      .whereRaw(...isAmong(query, statements)),
  );
}

export interface UpdatedValue {
  readonly field: string;
  /** Null where the value is handed over, in the order of these. */
  readonly value: Expression | null;
}

/** Sets fields of all the records of a query. What is read of each record is evaluated in the database. */
export function updateAllOf(query: Query, values: readonly UpdatedValue[], statements: Statements): Changing {
  const { catalogue, knex } = statements;
  const model = catalogue.model(query.model);
  let handedOver = 0;
  const set = values.map(({ field, value }) => {
    const type = catalogue.sqlType(model.field(field).type);
    const piece = value === null ? given(handedOver++, type) : sql`${ofEach(value, model, statements)}::${type}`;
    return [model.field(field).column, rawOf(piece, knex)];
  });
  const update = knex(model.definition.table).update(Object.fromEntries(set));
  return changingOf(update.whereRaw(...isAmong(query, statements)));
}

/** Of the row itself where that is enough: then two updates at once both count. */
function ofEach(value: Expression, model: CataloguedModel, statements: Statements): Sql {
  const itself = new Row(new Frame(statements.building()), model.table, model);
  const direct = itself.frame.building.value(value, itself);
  if (itself.frame.isBare) return direct;
  const row = new Frame(statements.building()).add(model.definition.name);
  row.frame.where(sql`${row.id} = ${itself.id}`);
  const { building } = row.frame;
  return sql`(${row.frame.select(building.value(value, row))})`;
}

function isAmong(query: Query, statements: Statements): [text: string, bindings: never] {
  const found = recordsOf(query, null, new Frame(statements.building()));
  const limit = query.cardinality === 'many' ? query.limit : 1;
  const isWhole = limit === null && query.offset === null;
  const order = isWhole || query.orderBy.length === 0 ? raw('') : sql` ORDER BY ${orderSql(query.orderBy, found)}`;
  const ids = found.frame.select(found.id, sql`${order}${limitOf(query, limit)}`);
  const { text, ...rest } = sql`"id" IN (${ids})`;
  return [text, placeholders({ text, ...rest }) as never];
}

function changingOf(builder: Knex.QueryBuilder): Changing {
  const statement = prepared(builder, false);
  return {
    async change(connection, scope, values) {
      const { count } = await run(statement, connection, scope, values);
      return count;
    },
  };
}

/**
 * Points a reference of an outer record at a record, or at none: the value comes first, then the outer record's id.
 * `onlyFree` leaves a reference alone that points somewhere already.
 */
export function linkOf({ model, field }: Link, onlyFree: boolean, statements: Statements): Changing {
  const { catalogue, knex } = statements;
  const outer = catalogue.model(model);
  const value = given(0, catalogue.sqlType(outer.field(field).type));
  const id = given(1, catalogue.sqlType(outer.field('id').type));
  const update = knex(outer.definition.table).update({ [outer.field(field).column]: rawOf(value, knex) });
  const changed = update.where('id', rawOf(id, knex));
  return changingOf(onlyFree ? changed.whereNull(outer.field(field).column) : changed);
}

function rawOf(piece: Sql, knex: Knex): Knex.Raw {
  return knex.raw(piece.text, placeholders(piece) as never);
}
