/** Pairs of things of two definitions. */
import { pathShape } from '../definition/contract/routes.ts';
import type { Definition } from '../definition/definition.ts';
import type { Endpoint } from '../definition/endpoint.ts';
import { groupedBy, modelIn } from '../definition/lookup.ts';
import { type Route, routesOf } from './api-routes.ts';
import type { Both } from './api-rules.ts';

interface Paired<T> {
  readonly kept: readonly Both<T>[];
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

type KeyOf<T> = (thing: T, isBefore: boolean) => string;

/** Pairs things by the first key, the remaining ones by the next key, and so on. */
export function pairedBy<T extends object>(
  before: readonly T[],
  after: readonly T[],
  keys: readonly KeyOf<T>[],
): Paired<T> {
  const kept: Both<T>[] = [];
  let rest = { removed: before, added: after };
  for (const keyOf of keys) {
    const found = pairedByOne(rest.removed, rest.added, keyOf);
    kept.push(...found.kept);
    rest = found;
  }
  return { ...rest, kept };
}

/** Pairs things whose key is unique on each side: choosing among several would be a guess. */
function pairedByOne<T extends object>(before: readonly T[], after: readonly T[], keyOf: KeyOf<T>): Paired<T> {
  const former = groupedBy(before, (thing) => keyOf(thing, true));
  const latter = groupedBy(after, (thing) => keyOf(thing, false));
  const kept = [...latter].flatMap(([key, [later, ...more]]) => {
    const [earlier, ...others] = former.get(key) ?? [];
    return earlier && more.length + others.length === 0 ? [{ before: earlier, after: later }] : [];
  });
  return { kept, removed: without(before, kept, 'before'), added: without(after, kept, 'after') };
}

/** Removes the paired things of one side. Both sides may have the same object. */
function without<T>(things: readonly T[], pairs: readonly Both<T>[], side: keyof Both<T>): readonly T[] {
  const paired = new Set(pairs.map((pair) => pair[side]));
  return things.filter((thing) => !paired.has(thing));
}

// Pairs of the endpoints of two definitions: first by what callers send, the method and the path; then by the id; then
// by the purpose of the endpoint. Renaming a model moves its endpoints, but they are the same endpoints.

export function routePairs(definitions: Both<Definition>): Paired<Route> {
  const formerRoleOf: KeyOf<Route> = (route, isBefore) =>
    roleOf(route, (model) => (isBefore ? model : formerName(model, definitions)));
  return pairedBy(routesOf(definitions.before), routesOf(definitions.after), [
    urlOf,
    ({ endpoint }) => endpoint.id,
    formerRoleOf,
  ]);
}

/** The names of parameters are not part of a request. */
export function urlOf({ endpoint: { method, path } }: Route): string {
  return `${method} ${pathShape(path)}`;
}

function roleOf({ endpoint }: Route, nameOf: (model: string) => string): string {
  const { kind, method, cardinality, records, model } = endpoint;
  const models = [...records.map((record) => record.model), model].map(nameOf);
  return JSON.stringify([kind, kind === 'custom' ? [method, ownSegment(endpoint)] : null, cardinality, models]);
}

/** The last segment of a custom endpoint is its own. */
function ownSegment({ path, atResource }: Endpoint): string | null {
  const last = path.at(-1);
  return atResource || last?.kind !== 'literal' ? null : last.text;
}

/** The name of the model in the earlier definition. A `was` may stay in the source after its release. */
export function formerName(model: string, { before, after }: Both<Definition>): string {
  if (modelIn(before, model)) return model;
  return modelIn(after, model)?.was ?? model;
}
