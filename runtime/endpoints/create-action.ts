import type { Create, Expression, OnConflict } from '../../compiler/definition/definition.ts';
import type { Row } from '../../compiler/definition/sql/frame.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { isNear } from '../plan/endpoint-plan.ts';
import { isIdOfLast } from '../plan/fusion.ts';
import { insertOrFindOf } from '../query/insert-or-find.ts';
import { recordReadingOf } from '../query/list.ts';
import { insertOf, linkOf, placeOf, type Returned, type Writing, type WrittenValue } from '../query/writes.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RunAction } from './action-tools.ts';
import { createEachAction } from './create-each-action.ts';
import { fieldsOf, writtenValue } from './create-fields.ts';
import { missingRecord } from './missing-record.ts';
import type { RequestScope } from './request-scope.ts';

/** Makes a record. What is wanted of it comes back with it where its own columns have it, else it is read afterwards. */
export function createAction(action: Create, tools: ActionTools): RunAction {
  if (action.each) return createEachAction(action, action.each, tools);
  const { statements, plan } = tools;
  const place = plan.isFused ? placeOf(plan.endpoint.records, statements) : null;
  const isWhole = isNear(action.reads, action.model);
  const answers = plan.answersFromWrite === action && plan.endpoint.response.kind === 'record';
  const select = answers && plan.endpoint.response.kind === 'record' ? plan.endpoint.response.select : null;
  const returned = { reads: isWhole ? action.reads : ID, select };
  const insert = insertFor(action, place, returned, tools);
  const readAgain = isWhole ? null : recordReadingOf(action.model, action.reads, statements);
  const isOwn = plan.endpoint.response.kind === 'record' && plan.endpoint.response.record === action.record;
  const link = action.link && linkOf(action.link, { to: action, onlyFree: true }, statements);
  return async (scope, outcome) => {
    if (action.onlyWith && isMissing(action.onlyWith, scope)) {
      scope.records[action.record] = null;
      return;
    }
    const made = await insert.write(scope.connection, scope);
    if (made === null) throw new ApiError('not-found', { detail: missingRecord(plan.endpoint) });
    const { reads, json, wasThere } = made;
    scope.records[action.record] = reads;
    const linked = link === null || (await link.change(scope.connection, scope)) > 0;
    // A parent that has one keeps it.
    if (!linked) throw new ApiError('conflict', { detail: 'The record already exists.' });
    if (readAgain) scope.records[action.record] = await readAgain.readById(scope.connection, scope, String(reads.id));
    outcome.selected = json ?? outcome.selected;
    if (isOwn) outcome.wasThere = wasThere;
  };
}

function isMissing([first, second]: readonly string[], { inputs }: RequestScope): boolean {
  const value = inputs[first as string];
  const sent = second === undefined ? value : (value as Readonly<Record<string, Value>> | undefined)?.[second];
  return sent === undefined || sent === null;
}

function insertFor(action: Create, place: Row | null, returned: Returned, tools: ActionTools): Writing {
  const { statements, plan } = tools;
  const { onConflict, model, values } = action;
  const fields = fieldsOf(action, tools);
  if (onConflict) return insertOrFindOf(model, fields, conflictOf(onConflict, action, tools), returned, statements);
  // The statement itself finds the id of the record that the path names.
  const isPlace = (name: string) =>
    values.some(({ field, value }) => field === name && isIdOfLast(value, plan.endpoint));
  const placed = place ? fields.map(({ field, value }) => ({ field, value: isPlace(field) ? place : value })) : fields;
  return insertOf(model, placed, place, returned, statements);
}

function conflictOf({ key, changes }: OnConflict, action: Create, tools: ActionTools) {
  const written = changes.map(({ field, given, condition, otherwise }) => ({
    field,
    given,
    condition: condition ? conditionValue(condition, tools) : null,
    otherwise: otherwise && writtenValue(field, otherwise, action, tools),
  }));
  return { key, changes: written, isHeld: tools.plan.needsTransaction };
}

function conditionValue(condition: Expression, { environment }: ActionTools): WrittenValue {
  const { isAsync, run } = compileExpression(condition, environment);
  if (isAsync) return { isAsync, run: async (scope) => String((await run(scope)) === true) };
  return { isAsync, run: (scope) => String(run(scope) === true) };
}

/** For a record of which more is read afterwards. The compiler resolves it whatever the model. */
const ID = [
  { name: 'id', kind: 'value', value: { kind: 'field', path: [], model: '', field: 'id', type: { kind: 'string' } } },
] as const;
