/**
 * What a client has chosen of what a list offers. Each combination of keys has a statement of its own, which is made
 * when it is first asked for; values are bound. Only those that were used last are kept.
 */
import type { ListValues, SortTerm } from '../../compiler/definition/contract/list-parameters.ts';
import type { ListResponse, Query } from '../../compiler/definition/definition.ts';
import { orderInEffect } from '../query/list-order.ts';
import { RecentlyUsed } from '../query/recently-used.ts';
import type { Statements } from '../query/statements.ts';

/** How many combinations of a list are kept. */
const MOST_COMBINATIONS = 50;

/** Gives what reads the list in the way that a request asks for. */
export function chosenReading<Reading>(
  response: ListResponse,
  statements: Statements,
  make: (query: Query, statements: Statements) => Reading,
): (values: ListValues) => Reading {
  const usual = make(response.query, statements);
  const chosen = new RecentlyUsed<Reading>(MOST_COMBINATIONS);
  return ({ sort = [] }) => {
    if (sort.length === 0) return usual;
    const key = keyOf(sort);
    const known = chosen.get(key);
    if (known !== undefined) return known;
    const made = make({ ...response.query, orderBy: orderInEffect(response, sort) }, statements.chosen());
    chosen.set(key, made);
    return made;
  };
}

function keyOf(sort: readonly SortTerm[]): string {
  return sort.map(({ name, descending }) => `${descending ? '-' : ''}${name}`).join(',');
}
