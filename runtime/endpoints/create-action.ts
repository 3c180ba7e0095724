import type { Assignment, Create, Model } from '../../compiler/definition/definition.ts';
import { ApiError } from '../errors/api-error.ts';
import { type EndpointPlan, isNear } from '../plan/endpoint-plan.ts';
import { isIdOfLast } from '../plan/fusion.ts';
import { recordReadingOf } from '../query/list.ts';
import type { Target } from '../query/shape.ts';
import { BY_ID, type InsertedField, insertOf, linkOf, placeOf } from '../query/writes.ts';
import { binderOf } from '../values/bind.ts';
import { uuidV7 } from '../values/uuid.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RunAction } from './action-tools.ts';
import { assigning } from './assigned-values.ts';
import { missingRecord } from './missing-record.ts';
import { idOf } from './record-id.ts';

/** Makes a record. What is wanted of it comes back with it where its own columns have it, else it is read afterwards. */
export function createAction(action: Create, tools: ActionTools): RunAction {
  const { statements, environment, plan } = tools;
  const model = tools.model(action.model);
  const values = assigning(
    action.values.filter((value) => !isPlaced(value, plan)),
    model,
    environment,
  );
  const isUuid = hasUuid(model);
  const place = plan.isFused ? placeOf(plan.endpoint.records, statements) : BY_ID;
  const fields = fieldsOf(action, isUuid, plan);
  const isWhole = isNear(action.reads, action.model);
  const answers = plan.answersFromWrite === action && plan.endpoint.response.kind === 'record';
  const select = answers && plan.endpoint.response.kind === 'record' ? plan.endpoint.response.select : null;
  const insert = insertOf(action.model, fields, place, { reads: isWhole ? action.reads : ID, select }, statements);
  const readAgain = isWhole ? null : recordReadingOf(action.model, action.reads, statements);
  const link = linking(action, tools);
  return async (scope, outcome) => {
    const bound = values.isAsync ? await values.bound(scope) : (values.bound(scope) as readonly string[]);
    const handedOver = [...(plan.isFused ? scope.identifiers : []), ...bound, ...(isUuid ? [uuidV7()] : [])];
    const made = await insert.write(scope.connection, scope, handedOver);
    if (made === null) throw new ApiError('not-found', { detail: missingRecord(plan.endpoint) });
    const { reads, json } = made;
    scope.records[action.record] = reads;
    if (link) await link(scope, reads.id as Value);
    if (readAgain) scope.records[action.record] = await readAgain.readById(scope.connection, scope, String(reads.id));
    outcome.selected = json ?? outcome.selected;
  };
}

/** Whether the statement itself finds the value: the id of the record that the path names. */
function isPlaced({ value }: Assignment, { isFused, endpoint }: EndpointPlan): boolean {
  return isFused && isIdOfLast(value, endpoint);
}

function fieldsOf({ values }: Create, isUuid: boolean, plan: EndpointPlan): readonly InsertedField[] {
  const assigned = values.filter((value) => !isPlaced(value, plan)).map(({ field }) => ({ field, isPlace: false }));
  const own = isUuid ? [{ field: 'id', isPlace: false }] : [];
  const placed = values.filter((value) => isPlaced(value, plan)).map(({ field }) => ({ field, isPlace: true }));
  return [...assigned, ...own, ...placed];
}

/** For a record of which more is read afterwards. The compiler resolves it whatever the model. */
const ID = [
  { name: 'id', kind: 'value', value: { kind: 'field', path: [], model: '', field: 'id', type: { kind: 'string' } } },
] as const;

function hasUuid({ fields }: Model): boolean {
  return fields.some(({ name, type }) => name === 'id' && type.kind === 'uuid');
}

type LinkTo = (scope: Parameters<RunAction>[0], id: Value) => Promise<void>;

/** Points the parent's reference at the new record. A parent that has one keeps it. */
function linking({ link, model }: Create, tools: ActionTools): LinkTo | null {
  if (!link) return null;
  const change = linkOf(link, true, tools.statements);
  const bind = binderOf(idOf(tools.model(model)));
  const bindOuter = binderOf(idOf(tools.model(link.model)));
  return async (scope, id) => {
    const outer = scope.records[link.record] as Target;
    const changed = await change.change(scope.connection, scope, [bind(id), bindOuter(outer.id as Value)]);
    if (changed === 0) throw new ApiError('conflict', { detail: 'There is one already.' });
  };
}
