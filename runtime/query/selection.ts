/** Turns a selection of a record into columns of a statement, and into the parts that make an object of them. */
import type {
  Expression,
  Hook,
  HookArgument,
  Origin,
  Query,
  Read,
  Selected,
  Step,
  Type,
} from '../../compiler/definition/expression.ts';
import { isTextInJson } from '../../compiler/definition/scalars.ts';
import { type Building, Frame, type Row } from '../../compiler/definition/sql/frame.ts';
import {
  orderSql,
  queryOfEach,
  recordAt,
  recordsFrom,
  recordsOf,
  recordsOfEach,
} from '../../compiler/definition/sql/paths.ts';
import { exact, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { parserOf } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { jsonFormOf } from './json-form.ts';
import { given, type Prepared } from './prepared.ts';
import type { Collection, HookCall, Part } from './shape.ts';

/** The columns of one statement. The same text is selected once. */
export class Columns {
  readonly #places = new Map<string, number>();
  readonly #list: Sql[] = [];

  /** The place of the value in each row. */
  place(column: Sql): number {
    const key = `${column.guarded ? 'guarded ' : ''}${column.text}`;
    const known = column.parameters.length === 0 ? this.#places.get(key) : undefined;
    if (known !== undefined) return known;
    this.#places.set(key, this.#list.length);
    return this.#list.push(column) - 1;
  }

  /** A select must have a column, also where only the number of rows counts. */
  get list(): readonly Sql[] {
    return this.#list.length === 0 ? [sql`1`] : this.#list;
  }
}

/** The tools that selections need: statements for collections, and the code of hooks. */
export interface Selecting {
  readonly building: () => Building;
  readonly select: (row: Row, columns: readonly Sql[], options: { readonly order: Sql }) => Prepared;
  readonly hook: (hook: Hook) => HookCall;
}

export function partsOf(
  items: readonly (Selected | Read)[],
  row: Row,
  columns: Columns,
  selecting: Selecting,
): readonly Part[] {
  return items.map((item) => partOf(item, row, columns, selecting));
}

function partOf(item: Selected | Read, row: Row, columns: Columns, selecting: Selecting): Part {
  const { name } = item;
  switch (item.kind) {
    case 'value': {
      const { value } = item;
      const column = outputSql(value, row);
      // A value that the server calculates with is not made null: if it is out of range, the request fails.
      if (!('doc' in item)) return valuePart(name, columns.place(exact(column)), value.type);
      const isStored = value.kind === 'field' || value.type.kind !== 'integer' || value.type.many;
      return valuePart(name, columns.place(column), value.type, isStored ? undefined : safeInteger);
    }
    case 'records': {
      const origin: Origin = 'origin' in item ? item.origin : { kind: 'row' };
      return item.many
        ? manyPart({ ...item, origin }, row, columns, selecting)
        : onePart({ ...item, origin }, row, columns, selecting);
    }
    case 'hook':
      return hookPart(name, row.model.hook(item.hook).hook, row, columns, selecting);
  }
}

/** A calculated integer that JavaScript would round is null, as it is where Postgres has no room for it. */
function safeInteger(text: string | null): Value {
  return text !== null && Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

function valuePart(name: string, at: number, type: Type, parse = parserOf(type)): Part {
  return { kind: 'value', name, at, parse, json: jsonFormOf(type, parse) };
}

/** A list leaves the database as JSON; what is collected from rows is JSON already. */
function outputSql(expression: Expression, row: Row): Sql {
  const value = row.frame.building.value(expression, row);
  if (!expression.type.many || expression.kind === 'collect') return value;
  return isTextInJson(expression.type.kind) ? sql`to_json(${value}::text[])` : sql`to_json(${value})`;
}

interface Records {
  readonly name: string;
  readonly origin: Origin;
  readonly path: readonly Step[];
  readonly model: string;
  readonly select: readonly Selected[];
}

function onePart(
  { name, origin, path, model, select }: Records,
  row: Row,
  columns: Columns,
  selecting: Selecting,
): Part {
  const end = origin.kind === 'record' ? recordFrom(origin, path, model, row) : recordAt(row, path);
  const at = columns.place(end.id);
  return { kind: 'one', name, at, parts: partsOf(select, end, columns, selecting) };
}

/** A record that was found before, or one that a path leads to from there, beside every row. */
function recordFrom({ id }: Extract<Origin, { kind: 'record' }>, path: readonly Step[], model: string, row: Row): Row {
  const { frame } = row;
  const { building } = frame;
  const begin = path.length === 0 ? model : building.modelOf(id.record).name;
  return recordAt(
    frame.leftJoin(`@${id.record}`, begin, (found) => sql`${found.id} = ${building.parameter(id)}`),
    path,
  );
}

// ── Collections ─────────────────────────────────────────────────────────────────────────────────────────────────────

function manyPart(
  { name, origin, path, model, select }: Records,
  row: Row,
  columns: Columns,
  selecting: Selecting,
): Part {
  const isOfRow = origin.kind === 'row';
  const { row: end, key } = isOfRow
    ? recordsOfEach(path, row.model.definition.name, idsLike(row), selecting.building())
    : { row: recordsFrom(origin, path, model, selecting.building()), key: null };
  const found = collection(end, key, order(path, end), select, false, selecting);
  return { kind: 'many', name, at: isOfRow ? columns.place(row.id) : null, collection: found };
}

/** The ids of rows that were read before. */
function idsLike({ model, frame }: Row): Sql {
  return given('ids', frame.building.catalogue.sqlType({ ...model.field('id').type, many: true }));
}

/** The order of the query at the end of the path, or else by id. */
function order(path: readonly Step[], end: Row): Sql {
  const last = path.at(-1);
  if (last?.kind !== 'query') return end.id;
  const { orderBy } = end.frame.building.catalogue.model(last.of).query(last.name);
  return orderBy.length === 0 ? end.id : orderSql(orderBy, end);
}

function collection(
  end: Row,
  key: Sql | null,
  by: Sql,
  select: readonly Selected[],
  isSingle: boolean,
  selecting: Selecting,
): Collection {
  const columns = new Columns();
  const keyAt = key === null ? null : columns.place(key);
  const parts = partsOf(select, end, columns, selecting);
  return { prepared: selecting.select(end, columns.list, { order: by }), parts, keyAt, isSingle };
}

// ── Hooks of models ─────────────────────────────────────────────────────────────────────────────────────────────────

function hookPart(name: string, hook: Hook, row: Row, columns: Columns, selecting: Selecting): Part {
  const args = hook.arguments.map((argument) => argumentPart(argument, row, columns, selecting));
  return { kind: 'hook', name, call: selecting.hook(hook), args };
}

function argumentPart(argument: HookArgument, row: Row, columns: Columns, selecting: Selecting): Part {
  if (argument.kind === 'value') return partOf(argument, row, columns, selecting);
  const { name, query, select } = argument;
  if (query.cardinality === 'count') return countPart(name, query, row, columns);
  const isSingle = query.cardinality !== 'many';
  const { row: end, key } = queryOfEach(query, row.model.definition.name, idsLike(row), selecting.building());
  const by = query.orderBy.length === 0 ? end.id : orderSql(query.orderBy, end);
  return {
    kind: 'many',
    name,
    at: columns.place(row.id),
    collection: collection(end, key, by, select, isSingle, selecting),
  };
}

function countPart(name: string, query: Query, row: Row, columns: Columns): Part {
  const end = recordsOf(query, row, new Frame(row.frame.building));
  const at = columns.place(sql`(${end.frame.select(sql`count(*)`)})`);
  return valuePart(name, at, { kind: 'integer' });
}
