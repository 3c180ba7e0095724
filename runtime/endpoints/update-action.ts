import type { Update } from '../../compiler/definition/endpoint.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { isNear } from '../plan/endpoint-plan.ts';
import { recordReadingOf } from '../query/list.ts';
import { placeOf, updateOf } from '../query/writes.ts';
import type { ActionTools, RunAction } from './action-tools.ts';
import { assignedValue, fieldOf } from './assigned-values.ts';
import type { RequestScope } from './request-scope.ts';

/** Changes a record. Where there is nothing to change it is only read. */
export function updateAction(action: Update, tools: ActionTools): RunAction {
  const { statements, environment, plan } = tools;
  const { response } = plan.endpoint;
  const model = tools.model(action.model);
  const fields = action.values.map(({ field, value, when, condition }) => ({
    field,
    value: assignedValue(value, fieldOf(model, field), model, environment),
    when,
    condition: condition ? compileExpression(condition, environment) : null,
  }));
  const id = assignedValue(action.id, fieldOf(model, 'id'), model, environment);
  const isWhole = isNear(action.reads, action.model);
  const answers = plan.answersFromWrite === action && response.kind === 'record';
  const select = answers && response.kind === 'record' ? response.select : null;
  const target = plan.isFused ? placeOf(plan.endpoint.records, statements) : id;
  const returned = { reads: isWhole ? action.reads : [], select };
  const update = fields.length === 0 ? null : updateOf(action.model, fields, target, returned, statements);
  const readOnly = recordReadingOf(action.model, action.reads, statements);
  return async (scope, outcome) => {
    const changed = update && isAsked(action, scope) ? found(await update.write(scope.connection, scope)) : null;
    if (changed && isWhole) scope.records[action.record] = changed.reads;
    else scope.records[action.record] = found(await readOnly.readById(scope.connection, scope, await id.run(scope)));
    outcome.selected = changed?.json ?? outcome.selected;
  };
}

/** Whether the client has sent anything, or something is set in any case. */
export function isAsked({ values }: Update, { sent }: RequestScope): boolean {
  return values.some(({ when }) => when === null || sent.has(when.join('.')));
}

function found<T>(record: T | null): T {
  if (record !== null) return record;
  throw new ApiError('not-found', { detail: 'The record to change does not exist.' });
}
