/**
 * Which endpoint of one definition is which of the other. First by what callers send: the method and the path. Then by the
 * id, and at last by what the endpoint is for: renaming a model moves its endpoints, but they are the same endpoints.
 */
import type { Definition, Endpoint } from '../definition/definition.ts';
import { keptFor } from '../definition/kept.ts';
import { modelIn } from '../definition/lookup.ts';
import { type Route, routesOf } from './api-routes.ts';
import type { Both } from './api-rules.ts';

export interface RoutePairs {
  readonly kept: readonly Both<Route>[];
  readonly removed: readonly Route[];
  readonly added: readonly Route[];
}

export function routePairs(definitions: Both<Definition>): RoutePairs {
  const kept: Both<Route>[] = [];
  let rest = { removed: routesOf(definitions.before), added: routesOf(definitions.after) };
  const formerRoleOf: KeyOf = (route, isBefore) =>
    roleOf(route, (model) => (isBefore ? model : formerName(model, definitions)));
  for (const keyOf of [urlOf, idOf, formerRoleOf]) {
    const found = pairsBy(rest.removed, rest.added, keyOf);
    kept.push(...found.kept);
    rest = found;
  }
  return { kept, removed: rest.removed, added: rest.added };
}

type KeyOf = (route: Route, isBefore: boolean) => string;

/** Only keys that one route of each side has: which of several is meant would be a guess. */
function pairsBy(before: readonly Route[], after: readonly Route[], keyOf: KeyOf): RoutePairs {
  const [former, latter] = [byKey(before, (route) => keyOf(route, true)), byKey(after, (route) => keyOf(route, false))];
  const kept: Both<Route>[] = [];
  for (const [key, later] of latter) {
    const earlier = former.get(key);
    if (earlier && later) kept.push({ before: earlier, after: later });
  }
  const paired = new Set(kept.flatMap((pair) => [pair.before, pair.after]));
  const isLeft = (route: Route) => !paired.has(route);
  return { kept, removed: before.filter(isLeft), added: after.filter(isLeft) };
}

/** Null where several have the key. */
function byKey(routes: readonly Route[], keyOf: (route: Route) => string): ReadonlyMap<string, Route | null> {
  const found = new Map<string, Route | null>();
  for (const route of routes) {
    const key = keyOf(route);
    found.set(key, found.has(key) ? null : route);
  }
  return found;
}

/** The names of parameters are not part of a request. */
export function urlOf({ endpoint }: Route): string {
  return urlOfEndpoint(endpoint);
}

const urlOfEndpoint = keptFor(
  ({ method, path }: Endpoint) =>
    `${method} ${path.map((segment) => (segment.kind === 'literal' ? `/${segment.text}` : '/{}')).join('')}`,
);

function idOf({ endpoint }: Route): string {
  return endpoint.id;
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

/** What the model was called in the definition before. A `was` may stay in the source after its release. */
export function formerName(model: string, { before, after }: Both<Definition>): string {
  if (modelIn(before, model)) return model;
  return modelIn(after, model)?.was ?? model;
}
