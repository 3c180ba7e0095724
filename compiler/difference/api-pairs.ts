/**
 * Which endpoint of one definition is which of the other. First by what callers send: the method and the path. Then by the
 * id, and at last by what the endpoint is for: renaming a model moves its endpoints, but they are the same endpoints.
 */
import type { Definition } from '../definition/definition.ts';
import type { Endpoint } from '../definition/endpoint.ts';
import { modelIn } from '../definition/lookup.ts';
import { memoized } from '../definition/memo.ts';
import { type Route, routesOf } from './api-routes.ts';
import type { Both } from './api-rules.ts';
import { type KeyOf, type Paired, pairedBy } from './pairing.ts';

export function routePairs(definitions: Both<Definition>): Paired<Route> {
  const formerRoleOf: KeyOf<Route> = (route, isBefore) =>
    roleOf(route, (model) => (isBefore ? model : formerName(model, definitions)));
  return pairedBy(routesOf(definitions.before), routesOf(definitions.after), [urlOf, idOf, formerRoleOf]);
}

/** The names of parameters are not part of a request. */
export function urlOf({ endpoint }: Route): string {
  return urlOfEndpoint(endpoint);
}

export const urlOfEndpoint = memoized(
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
