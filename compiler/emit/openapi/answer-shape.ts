import type { Endpoint, Execute, Respond } from '../../definition/endpoint.ts';
import { type Shape, shapeOfSnapshot } from './selection-schemas.ts';

/** The action that answers in place of the endpoint; the last one does, unless custom code writes to the response. */
export function answeringAction({ actions }: Endpoint): Respond | Execute | null {
  const code = actions.find((action) => action.kind === 'execute' && action.responds);
  if (code?.kind === 'execute') return code;
  return actions.findLast((action) => action.kind === 'respond') ?? null;
}

/** Records in the object that an endpoint answers with, by the name that they have there. */
export function shapesInAnswer(endpoint: Endpoint): readonly (readonly [string, Shape])[] {
  const action = answeringAction(endpoint);
  const body = action?.kind === 'respond' ? action.body : null;
  if (body?.kind !== 'object') return [];
  return body.members.flatMap(({ name, value }) => {
    const shape = value.kind === 'snapshot' ? shapeOfSnapshot(value, endpoint) : null;
    return shape === null ? [] : [[name, shape] as const];
  });
}

/** The records that an endpoint answers with: one, many or a page of them. Null where it answers with something else. */
export function answerShape(endpoint: Endpoint): Shape | null {
  const action = answeringAction(endpoint);
  if (action?.kind === 'execute') return null;
  if (action) return action.body?.kind === 'snapshot' ? shapeOfSnapshot(action.body, endpoint) : null;
  const { response, model } = endpoint;
  if (response.kind === 'record') return { ...response, model };
  return response.kind === 'list' ? { ...response, model: response.query.model } : null;
}
