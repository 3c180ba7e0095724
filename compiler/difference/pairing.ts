/** Which thing of one definition is which of the other. */
import type { Definition } from '../definition/definition.ts';
import type { Endpoint } from '../definition/endpoint.ts';
import { groupedBy, modelIn } from '../definition/lookup.ts';
import { memoized } from '../definition/memo.ts';
import { type Route, routesOf } from './api-routes.ts';
import type { Both } from './api-rules.ts';

interface Paired<T> {
  readonly kept: readonly Both<T>[];
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

type KeyOf<T> = (thing: T, isBefore: boolean) => string;

/** By the first key. Those that are left by the next one, and so on. */
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

/** Only keys that one of each side has: which of several is meant would be a guess. */
function pairedByOne<T extends object>(before: readonly T[], after: readonly T[], keyOf: KeyOf<T>): Paired<T> {
  const former = groupedBy(before, (thing) => keyOf(thing, true));
  const latter = groupedBy(after, (thing) => keyOf(thing, false));
  const kept = [...latter].flatMap(([key, [later, ...more]]) => {
    const [earlier, ...others] = former.get(key) ?? [];
    return earlier && more.length + others.length === 0 ? [{ before: earlier, after: later }] : [];
  });
  return { kept, removed: without(before, kept, 'before'), added: without(after, kept, 'after') };
}

/** Of one side: both may have the same object. */
function without<T>(things: readonly T[], pairs: readonly Both<T>[], side: keyof Both<T>): readonly T[] {
  const paired = new Set(pairs.map((pair) => pair[side]));
  return things.filter((thing) => !paired.has(thing));
}

// Which endpoint of one definition is which of the other. First by what callers send: the method and the path. Then by the
// id, and at last by what the endpoint is for: renaming a model moves its endpoints, but they are the same endpoints.

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
export function urlOf({ endpoint }: Route): string {
  return urlOfEndpoint(endpoint);
}

export const urlOfEndpoint = memoized(
  ({ method, path }: Endpoint) =>
    `${method} ${path.map((segment) => (segment.kind === 'literal' ? `/${segment.text}` : '/{}')).join('')}`,
);

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

/** What the model was called in the definition before. A `was` may stay in the source after its release. */
export function formerName(model: string, { before, after }: Both<Definition>): string {
  if (modelIn(before, model)) return model;
  return modelIn(after, model)?.was ?? model;
}
