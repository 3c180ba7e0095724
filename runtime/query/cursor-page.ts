/**
 * Pages of a list that begin behind a record. One statement reads a page and one record more, which tells whether there is
 * another page. Nothing is counted and nothing is skipped.
 */
import type { OrderItem, Query, Selected } from '../../compiler/definition/expression.ts';
import { type Building, Frame, type Row } from '../../compiler/definition/sql/frame.ts';
import { joined, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import type { DataRow } from './data-row.ts';
import type { Bound } from './database.ts';
import type { Around, JsonSlices } from './json-form.ts';
import { type Keys, type Range, rangesBehind, type Term } from './keyset.ts';
import { type ChosenQuery, chosenRecords, cutSelect, orderName } from './list.ts';
import { type Given, given, type Prepared, type QueryScope, run } from './prepared.ts';
import { RecentlyUsed } from './recently-used.ts';
import { type JsonReading, jsonReadingOf } from './rows-json.ts';
import { Columns, partsOf } from './selection.ts';
import type { Statements } from './statements.ts';

interface CursorPage {
  readonly pageSize: number;
  /** The keys of the record that the page begins after; null for the first page. */
  readonly after: Keys | null;
  /** The values of its filters. */
  readonly given: Given;
  /** The part of the answer beside the records. `last` is null where there is nothing more. */
  around(last: Keys | null): Around;
}

export interface CursorReading {
  /** The values of the order of a record; null where the list has no such record. */
  keysOf(scope: QueryScope, id: string, given: Given): Promise<Keys | null>;
  /** Whether a record can be at this place: a value that is never null is none. */
  takes(after: Keys): boolean;
  readJson(scope: QueryScope, page: CursorPage): Promise<Buffer | JsonSlices>;
}

/** How many statements behind records with nulls are kept for an order. */
const MOST_PATTERNS = 16;

export function cursorReadingOf(
  chosen: ChosenQuery,
  select: readonly Selected[],
  statements: Statements,
): CursorReading {
  const canBeNull = mayBeNullIn(chosen, statements);
  const statementOf = (nulls: Nulls | null, its: Statements) => pageStatement(chosen, select, nulls, canBeNull, its);
  const first = statementOf(null, statements);
  const behindValues = statementOf(
    canBeNull.map(() => false),
    statements,
  );
  const behindNulls = new RecentlyUsed<PageStatement>(MOST_PATTERNS);
  const behind = (nulls: Nulls): PageStatement =>
    nulls.includes(true)
      ? behindNulls.getOrMake(nameOf(nulls), () => statementOf(nulls, statements.chosen()))
      : behindValues;
  return {
    keysOf: keysReading(chosen, statements),
    takes: (after) => after.every((key, at) => key !== null || canBeNull[at] === true),
    async readJson(scope, { pageSize, after, given: values, around }) {
      const page = after === null ? first : behind(after.map((key) => key === null));
      const { rows } = await run(page.statement, scope, { ...values, ...givenOf(pageSize, after) });
      const shown = rows.length > pageSize ? rows.slice(0, pageSize) : rows;
      const last = rows.length > pageSize ? keysIn(shown.at(-1) as DataRow, page.keysAt) : null;
      return page.json.list(shown, scope, around(last));
    },
  };
}

function givenOf(pageSize: number, after: Keys | null): Record<string, Bound> {
  const values: Record<string, Bound> = { limit: String(pageSize + 1) };
  after?.forEach((key, at) => {
    values[keyName(at)] = key;
  });
  return values;
}

function keysIn(row: DataRow, keysAt: readonly number[]): Keys {
  return keysAt.map((at) => row.text(at));
}

// ── Nulls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The values of the order that are null in the record that the page begins after. Each combination has a statement of
 * its own, because it decides which ranges of an index are read. Those with a null are made on first use.
 */
type Nulls = readonly boolean[];

function nameOf(nulls: Nulls): string {
  return nulls.map((isNull) => (isNull ? '-' : '+')).join('');
}

/** The values of the order that may be null. A value that is out of range is null, too. */
function mayBeNullIn(chosen: ChosenQuery, statements: Statements): readonly boolean[] {
  const { query } = chosen;
  const found = chosenRecords(chosen, statements.building());
  const values = valuesOf(query.orderBy, found);
  return query.orderBy.map(({ value }, at) => value.type.nullable === true || values[at]?.guarded !== undefined);
}

function valuesOf(orderBy: readonly OrderItem[], found: Row): readonly Sql[] {
  return orderBy.map(({ value }) => found.frame.building.value(value, found));
}

// ── Statements ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface PageStatement {
  readonly statement: Prepared;
  readonly json: JsonReading;
  /** The places of the values of the order in each row. */
  readonly keysAt: readonly number[];
}

function pageStatement(
  chosen: ChosenQuery,
  select: readonly Selected[],
  nulls: Nulls | null,
  canBeNull: readonly boolean[],
  statements: Statements,
): PageStatement {
  const { query } = chosen;
  const building = statements.building();
  const ranges = nulls === null ? [null] : rangesBehind(termsOf(query, nulls, canBeNull, statements));
  const parts = ranges.map((range) => partOf(chosen, range, building));
  const { select: first, order } = parts[0] as Part;
  const whole = parts.length === 1 ? first : united(query, parts, building);
  const row = new Frame(building).addSelect(whole, query.model);
  const columns = new Columns();
  const keysAt = query.orderBy.map((_, at) => columns.place(sql`${row.alias}.${orderName(at)}`));
  const json = jsonReadingOf(partsOf(select, row, columns, statements));
  return { statement: statements.select(row, columns.list, { order: order(row) }), json, keysAt };
}

/**
 * Reads the keys of a record, only if it is in the list: the place of any other one would reveal something about its
 * values.
 */
function keysReading(chosen: ChosenQuery, statements: Statements): CursorReading['keysOf'] {
  const found = chosenRecords(chosen, statements.building());
  found.frame.where(sql`${found.id} = ${given('id', statements.catalogue.sqlType(found.model.field('id').type))}`);
  const columns = new Columns();
  const keysAt = valuesOf(chosen.query.orderBy, found).map((value) => columns.place(value));
  const statement = statements.select(found, columns.list);
  return async (scope, id, values) => {
    const { rows } = await run(statement, scope, { ...values, id });
    return rows[0] === undefined ? null : keysIn(rows[0], keysAt);
  };
}

function termsOf(query: Query, nulls: Nulls, canBeNull: readonly boolean[], statements: Statements): readonly Term[] {
  return query.orderBy.map((item, at) => ({
    item,
    mayBeNull: canBeNull[at] as boolean,
    key: nulls[at] ? null : given(keyName(at), statements.catalogue.sqlType(item.value.type)),
  }));
}

function keyName(at: number): string {
  return `key ${at}`;
}

type Part = ReturnType<typeof cutSelect>;

/** Selects as many records of a range as a page can have; null is the range of all. */
function partOf(chosen: ChosenQuery, range: Range | null, building: Building): Part {
  const { query } = chosen;
  const found = chosenRecords(chosen, building);
  if (range !== null) found.frame.where(range.condition(valuesOf(query.orderBy, found)));
  return cutSelect(query.orderBy, found, LIMIT, range?.orderedFrom);
}

const LIMIT = sql` LIMIT ${given('limit', 'bigint')}`;

/** Combines the parts. Each has its own path through an index; together they are no longer than one page for each. */
function united({ model }: Query, parts: readonly Part[], building: Building): Sql {
  const selects = parts.map(({ select }) => sql`(${select})`);
  const { order } = parts[0] as Part;
  const row = new Frame(building).addSelect(joined(selects, ' UNION ALL '), model);
  return row.frame.select(sql`${row.alias}.*`, sql` ORDER BY ${order(row)}${LIMIT}`);
}
