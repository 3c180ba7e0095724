/**
 * Paths become joins. A path to one record is a chain of left joins beside the rows that are there; a path to many is
 * a select of its own. Queries of models are steps like any other: without a limit they are joined, with one they are
 * a select for each row.
 */
import type { Expression, OrderItem, Origin, Query, Step } from '../expression.ts';
import { type Building, Frame, Row, type Start } from './frame.ts';
import { guarded, integer, joined, type Sql, sql } from './sql.ts';

type QueryStep = Extract<Step, { kind: 'query' }>;

// ── To one record ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The record at the end of a path of single steps; all its columns are null where the path ends early. */
export function recordAt(row: Row, path: readonly Step[]): Row {
  return path.reduce(nextRecord, row);
}

function mayEndEarly(path: readonly Step[]): boolean {
  return path.some((step) => step.kind === 'relation' || step.nullable);
}

/**
 * Implements `Building.atEnd` by joins. If the path ends early, all columns are null. Some values of such a record are
 * not null: a count is 0.
 */
export function joinedAt(row: Row, path: readonly Step[], value: (end: Row) => Sql, isNullable = false): Sql {
  const end = recordAt(row, path);
  return isNullable && mayEndEarly(path) ? sql`CASE WHEN ${end.id} IS NOT NULL THEN ${value(end)} END` : value(end);
}

/**
 * Implements `Building.atEnd` by a select of its own, for places without joins. The value is null if the path ends
 * early.
 */
export function selectedAt(row: Row, path: readonly Step[], value: (end: Row) => Sql): Sql {
  if (path.length === 0) return value(row);
  const end = occurrencesAlong(path, row, row.frame.building);
  return sql`(${end.frame.select(value(end))})`;
}

function nextRecord(row: Row, step: Step): Row {
  const { frame } = row;
  const key = `${row.alias.text}.${step.name}`;
  if (step.kind !== 'query') return frame.leftJoin(key, step.model, (next) => isNext(row, step, next));
  const query = row.model.query(step.name);
  // A query that does not begin at the row would find a record even where there is no row.
  const isThere = query.origin.kind === 'row' ? sql`TRUE` : sql`${row.id} IS NOT NULL`;
  return frame.leftJoinSelect(key, step.model, () => firstOf(query, row), isThere);
}

function firstOf(query: Query, row: Row): Sql {
  const end = recordsOf(query, row, frameLike(row));
  return end.frame.select(sql`${end.alias}.*`, limits(query, end, 1));
}

function frameLike({ frame }: Row): Frame {
  return new Frame(frame.building);
}

/** Whether the step leads from `row` to `next`. */
export function isNext(row: Start, step: Exclude<Step, QueryStep>, next: Row): Sql {
  return step.kind === 'reference'
    ? matches(next.id, row.field(step.field), row)
    : matches(next.field(step.field), row.id, row);
}

function matches(column: Sql, value: Sql, { many }: Start): Sql {
  return many ? sql`${column} = ANY(${value})` : sql`${column} = ${value}`;
}

// ── To many records ─────────────────────────────────────────────────────────────────────────────────────────────────

/** The records at the end of a path, each once. */
export function recordsAlong(path: readonly Step[], start: Start, building: Building): Row {
  const walked = walk(path, start, new Frame(building));
  return mayRepeat(path, building) ? eachOnce(walked) : walked;
}

/** The same, but each as often as the path leads to it: for the values of records. */
export function occurrencesAlong(path: readonly Step[], start: Start, building: Building): Row {
  return walk(path, start, new Frame(building, true));
}

/**
 * The same, and their order: that of each ordered query on the path, the first step first. So the values come as from
 * nested loops over the collections. If no query has an order, it is that of the ids.
 */
export function orderedOccurrencesAlong(path: readonly Step[], start: Start, building: Building) {
  const rows = rowsAlong(path, start, new Frame(building, true));
  const row = rows.at(-1) as Row;
  const orders = path.map((step) => orderOf(step, building));
  if (orders.every((order) => order === null)) return { row, order: row.id };
  const keys = path.flatMap((step, at) => orderKeys(step, orders[at] ?? null, rows[at] as Row));
  return { row, order: joined([...keys, row.id], ', ') };
}

function orderKeys(step: Step, order: readonly OrderItem[] | null, row: Row): readonly Sql[] {
  if (order !== null) return [orderSql(order, row)];
  return step.kind !== 'reference' && step.many ? [row.id] : [];
}

/** The order of a step as the author wrote it; null if it is the order of the ids. */
function orderOf(step: Step, { catalogue }: Building): readonly OrderItem[] | null {
  if (step.kind !== 'query' || !step.many) return null;
  const { orderBy } = catalogue.model(step.of).query(step.name);
  return orderBy.every(isById) ? null : orderBy;
}

function isById({ value, descending }: OrderItem): boolean {
  return !descending && value.kind === 'field' && value.field === 'id' && value.path.length === 0;
}

/** The records of a query, in no order and without its limits. */
export function recordsOf(query: Query, row: Start | null, frame: Frame): Row {
  const { building } = frame;
  const start = startOf(query.origin, row, query, building);
  const walked =
    start === null || query.path.length === 0 ? beginning(query.model, start, frame) : walkQuery(query, start, frame);
  const end = start !== null && findsTwice(query, building) ? eachOnce(walked) : walked;
  if (query.filter) end.frame.where(building.condition(query.filter, end));
  return end;
}

/** The records of a query without a path: all records of a model, or those that were found before. */
function beginning(model: string, start: Start | null, frame: Frame): Row {
  const row = frame.add(model);
  if (start !== null) frame.where(matches(row.id, start.id, start));
  return row;
}

/** The records at the end of a path that begins at a record that was found before, or at a model. */
export function recordsFrom(origin: Origin, path: readonly Step[], model: string, building: Building): Row {
  const start = startOf(origin, null, { path }, building);
  if (start !== null && path.length > 0) return recordsAlong(path, start, building);
  return beginning(model, start, new Frame(building));
}

function walk(path: readonly Step[], start: Start, frame: Frame): Row {
  const row = rowsAlong(path, start, frame).at(-1);
  if (row === undefined) throw new Error('a path to many records has at least one step');
  return row;
}

/** The row at the end of each step. */
function rowsAlong(path: readonly Step[], start: Start, frame: Frame): readonly Row[] {
  const rows: Row[] = [];
  for (const step of path) {
    const before = rows.at(-1);
    rows.push(before ? furtherStep(step, before, frame) : firstStep(step, start, frame));
  }
  return rows;
}

function firstStep(step: Step, start: Start, frame: Frame): Row {
  if (step.kind === 'query') return queryStep(step, start, frame);
  const row = frame.add(step.model);
  frame.where(isNext(start, step, row));
  return row;
}

/** The record that a step leads to from one that was found before. */
export function recordNextTo(
  origin: Extract<Origin, { kind: 'record' }>,
  step: Exclude<Step, QueryStep>,
  frame: Frame,
): Row {
  return firstStep(step, startAtRecord(origin, frame.building), frame);
}

function furtherStep(step: Step, row: Row, frame: Frame): Row {
  if (step.kind === 'query') return queryStep(step, row, frame);
  return frame.join(step.model, (next) => isNext(row, step, next));
}

function queryStep(step: QueryStep, start: Start, frame: Frame): Row {
  return joinQuery(frame.building.catalogue.model(step.of).query(step.name), start, frame);
}

function joinQuery(query: Query, start: Start, frame: Frame): Row {
  const { building } = frame;
  const isMany = query.cardinality === 'many' || query.cardinality === 'count';
  const isSet = !frame.countsOccurrences || !findsTwice(query, building);
  const isWhole = query.limit === null && query.offset === null && isMany && isSet;
  if (isWhole && query.origin.kind === 'row') return filtered(query, walkQuery(query, start, frame));
  const end = recordsOf(query, start, new Frame(building));
  if (query.origin.kind !== 'row' && !(start instanceof Row)) end.frame.where(isThere(start));
  const most = isMany ? query.limit : 1;
  return frame.addSelect(end.frame.select(sql`${end.alias}.*`, limits(query, end, most)), query.model);
}

/** Whether there is a record to start from. When nobody is signed in there is none. */
function isThere({ id, many }: Start): Sql {
  return many ? sql`cardinality(${id}) > 0` : sql`${id} IS NOT NULL`;
}

/** A start that is in the frame already is joined to; any other is where the frame begins. */
function walkQuery({ path, model, recursive }: Query, start: Start, frame: Frame): Row {
  if (recursive) return walkToEnd(path, model, start, frame);
  if (!(start instanceof Row) || start.frame !== frame) return walk(path, start, frame);
  return path.reduce((row, step) => furtherStep(step, row, frame), start);
}

/** Because of UNION, a record that was found before leads nowhere again: circles end, and each record is found once. */
function walkToEnd(path: readonly Step[], model: string, start: Start, frame: Frame): Row {
  const { building } = frame;
  const found = building.alias();
  const first = walk(path, start, new Frame(building));
  const { row: next } = pathOfEach(path, model, (key) => sql`${key} = ${found}."id"`, new Frame(building));
  const further = new Frame(building);
  further.addSource(found);
  // Postgres cannot know how many records a step finds. Because of the OFFSET it uses indexes, and no join over the whole table.
  const { id } = further.addSelect(next.frame.select(next.id, sql` OFFSET 0`), model);
  const steps = sql`${first.frame.select(first.id)} UNION ${further.select(id)}`;
  const ids = frame.addSelect(sql`WITH RECURSIVE ${found}("id") AS (${steps}) SELECT "id" FROM ${found}`, model);
  return frame.join(model, (row) => sql`${row.id} = ${ids.id}`);
}

function filtered(query: Query, row: Row): Row {
  if (query.filter) row.frame.where(row.frame.building.condition(query.filter, row));
  return row;
}

/** Two ways lead to one record only through a step from many records to one. */
function mayRepeat(path: readonly Step[], building: Building): boolean {
  const steps = path.flatMap((step) => flattened(step, building));
  const firstMany = steps.findIndex((step) => step.kind !== 'reference' && step.many);
  return firstMany >= 0 && steps.slice(firstMany + 1).some((step) => step.kind !== 'relation');
}

function findsTwice({ path, recursive }: Query, building: Building): boolean {
  return !recursive && mayRepeat(path, building);
}

function flattened(step: Step, building: Building): readonly Step[] {
  if (step.kind !== 'query') return [step];
  const query = building.catalogue.model(step.of).query(step.name);
  const isPart = query.limit !== null || query.offset !== null || !step.many;
  if (query.origin.kind !== 'row' || isPart || query.recursive) return [step];
  return query.path.flatMap((inner) => flattened(inner, building));
}

function eachOnce(row: Row): Row {
  const frame = frameLike(row);
  const once = frame.add(row.model.definition.name);
  frame.where(sql`${once.id} IN (${row.frame.select(row.id)})`);
  return once;
}

// ── To the records of many rows at once ─────────────────────────────────────────────────────────────────────────────

interface KeyedRow {
  readonly row: Row;
  /** The id of the record from which the path leads here. */
  readonly key: Sql;
}

/** The records at the end of a path from each of the records of `model` with these ids, which are a list. */
export function recordsOfEach(path: readonly Step[], model: string, ids: Sql, building: Building): KeyedRow {
  const keyed = pathOfEach(path, model, (key) => sql`${key} = ANY(${ids})`, new Frame(building));
  return mayRepeat(path, building) ? eachPairOnce(keyed) : keyed;
}

/** The records of a query from each of the records of `model` with these ids, which are a list. */
export function queryOfEach(query: Query, model: string, ids: Sql, building: Building): KeyedRow {
  const frame = new Frame(building);
  const row = frame.add(model);
  frame.where(sql`${row.id} = ANY(${ids})`);
  const keyed = { row: joinQuery(query, row, frame), key: row.id };
  return findsTwice(query, building) ? eachPairOnce(keyed) : keyed;
}

/** `isOne` says whether a record of `model` with this id is one to begin at. */
function pathOfEach(path: readonly Step[], model: string, isOne: (key: Sql) => Sql, frame: Frame): KeyedRow {
  const [first, ...rest] = path as readonly [Step, ...Step[]];
  // The other side of a reference knows the id by itself.
  const begin = first.kind === 'relation' ? first.model : model;
  const row = frame.add(begin);
  const key = first.kind === 'relation' ? row.field(first.field) : row.id;
  frame.where(isOne(key));
  const steps = first.kind === 'relation' ? rest : path;
  return { row: steps.reduce((from, step) => furtherStep(step, from, frame), row), key };
}

function eachPairOnce({ row, key }: KeyedRow): KeyedRow {
  const frame = frameLike(row);
  const pairs = row.frame.select(sql`DISTINCT ${key} AS key, ${row.id} AS id`);
  frame.addSource(sql`(${pairs}) AS pairs`);
  return { row: frame.join(row.model.definition.name, (once) => sql`${once.id} = pairs.id`), key: sql`pairs.key` };
}

// ── Beginnings ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The start of a path; null if it begins at no record but at all records of a model. */
function startOf(
  origin: Origin,
  row: Start | null,
  { path }: { readonly path: readonly Step[] },
  building: Building,
): Start | null {
  if (origin.kind === 'model') return path.length === 0 ? null : wholeModel(path);
  if (origin.kind === 'record') return startAtRecord(origin, building);
  if (row === null) throw new Error('a path from the row at hand stands where there is none');
  return row;
}

function wholeModel(path: readonly Step[]): never {
  throw new Error(`a path from all the records of a model has no steps, but there is \`${path[0]?.name}\``);
}

function startAtRecord({ id }: Extract<Origin, { kind: 'record' }>, building: Building): Start {
  const { catalogue } = building;
  const bound = () => building.parameter(id);
  const many = id.type.many ?? false;
  return {
    get id() {
      return bound();
    },
    many,
    field(name) {
      const model = catalogue.model(building.modelOf(id.record).name);
      const where = many ? sql`= ANY(${bound()})` : sql`= ${bound()}`;
      const values = sql`SELECT s.${model.column(name)} FROM ${model.table} AS s WHERE s."id" ${where}`;
      return many ? sql`ARRAY(${values})` : sql`(${values})`;
    },
  };
}

// ── Order and limits ────────────────────────────────────────────────────────────────────────────────────────────────

export function orderSql(items: readonly OrderItem[], row: Row): Sql {
  return joined(
    items.map((item) => orderItem(row.frame.building.value(item.value, row), item)),
    ', ',
  );
}

/** Writes an item of the order. A null that was out of range comes last, in either direction. */
export function orderItem(value: Sql, { value: { type }, descending }: OrderItem): Sql {
  if (!descending) return value;
  const plain = sql`${value} DESC`;
  return value.guarded && !type.nullable ? guarded(plain, sql`${value} DESC NULLS LAST`) : plain;
}

/** The end of a select that takes only part of a query: its order, and how much of it. */
function limits(query: Query, row: Row, limit: Query['limit']): Sql {
  const order = query.orderBy.length === 0 ? sql`` : sql` ORDER BY ${orderSql(query.orderBy, row)}`;
  return sql`${order}${limitOf(query, limit, row.frame.building)}`;
}

/** The limits of a query: `LIMIT 3 OFFSET 1`. */
export function limitOf({ offset }: Query, limit: Query['limit'], building: Building): Sql {
  const number = (value: number | Expression) =>
    typeof value === 'number' ? integer(value) : building.parameter(value);
  const most = limit === null ? sql`` : sql` LIMIT ${number(limit)}`;
  return offset === null ? most : sql`${most} OFFSET ${number(offset)}`;
}
