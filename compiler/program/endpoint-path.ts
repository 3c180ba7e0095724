import { API, literalPath, type Segment } from '../definition/contract/routes.ts';
import { memoized } from '../definition/memo.ts';
import { snakeCase } from '../definition/names.ts';
import type { Endpoint, Entrypoint } from './program.ts';

/** The path of an endpoint: `/api/post/:post_slug/comments`. */
export function pathOf({ entrypoint, path, cardinality }: Endpoint): readonly Segment[] {
  const start = pathsTo(entrypoint)[cardinality];
  return path === undefined ? start : [...start, ...path];
}

/** An endpoint as one for each of its methods. */
export function perMethod(endpoint: Endpoint): readonly Endpoint[] {
  const { otherMethod } = endpoint;
  return otherMethod ? [endpoint, { ...endpoint, method: otherMethod, otherMethod: undefined }] : [endpoint];
}

/** The path of all records of an endpoint's entrypoint, whatever the endpoint is for. */
export function collectionPathOf({ entrypoint }: Endpoint): readonly Segment[] {
  return pathsTo(entrypoint).many;
}

type Paths = Readonly<Record<Endpoint['cardinality'], readonly Segment[]>>;

/** Memoized, because all endpoints of an entrypoint, and those below it, need it. */
export const pathsTo = memoized(({ api, parent, segment, identify }: Entrypoint): Paths => {
  const above = parent ? pathsTo(parent).one : literalPath(API, ...(api === null ? [] : [snakeCase(api)]));
  const many = [...above, ...literalPath(segment)];
  return { many, one: identify ? [...many, { kind: 'parameter', name: identify.parameter }] : many };
});

/** The entrypoints whose records a request finds. Collections have none of their own; single endpoints end in theirs. */
export function foundBy({ entrypoint, cardinality }: Pick<Endpoint, 'entrypoint' | 'cardinality'>) {
  const chain = chainOf(entrypoint);
  return cardinality === 'one' ? chain : chain.slice(0, -1);
}

/** The entrypoints from the outermost one inwards. */
export function chainOf(entrypoint: Entrypoint | undefined): readonly Entrypoint[] {
  return entrypoint ? [...chainOf(entrypoint.parent), entrypoint] : [];
}
