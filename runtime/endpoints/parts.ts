/**
 * The transactions of an endpoint, compiled. One that ends in a call evaluates the arguments of the call, whose code then
 * runs without a transaction. The next one reads again what it names.
 */
import type { ServiceCall } from '../../compiler/definition/endpoint.ts';
import { ApiError } from '../errors/api-error.ts';
import { resultName, type Snapshot } from '../expressions/scope.ts';
import { type Run, runsOf } from '../plan/loops.ts';
import type { NamedRecord, Part, PartAction, Transactional } from '../plan/parts.ts';
import { foundReadingOf } from '../query/found-records.ts';
import { isList } from '../values/json.ts';
import type { Value } from '../values/value.ts';
import { runAction } from './action.ts';
import type { ActionTools, Outcome, PreparedCall, RequestScope, RunAction } from './action-tools.ts';
import { loopAction } from './loop-action.ts';

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
