import type { Delete } from '../../compiler/definition/definition.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { Target } from '../query/shape.ts';
import { BY_ID, deleteAllOf, deleteOf, linkOf, placeOf } from '../query/writes.ts';
import { binderOf } from '../values/bind.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RunAction } from './action-tools.ts';
import { idOf } from './record-id.ts';
import type { RequestScope } from './request-scope.ts';

export function deleteAction(action: Delete, tools: ActionTools): RunAction {
  const { target } = action;
  if (target.kind === 'query') {
    const all = deleteAllOf(target.query, tools.statements);
    return async (scope) => void (await all.change(scope.connection, scope, []));
  }
  const { plan } = tools;
  const place = plan.isFused ? placeOf(plan.endpoint.records, tools.statements) : BY_ID;
  const one = deleteOf(action.model, place, tools.statements);
  const id = compileExpression(target.id, tools.environment);
  const bind = binderOf(idOf(tools.model(action.model)));
  const unlink = unlinking(action, tools);
  return async (scope) => {
    const handedOver = plan.isFused ? scope.identifiers : [bind((await id.run(scope)) as Value)];
    await unlink?.(scope);
    const deleted = await one.change(scope.connection, scope, handedOver);
    if (deleted === 0) throw new ApiError('not-found', { detail: 'The record that is to be deleted is not there.' });
  };
}

/** First, so that the reference does not hold the record. */
function unlinking({ link }: Delete, tools: ActionTools): ((scope: RequestScope) => Promise<void>) | null {
  if (!link) return null;
  const change = linkOf(link, false, tools.statements);
  const bind = binderOf(idOf(tools.model(link.model)));
  return async (scope) => {
    const outer = scope.records[link.record] as Target;
    await change.change(scope.connection, scope, [null, bind(outer.id as Value)]);
  };
}
