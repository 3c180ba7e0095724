/** What endpoints lack an index for, by the definition alone: the rule of the check of plans, without a database. */
import { pathPattern } from '../../compiler/definition/contract/routes.ts';
import type { Definition, Endpoint } from '../../compiler/definition/definition.ts';
import { adviceFor, lackText, missingIndexes } from '../../runtime/plan/missing-indexes.ts';
import { wantedIndexesIn } from '../../runtime/query/wanted-indexes.ts';

/** What every record is read or sorted for, and the index to add. */
export interface LackingIndex {
  readonly says: string;
  readonly advice: string;
}

/** By the ids of the endpoints. */
export function lackingIndexes(
  definition: Definition,
  endpoints: readonly Endpoint[] = definition.endpoints,
): ReadonlyMap<string, readonly LackingIndex[]> {
  const wantedBy = wantedIndexesIn(definition);
  const wanted = endpoints.flatMap((endpoint) => wantedBy(endpoint).map((want) => ({ ...want, id: endpoint.id })));
  const found = new Map<string, LackingIndex[]>(endpoints.map(({ id }) => [id, []]));
  missingIndexes(wanted, definition).forEach((missing, at) => {
    if (missing === null) return;
    found.get(wanted[at]?.id ?? '')?.push({ says: lackText(missing), advice: adviceFor(missing, definition) });
  });
  return found;
}

/** Each index once, with the first that it is for. */
export function eachIndexOnce(lacks: readonly LackingIndex[]): readonly LackingIndex[] {
  return lacks.filter(({ advice }, at) => lacks.findIndex((other) => other.advice === advice) === at);
}

/** As the test of a push says it. */
export function lackingIndexLines(definition: Definition): readonly string[] {
  const found = lackingIndexes(definition);
  return definition.endpoints.flatMap(({ id, method, path }) =>
    eachIndexOnce(found.get(id) ?? []).map(({ says, advice }) => `${method} ${pathPattern(path)} ${says}: ${advice}`),
  );
}
