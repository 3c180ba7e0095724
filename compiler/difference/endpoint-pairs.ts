/**
 * Which endpoint of one definition is which of the other. Those with the same route are the same for whoever calls
 * them. Of the others, those with the same id are, and then those that do the same with the same models, however these
 * are called now.
 */
import { parameterNames } from '../definition/contract/routes.ts';
import type { Definition, Endpoint } from '../definition/definition.ts';
import { urlOfEndpoint } from './api-pairs.ts';
import { type FormerNames, OWN_NAMES } from './former-names.ts';
import { pairedBy } from './pairing.ts';

/** Ids of now by ids of before. */
export function endpointPairs(before: Definition, after: Definition, names: FormerNames): ReadonlyMap<string, string> {
  const { kept } = pairedBy(before.endpoints, after.endpoints, [
    urlOfEndpoint,
    ({ id }) => id,
    (endpoint, isBefore) => roleOf(endpoint, isBefore ? OWN_NAMES : names),
  ]);
  return new Map(kept.map((pair) => [pair.before.id, pair.after.id]));
}

function roleOf(
  { kind, method, cardinality, api, path, model, records, atResource }: Endpoint,
  names: FormerNames,
): string {
  return JSON.stringify([
    kind,
    method,
    cardinality,
    api,
    parameterNames(path).length,
    [...records.map((record) => names.model(record.model)), names.model(model)],
    kind === 'custom' && !atResource ? path.at(-1) : null,
  ]);
}
