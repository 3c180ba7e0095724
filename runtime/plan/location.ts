/** The `Location` of a new record: the path of its get endpoint, with what identifies it there. */
import type { Segment } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import type { Read } from '../../compiler/definition/expression.ts';
import { endpointIn } from '../../compiler/definition/lookup.ts';

/** The name under which a created record has what identifies it in its own path. No author can give such a name. */
export const LOCATION = '#location';

/** The create reads what its location needs, like anything else that is read of the new record. */
export function withLocation(endpoint: Endpoint, definition: Definition): Endpoint {
  const { response, actions } = endpoint;
  const read =
    response.kind === 'record' && response.location !== null ? locationRead(response.location, definition) : null;
  if (read === null || response.kind !== 'record') return endpoint;
  return {
    ...endpoint,
    actions: actions.map((action) =>
      action.kind === 'create' && action.record === response.record
        ? { ...action, reads: [...action.reads, read] }
        : action,
    ),
  };
}

/** The read for the location; null where the record is the only one there, and its path names nothing of it. */
function locationRead(id: string, definition: Definition): Read | null {
  const identify = endpointIn(definition, id)?.records.at(-1)?.identify;
  if (!identify) return null;
  const { path, model, field, type } = identify;
  return { name: LOCATION, kind: 'value', value: { kind: 'field', path, model, field, type } };
}

/** The parameters are those of the endpoint that creates, and last, the new record's own. */
export function locationPath(id: string, definition: Definition): (params: readonly string[], own: string) => string {
  const { path } = endpointIn(definition, id) as Endpoint;
  const last = path.findLastIndex(({ kind }) => kind === 'parameter');
  return (params, own) => {
    let next = 0;
    const text = (segment: Segment, at: number) => {
      if (segment.kind === 'literal') return segment.text;
      return encodeURIComponent(at === last && next >= params.length ? own : (params[next++] as string));
    };
    return `/${path.map(text).join('/')}`;
  };
}
