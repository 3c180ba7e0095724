/** What a definition calls each endpoint: `posts.comments.list`. Whoever looks for its place in the source needs the same. */
import { pathPattern } from '../definition/contract/routes.ts';
import { memoized } from '../definition/memo.ts';
import { pathOf } from '../program/endpoint-path.ts';
import type { Endpoint } from '../program/program.ts';
import { entrypointId } from './entrypoints.ts';

/** Two endpoints may share a plain id: then the id says more, until it says it all. */
export const endpointIds = memoized((endpoints: readonly Endpoint[]): ReadonlyMap<Endpoint, string> => {
  const plain = new Map(endpoints.map((endpoint) => [endpoint, plainId(endpoint)]));
  return retold(retold(plain, longId), routeId);
});

type Ids = ReadonlyMap<Endpoint, string>;

function retold(ids: Ids, tell: (endpoint: Endpoint, id: string) => string): Ids {
  const uses = new Map<string, number>();
  for (const id of ids.values()) uses.set(id, (uses.get(id) ?? 0) + 1);
  if (uses.size === ids.size) return ids;
  return new Map([...ids].map(([endpoint, id]) => [endpoint, (uses.get(id) as number) > 1 ? tell(endpoint, id) : id]));
}

/** Custom endpoints share a path with other methods, or for one and for many. */
function longId({ kind, cardinality, method }: Endpoint, id: string): string {
  return kind === 'custom' ? `${id}.${cardinality}.${method.toLowerCase()}` : id;
}

/** The named `api Admin` and an entrypoint `Admin` begin alike; the parameters tell them apart. */
function routeId(endpoint: Endpoint): string {
  const [, , ...segments] = pathPattern(pathOf(endpoint)).split('/');
  return [...segments, endpoint.kind === 'custom' ? endpoint.method.toLowerCase() : endpoint.kind].join('.');
}

/** A custom endpoint without a path is called after its method. */
const plainId = memoized((endpoint: Endpoint): string => {
  const own = endpoint.path ?? (endpoint.kind === 'custom' ? endpoint.method.toLowerCase() : endpoint.kind);
  return `${entrypointId(endpoint.entrypoint)}.${own}`;
});
