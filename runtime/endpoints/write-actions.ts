/** Actions that change a record or make one for each item of a list, and the values that actions write. */
import type { Field, Model } from '../../compiler/definition/definition.ts';
import type { Create, Each, Update } from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { after, type ValidationEnvironment } from '../expressions/compiled.ts';
import { withSubject } from '../expressions/fit.ts';
import { resultName, type Snapshot } from '../expressions/scope.ts';
import { isNear } from '../plan/endpoint-plan.ts';
import type { Bound } from '../query/database.ts';
import { type EachConflict, insertEachOf } from '../query/insert-each.ts';
import { recordReadingOf } from '../query/list.ts';
import { placeOf, updateOf, type WrittenValue } from '../query/writes.ts';
import { binderOf, fitsType } from '../values/kinds.ts';
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
  return { isAsync, run: (scope) => after(run(scope), (found) => bind(fitted(found))) };
}

const same = (value: unknown): Value => value as Value;

/** What custom code gives is known only now. */
function fitting(field: Field, model: Model, { enumValues }: ValidationEnvironment): (value: unknown) => Value {
  return (value) => {
    if (value === null || value === undefined) return null;
    const checked = fitsType(value, field.type, enumValues);
    if (checked.ok) return checked.value;
    throw new Error(
      `custom code returned an invalid value for \`${model.name}.${field.name}\`: ${withSubject(checked.message)}`,
    );
  };
}

export function fieldOf({ fields, name }: Model, field: string): Field {
  const found = fields.find((candidate) => candidate.name === field);
  if (!found) throw new Error(`the definition uses \`${name}.${field}\`, but does not define it`);
  return found;
}

// The values that a create stores.

interface ValueField {
  readonly field: string;
  readonly value: WrittenValue;
}

/** With an id where the server makes it. */
export function fieldsOf(action: Create, tools: ActionTools): readonly ValueField[] {
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
    const changed = update && isAsked(action, scope) ? found(await update(scope.connection, scope)) : null;
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

// ── Create each action ────────────────────────────────────────────────────────────────────────────────────────────────

/** Makes a record for each item of a list, by one statement for all of them. */
export function createEachAction(action: Create, each: Each, tools: ActionTools): RunAction {
  const { statements, environment } = tools;
  if (!isNear(action.reads, action.model)) throw new Error('a record of a loop is read beyond its own columns');
  const fields = fieldsOf(action, tools);
  const list = compileExpression(each.list, environment);
  const { conflict, others } = conflictOf(action, tools);
  const names = fields.map(({ field }) => field);
  const values = fields.map(({ value }) => value);
  const insert = insertEachOf(action.model, names, conflict, { reads: action.reads, select: null }, statements);
  return async (scope) => {
    const items = ((await list.run(scope)) ?? []) as readonly Value[];
    const rows: (readonly Bound[])[] = [];
    for (const at of items.keys()) rows.push(await evaluated(values, scopeAt(at, items, each, scope)));
    const shared = await evaluated(others, scope);
    scope.records[action.record] = rows.length === 0 ? [] : await insert(rows, shared, scope.connection, scope);
  };
}

async function evaluated(values: readonly WrittenValue[], scope: RequestScope): Promise<readonly Bound[]> {
  const found: Bound[] = [];
  for (const { isAsync, run } of values) found.push(isAsync ? await run(scope) : (run(scope) as Bound));
  return found;
}

/** What the actions of the loop see of one item: the item, and the records that were made for it. */
export function scopeAt(at: number, items: readonly Value[], { item, made }: Each, scope: RequestScope): RequestScope {
  const own = made.map((record) => [record, (scope.records[record] as readonly Snapshot[])[at] as Snapshot] as const);
  const records = { ...scope.records, ...Object.fromEntries(own), [resultName(item)]: items[at] as Value };
  return { ...scope, records };
}

interface Conflict {
  readonly conflict: EachConflict | null;
  /** What is the same for all items. */
  readonly others: readonly WrittenValue[];
}

function conflictOf(action: Create, tools: ActionTools): Conflict {
  if (!action.onConflict) return { conflict: null, others: [] };
  const { key, changes } = action.onConflict;
  const others: WrittenValue[] = [];
  const place = (field: string, value: Expression) => others.push(writtenValue(field, value, action, tools)) - 1;
  const places = changes.map(({ field, otherwise }) => ({ field, other: otherwise && place(field, otherwise) }));
  return { conflict: { key, changes: places }, others };
}
