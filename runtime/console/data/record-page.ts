/** A page of a table: sorted, filtered, with the names of what its records refer to. */

import { LONGEST_PART } from '../../../compiler/definition/contract/validators.ts';
import { all, integer, joined, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { DataConnection } from '../../query/database.ts';
import { malformed } from '../../request/query-string.ts';
import { binderOf, unsized, valueFromText } from '../../values/kinds.ts';
import { isLongerThan } from '../../values/text.ts';
import { labelReader, rowReader } from './cells.ts';
import { countAll, countOf } from './counts.ts';
import { type Count, type DataPage, isSortable, OPERATORS, type Operator, operatorsOf } from './data-forms.ts';
import { columnOf, type DataModels, type KnownModel, type ShownColumn } from './data-models.ts';
import { type DataDatabase, execute, isTimeout, reading, text, value } from './data-statements.ts';

const PAGE_SIZE = 50;
/** Postgres reads all rows before those of a page, so the way into a large table is a filter or the other order. */
const LAST_PAGE = 200;
/** The timeout of a count, in milliseconds: a page is shown without its total rather than late. */
const COUNT_TIMEOUT = 1000;

export interface PageWish {
  /** A column; with `-` in front for the greatest first. */
  readonly sort: string;
  readonly filters: readonly string[];
  readonly page: number;
  /** Whether long texts are cut. */
  readonly form: 'table' | 'record';
  /** The columns that are not read. */
  readonly hidden: readonly string[];
}

export function pageFrom(text: string): number {
  const page = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (page < 1) throw malformed('page', 'must be a whole number from 1 on');
  if (page <= LAST_PAGE) return page;
  throw new ApiError('malformed-request', {
    detail: `The last page that can be shown is ${LAST_PAGE}. Use a filter, or sort the other way round.`,
  });
}

export async function readPage(
  from: DataDatabase,
  signal: AbortSignal,
  known: KnownModel,
  wish: PageWish,
): Promise<DataPage> {
  const condition = conditionFrom(wish.filters, known, sql`"#row"`);
  const read = (hidden: readonly string[]) =>
    reading(from, signal, (connection) => readRows(connection, known, condition, { ...wish, hidden }));
  const found = await withoutSlow(known, wish.hidden, read);
  const { hasMore, rows } = found;
  const isLast = !hasMore && (rows.length > 0 || wish.page === 1);
  const total = isLast
    ? { count: (wish.page - 1) * PAGE_SIZE + rows.length, isExact: true }
    : await totalOf(from, signal, known, condition);
  return { ...found, page: wish.page, pageSize: PAGE_SIZE, lastPage: LAST_PAGE, total };
}

/** Reads once more without computed members where they take too long: one of them must not hide all the rest. */
export async function withoutSlow<T extends Pick<DataPage, 'slow'>>(
  known: KnownModel,
  hidden: readonly string[],
  read: (hidden: readonly string[]) => Promise<T>,
): Promise<T> {
  const slow = known.shown.flatMap(({ form: { isComputed, name } }) =>
    isComputed && !hidden.includes(name) ? [name] : [],
  );
  try {
    return await read(hidden);
  } catch (error) {
    if (slow.length === 0 || !(error instanceof ApiError) || !isTimeout(error.cause)) throw error;
    return { ...(await read([...hidden, ...slow])), slow };
  }
}

async function readRows(
  connection: DataConnection,
  known: KnownModel,
  condition: Sql | null,
  { sort, page, form, hidden }: PageWish,
): Promise<Pick<DataPage, 'rows' | 'labels' | 'hasMore' | 'hidden' | 'slow'>> {
  const cells = rowReader(known, sql`"#row"`, form, hidden);
  const labels = labelReader(known, sql`"#row"`);
  const order = orderFrom(sort, known);
  const where = condition ? sql` WHERE ${condition}` : sql``;
  // Names are looked up for the rows of the page alone.
  const chosen = sql`SELECT * FROM ${known.table} AS "#row"${where} ORDER BY ${order} LIMIT ${integer(PAGE_SIZE + 1)} OFFSET ${integer((page - 1) * PAGE_SIZE)}`;
  const columns = joined([...cells.columns, ...labels.columns], ', ');
  const result = await execute(connection, sql`SELECT ${columns} FROM (${chosen}) AS "#row" ORDER BY ${order}`);
  const shown = result.rows.slice(0, PAGE_SIZE);
  return {
    rows: shown.map((row) => cells.read(row, 0)),
    labels: labels.read(shown, cells.columns.length),
    hasMore: result.rows.length > PAGE_SIZE,
    hidden,
  };
}

/** The id breaks ties, so that pages do not overlap. */
function orderFrom(sort: string, known: KnownModel): Sql {
  const id = sql`"#row".${known.id.name}`;
  if (sort === '' || sort === 'id') return id;
  const isDescending = sort.startsWith('-');
  const { form, place } = columnOf(known, isDescending ? sort.slice(1) : sort);
  if (!isSortable(form)) throw malformed('sort', `cannot be \`${form.name}\`: it has no order that may be shown`);
  const by = place(sql`"#row"`);
  if (form.name === 'id') return sql`${by} DESC`;
  return isDescending ? sql`${by} DESC, ${id} DESC` : sql`${by}, ${id}`;
}

async function totalOf(
  from: DataDatabase,
  signal: AbortSignal,
  known: KnownModel,
  condition: Sql | null,
): Promise<Count | null> {
  const quick = { ...from, timeout: Math.min(from.timeout, COUNT_TIMEOUT) };
  try {
    return await reading(quick, signal, async (connection) => {
      if (condition) return countOf(connection, sql`FROM ${known.table} AS "#row" WHERE ${condition}`);
      return (await countAll(connection, [known])).get(known.model.name) ?? null;
    });
  } catch (error) {
    if (error instanceof ApiError && isTimeout(error.cause)) return null;
    throw error;
  }
}

// ── Filters ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// `filter=title:contains:tea`: a column, how it is compared, and with what. Each part is checked; the value is bound.

/** The condition on a row of the table that is called `of`. Null where there are no filters. */
function conditionFrom(filters: readonly string[], known: KnownModel, of: Sql): Sql | null {
  if (filters.length === 0) return null;
  return all(filters.map((filter) => conditionOf(filter, known, of)));
}

function conditionOf(filter: string, known: KnownModel, of: Sql): Sql {
  const [name = '', word = '', ...rest] = filter.split(':');
  const column = columnOf(known, name);
  const operator = operatorOf(word, column);
  return CONDITIONS[operator](column.place(of), column, rest.join(':'), known.models);
}

function operatorOf(word: string, { form }: ShownColumn): Operator {
  const operators = operatorsOf(form);
  const operator = OPERATORS.find((each) => each === word);
  if (operator !== undefined && operators.includes(operator)) return operator;
  throw new ApiError('malformed-request', {
    detail: `\`${form.name}\` can be filtered by ${operators.map((each) => `\`${each}\``).join(', ')}, not by \`${word}\`.`,
  });
}

type Condition = (place: Sql, column: ShownColumn, given: string, models: DataModels) => Sql;

const CONDITIONS: Readonly<Record<Operator, Condition>> = {
  is: (place, column, given, models) => sql`${place} = ${comparedWith(column, given, models)}`,
  contains: (place, _, given) => containsText(place, given),
  greater: (place, column, given, models) => sql`${place} > ${comparedWith(column, given, models)}`,
  less: (place, column, given, models) => sql`${place} < ${comparedWith(column, given, models)}`,
  null: (place) => sql`${place} IS NULL`,
  'not-null': (place) => sql`${place} IS NOT NULL`,
};

/** Whether the text contains the given one, ignoring case. */
export function containsText(place: Sql, given: string): Sql {
  if (isLongerThan(LONGEST_PART, given))
    throw new ApiError('malformed-request', {
      detail: `A text to look for must have at most ${LONGEST_PART} characters.`,
    });
  return sql`${place}::text ILIKE ${text(`%${given.replace(/[\\%_]/g, '\\$&')}%`)}`;
}

function comparedWith({ field, sqlType }: ShownColumn, given: string, models: DataModels): Sql {
  const checked = valueFromText(given, unsized(field.type), models.enumValues);
  if (checked.ok) return value(binderOf(field.type)(checked.value), sqlType);
  throw new ApiError('malformed-request', { detail: `The filter of \`${field.name}\` ${checked.message}.` });
}
