/**
 * Which endpoint of one definition is which of the other. Those with the same route are the same for whoever calls
 * them. Of the others, those with the same id are, and then those that do the same with the same models, however these
 * are called now.
 */
import { parameterNames } from '../definition/contract/routes.ts';
import type { Definition, Endpoint } from '../definition/definition.ts';
import { type FormerNames, OWN_NAMES } from './former-names.ts';

/** Ids of now by ids of before. */
export function endpointPairs(before: Definition, after: Definition, names: FormerNames): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  const taken = new Set<string>();
  for (const keyOf of [routeKey, idKey, shapeKey]) {
    const left = before.endpoints.filter(({ id }) => !pairs.has(id));
    const free = after.endpoints.filter(({ id }) => !taken.has(id));
    const byKeyBefore = byKey(left, keyOf, OWN_NAMES);
    for (const [key, next] of byKey(free, keyOf, names)) {
      const previous = byKeyBefore.get(key);
      if (!previous || !next) continue;
      pairs.set(previous.id, next.id);
      taken.add(next.id);
    }
  }
  return pairs;
}

type KeyOf = (endpoint: Endpoint, names: FormerNames) => string;

/** Null where several have the same key. */
function byKey(endpoints: readonly Endpoint[], keyOf: KeyOf, names: FormerNames): ReadonlyMap<string, Endpoint | null> {
  const found = new Map<string, Endpoint | null>();
  for (const endpoint of endpoints) {
    const key = keyOf(endpoint, names);
    found.set(key, found.has(key) ? null : endpoint);
  }
  return found;
}

/** How the author calls a parameter is nothing that a caller sees. */
const routeKey: KeyOf = ({ method, path }) =>
  `${method} ${path.map((segment) => (segment.kind === 'literal' ? segment.text : '{}')).join('/')}`;

const idKey: KeyOf = ({ id }) => id;

const shapeKey: KeyOf = ({ kind, method, cardinality, api, path, model, records, atResource }, names) =>
  JSON.stringify([
    kind,
    method,
    cardinality,
    api,
    parameterNames(path).length,
    [...records.map((record) => names.model(record.model)), names.model(model)],
    kind === 'custom' && !atResource ? path.at(-1) : null,
  ]);
