/**
 * Which endpoint of one definition is which of the other. First by what callers send: the method and the path. Then by the
 * id, and at last by what the endpoint is for: renaming a model moves its endpoints, but they are the same endpoints.
 */
import type { Definition, Endpoint } from '../definition/definition.ts';
import type { Route } from './api-routes.ts';
import type { Both } from './api-rules.ts';

export interface RoutePairs {
  readonly kept: readonly Both<Route>[];
  readonly removed: readonly Route[];
  readonly added: readonly Route[];
}

export function routePairs(before: readonly Route[], after: readonly Route[]): RoutePairs {
  const kept: Both<Route>[] = [];
  let rest = { removed: before, added: after };
  for (const keyOf of [urlOf, idOf, roleOf]) {
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
export function urlOf({ endpoint: { method, path } }: Route): string {
  return `${method} ${path.map((segment) => (segment.kind === 'literal' ? `/${segment.text}` : '/{}')).join('')}`;
}

function idOf({ endpoint }: Route): string {
  return endpoint.id;
}

function roleOf({ endpoint, definition }: Route, isBefore: boolean): string {
  const { kind, method, cardinality, records, model } = endpoint;
  const models = [...records.map((record) => record.model), model];
  const former = isBefore ? models : models.map((name) => formerName(name, definition));
  return JSON.stringify([kind, kind === 'custom' ? [method, ownSegment(endpoint)] : null, cardinality, former]);
}

/** The last segment of a custom endpoint is its own. */
function ownSegment({ path, atResource }: Endpoint): string | null {
  const last = path.at(-1);
  return atResource || last?.kind !== 'literal' ? null : last.text;
}

/** What the model was called in the release before, as far as the source says it. */
export function formerName(model: string, { models }: Definition): string {
  return models.find(({ name }) => name === model)?.was ?? model;
}
