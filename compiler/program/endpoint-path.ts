import { API, literalPath, type Segment } from '../definition/contract/routes.ts';
import type { Endpoint, Entrypoint } from './program.ts';
import { snakeCase } from './snake-case.ts';

/** `/api/post/:post_slug/comments`: where an endpoint answers. */
export function pathOf(endpoint: Endpoint): readonly Segment[] {
  const { api, path, cardinality } = endpoint;
  const below = chainOf(endpoint.entrypoint).flatMap((level): readonly Segment[] => {
    const [identify, isTarget] = [level.identify, level === endpoint.entrypoint];
    const segment = literalPath(level.segment);
    if (!identify || (isTarget && cardinality === 'many')) return segment;
    return [...segment, { kind: 'parameter', name: identify.parameter }];
  });
  const start = api === undefined ? literalPath(API) : literalPath(API, snakeCase(api));
  return [...start, ...below, ...(path === undefined ? [] : literalPath(path))];
}

/** From the outermost entrypoint inwards. */
export function chainOf(entrypoint: Entrypoint): readonly Entrypoint[] {
  return entrypoint.parent ? [...chainOf(entrypoint.parent), entrypoint] : [entrypoint];
}
