/** The order of a list for one request, from which its statement is made. */
import type { SortTerm } from '../../compiler/definition/contract/list-parameters.ts';
import type { ListResponse } from '../../compiler/definition/endpoint.ts';
import type { OrderItem } from '../../compiler/definition/expression.ts';

/** What the client asks for, then the order of the list itself. Each value is there once, and the id ends every order. */
export function orderInEffect({ query, sortable = [] }: ListResponse, sort: readonly SortTerm[]): readonly OrderItem[] {
  const asked = sort.flatMap(({ name, descending }) => {
    const field = sortable.find((known) => known.name === name);
    return field ? [{ value: field.value, descending }] : [];
  });
  return withoutRepeats([...asked, ...query.orderBy]);
}

/** Two records with the same id are one: what comes after the id decides nothing. */
function withoutRepeats(items: readonly OrderItem[]): readonly OrderItem[] {
  const seen = new Set<string>();
  const kept: OrderItem[] = [];
  for (const item of items) {
    const key = JSON.stringify(item.value);
    if (!seen.has(key)) kept.push(item);
    seen.add(key);
    if (isOwnId(item)) break;
  }
  return kept;
}

function isOwnId({ value }: OrderItem): boolean {
  return value.kind === 'field' && value.field === 'id' && value.path.length === 0;
}
