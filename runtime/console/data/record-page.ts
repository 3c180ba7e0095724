/** A page of a table: sorted, filtered, with the names of what its records refer to. */
import { integer, joined, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { DataConnection } from '../../query/database.ts';
import { malformed } from '../../request/query-string.ts';
import { rowReader } from './cells.ts';
import { countOf, tableCount } from './counts.ts';
import { type Count, type DataPage, isSortable } from './data-forms.ts';
import { columnOf, type DataModels, type KnownModel } from './data-models.ts';
import { type DataDatabase, execute, isTimeout, reading } from './data-statements.ts';
import { conditionFrom } from './filters.ts';
import { labelReader } from './labels.ts';

const PAGE_SIZE = 50;
/** Postgres reads all rows before those of a page, so the way into a large table is a filter or the other order. */
const LAST_PAGE = 200;
/** In milliseconds: a page is shown without its total rather than late. */
const COUNT_TIMEOUT = 1000;

export interface PageWish {
  /** A column; with `-` in front for the greatest first. */
  readonly sort: string;
  readonly filters: readonly string[];
  readonly page: number;
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
  models: DataModels,
): Promise<DataPage> {
  const condition = conditionFrom(wish.filters, known, sql`"#row"`, models);
  const found = await reading(from, signal, (connection) => readRows(connection, known, condition, wish, models));
  const { hasMore, rows } = found;
  const isLast = !hasMore && (rows.length > 0 || wish.page === 1);
  const total = isLast
    ? { count: (wish.page - 1) * PAGE_SIZE + rows.length, isExact: true }
    : await totalOf(from, signal, known, condition);
  return { ...found, page: wish.page, pageSize: PAGE_SIZE, lastPage: LAST_PAGE, total };
}

async function readRows(
  connection: DataConnection,
  known: KnownModel,
  condition: Sql | null,
  { sort, page }: PageWish,
  models: DataModels,
): Promise<Pick<DataPage, 'rows' | 'labels' | 'hasMore'>> {
  const cells = rowReader(known.columns, sql`"#row"`, 'table');
  const labels = labelReader(known, sql`"#row"`, models);
  const order = orderFrom(sort, known);
  // Names are looked up for the rows of the page alone.
  const chosen = sql`SELECT * FROM ${known.table} AS "#row"${where(condition)} ORDER BY ${order} LIMIT ${integer(PAGE_SIZE + 1)} OFFSET ${integer((page - 1) * PAGE_SIZE)}`;
  const columns = joined([...cells.columns, ...labels.columns], ', ');
  const result = await execute(connection, sql`SELECT ${columns} FROM (${chosen}) AS "#row" ORDER BY ${order}`);
  const shown = result.rows.slice(0, PAGE_SIZE);
  return {
    rows: shown.map((row) => cells.read(row)),
    labels: labels.read(shown, cells.columns.length),
    hasMore: result.rows.length > PAGE_SIZE,
  };
}

function where(condition: Sql | null): Sql {
  return condition ? sql` WHERE ${condition}` : sql``;
}

/** The id breaks ties, so that pages do not overlap. */
function orderFrom(sort: string, known: KnownModel): Sql {
  const id = sql`"#row".${known.id.name}`;
  if (sort === '' || sort === 'id') return id;
  const isDescending = sort.startsWith('-');
  const { form, name } = columnOf(known, isDescending ? sort.slice(1) : sort);
  if (!isSortable(form)) throw malformed('sort', `cannot be \`${form.name}\`: it has no order that may be shown`);
  const place = sql`"#row".${name}`;
  if (form.name === 'id') return sql`${place} DESC`;
  return isDescending ? sql`${place} DESC, ${id} DESC` : sql`${place}, ${id}`;
}

async function totalOf(
  from: DataDatabase,
  signal: AbortSignal,
  known: KnownModel,
  condition: Sql | null,
): Promise<Count | null> {
  const quick = { ...from, timeout: Math.min(from.timeout, COUNT_TIMEOUT) };
  try {
    return await reading(quick, signal, (connection) =>
      condition
        ? countOf(connection, sql`FROM ${known.table} AS "#row" WHERE ${condition}`)
        : tableCount(connection, known),
    );
  } catch (error) {
    if (error instanceof ApiError && isTimeout(error.cause)) return null;
    throw error;
  }
}
