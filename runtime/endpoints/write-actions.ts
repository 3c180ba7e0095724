/** The action that changes a record, and the values that actions write. */
import type { Field, Model } from '../../compiler/definition/definition.ts';
import type { Create, Update } from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { after, type ValidationEnvironment } from '../expressions/compiled.ts';
import { fittedValue } from '../expressions/fit.ts';
import { isNear } from '../plan/endpoint-plan.ts';
import { recordReadingOf } from '../query/list.ts';
import { placeOf, updateOf, type WrittenValue } from '../query/writes.ts';
import { fileFault } from '../values/file-rules.ts';
import { binderOf } from '../values/kinds.ts';
import { uuidV7 } from '../values/uuid.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RequestScope, RunAction } from './action-tools.ts';

export function assignedValue(
  value: Expression,
  field: Field,
  model: Model,
  environment: ValidationEnvironment,
): WrittenValue {
  const { isAsync, run } = compileExpression(value, environment);
  const bind = binderOf(field.type);
  const fitted = value.type.kind === 'any' ? fitting(field, model, environment) : same;
  const taken = field.file ? fileFor(field, model) : same;
  return { isAsync, run: (scope) => after(run(scope), (found) => bind(taken(fitted(found)))) };
}

/** Checks a file that custom code may have written. */
function fileFor({ name, file }: Field, model: Model): (value: Value) => Value {
  return (value) => {
    const fault = value && file ? fileFault(value, file) : null;
    if (fault) throw new Error(`\`${model.name}.${name}\` ${fault}`);
    return value;
  };
}

const same = (value: unknown): Value => value as Value;

/** Checks a value of custom code, whose type is known only now. */
function fitting(field: Field, model: Model, { enumValues }: ValidationEnvironment): (value: unknown) => Value {
  const place = ` for \`${model.name}.${field.name}\``;
  return (value) => (value === null || value === undefined ? null : fittedValue(value, field.type, enumValues, place));
}

export function fieldOf({ fields, name }: Model, field: string): Field {
  const found = fields.find((candidate) => candidate.name === field);
  if (!found) throw new Error(`the definition uses \`${name}.${field}\`, but does not define it`);
  return found;
}

// The values that a create stores.

/** Collects the fields, with an id where the server makes it. */
export function fieldsOf(action: Create, tools: ActionTools) {
  const fields = action.values.map(({ field, value }) => ({ field, value: writtenValue(field, value, action, tools) }));
  return hasUuid(tools.model(action.model)) ? [...fields, { field: 'id', value: NEW_ID }] : fields;
}

export function writtenValue(field: string, value: Expression, action: Create, tools: ActionTools): WrittenValue {
  const model = tools.model(action.model);
  return assignedValue(value, fieldOf(model, field), model, tools.environment);
}

const NEW_ID: WrittenValue = { isAsync: false, run: uuidV7 };

function hasUuid({ fields }: Model): boolean {
  return fields.some(({ name, type }) => name === 'id' && type.kind === 'uuid');
}

// ── Update action ─────────────────────────────────────────────────────────────────────────────────────────────────────

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
    const changed = update && isAsked(action, scope) ? found(await update(scope)) : null;
    if (changed && isWhole) scope.records[action.record] = changed.reads;
    else scope.records[action.record] = found(await readOnly.readById(scope, await id.run(scope)));
    outcome.selected = changed?.json ?? outcome.selected;
  };
}

/** Whether the client has sent anything, or something is set in any case. */
export function isAsked({ values }: Update, { sent }: RequestScope): boolean {
  return values.some(({ when }) => when === null || sent.has(when.join('.')));
}

export function found<T>(record: T | null | undefined): T {
  if (record !== null && record !== undefined) return record;
  throw new ApiError('not-found', { detail: 'The record to change does not exist.' });
}
