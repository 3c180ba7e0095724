/**
 * What a client has chosen of what a list offers. Each combination of keys has a statement of its own, which is made
 * when it is first asked for; values are bound. Only those that were used last are kept.
 */
import type { ListValues, SortTerm } from '../../compiler/definition/contract/list-parameters.ts';
import type { ListResponse } from '../../compiler/definition/endpoint.ts';
import type { ChosenQuery } from '../query/list.ts';
import { shapeOf } from '../query/list-filters.ts';
import { orderInEffect } from '../query/list-order.ts';
import { RecentlyUsed } from '../query/recently-used.ts';
import type { Statements } from '../query/statements.ts';
import type { ListFilter } from '../request/list-filters.ts';

/** How many combinations of a list are kept. */
const MOST_COMBINATIONS = 50;

/** Gives what reads the list in the way that a request asks for. */
export function chosenReading<Reading>(
  response: ListResponse,
  statements: Statements,
  make: (query: ChosenQuery, statements: Statements) => Reading,
): (values: ListValues, filters: readonly ListFilter[]) => Reading {
  const usual = make({ query: response.query, filters: [], searched: null }, statements);
  const chosen = new RecentlyUsed<Reading>(MOST_COMBINATIONS);
  return ({ sort = [], q = '' }, filters) => {
    if (sort.length === 0 && filters.length === 0 && q === '') return usual;
    const searched = q === '' ? null : (response.searchable ?? null);
    const key = `${searched ? 'q' : ''}?${keyOf(sort, filters)}`;
    const known = chosen.get(key);
    if (known !== undefined) return known;
    const query = { ...response.query, orderBy: orderInEffect(response, sort) };
    const made = make({ query, filters, searched }, statements.chosen());
    chosen.set(key, made);
    return made;
  };
}

function keyOf(sort: readonly SortTerm[], filters: readonly ListFilter[]): string {
  const order = sort.map(({ name, descending }) => `${descending ? '-' : ''}${name}`);
  return `${filters.map(shapeOf).join('&')}?${order.join(',')}`;
}
