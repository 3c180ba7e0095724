import type { Update } from '../../compiler/definition/definition.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { isNear } from '../plan/endpoint-plan.ts';
import type { Bound } from '../query/database.ts';
import { recordReadingOf } from '../query/list.ts';
import type { Target } from '../query/shape.ts';
import { BY_ID, placeOf, updateOf, type Written } from '../query/writes.ts';
import { binderOf } from '../values/bind.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RunAction } from './action-tools.ts';
import { assigning } from './assigned-values.ts';
import { idOf } from './record-id.ts';
import type { RequestScope } from './request-scope.ts';

/** Changes a record. Where there is nothing to change it is only read. */
export function updateAction(action: Update, tools: ActionTools): RunAction {
  const { statements, environment, plan } = tools;
  const { response } = plan.endpoint;
  const model = tools.model(action.model);
  const values = assigning(action.values, model, environment);
  const fields = action.values.map(({ field, when }) => ({ field, isOptional: when !== null }));
  const isWhole = isNear(action.reads, action.model);
  const answers = plan.answersFromWrite === action && response.kind === 'record';
  const select = answers && response.kind === 'record' ? response.select : null;
  const place = plan.isFused ? placeOf(plan.endpoint.records, statements) : BY_ID;
  const returned = { reads: isWhole ? action.reads : [], select };
  const update = fields.length === 0 ? null : updateOf(action.model, fields, place, returned, statements);
  const readOnly = recordReadingOf(action.model, action.reads, statements);
  const target = compileExpression(action.id, environment);
  const bindId = binderOf(idOf(model));
  return async (scope, outcome) => {
    const changed = update && isAsked(action, scope) ? await written(scope) : null;
    if (changed && isWhole) scope.records[action.record] = changed.reads;
    else scope.records[action.record] = found(await readOnly.readById(scope.connection, scope, await idIn(scope)));
    outcome.selected = changed?.json ?? outcome.selected;
  };

  async function written(scope: RequestScope): Promise<Written> {
    const bound = await values.bound(scope);
    const handedOver = plan.isFused ? [...scope.identifiers, ...bound] : [...bound, await idIn(scope)];
    const changed = await update?.write(scope.connection, scope, handedOver);
    return changed ?? fail();
  }

  async function idIn(scope: RequestScope): Promise<Bound> {
    return bindId((await target.run(scope)) as Value) ?? fail();
  }
}

/** Whether the client has sent anything, or something is set in any case. */
export function isAsked({ values }: Update, { sent }: RequestScope): boolean {
  return values.some(({ when }) => when === null || sent.has(when.join('.')));
}

function found(record: Target | null): Target {
  return record ?? fail();
}

function fail(): never {
  throw new ApiError('not-found', { detail: 'The record that is to be changed is not there.' });
}
