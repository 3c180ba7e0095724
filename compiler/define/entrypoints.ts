import { pathPattern } from '../definition/contract/routes.ts';
import type { Api, Entrypoint } from '../definition/endpoint.ts';
import { compare } from '../definition/lookup.ts';
import { memoized } from '../definition/memo.ts';
import { snakeCase } from '../definition/names.ts';
import { chainOf, pathOf } from '../program/endpoint-path.ts';
import type * as program from '../program/program.ts';

/** The APIs. Several blocks of one name are one API, with the documentation of all of them. */
export function apisFrom(apis: readonly program.Api[]): readonly Api[] {
  const docs = new Map<string | null, (string | null)[]>();
  for (const { name, doc } of apis) docs.set(name, [...(docs.get(name) ?? []), doc]);
  return [...docs]
    .map(([name, said]) => ({ name, doc: joined(said) }))
    .sort((a, b) => compare(a.name ?? '', b.name ?? ''));
}

/** All the entrypoints that have endpoints, or entrypoints with endpoints, below them. */
export function entrypointsFrom(endpoints: readonly program.Endpoint[]): readonly Entrypoint[] {
  const found = new Map<string, Entrypoint>();
  for (const level of levelsOf(endpoints)) {
    const { api, model, doc } = level;
    const id = entrypointId(level);
    const first = found.get(id);
    found.set(id, first ? { ...first, doc: joined([first.doc, doc]) } : { id, api, model: model.name, doc });
  }
  return [...found.values()].sort((a, b) => compare(a.id, b.id));
}

/** The entrypoints, each once, from the outermost ones inwards. */
export function levelsOf(endpoints: readonly program.Endpoint[]): ReadonlySet<program.Entrypoint> {
  const levels = new Set<program.Entrypoint>();
  for (const { entrypoint } of endpoints)
    if (!levels.has(entrypoint)) for (const level of chainOf(entrypoint)) levels.add(level);
  return levels;
}

/** Memoized, because all endpoints of an entrypoint need it. */
export const entrypointId = memoized((entrypoint: program.Entrypoint): string => {
  const segments = chainOf(entrypoint).map(({ segment }) => segment);
  return [...(entrypoint.api === null ? [] : [snakeCase(entrypoint.api)]), ...segments].join('.');
});

function joined(docs: readonly (string | null)[]): string | null {
  const said = docs.filter((doc) => doc !== null);
  return said.length === 0 ? null : said.join('\n\n');
}

// ── Ids of endpoints ────────────────────────────────────────────────────────────────────────────────────────────────

// The id of each endpoint in a definition: `posts.comments.list`. Finding its place in the source needs the same id.

/** The ids of endpoints. If two share a plain id, both get longer ones until they differ. */
export const endpointIds = memoized((endpoints: readonly program.Endpoint[]): ReadonlyMap<program.Endpoint, string> => {
  const plain = new Map(endpoints.map((endpoint) => [endpoint, plainId(endpoint)]));
  return retold(retold(plain, longId), routeId);
});

/** One that answers two methods is two. The first one has the id that it would have alone. */
export function idPerMethod(id: string, { otherMethod }: program.Endpoint): readonly string[] {
  return otherMethod ? [id, `${id}.${otherMethod.toLowerCase()}`] : [id];
}

type Ids = ReadonlyMap<program.Endpoint, string>;

function retold(ids: Ids, tell: (endpoint: program.Endpoint, id: string) => string): Ids {
  const uses = new Map<string, number>();
  for (const id of ids.values()) uses.set(id, (uses.get(id) ?? 0) + 1);
  if (uses.size === ids.size) return ids;
  return new Map([...ids].map(([endpoint, id]) => [endpoint, (uses.get(id) as number) > 1 ? tell(endpoint, id) : id]));
}

/** A longer id. Custom endpoints may share a path with other methods, or for one and for many. */
function longId({ kind, cardinality, method }: program.Endpoint, id: string): string {
  return kind === 'custom' ? `${id}.${cardinality}.${method.toLowerCase()}` : id;
}

/** The named `api Admin` and an entrypoint `Admin` begin alike; the parameters tell them apart. */
function routeId(endpoint: program.Endpoint): string {
  const [, , ...segments] = pathPattern(pathOf(endpoint)).split('/');
  return [...segments, endpoint.kind === 'custom' ? endpoint.method.toLowerCase() : endpoint.kind].join('.');
}

/** A custom endpoint without a path is called after its method. */
const plainId = memoized((endpoint: program.Endpoint): string => {
  const path = endpoint.path?.map((segment) => (segment.kind === 'literal' ? segment.text : segment.name)).join('-');
  const own = path ?? (endpoint.kind === 'custom' ? endpoint.method.toLowerCase() : endpoint.kind);
  return `${entrypointId(endpoint.entrypoint)}.${own}`;
});
