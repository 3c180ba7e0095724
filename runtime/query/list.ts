/**
 * Lists and queries. A page is cut before anything is read for its rows, and its total is counted in the same
 * statement, so that both are of one moment.
 */
import type { SearchOptions } from '../../compiler/definition/contract/list-parameters.ts';
import type { Grouping, SearchedField } from '../../compiler/definition/endpoint.ts';
import type { OrderItem, Query, Read, Selected } from '../../compiler/definition/expression.ts';
import { matchesSearch } from '../../compiler/definition/sql/call-sql.ts';
import { type Building, Frame, type Row } from '../../compiler/definition/sql/frame.ts';
import { groupsOf } from '../../compiler/definition/sql/grouping.ts';
import { limitOf, orderItem, orderSql, recordsOf } from '../../compiler/definition/sql/paths.ts';
import { guarded, joined, type Name, quotedName, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import type { ListFilter } from '../request/list-filters.ts';
import type { Bound } from './database.ts';
import type { Around, JsonSlices } from './json-form.ts';
import { filterSql } from './list-filters.ts';
import { rowById } from './lookup.ts';
import { type Given, given, type Prepared, type QueryScope, run } from './prepared.ts';
import { jsonReadingOf } from './rows-json.ts';
import { Columns, partsOf } from './selection.ts';
import { objectsFromRows, type Part, type Target } from './shape.ts';
import type { Statements } from './statements.ts';

export type Reading = (scope: QueryScope) => Promise<readonly Target[]>;

/** A list that is cut off where it is too long. */
export type ListReading = (scope: QueryScope, given?: Given) => Promise<ListJson>;

interface ListJson {
  readonly json: Buffer | JsonSlices;
  /** Whether there are more records than it has. */
  readonly isCut: boolean;
}

interface Page<Surroundings> {
  readonly limit: number;
  readonly offset: number;
  /** The values of its filters. */
  readonly given: Given;
  /** The part of the answer about the page, beside its records. */
  readonly around: Surroundings;
}

export type PageReading<Surroundings> = (scope: QueryScope, page: Page<Surroundings>) => Promise<Buffer | JsonSlices>;

type Counting = (scope: QueryScope) => Promise<number>;

/** A query, and what a client asks for in addition. */
export interface ChosenQuery {
  readonly query: Query;
  readonly filters: readonly ListFilter[];
  /** Null where there is no search. */
  readonly searched: Searched | null;
}

/** The fields in which words are looked for, and how. */
interface Searched extends SearchOptions {
  readonly fields: readonly SearchedField[];
}

export function chosenRecords({ query, filters, searched }: ChosenQuery, building: Building): Row {
  const row = recordsOf(query, null, new Frame(building));
  for (const filter of filters) row.frame.where(filterSql(row, filter));
  if (searched) row.frame.where(searchSql(row, searched));
  return row;
}

/** The condition of a search, with the columns in the order of the index. */
function searchSql(row: Row, { fields, ...how }: Searched): Sql {
  const names = fields.map(({ value }) => row.model.field(value.field));
  const columns = [...names].sort((a, b) => (a.column < b.column ? -1 : 1)).map(({ name }) => row.field(name));
  return matchesSearch(columns, given('q', 'text'), how);
}

/** Reads the selected values of each record of a query. */
export function readingOf(query: Query, select: readonly (Selected | Read)[], statements: Statements): Reading {
  const { statement, parts } = selecting({ query, filters: [], searched: null }, select, statements);
  return readingBy(statement, parts);
}

function readingBy(statement: Prepared, parts: readonly Part[]): Reading {
  return async (scope) => {
    const { rows } = await run(statement, scope);
    return objectsFromRows(rows, parts, scope);
  };
}

/** The rows of a query that groups its records. */
export function groupReadingOf(query: Query, grouping: Grouping, statements: Statements): Reading {
  const found = recordsOf(query, null, new Frame(statements.building()));
  const { row, groupBy, order } = groupsOf(grouping, found);
  const columns = new Columns();
  const parts = partsOf(grouping.select, row, columns, statements);
  const limit = partOf(query, row.frame.building);
  return readingBy(
    statements.select(row, columns.list, { groupBy, limit, ...(order === null ? {} : { order }) }),
    parts,
  );
}

/** The first `most` records of a query. One more is asked for, which tells whether there are any others. */
export function listReadingOf(
  chosen: ChosenQuery,
  select: readonly Selected[],
  most: number,
  statements: Statements,
): ListReading {
  const { statement, json } = firstOf(chosen, select, most + 1, statements);
  return async (scope, given) => {
    const { rows } = await run(statement, scope, given);
    const isCut = rows.length > most;
    return { json: await json.list(isCut ? rows.slice(0, most) : rows, scope), isCut };
  };
}

/** The first records of a query, as JSON. */
export function firstOf(chosen: ChosenQuery, select: readonly Selected[], limit: number, statements: Statements) {
  const { statement, parts } = selecting({ ...chosen, query: { ...chosen.query, limit } }, select, statements);
  return { statement, json: jsonReadingOf(parts) };
}

function selecting(chosen: ChosenQuery, select: readonly (Selected | Read)[], statements: Statements) {
  const { query } = chosen;
  const found = chosenRecords(chosen, statements.building());
  const isCut = query.limit !== null || query.offset !== null || query.cardinality !== 'many';
  const { row, order } = isCut
    ? cut(query, found, partOf(query, found.frame.building))
    : { row: found, order: orderSql(query.orderBy, found) };
  const columns = new Columns();
  const parts = partsOf(select, row, columns, statements);
  return { parts, statement: statements.select(row, columns.list, query.orderBy.length === 0 ? {} : { order }) };
}

function partOf(query: Query, building: Building): Sql {
  return limitOf(query, query.cardinality === 'many' || query.cardinality === 'count' ? query.limit : 1, building);
}

/** The requested part of a query, as a select of its own, with the values that it is ordered by. */
function cut({ orderBy, model }: Query, found: Row, ending: Sql) {
  const { select, order } = cutSelect(orderBy, found, ending);
  const row = new Frame(found.frame.building).addSelect(select, model);
  return { row, order: order(row) };
}

/** The same, with its order for an outer select. Before `orderedFrom` all records have the same values. */
export function cutSelect(orderBy: readonly OrderItem[], found: Row, ending: Sql, orderedFrom = 0) {
  const { building } = found.frame;
  const values = orderBy.map(({ value }) => building.value(value, found));
  const what = values.reduce((list, value, at) => sql`${list}, ${value} AS ${orderName(at)}`, sql`${found.alias}.*`);
  const by = orderBy.length === 0 ? sql`` : sql` ORDER BY ${orderSql(orderBy.slice(orderedFrom), found)}`;
  return {
    select: found.frame.select(what, sql`${by}${ending}`),
    order: (row: Row) => {
      const items = orderBy.map((item, at) => {
        const column = sql`${row.alias}.${orderName(at)}`;
        return orderItem(values[at]?.guarded ? guarded(column, column) : column, item);
      });
      return joined(items, ', ');
    },
  };
}

/** A name that no column of an author has. */
export function orderName(at: number): Name {
  return quotedName(`#${at}`);
}

/** A page of a query, with the number of all its records. */
export function pageReadingOf(
  chosen: ChosenQuery,
  select: readonly Selected[],
  statements: Statements,
): PageReading<(total: number) => Around> {
  const { query } = chosen;
  const building = statements.building();
  const frame = new Frame(building);
  const counted = chosenRecords(chosen, building);
  frame.addSource(sql`(${counted.frame.select(sql`count(*) AS total`)}) AS counted`);
  const found = chosenRecords(chosen, building);
  const page = cutSelect(query.orderBy, found, pageEnding());
  const row = frame.leftJoinSelect('#page', query.model, () => page.select);
  const columns = new Columns();
  const total = columns.place(sql`counted.total`);
  const presence = columns.place(row.id);
  const json = jsonReadingOf(partsOf(select, row, columns, statements));
  const statement = statements.select(row, columns.list, { order: page.order(row) });
  return async (scope, { limit, offset, given: values, around }) => {
    const bounds = { limit: String(limit), offset: String(offset) };
    const { rows } = await run(statement, scope, { ...values, ...bounds });
    const [first] = rows;
    // An empty page is one row, which has the total alone.
    const present = first !== undefined && first.find(presence) >= 0 ? rows : [];
    return json.list(present, scope, around(Number(first?.text(total))));
  };
}

function pageEnding(): Sql {
  return sql` LIMIT ${given('limit', 'bigint')} OFFSET ${given('offset', 'bigint')}`;
}

/** A page of a query; nothing is counted. */
export function uncountedPageReadingOf(
  chosen: ChosenQuery,
  select: readonly Selected[],
  statements: Statements,
): PageReading<Around> {
  const { statement, json } = pageOf(chosen, select, statements);
  return async (scope, { limit, offset, given: values, around }) => {
    const bounds = { limit: String(limit), offset: String(offset) };
    const { rows } = await run(statement, scope, { ...values, ...bounds });
    return json.list(rows, scope, around);
  };
}

/** The statement takes `limit` and `offset`. */
export function pageOf(chosen: ChosenQuery, select: readonly Selected[], statements: Statements) {
  const { row, order } = cut(chosen.query, chosenRecords(chosen, statements.building()), pageEnding());
  const columns = new Columns();
  const json = jsonReadingOf(partsOf(select, row, columns, statements));
  return { statement: statements.select(row, columns.list, { order }), json };
}

export function countingOf(query: Query, statements: Statements): Counting {
  const found = recordsOf(query, null, new Frame(statements.building()));
  const isLimited = query.limit !== null || query.offset !== null;
  const row = isLimited ? cut(query, found, partOf(query, found.frame.building)).row : found;
  const statement = statements.select(row, [sql`count(*)`]);
  return async (scope) => Number((await run(statement, scope)).rows[0]?.text(0));
}

/** One record by its id, which is handed over. */
export function recordReadingOf(model: string, select: readonly (Selected | Read)[], statements: Statements) {
  const row = rowById(model, statements);
  const columns = new Columns();
  const parts = partsOf(select, row, columns, statements);
  const statement = statements.select(row, columns.list);
  const json = jsonReadingOf(parts);
  return {
    async readById(scope: QueryScope, id: Bound) {
      const { rows } = await run(statement, scope, { id });
      const found = await objectsFromRows(rows, parts, scope);
      return found[0] ?? null;
    },
    /** Reads the record as JSON, for an answer. */
    async readJsonById(scope: QueryScope, id: Bound) {
      const { rows } = await run(statement, scope, { id });
      return rows[0] ? json.record(rows[0], scope) : null;
    },
  };
}
