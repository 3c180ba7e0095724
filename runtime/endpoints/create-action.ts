import type { Create, Model } from '../../compiler/definition/definition.ts';
import type { Row } from '../../compiler/definition/sql/frame.ts';
import { ApiError } from '../errors/api-error.ts';
import { isNear } from '../plan/endpoint-plan.ts';
import { isIdOfLast } from '../plan/fusion.ts';
import { recordReadingOf } from '../query/list.ts';
import { type InsertedField, insertOf, linkOf, placeOf, type WrittenValue } from '../query/writes.ts';
import { uuidV7 } from '../values/uuid.ts';
import type { ActionTools, RunAction } from './action-tools.ts';
import { assignedValue, fieldOf } from './assigned-values.ts';
import { missingRecord } from './missing-record.ts';

/** Makes a record. What is wanted of it comes back with it where its own columns have it, else it is read afterwards. */
export function createAction(action: Create, tools: ActionTools): RunAction {
  const { statements, plan } = tools;
  const place = plan.isFused ? placeOf(plan.endpoint.records, statements) : null;
  const isWhole = isNear(action.reads, action.model);
  const answers = plan.answersFromWrite === action && plan.endpoint.response.kind === 'record';
  const select = answers && plan.endpoint.response.kind === 'record' ? plan.endpoint.response.select : null;
  const returned = { reads: isWhole ? action.reads : ID, select };
  const insert = insertOf(action.model, fieldsOf(action, place, tools), place, returned, statements);
  const readAgain = isWhole ? null : recordReadingOf(action.model, action.reads, statements);
  const link = action.link && linkOf(action.link, { to: action, onlyFree: true }, statements);
  return async (scope, outcome) => {
    const made = await insert.write(scope.connection, scope);
    if (made === null) throw new ApiError('not-found', { detail: missingRecord(plan.endpoint) });
    const { reads, json } = made;
    scope.records[action.record] = reads;
    const linked = link === null || (await link.change(scope.connection, scope)) > 0;
    // A parent that has one keeps it.
    if (!linked) throw new ApiError('conflict', { detail: 'There is one already.' });
    if (readAgain) scope.records[action.record] = await readAgain.readById(scope.connection, scope, String(reads.id));
    outcome.selected = json ?? outcome.selected;
  };
}

function fieldsOf(
  { values, model: name }: Create,
  place: Row | null,
  { plan, environment, model: modelOf }: ActionTools,
): readonly InsertedField[] {
  const model = modelOf(name);
  // The statement itself finds the id of the record that the path names.
  const fields = values.map(({ field, value }) => ({
    field,
    value:
      place && isIdOfLast(value, plan.endpoint)
        ? place
        : assignedValue(value, fieldOf(model, field), model, environment),
  }));
  return hasUuid(model) ? [...fields, { field: 'id', value: NEW_ID }] : fields;
}

const NEW_ID: WrittenValue = { isAsync: false, run: uuidV7 };

/** For a record of which more is read afterwards. The compiler resolves it whatever the model. */
const ID = [
  { name: 'id', kind: 'value', value: { kind: 'field', path: [], model: '', field: 'id', type: { kind: 'string' } } },
] as const;

function hasUuid({ fields }: Model): boolean {
  return fields.some(({ name, type }) => name === 'id' && type.kind === 'uuid');
}
