/**
 * Pages by number whose total is what the planner of Postgres expects, so that nothing is counted. One record more than the
 * page has is read. So the total is exact on the last page, and on those before it, it says that there is another page. Behind the
 * last page the records are counted, up to the page: an estimate there would tell of records that the caller may not see.
 */
import type { Selected } from '../../compiler/definition/expression.ts';
import { Frame } from '../../compiler/definition/sql/frame.ts';
import { sql } from '../../compiler/definition/sql/sql.ts';
import type { Around } from './json-form.ts';
import { type ChosenQuery, chosenRecords, cutSelect, type PageReading, pageOf } from './list.ts';
import { explained, type Given, given as givenValue, type Prepared, type QueryScope, run } from './prepared.ts';
import type { Statements } from './statements.ts';

export interface Total {
  readonly count: number;
  readonly isEstimated: boolean;
}

export function estimatedPageReadingOf(
  chosen: ChosenQuery,
  select: readonly Selected[],
  statements: Statements,
): PageReading<(total: Total) => Around> {
  const { statement, json } = pageOf(chosen, select, statements);
  const estimate = explained(statements.select(chosenRecords(chosen, statements.building()), [sql`1`]));
  const counting = countingBefore(chosen, statements);
  return async (scope, { limit, offset, given, around }) => {
    const bounds = { limit: String(limit + 1), offset: String(offset) };
    const { rows } = await run(statement, scope, { ...given, ...bounds });
    const total =
      exactTotal(rows.length, limit, offset) ??
      (rows.length === 0
        ? await countedTotal(counting, scope, { ...given, offset: bounds.offset })
        : possibleTotal(await expectedRows(estimate, scope, given), limit, offset));
    return json.list(rows.slice(0, limit), scope, around(total));
  };
}

/** Counts the records before `offset`, which are all where the page has none. */
function countingBefore(chosen: ChosenQuery, statements: Statements): Prepared {
  const found = chosenRecords(chosen, statements.building());
  const { select } = cutSelect([], found, sql` LIMIT ${givenValue('offset', 'bigint')}`);
  const row = new Frame(found.frame.building).addSelect(select, chosen.query.model);
  return statements.select(row, [sql`count(*)`]);
}

/**
 * The exact total; null where the page is neither the last one nor the only one. `read` is at most one more than
 * `limit`.
 */
function exactTotal(read: number, limit: number, offset: number): Total | null {
  const isEnd = read <= limit && (read > 0 || offset === 0);
  return isEnd ? { count: offset + read, isEstimated: false } : null;
}

async function countedTotal(counting: Prepared, scope: QueryScope, given: Given): Promise<Total> {
  const { rows } = await run(counting, scope, given);
  return { count: Number(rows[0]?.text(0)), isEstimated: false };
}

/** An estimated total, of at least the records that were read. */
function possibleTotal(expected: number, limit: number, offset: number): Total {
  return { count: Math.max(expected, offset + limit + 1), isEstimated: true };
}

interface Explanation {
  readonly Plan: { readonly 'Plan Rows': number };
}

async function expectedRows(estimate: Prepared, scope: QueryScope, given: Given): Promise<number> {
  const { rows } = await run(estimate, scope, given);
  const [{ Plan: plan }] = JSON.parse(rows[0]?.text(0) as string) as [Explanation];
  return plan['Plan Rows'];
}
