/**
 * Statements that change records. Their values are evaluated before and handed over; of a changed record, what can be
 * read from its own columns comes back with the change.
 */
import type { Expression, Link, PathRecord, Query, Read, Selected } from '../../compiler/definition/definition.ts';
import type { CataloguedModel } from '../../compiler/definition/sql/catalogue.ts';
import { Frame, Row } from '../../compiler/definition/sql/frame.ts';
import { limitOf, orderSql, recordsOf } from '../../compiler/definition/sql/paths.ts';
import { exact, joined, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import type { Scope } from '../expressions/scope.ts';
import type { Bound, DataConnection } from './database.ts';
import { rowsOf } from './lookup.ts';
import { given } from './parameters.ts';
import { type Prepared, run } from './prepared.ts';
import { type Json, type JsonReading, jsonReadingOf } from './rows-json.ts';
import { Columns, partsOf } from './selection.ts';
import { Gathering, objectFromRow, type Part, type Target } from './shape.ts';
import type { Statements } from './statements.ts';

interface Writing {
  /** Null where there is no such record. */
  write(connection: DataConnection, scope: Scope, values: readonly Bound[]): Promise<Written | null>;
}

/** What a changed record gives back. */
export interface Written {
  readonly reads: Target;
  /** The answer, where it comes with the change. */
  readonly json: Json | null;
}

interface Returned {
  readonly reads: readonly Read[];
  /** For the answer; null where that does not come from here. */
  readonly select: readonly Selected[] | null;
}

/** Where a write finds the record that it is about, or the parent of a new one: by the path, or by an id. */
interface Place {
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
  const { catalogue } = statements;
  const described = catalogue.model(model);
  let at = place.identifiers;
  const values = fields.map(({ field, isPlace }) => {
    if (isPlace && place.row) return place.row.id;
    return given(at++, catalogue.sqlType(described.field(field).type));
  });
  const columns = fields.map(({ field }) => sql`${described.column(field)}`);
  const into = fields.length === 0 ? described.table : sql`${described.table} (${joined(columns, ', ')})`;
  return writingOf(sql`INSERT INTO ${into} ${sourceOf(values, place)}`, described, returned, statements);
}

/** From a place comes one row or none. */
function sourceOf(values: readonly Sql[], { row }: Place): Sql {
  if (row) return row.frame.select(joined(values, ', '));
  return values.length === 0 ? sql`DEFAULT VALUES` : sql`VALUES (${joined(values, ', ')})`;
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
  const { catalogue } = statements;
  const described = catalogue.model(model);
  let at = place.identifiers;
  const set = fields.map(({ field, isOptional }) => {
    const column = described.column(field);
    const type = catalogue.sqlType(described.field(field).type);
    if (!isOptional) return sql`${column} = ${given(at++, type)}`;
    const isSent = given(at++, 'boolean');
    return sql`${column} = CASE WHEN ${isSent} THEN ${given(at++, type)} ELSE ${described.table}.${column} END`;
  });
  const target = targetId(described, place, at, statements);
  return writingOf(updateSql(described, set, sql`"id" = ${target}`), described, returned, statements);
}

/** Written out: builders take the names of columns for keys of an object, and not every name can be one. */
function updateSql({ table }: CataloguedModel, set: readonly Sql[], condition: Sql): Sql {
  return sql`UPDATE ${table} SET ${joined(set, ', ')} WHERE ${condition}`;
}

function targetId(model: CataloguedModel, { row }: Place, at: number, { catalogue }: Statements): Sql {
  if (row) return sql`(${row.frame.select(row.id)})`;
  return given(at, catalogue.sqlType(model.field('id').type));
}

interface UpdatedField {
  readonly field: string;
  readonly isOptional: boolean;
}

/**
 * Where records that it refers to are wanted too, they are joined to what the change gives back. They are read as they
 * were before the statement, which for records of other models is as they are.
 */
function writingOf(write: Sql, model: CataloguedModel, returned: Returned, statements: Statements): Writing {
  const columns = new Columns();
  // Its columns go by the name of the table: a write has no alias.
  const itself = new Row(new Frame(statements.building()), sql`${model.table}`, model);
  const shape = writtenShape(returned, itself, columns, statements);
  if (!itself.frame.isBare) return joinedWriting(write, model, returned, statements);
  return writingFrom(statements.written(sql`${write} RETURNING ${joined(columns.list, ', ')}`, model), shape);
}

function joinedWriting(write: Sql, model: CataloguedModel, returned: Returned, statements: Statements): Writing {
  const columns = new Columns();
  const frame = new Frame(statements.building());
  frame.addSource(CHANGED);
  const row = new Row(frame, CHANGED, model);
  const shape = writtenShape(returned, row, columns, statements);
  const select = sql`SELECT ${joined(columns.list, ', ')} FROM ${frame.from()}`;
  return writingFrom(statements.written(sql`WITH ${CHANGED} AS (${write} RETURNING *) ${select}`, model), shape);
}

/** No table of an author has such a name. */
const CHANGED = sql`"#changed"`;

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
interface Changing {
  change(connection: DataConnection, scope: Scope, values: readonly Bound[]): Promise<number>;
}

/** Deletes the record at the place, or the one whose id is handed over. */
export function deleteOf(model: string, place: Place, statements: Statements): Changing {
  const described = statements.catalogue.model(model);
  const id = targetId(described, place, place.identifiers, statements);
  return changingOf(sql`DELETE FROM ${described.table} WHERE "id" = ${id}`, described, statements);
}

export function deleteAllOf(query: Query, statements: Statements): Changing {
  const model = statements.catalogue.model(query.model);
  return changingOf(sql`DELETE FROM ${model.table} WHERE ${isAmong(query, statements)}`, model, statements);
}

interface UpdatedValue {
  readonly field: string;
  /** Null where the value is handed over, in the order of these. */
  readonly value: Expression | null;
}

/** Sets fields of all the records of a query. What is read of each record is evaluated in the database. */
export function updateAllOf(query: Query, values: readonly UpdatedValue[], statements: Statements): Changing {
  const { catalogue } = statements;
  const model = catalogue.model(query.model);
  let handedOver = 0;
  const set = values.map(({ field, value }) => {
    const type = catalogue.sqlType(model.field(field).type);
    const piece = value === null ? given(handedOver++, type) : sql`${exact(ofEach(value, model, statements))}::${type}`;
    return sql`${model.column(field)} = ${piece}`;
  });
  return changingOf(updateSql(model, set, isAmong(query, statements)), model, statements);
}

/** Of the row itself where that is enough: then two updates at once both count. */
function ofEach(value: Expression, model: CataloguedModel, statements: Statements): Sql {
  const itself = new Row(new Frame(statements.building()), sql`${model.table}`, model);
  const direct = itself.frame.building.value(value, itself);
  if (itself.frame.isBare) return direct;
  const row = new Frame(statements.building()).add(model.definition.name);
  row.frame.where(sql`${row.id} = ${itself.id}`);
  const { building } = row.frame;
  return sql`(${row.frame.select(building.value(value, row))})`;
}

function isAmong(query: Query, statements: Statements): Sql {
  const found = recordsOf(query, null, new Frame(statements.building()));
  const limit = query.cardinality === 'many' ? query.limit : 1;
  const isWhole = limit === null && query.offset === null;
  const order = isWhole || query.orderBy.length === 0 ? sql`` : sql` ORDER BY ${orderSql(query.orderBy, found)}`;
  const ids = found.frame.select(found.id, sql`${order}${limitOf(query, limit)}`);
  return sql`"id" IN (${ids})`;
}

function changingOf(write: Sql, model: CataloguedModel, statements: Statements): Changing {
  // Which rows are changed or deleted is never guessed: a condition that cannot be decided fails the request.
  const statement = statements.written(exact(write), model);
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
  const { catalogue } = statements;
  const outer = catalogue.model(model);
  const column = outer.column(field);
  const value = given(0, catalogue.sqlType(outer.field(field).type));
  const id = given(1, catalogue.sqlType(outer.field('id').type));
  const isFree = onlyFree ? sql` AND ${column} IS NULL` : sql``;
  return changingOf(updateSql(outer, [sql`${column} = ${value}`], sql`"id" = ${id}${isFree}`), outer, statements);
}
