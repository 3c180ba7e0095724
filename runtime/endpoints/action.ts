/** The actions of an endpoint, compiled once. Each does its part with what the actions before it have left. */
import { REFUSED } from '../../compiler/definition/contract/problems.ts';
import type {
  Create,
  Delete,
  Execute,
  OnConflict,
  QueryAction,
  Refuse,
  Respond,
  Run,
  Validate,
} from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import type { Row } from '../../compiler/definition/sql/frame.ts';
import { ApiError, Refusal } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { compileValidation } from '../expressions/compile-validation.ts';
import { after } from '../expressions/compiled.ts';
import { resultName } from '../expressions/scope.ts';
import { isServerOnly } from '../expressions/server-only.ts';
import { hookName } from '../hooks/hook-function.ts';
import { isIdOfLast, isNear } from '../plan/endpoint-plan.ts';
import type { PartAction } from '../plan/parts.ts';
import { insertOrFindOf } from '../query/insert-or-find.ts';
import { countingOf, groupReadingOf, type Reading, readingOf, recordReadingOf } from '../query/list.ts';
import { lockOf } from '../query/lookup.ts';
import type { Statements } from '../query/statements.ts';
import {
  deleteAllOf,
  deleteOf,
  insertOf,
  linkOf,
  placeOf,
  type Returned,
  updateAllOf,
  type Writing,
  type WrittenValue,
} from '../query/writes.ts';
import type { HeldResponse } from '../request/held-response.ts';
import { inputAt, placeOfInput } from '../request/inputs.ts';
import type { Value } from '../values/value.ts';
import { type ActionTools, missingRecord, type RequestScope, type RunAction, WrittenError } from './action-tools.ts';
import { headersOf } from './answer-head.ts';
import { findAction } from './find-action.ts';
import { storedAlongside, storeJobsOf } from './store-jobs.ts';
import { assignedValue, fieldOf, fieldsOf, updateAction, writtenValue } from './write-actions.ts';

export function runAction(action: PartAction, tools: ActionTools): RunAction {
  switch (action.kind) {
    case 'create':
      return createAction(action, tools);
    case 'update':
      return updateAction(action, tools);
    case 'delete':
      return deleteAction(action, tools);
    case 'query':
      return queryAction(action, tools);
    case 'execute':
      return executeAction(action, tools);
    case 'run':
      return storeJobAction(action, tools);
    case 'respond':
      return respondAction(action, tools);
    case 'validate':
      return validateAction(action, tools);
    case 'refuse':
      return refuseAction(action, tools);
  }
}

// ── Run action ──────────────────────────────────────────────────────────────────────────────────────────────────────

function storeJobAction(action: Run, tools: ActionTools): RunAction {
  if (action === tools.plan.storedByCreate) return async () => undefined;
  const store = storeJobsOf(action, tools);
  return (scope) => store([scope]);
}

// ── Validate action ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Runs checks that name their values themselves. */
function validateAction({ key, validation }: Validate, { environment }: ActionTools): RunAction {
  const { check } = compileValidation(validation, environment);
  return async (scope) => {
    const failures = await check(null, scope);
    if (failures.length === 0) return;
    const errors = failures.map((failure) => ({ path: key, ...failure }));
    throw new ApiError('validation-failed', { errors });
  };
}

// ── Refuse action ───────────────────────────────────────────────────────────────────────────────────────────────────

function refuseAction({ code, status, when, message, key }: Refuse, { environment, plan }: ActionTools): RunAction {
  const condition = when && compileExpression(when, environment);
  const text = message && compileExpression(message, environment);
  const place = key === null ? null : placeOfInput(plan.endpoint.request, key);
  return async (scope) => {
    if (condition && (await condition.run(scope)) !== true) return;
    const said = text ? String(await text.run(scope)) : `${REFUSED.title}.`;
    const path = place?.replace('[]', `[${scope.item}]`) ?? '';
    const errors = key === null ? [] : [{ path, code, message: said, params: {} }];
    throw new Refusal(status, said, undefined, { code, errors });
  };
}

// ── Delete action ───────────────────────────────────────────────────────────────────────────────────────────────────

function deleteAction({ target, model: name, link }: Delete, tools: ActionTools): RunAction {
  const { plan, statements } = tools;
  if (target.kind === 'query') {
    const all = deleteAllOf(target.query, statements);
    return async (scope) => void (await all(scope));
  }
  const model = tools.model(name);
  const id = assignedValue(target.id, fieldOf(model, 'id'), model, tools.environment);
  const one = deleteOf(name, plan.isFused ? placeOf(plan.endpoint.records, statements) : id, statements);
  const unlink = link && linkOf(link, { to: null, onlyFree: false }, statements);
  return async (scope) => {
    // The reference is removed first, so that it does not hold the record.
    await unlink?.(scope);
    const deleted = await one(scope);
    if (deleted === 0) throw new ApiError('not-found', { detail: 'The record to delete does not exist.' });
  };
}

// ── Execute action ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Runs custom code. Where it responds by itself, what it writes waits until the transaction is committed. */
function executeAction({ hook, record, responds }: Execute, { environment }: ActionTools): RunAction {
  const run = environment.hook(hook);
  return async (scope, outcome) => {
    if (responds && outcome.held) outcome.held.responds = true;
    const result = await run(scope);
    if (responds) checkWritten(outcome.held, hookName(hook));
    if (record !== null) scope.records[resultName(record)] = (result ?? null) as Value;
  };
}

function checkWritten(held: HeldResponse | undefined, name: string): void {
  if (!held?.isEnded) throw new Error(`the hook ${name} must respond, but did not`);
  const status = held.response.statusCode;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new Error(`the hook ${name} has written the invalid status ${status}`);
  if (status >= 400) throw new WrittenError(status);
}

// ── Respond action ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Answers in the author's own words. */
function respondAction({ body, httpStatus, httpHeaders }: Respond, { environment }: ActionTools): RunAction {
  const content = body && compileExpression(body, environment);
  const status = httpStatus && compileExpression(httpStatus, environment);
  const headers = headersOf(httpHeaders, environment);
  return async (scope, outcome) => {
    const answered = await headers(scope);
    const text = content === null ? null : JSON.stringify((await content.run(scope)) ?? null);
    const code = status === null ? (content === null ? 204 : 200) : statusFrom(await status.run(scope));
    outcome.answer = { status: code, headers: answered, body: text };
  };
}

function statusFrom(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599) return value;
  throw new Error(`a response cannot have the status ${String(value)}`);
}

// ── Create action ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Makes a record. What is wanted of it comes back with it where its own columns have it, else it is read afterwards. */
function createAction(action: Create, tools: ActionTools): RunAction {
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
    if (action.onlyWith && (inputAt(scope, action.onlyWith) ?? null) === null) {
      scope.records[action.record] = null;
      return;
    }
    const made = await insert(scope);
    if (made === null) throw new ApiError('not-found', { detail: missingRecord(plan.endpoint) });
    const { reads, json, wasThere } = made;
    scope.records[action.record] = reads;
    const linked = link === null || (await link(scope)) > 0;
    // A parent that has one keeps it.
    if (!linked) throw new ApiError('conflict', { detail: 'The record already exists.' });
    if (readAgain) scope.records[action.record] = await readAgain.readById(scope, String(reads.id));
    outcome.selected = json ?? outcome.selected;
    if (isOwn) outcome.wasThere = wasThere;
  };
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
  const alongside = plan.storedByCreate && storedAlongside(plan.storedByCreate, action, tools);
  return insertOf(model, placed, place, returned, statements, alongside);
}

function conflictOf({ key, changes, only }: OnConflict, action: Create, tools: ActionTools) {
  const written = changes.map(({ field, given, condition, otherwise }) => ({
    field,
    given,
    condition: condition ? conditionValue(condition, tools) : null,
    otherwise: otherwise && writtenValue(field, otherwise, action, tools),
  }));
  return { key, changes: written, only: only ?? null, isHeld: tools.plan.needsTransaction };
}

function conditionValue(condition: Expression, { environment }: ActionTools): WrittenValue {
  const { isAsync, run } = compileExpression(condition, environment);
  return { isAsync, run: (scope) => after(run(scope), (holds) => String(holds === true)) };
}

/** The selection for a record of which more is read afterwards. The compiler resolves it whatever the model. */
const ID = [
  { name: 'id', kind: 'value', value: { kind: 'field', path: [], model: '', field: 'id', type: { kind: 'string' } } },
] as const;

// ── Query action ────────────────────────────────────────────────────────────────────────────────────────────────────

type Gives = (scope: RequestScope) => Promise<Value>;

/** Reads, counts, changes or deletes the records of a query. */
function queryAction(action: QueryAction, tools: ActionTools): RunAction {
  const { query, does, record } = action;
  if (does.kind === 'find') return findAction(action, does, tools);
  if (does.kind === 'select' || does.kind === 'group') return selecting(query, record, does, tools);
  const gives = givenBy(query, does, tools);
  return async (scope) => {
    const result = await gives(scope);
    if (record !== null) scope.records[resultName(record)] = result;
  };
}

type Does<Kind extends QueryAction['does']['kind']> = Extract<QueryAction['does'], { readonly kind: Kind }>;

function givenBy(query: QueryAction['query'], does: Does<'count' | 'delete' | 'update'>, tools: ActionTools): Gives {
  const { statements } = tools;
  const all =
    does.kind === 'count'
      ? countingOf(query, statements)
      : does.kind === 'delete'
        ? deleteAllOf(query, statements)
        : updateAllOf(query, updatedFields(query, does, tools), statements);
  return (scope) => all(scope);
}

/**
 * Collects the new values. Those that the server knows are evaluated once; those that depend on the record are
 * evaluated by the database.
 */
function updatedFields(query: QueryAction['query'], { values }: Does<'update'>, tools: ActionTools) {
  const model = tools.model(query.model);
  return values.map(({ field, value }) =>
    isServerOnly(value)
      ? { field, value: assignedValue(value, fieldOf(model, field), model, tools.environment) }
      : { field, of: value },
  );
}

/** The result as it is goes under a name of its own, beside what later expressions read of the records. */
function selecting(
  query: QueryAction['query'],
  record: string | null,
  does: Does<'select' | 'group'>,
  { statements, plan }: ActionTools,
): RunAction {
  const isGroups = does.kind === 'group';
  const results = isGroups ? groupReadingOf(query, does, statements) : readingOf(query, does.select, statements);
  const reads = isGroups || does.reads.length === 0 ? null : readingOf(query, does.reads, statements);
  const isSingle = query.cardinality !== 'many';
  const isChanged = isSingle && record !== null && plan.changed.has(record);
  const lock = reads && isChanged ? lockingFirst(reads, query.model, statements) : null;
  return async (scope) => {
    await lock?.(scope);
    const found = await results(scope);
    if (query.cardinality === 'one' && found.length === 0)
      throw new ApiError('not-found', { detail: 'A record that the request needs does not exist.' });
    if (record === null) return;
    scope.records[resultName(record)] = isSingle ? (found[0] ?? null) : found;
    if (isGroups) return;
    const snapshots = reads ? await reads(scope) : found;
    scope.records[record] = isSingle ? (snapshots[0] ?? null) : snapshots;
  };
}

/** A record that a later action changes by what is read of it here must stay as it is read. */
function lockingFirst(reads: Reading, model: string, statements: Statements): (scope: RequestScope) => Promise<void> {
  const lock = lockOf(model, statements);
  return async (scope) => {
    const [first] = await reads(scope);
    if (first) await lock(scope, String(first.id));
  };
}
