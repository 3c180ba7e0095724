import type { Delete } from '../../compiler/definition/definition.ts';
import { ApiError } from '../errors/api-error.ts';
import { deleteAllOf, deleteOf, linkOf, placeOf } from '../query/writes.ts';
import type { ActionTools, RunAction } from './action-tools.ts';
import { assignedValue, fieldOf } from './assigned-values.ts';

export function deleteAction({ target, model: name, link }: Delete, tools: ActionTools): RunAction {
  const { plan, statements } = tools;
  if (target.kind === 'query') {
    const all = deleteAllOf(target.query, statements);
    return async (scope) => void (await all.change(scope.connection, scope));
  }
  const model = tools.model(name);
  const id = assignedValue(target.id, fieldOf(model, 'id'), model, tools.environment);
  const one = deleteOf(name, plan.isFused ? placeOf(plan.endpoint.records, statements) : id, statements);
  const unlink = link && linkOf(link, { to: null, onlyFree: false }, statements);
  return async (scope) => {
    // First, so that the reference does not hold the record.
    await unlink?.change(scope.connection, scope);
    const deleted = await one.change(scope.connection, scope);
    if (deleted === 0) throw new ApiError('not-found', { detail: 'The record to delete does not exist.' });
  };
}
