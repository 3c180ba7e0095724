/**
 * The transactions of an endpoint, compiled. One that ends in a call evaluates the arguments of the call, whose code then
 * runs without a transaction. The next one reads again what it names.
 */
import type {
  Create,
  Delete,
  Each,
  Refuse,
  ServiceCall,
  Update,
  Validate,
} from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { ApiError, type InputError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { resultName, type Snapshot } from '../expressions/scope.ts';
import { toldKeys } from '../plan/checks.ts';
import { inputsIn } from '../plan/input-uses.ts';
import {
  changedModels,
  type OuterRecord,
  outerRecords,
  type Run,
  runsOf,
  type SetAction,
  setActions,
} from '../plan/loops.ts';
import { type NamedRecord, type Part, type PartAction, recordOf, type Transactional } from '../plan/parts.ts';
import { alreadyExists } from '../query/checks.ts';
import { type Bound, DatabaseError } from '../query/database.ts';
import { foundReadingOf } from '../query/found-records.ts';
import { deleteEachOf, type EachConflict, insertEachOf, updateEachOf } from '../query/insert-each.ts';
import type { WrittenValue } from '../query/writes.ts';
import { placeOfItem } from '../request/inputs.ts';
import { isList } from '../values/json.ts';
import type { Value } from '../values/value.ts';
import { runAction } from './action.ts';
import type { ActionTools, Outcome, PreparedCall, RequestScope, RunAction } from './action-tools.ts';
import { findingOf } from './find-action.ts';
import { storeJobsOf } from './store-jobs.ts';
import { assignedValue, fieldOf, fieldsOf, found, writtenValue } from './write-actions.ts';

export interface TransactionWork {
  /** Reads the records of earlier parts as they are now. None at the first part. */
  readonly readAgain: (scope: RequestScope) => Promise<void>;
  readonly needsCaller: boolean;
  readonly actions: readonly RunAction[];
}

export interface PartWork extends TransactionWork, Pick<Part, 'changesFirst'> {
  readonly call: CallWork | null;
}

export interface CallWork {
  readonly prepare: (scope: RequestScope) => Promise<PreparedCall>;
  /** The name of its result among the records; null where nothing uses it. */
  readonly result: string | null;
  readonly onFailure: TransactionWork;
}

export interface PartTools extends ActionTools {
  readonly prepare: (call: ServiceCall) => CallWork['prepare'];
  readonly lockFirst: ((scope: RequestScope) => Promise<void>) | null;
  readonly lockFurther: ((scope: RequestScope) => Promise<void>) | null;
}

export function partWork(part: Part, tools: PartTools): PartWork {
  const { changesFirst, call } = part;
  return { ...transactionWork(part, tools), changesFirst, call: call && callWork(call, tools) };
}

function callWork({ action, onFailure }: NonNullable<Part['call']>, tools: PartTools): CallWork {
  const { record } = action;
  return {
    prepare: tools.prepare(action),
    result: record && resultName(record),
    onFailure: transactionWork(onFailure, tools),
  };
}

function transactionWork({ actions, again, needsCaller }: Transactional, tools: PartTools): TransactionWork {
  const runs = runsOf(actions, tools.plan.endpoint.actions);
  return { readAgain: readingAgain(again, tools), needsCaller, actions: runs.map((run) => runOf(run, tools)) };
}

function runOf(run: Run, tools: ActionTools): RunAction {
  return run.each ? loopAction(run, run.each, tools) : runAction(run.actions[0] as PartAction, tools);
}

export async function runTransaction({ actions }: TransactionWork, scope: RequestScope, outcome: Outcome) {
  for (const action of actions) await action(scope, outcome);
}

// ── Reading again ────────────────────────────────────────────────────────────────────────────────────────────────────

function readingAgain(again: readonly NamedRecord[], tools: PartTools): TransactionWork['readAgain'] {
  const readings = again.map((record) => recordAgain(record, tools));
  const readAll = async (scope: RequestScope) => {
    for (const read of readings) await read(scope);
  };
  const { lockFirst, lockFurther } = tools;
  return async (scope) => {
    await lockFirst?.(scope);
    await readAll(scope);
    if (lockFurther === null) return;
    await lockFurther(scope);
    await readAll(scope);
  };
}

/** By their ids, whatever the path of the request or `only` would say about them by now. */
function recordAgain({ record, model, reads }: NamedRecord, { plan, statements }: PartTools) {
  const read = foundReadingOf(model, reads, plan.changed.has(record), statements);
  return async (scope: RequestScope) => {
    const known = scope.records[record] as Snapshot | readonly (Snapshot | null)[] | null;
    const snapshots = isList(known) ? (known as readonly (Snapshot | null)[]) : [known as Snapshot | null];
    const ids = snapshots.flatMap((snapshot) => (snapshot === null ? [] : String(snapshot.id)));
    const found = await read(ids, scope);
    if (new Set(ids).size > found.size) throw goneMeanwhile();
    const now = snapshots.map((snapshot) => snapshot && (found.get(String(snapshot.id)) as Snapshot));
    scope.records[record] = (isList(known) ? now : (now[0] ?? null)) as Value;
  };
}

export function goneMeanwhile(): ApiError {
  return new ApiError('not-found', { detail: 'A record that the request needs was deleted in the meantime.' });
}

// ── Loops ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// `for x in list { … }`: the actions are done for each item. Each item has a scope of its own, with the records that it is
// or names. Where one statement can do an action for all items, it does.

function loopAction(run: Run, each: Each, tools: ActionTools): RunAction {
  const list = compileExpression(each.list, tools.environment);
  const outer = outerRecords(run, tools.plan.endpoint, tools.definition);
  const sources = sourcesOf([...run.finds.flatMap(recordOf), ...outer], tools);
  const sets = setActions(run, outer);
  const all = sets ? togetherOf(sets, sources, tools) : inTurnOf(run, sources, tools);
  return async (scope, outcome) => {
    const items = ((await list.run(scope)) ?? []) as readonly Value[];
    const scopes = items.flatMap((item, at) => itemScope(item, at, each, run, scope) ?? []);
    try {
      await all(scopes, outcome);
    } catch (error) {
      const isUnique = error instanceof DatabaseError && error.kind === 'unique';
      throw (isUnique && taken(error, run, scopes, tools)) || error;
    }
  };
}

// ── The records of items ────────────────────────────────────────────────────────────────────────────────────────────

/** Records that the items are or name, and those from outside of the loop that it may change. */
interface Source {
  readonly record: string;
  readonly model: string;
  readonly isOuter: boolean;
  /** Reads those of some items again. */
  readonly refresh: (scopes: readonly RequestScope[]) => Promise<void>;
}

function sourcesOf(named: readonly (NamedRecord | OuterRecord)[], tools: ActionTools): readonly Source[] {
  return named.map((each) => {
    const { record, model } = each;
    const find = findingOf(each, tools);
    const refresh = async (scopes: readonly RequestScope[]) => {
      const ids = scopes.map((scope) => idIn(scope, record));
      const again = await find(ids, scopes[0] as RequestScope);
      // What an earlier item has deleted stays as it was.
      scopes.forEach(({ records }, at) => {
        if (again[at]) records[record] = { ...(records[record] as Snapshot), ...again[at] };
      });
    };
    return { record, model, isOuter: 'byAny' in each, refresh };
  });
}

function idIn({ records }: RequestScope, record: string): Value {
  return (records[record] as Snapshot | null)?.id ?? null;
}

/** The scope of an item; null where the item is a record that is gone. */
function itemScope(item: Value, at: number, each: Each, { finds }: Run, scope: RequestScope): RequestScope | null {
  const records = { ...scope.records, [resultName(each.item)]: item };
  for (const { record, does } of finds) {
    const own = (scope.records[record] as readonly Snapshot[] | null)?.[at] ?? null;
    // Those that a client names exist, or are null.
    if (own === null && does.input === null) return null;
    records[record] = own;
  }
  return { ...scope, records, item: at };
}

// ── Values that are taken ───────────────────────────────────────────────────────────────────────────────────────────

/**
 * Reports a unique value that another record has at the last item that brings it: an earlier one may be that record's.
 * It is not looked for before the loop, because an earlier item may give the value up.
 */
function taken({ table, key }: DatabaseError, run: Run, scopes: readonly RequestScope[], tools: ActionTools) {
  const errors = run.actions.flatMap((action): readonly InputError[] => {
    if (action.kind !== 'create' && action.kind !== 'update') return [];
    const model = tools.model(action.model);
    const columns = (fields: readonly string[]) => fields.map((field) => fieldOf(model, field).column).join(', ');
    const fields = toldKeys(model).find((each) => table === model.table && columns(each) === key?.column) ?? [];
    const set = fields.flatMap((name) => action.values.find(({ field }) => field === name) ?? []);
    // It is not told which items have met it.
    if (set.some(({ condition }) => condition)) return [];
    const inputs = set.flatMap(({ value }) => inputsIn(value, action, run.finds)).filter(({ ofItems }) => ofItems);
    const input = inputs.find(({ path }) => fields.includes(path.at(-1) as string)) ?? inputs[0];
    const values = set.map(({ field, value }) => assignedValue(value, fieldOf(model, field), model, tools.environment));
    const text = (scope: RequestScope) => values.map(({ isAsync, run }) => (isAsync ? null : run(scope))).join(', ');
    const last = scopes.findLast((scope) => text(scope) === key?.value);
    return input && last ? [alreadyExists(placeOfItem(input.path, last.item as number), fields)] : [];
  });
  return errors.length > 0 ? new ApiError('validation-failed', { errors: errors.slice(0, 1) }) : null;
}

// ── One item after the other ────────────────────────────────────────────────────────────────────────────────────────

type All = (scopes: readonly RequestScope[], outcome: Parameters<RunAction>[1]) => Promise<void>;

/** Runs the items one after another: later items see the changes of earlier ones. */
function inTurnOf({ actions }: Run, sources: readonly Source[], tools: ActionTools): All {
  const steps = actions.map((action) => runAction(action, tools));
  return async (scopes, outcome) => {
    for (const [at, scope] of scopes.entries()) {
      if (at > 0) for (const { refresh } of sources) await refresh([scope]);
      for (const step of steps) await step(scope, outcome);
    }
  };
}

// ── All items together ──────────────────────────────────────────────────────────────────────────────────────────────

/** An item whose record an earlier item changes begins a new round, so that it sees the change. */
function togetherOf(actions: readonly SetAction[], sources: readonly Source[], tools: ActionTools): All {
  const steps = groupsOf(stepsOf(actions, tools)).map(sentTogether);
  const models = changedModels(actions);
  const changed = sources.filter(({ model }) => models.has(model));
  return async (scopes, outcome) => {
    for (const [at, round] of roundsOf(scopes, changed).entries()) {
      if (at > 0) for (const { refresh } of changed) await refresh(round);
      for (const step of steps) await step(round, outcome);
    }
  };
}

/**
 * In each round, a record occurs once, and no item reads from outside what an item before it changes. The rounds are
 * pieces of the list, so that its order is kept.
 */
function roundsOf(scopes: readonly RequestScope[], sources: readonly Source[]): readonly RequestScope[][] {
  const rounds: RequestScope[][] = [];
  const seen = new Set<string>();
  for (const scope of scopes) {
    const keyOf = ({ model, record }: Source) => `${model} ${String(idIn(scope, record))}`;
    const isNext = sources.some((source) => seen.has(keyOf(source)));
    if (isNext) seen.clear();
    for (const source of sources) if (!source.isOuter) seen.add(keyOf(source));
    if (isNext || rounds.length === 0) rounds.push([]);
    rounds.at(-1)?.push(scope);
  }
  return rounds;
}

interface Step {
  readonly run: All;
  /** Whether it sends its statement at once, because no value has to be waited for. */
  readonly isImmediate: boolean;
  /** Whether nothing after it needs what its statement returns. */
  readonly isUnread: boolean;
}

/** Steps whose statements share a round trip. */
function groupsOf(steps: readonly Step[]): readonly Step[][] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last?.at(-1)?.isUnread && step.isImmediate) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

/** Postgres runs the statements in order, and none after one that fails. So the first failure is the one that counts. */
function sentTogether(steps: readonly Step[]): All {
  return async (scopes, outcome) => {
    const results = await Promise.allSettled(steps.map(({ run }) => run(scopes, outcome)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  };
}

function stepsOf(actions: readonly SetAction[], tools: ActionTools): readonly Step[] {
  const steps: Step[] = [];
  // Those in a row are one step: the first item with a mistake is told, whichever of them finds it.
  let checks: RunAction[] = [];
  for (const action of actions) {
    if (action.kind === 'refuse' || action.kind === 'validate') {
      if (checks.length === 0) steps.push(checkStep(checks));
      checks.push(runAction(action, tools));
    } else {
      steps.push(setStep(action, tools));
      checks = [];
    }
  }
  return steps;
}

function setStep(action: Exclude<SetAction, Refuse | Validate>, tools: ActionTools): Step {
  switch (action.kind) {
    case 'create':
      return createStep(action, tools);
    case 'update':
      return updateStep(action, tools);
    case 'delete':
      return deleteStep(action, tools);
    case 'run':
      return { run: storeJobsOf(action, tools), isImmediate: false, isUnread: false };
  }
}

function checkStep(checks: readonly RunAction[]): Step {
  const run: All = async (scopes, outcome) => {
    for (const scope of scopes) for (const check of checks) await check(scope, outcome);
  };
  return { run, isImmediate: false, isUnread: false };
}

/** Evaluates the values for each item, and passes them on: at once if no value has to be waited for. */
function withRows(
  values: readonly WrittenValue[],
  write: (rows: readonly (readonly Bound[])[], scopes: readonly RequestScope[], first: RequestScope) => Promise<void>,
): Pick<Step, 'run' | 'isImmediate'> {
  const isImmediate = values.every(({ isAsync }) => !isAsync);
  const run: All = async (scopes) => {
    const [first] = scopes;
    if (!first) return;
    const rows: (readonly Bound[])[] = [];
    for (const scope of scopes)
      rows.push(isImmediate ? values.map((value) => value.run(scope) as Bound) : await evaluated(values, scope));
    await write(rows, scopes, first);
  };
  return { run, isImmediate };
}

async function evaluated(values: readonly WrittenValue[], scope: RequestScope): Promise<readonly Bound[]> {
  const bounds: Bound[] = [];
  for (const { isAsync, run } of values) bounds.push(isAsync ? await run(scope) : (run(scope) as Bound));
  return bounds;
}

function createStep(action: Create, tools: ActionTools): Step {
  const fields = fieldsOf(action, tools);
  const { conflict, others } = conflictOf(action, tools);
  const names = fields.map(({ field }) => field);
  const values = fields.map(({ value }) => value);
  const insert = insertEachOf(action.model, names, conflict, { reads: action.reads, select: null }, tools.statements);
  const step = withRows(values, async (rows, scopes, first) => {
    const sameForAll = others.length === 0 ? [] : await evaluated(others, first);
    keep(action.record, await insert(rows, sameForAll, first), scopes);
  });
  return conflict
    ? { run: step.run, isImmediate: false, isUnread: false }
    : { ...step, isUnread: action.reads.length === 0 };
}

function keep(record: string, made: readonly Snapshot[], scopes: readonly RequestScope[]): void {
  scopes.forEach((scope, at) => {
    scope.records[record] = found(made[at]);
  });
}

function updateStep(action: Update, tools: ActionTools): Step {
  const model = tools.model(action.model);
  const assigned = (field: string, value: Expression) =>
    assignedValue(value, fieldOf(model, field), model, tools.environment);
  const fields = [{ field: 'id', value: action.id }, ...action.values];
  const values = fields.map(({ field, value }) => assigned(field, value));
  const names = fields.map(({ field }) => field);
  const update = updateEachOf(action.model, names, { reads: action.reads, select: null }, tools.statements);
  const step = withRows(values, async (rows, scopes, first) =>
    keep(action.record, await update(rows, [], first), scopes),
  );
  return { ...step, isUnread: action.reads.length === 0 };
}

function deleteStep({ model: name, target }: Delete, tools: ActionTools): Step {
  if (target.kind !== 'id') throw new Error('not a delete of one record');
  const model = tools.model(name);
  const id = assignedValue(target.id, fieldOf(model, 'id'), model, tools.environment);
  const remove = deleteEachOf(name, tools.statements);
  const step = withRows([id], async (rows, _scopes, first) => {
    const ids = rows.map(([each]) => each as string);
    const count = await remove(ids, first);
    found(count < ids.length ? null : count);
  });
  return { ...step, isUnread: true };
}

interface Conflict {
  readonly conflict: EachConflict | null;
  /** The values that are the same for all items. */
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
