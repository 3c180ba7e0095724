/** The statements that the clients of a list choose by one parameter alone. Servers make them when they are first asked for. */
import { pageFormOf } from '../../compiler/definition/contract/list-parameters.ts';
import type { ListResponse } from '../../compiler/definition/definition.ts';
import { filterParameters } from '../../compiler/definition/list-filters.ts';
import { cursorReadingOf } from '../query/cursor-page.ts';
import { estimatedPageReadingOf } from '../query/estimated-page.ts';
import { decisiveOrder } from '../query/keyset.ts';
import { type ChosenQuery, listReadingOf, pageReadingOf, uncountedPageReadingOf } from '../query/list.ts';
import { orderInEffect } from '../query/list-order.ts';
import type { Prepared } from '../query/prepared.ts';
import type { Statements } from '../query/statements.ts';

/** Each field by itself: what it filters or orders by beside the list's own filter and order. */
export function listChoices(response: ListResponse, statements: Statements): readonly Prepared[] {
  const { query, filterable = [], sortable = [], searchable } = response;
  const usual: ChosenQuery = { query, filters: [], searched: null };
  const chosen: readonly ChosenQuery[] = [
    ...filterable.map((field) => ({ ...usual, filters: [{ parameter: filterParameters(field)[0], value: '' }] })),
    ...sortable.map(({ name }) => ({
      ...usual,
      query: { ...query, orderBy: orderInEffect(response, [{ name, descending: false }]) },
    })),
    ...(searchable ? [{ ...usual, searched: searchable }] : []),
  ];
  return chosen.flatMap((one) => statementsFor(one, response, statements.chosen()));
}

/** Without what the list selects of each record: that is the same as in its usual statements. */
function statementsFor(chosen: ChosenQuery, { page }: ListResponse, statements: Statements): readonly Prepared[] {
  if (page === null) listReadingOf(chosen, [], 1, statements);
  else PAGES[pageFormOf(page)](chosen, statements);
  return statements.all;
}

const PAGES = {
  counted: (chosen: ChosenQuery, statements: Statements) => void pageReadingOf(chosen, [], statements),
  uncounted: (chosen: ChosenQuery, statements: Statements) => void uncountedPageReadingOf(chosen, [], statements),
  estimated: (chosen: ChosenQuery, statements: Statements) => void estimatedPageReadingOf(chosen, [], statements),
  cursor: ({ query, ...chosen }: ChosenQuery, statements: Statements) => {
    const orderBy = decisiveOrder(query.orderBy);
    cursorReadingOf({ ...chosen, query: { ...query, orderBy } }, [], statements);
  },
};
