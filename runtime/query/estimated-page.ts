/**
 * Pages by number whose total is what the planner of Postgres expects, so that nothing is counted. One record more than the
 * page has is read. So the total is exact on the last page, and on all others it says that there is another page.
 */
import type { Selected } from '../../compiler/definition/definition.ts';
import { sql } from '../../compiler/definition/sql/sql.ts';
import type { Scope } from '../expressions/scope.ts';
import type { DataConnection } from './database.ts';
import type { Around } from './json-slices.ts';
import { type ChosenQuery, chosenRecords, type PageReading, pageOf } from './list.ts';
import type { Given } from './parameters.ts';
import { explained, type Prepared, run } from './prepared.ts';
import type { Statements } from './statements.ts';

export interface Total {
  readonly count: number;
  readonly isEstimated: boolean;
}

type AroundEstimate = (total: Total) => Around;

export function estimatedPageReadingOf(
  chosen: ChosenQuery,
  select: readonly Selected[],
  statements: Statements,
): PageReading<AroundEstimate> {
  const { statement, json } = pageOf(chosen, select, statements);
  const estimate = explained(statements.select(chosenRecords(chosen, statements.building()), [sql`1`]));
  return {
    async readJson(connection, scope, { limit, offset, given, around }) {
      const bounds = { limit: String(limit + 1), offset: String(offset) };
      const { rows } = await run(statement, connection, scope, { ...given, ...bounds });
      const total =
        exactTotal(rows.length, limit, offset) ??
        possibleTotal(await expectedRows(estimate, connection, scope, given), rows.length, limit, offset);
      return json.list(rows.slice(0, limit), connection, scope, around(total));
    },
  };
}

/** Null where the page is neither the last one nor the only one. `read` is at most one more than `limit`. */
function exactTotal(read: number, limit: number, offset: number): Total | null {
  const isEnd = read <= limit && (read > 0 || offset === 0);
  return isEnd ? { count: offset + read, isEstimated: false } : null;
}

/** On an empty page at most the records before it; otherwise at least the records that were read. */
function possibleTotal(expected: number, read: number, limit: number, offset: number): Total {
  const count = read === 0 ? Math.min(expected, offset) : Math.max(expected, offset + limit + 1);
  return { count, isEstimated: true };
}

interface Explanation {
  readonly Plan: { readonly 'Plan Rows': number };
}

async function expectedRows(
  estimate: Prepared,
  connection: DataConnection,
  scope: Scope,
  given: Given,
): Promise<number> {
  const { rows } = await run(estimate, connection, scope, given);
  const [{ Plan: plan }] = JSON.parse(rows[0]?.text(0) as string) as [Explanation];
  return plan['Plan Rows'];
}
