/** What endpoints lack an index for, by the definition alone: the rule of the check of plans, without a database. */
import { pathPattern } from '../../compiler/definition/contract/routes.ts';
import type { Definition, Endpoint } from '../../compiler/definition/definition.ts';
import { adviceFor, lackText, missingIndexes } from '../../runtime/plan/missing-indexes.ts';
import { wantedIndexesIn } from '../../runtime/query/wanted-indexes.ts';

/** By the ids of the endpoints: what every record is read or sorted for, with the index to add. Each index once. */
export function lackingIndexes(
  definition: Definition,
  endpoints: readonly Endpoint[] = definition.endpoints,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const wantedBy = wantedIndexesIn(definition);
  const wanted = endpoints.flatMap((endpoint) => wantedBy(endpoint).map((want) => ({ ...want, id: endpoint.id })));
  const found = new Map<string, Map<string, string>>(endpoints.map(({ id }) => [id, new Map()]));
  missingIndexes(wanted, definition).forEach((missing, at) => {
    const lacking = found.get(wanted[at]?.id ?? '');
    if (missing === null || lacking === undefined) return;
    const advice = adviceFor(missing, definition);
    if (![...lacking.values()].includes(advice)) lacking.set(lackText(missing), advice);
  });
  return found;
}

/** As the test of a push says it. */
export function lackingIndexLines(definition: Definition): readonly string[] {
  const found = lackingIndexes(definition);
  return definition.endpoints.flatMap(({ id, method, path }) =>
    [...(found.get(id) ?? [])].map(([lack, advice]) => `${method} ${pathPattern(path)} ${lack}: ${advice}`),
  );
}
