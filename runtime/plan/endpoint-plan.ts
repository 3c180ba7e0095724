/**
 * The plan of an endpoint, made before a request comes: whether it runs custom code, what needs a transaction, what is
 * read together. Endpoint in, decisions out; no SQL yet.
 */
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type { Action, Create, Delete, Endpoint, RecordLock, Run, Update } from '../../compiler/definition/endpoint.ts';
import type { Expression, Operation, Read, Selected, Type } from '../../compiler/definition/expression.ts';
import { fileInputs } from '../../compiler/definition/files.ts';
import { filterParameters } from '../../compiler/definition/list-filters.ts';
import { conjuncts, hasNode, modelIn } from '../../compiler/definition/lookup.ts';
import { needOfPrimary, rulesReadRecords } from '../../compiler/definition/replicas.ts';
import { lockingEndpoints, serializableEndpoints } from '../../compiler/definition/serializable.ts';
import { isConditional } from '../../compiler/definition/versions.ts';
import { type Check, checksOf, isComputed, namesByOther } from './checks.ts';
import { withLocation } from './location.ts';
import { isHookInside, mentions, mentionsRead, usesHooks } from './mentions.ts';
import { type Part, partsOf, targetOf } from './parts.ts';

export interface EndpointPlan {
  readonly endpoint: Endpoint;
  /** Its transactions. */
  readonly parts: readonly Part[];
  /** Whether its actions run jobs, or change records that may have reactions. */
  readonly mayStoreJobs: boolean;
  /** The `run` whose job is stored by the statement that makes the one record. */
  readonly storedByCreate: Run | null;
  /** Whether it runs code of the application, which sees Express's request and response and the transaction. */
  readonly usesHooks: boolean;
  /** Whether an input is a file, so that a form may be sent. */
  readonly takesFiles: boolean;
  /** Whether its statements are one transaction. A single statement is one by itself. */
  readonly needsTransaction: boolean;
  /**
   * `serializable`: as if no other request ran at the same time. `repeatable read`: all statements see the same moment.
   * `read committed`: each sees what is there when it runs.
   */
  readonly isolation: 'read committed' | 'repeatable read' | 'serializable';
  /** Whether the caller, who was read before the transaction, is read again inside it. */
  readonly rereadsCaller: boolean;
  /** Records that are locked before anything else is read, because a rule reads what belongs to them. */
  readonly lockedFirst: readonly LockedRecord[];
  /** The records of the path that must not change between being read and being changed. */
  readonly locked: ReadonlySet<string>;
  /** Records at the end of a path from those, which are locked once their ids are known; then all is read again. */
  readonly lockedFurther: readonly LockedRecord[];
  /** Names of records that actions change. */
  readonly changed: ReadonlySet<string>;
  /** The same of the caller, who was read before the transaction. */
  readonly locksCaller: boolean;
  /** Whether the answer is read together with the record that the path names. */
  readonly answersFromPath: boolean;
  /** What may be read on a replica: all, or the answer alone where rules read records, or nothing. */
  readonly onReplica: 'all' | 'answer' | null;
  /** The one action whose statement gives back the answer, too. */
  readonly answersFromWrite: Create | Update | null;
  /** Whether the records of the path are found by the statement that writes. */
  readonly isFused: boolean;
  readonly guards: Guards;
  readonly checks: readonly Check[];
  /**
   * Whether the checks are made before the actions. A single write needs none: the database refuses it by itself, and
   * only then it is asked for the reasons. Nor does an action that reads the only records that are looked for.
   */
  readonly checksFirst: boolean;
  /** Lists and filters: the names that may be in a query string several times. */
  readonly repeatable: ReadonlySet<string>;
}

export function planOf(written: Endpoint, definition: Definition): EndpointPlan {
  const located = withLocation(written, definition);
  const recordLocks = lockingEndpoints(definition).get(written.id) ?? [];
  const { endpoint, locks: lockedFirst } = withLocks(located, recordLocks, definition);
  const hooks = usesHooks(endpoint, definition);
  const stored = storedByCreate(endpoint);
  const writes = endpoint.actions.filter((action) => isWrite(action) && action !== stored);
  const single = hooks ? null : singleWrite(endpoint, writes, stored);
  const locked = lockedRecords(located);
  const locksCaller = changesCaller(endpoint);
  const lockedFurther = furtherRecords(endpoint);
  const takesFiles = fileInputs(endpoint, definition).length > 0;
  const serializable = serializableEndpoints(definition).get(endpoint.id);
  const needsTransaction =
    serializable !== undefined ||
    endpoint.signed !== undefined ||
    endpoint.versioned === true ||
    takesFiles ||
    hooks ||
    locksCaller ||
    lockedFirst.length > 0 ||
    lockedFurther.length > 0 ||
    locked.size > 0 ||
    (writes.length > 0 && single === null);
  // Of several writes, an earlier one may give up the value that a later one computes, and a call may change it.
  const checks = checksOf(endpoint, definition).filter((check) => single !== null || !isComputed(check));
  const checksFirst =
    (single === null && !isFoundByAction(checks, endpoint)) ||
    checks.some((check) => check.kind === 'find' && namesByOther(check));
  return {
    endpoint,
    parts: partsOf(endpoint),
    mayStoreJobs: mayStoreJobs(endpoint, definition),
    storedByCreate: single && stored,
    usesHooks: hooks,
    takesFiles,
    needsTransaction,
    isolation: serializable ? 'serializable' : isReadAtOnce(endpoint, hooks) ? 'repeatable read' : 'read committed',
    rereadsCaller: serializable?.rereadsCaller ?? false,
    lockedFirst,
    locked,
    lockedFurther,
    changed: new Set(endpoint.actions.flatMap(targetOf)),
    locksCaller,
    answersFromPath: answersFromPath(endpoint),
    onReplica:
      needsTransaction || needOfPrimary(endpoint, definition) ? null : rulesReadRecords(endpoint) ? 'answer' : 'all',
    answersFromWrite: answeringWrite(endpoint, single) ?? (hooks ? null : answeringCreate(endpoint)),
    isFused: !checksFirst && !isConditional(endpoint) && lockedFirst.length === 0 && isFused(endpoint, single),
    guards: guardsOf(endpoint),
    checks,
    checksFirst,
    repeatable: repeatableNames(endpoint),
  };
}

/** A delete may cascade to records with reactions, and code may change any. */
function mayStoreJobs({ actions }: Endpoint, { reactions = [] }: Definition): boolean {
  return actions.some(({ kind }) => kind === 'run') || (reactions.length > 0 && actions.length > 0);
}

function repeatableNames({ request, response }: Endpoint): ReadonlySet<string> {
  const lists = request.inputs.filter((input) => input.kind === 'value' && input.type.many);
  const fields = response.kind === 'list' ? (response.filterable ?? []) : [];
  const filters = fields.flatMap(filterParameters).filter(({ takesSeveral }) => takesSeveral);
  return new Set([...lists, ...filters].map(({ name }) => name));
}

/**
 * Whether all is read at one moment: hooks need all their records of one moment, even if several statements read them;
 * so do a version and its body.
 */
function isReadAtOnce({ actions, versioned }: Endpoint, hooks: boolean): boolean {
  return (hooks || versioned === true) && actions.length === 0;
}

function isWrite(action: Action): boolean {
  if (action.kind === 'query') return action.does.kind === 'update' || action.does.kind === 'delete';
  return action.kind === 'create' || action.kind === 'update' || action.kind === 'delete' || action.kind === 'run';
}

/** The only statement that changes anything, where nothing else has to be true at the same time. */
function singleWrite(
  { actions, response }: Endpoint,
  writes: readonly Action[],
  stored: Run | null,
): Create | Update | Delete | null {
  const [write] = writes;
  if (writes.length !== 1 || write === undefined || write.kind === 'query' || ('each' in write && write.each))
    return null;
  const at = actions.indexOf(write);
  const isPart = (action: Action) => action === write || action === stored;
  if (!actions.every((action, place) => isPart(action) || isHarmless(action, place < at))) return null;
  if (write.kind === 'delete') return write.link === null && write.target.kind === 'id' ? write : null;
  if (write.kind !== 'create' && write.kind !== 'update') return null;
  if (write.kind === 'create' && write.link !== null) return null;
  const answer = response.kind === 'record' && response.record === write.record ? response.select : [];
  const isSelfContained = isNear([...write.reads, ...answer], write.model);
  return isSelfContained && (response.kind !== 'record' || answer.length > 0) ? write : null;
}

/** Needs nothing of the new record but its id. */
function storedByCreate({ actions }: Endpoint): Run | null {
  const [create, run, ...others] = actions.filter(isWrite);
  if (create?.kind !== 'create' || create.onConflict || create.onlyWith) return null;
  if (run?.kind !== 'run' || run.each || others.length > 0) return null;
  const made = new Set([create.record]);
  const rest = run.values.filter(({ value }) => !isIdOf(create, value));
  return mentions([rest, run.due, run.once, run.line], made) ? null : run;
}

export function isIdOf({ record }: Create, value: Expression): boolean {
  return value.kind === 'snapshot' && value.record === record && value.read === 'id';
}

/** Whether an action needs no rollback. One that ends the request after the write has to undo the write. */
function isHarmless({ kind }: Action, isBefore: boolean): boolean {
  return kind === 'respond' || (isBefore && (kind === 'validate' || kind === 'refuse'));
}

/** Whether all of it stands in the record itself, or in records of other models that it refers to. */
export function isNear(items: readonly (Selected | Read)[], model: string): boolean {
  return items.every((item) => {
    if (item.kind === 'value') return item.value.kind === 'field' && isNearPath(item.value.path, model);
    if (item.kind === 'hook' || item.many) return false;
    const isOfRow = !('origin' in item) || item.origin.kind === 'row';
    return isOfRow && isNearPath(item.path, model) && isNear(item.select, model);
  });
}

function isNearPath(path: readonly { readonly kind: string; readonly model: string }[], model: string): boolean {
  return path.every((step) => step.kind === 'reference' && step.model !== model);
}

/** An action that changes a record by what was read of it must be sure that it still is so. */
function lockedRecords(endpoint: Endpoint): ReadonlySet<string> {
  const { records, actions } = endpoint;
  if (isConditional(endpoint)) return new Set(records.slice(-1).map(({ record }) => record));
  const changed = new Set(actions.flatMap(targetOf));
  const read = records.filter(({ record, reads }) => changed.has(record) && reads.some(({ name }) => name !== 'id'));
  return new Set(read.map(({ record }) => record));
}

/** Finds further records to lock, such as the author in `update post.author { set karma post.author.karma + 1 }`. */
function furtherRecords({ records, actions }: Endpoint): readonly LockedRecord[] {
  const names = new Set(records.map(({ record }) => record));
  return actions.flatMap((action) => {
    if (action.kind !== 'update' || action.id.kind !== 'snapshot' || action.id.read === 'id') return [];
    const isRead = names.has(action.id.record) && mentions(action.values, names);
    return isRead ? [{ model: action.model, id: action.id }] : [];
  });
}

function changesCaller({ actions, authReads }: Endpoint): boolean {
  return actions.flatMap(targetOf).includes('@auth') && authReads.some(({ name }) => name !== 'id');
}

/**
 * Whether the lookup can answer. Values of the records by their names are known only after they were found, and inputs
 * are checked only then.
 */
function answersFromPath({ records, actions, response }: Endpoint): boolean {
  if (actions.length > 0 || response.kind !== 'record' || response.record !== records.at(-1)?.record) return false;
  const names = new Set(records.map(({ record }) => record));
  return !mentions(response.select, names) && !hasNode(response.select, ({ kind }) => kind === 'input');
}

function answeringWrite({ response }: Endpoint, single: Create | Update | Delete | null): Create | Update | null {
  if (single === null || single.kind === 'delete' || response.kind !== 'record') return null;
  return single;
}

/** A create in a transaction, if the answer shows only columns of its own, and nothing that follows changes them. */
function answeringCreate({ actions, response, versioned }: Endpoint): Create | null {
  if (response.kind !== 'record' || versioned) return null;
  const at = actions.findIndex((action) => action.kind === 'create' && action.record === response.record);
  const create = actions[at];
  if (create?.kind !== 'create' || create.each || create.link || create.onConflict || create.onlyWith) return null;
  const isOwn = (item: Selected) =>
    item.kind === 'value' && item.value.kind === 'field' && item.value.path.length === 0;
  const followers = actions.slice(at + 1).filter(isWrite);
  return response.select.every(isOwn) && followers.every((write) => leavesAlone(write, create.model)) ? create : null;
}

/** A delete could take the record along. */
function leavesAlone(write: Action, model: string): boolean {
  if (write.kind === 'run') return true;
  if (write.kind === 'create') return write.model !== model && write.link === null;
  return write.kind === 'update' && write.model !== model;
}

/** It finds out by itself that a record is missing. */
function isFoundByAction([check, ...others]: readonly Check[], { actions: [first] }: Endpoint): boolean {
  if (check?.kind !== 'find' || others.length > 0 || first?.kind !== 'query' || first.does.kind !== 'find')
    return false;
  const { input, reads } = first.does;
  return input?.join('.') === check.path.join('.') && reads.some(({ name }) => name !== 'id');
}

// ── Guards ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// The parts of `authorize` that do not need the records of the path, or only the outer ones. They are checked before an
// inner record is looked for, so a 404 does not reveal which records exist.

interface Guards {
  readonly beforeRecords: readonly Expression[];
  readonly afterRecords: readonly Expression[];
  /** The guards that need only the outer records, from the outside in. They decide where an inner one is missing. */
  readonly byOuter: readonly OuterGuards[];
  /** Whether a value that the database calculates decides, which may be out of range. */
  readonly readsCalculated: boolean;
}

interface OuterGuards {
  /** How many records of the path it needs. */
  readonly count: number;
  readonly conditions: readonly Expression[];
}

function guardsOf({ authorize, authReads, records }: Endpoint): Guards {
  const names = new Set(records.map(({ record }) => record));
  const conditions = authorize.flatMap(conjuncts);
  const isFree = (condition: Expression) => names.size > 0 && !mentions(condition, names);
  const before = conditions.flatMap((condition) => (isFree(condition) ? [condition] : needed(condition, names)));
  return {
    // Code runs only for callers whom nothing else refuses.
    beforeRecords: [...before.filter((each) => !isHookInside(each)), ...before.filter(isHookInside)],
    afterRecords: conditions.filter((condition) => !isFree(condition)),
    byOuter: outerGuards(conditions, [...names]),
    readsCalculated: readsCalculated({ authorize, authReads, records }),
  };
}

function outerGuards(conditions: readonly Expression[], names: readonly string[]): readonly OuterGuards[] {
  return names.slice(1).flatMap((_, at) => {
    const [inner, outermost] = [new Set(names.slice(at + 1)), new Set(names.slice(at, at + 1))];
    const decided = conditions.flatMap((each) => (mentions(each, inner) ? needed(each, inner) : [each]));
    const own = decided.filter((each) => mentions(each, outermost));
    return own.length === 0 ? [] : [{ count: at + 1, conditions: own }];
  });
}

function readsCalculated({
  authorize,
  authReads,
  records,
}: Pick<Endpoint, 'authorize' | 'authReads' | 'records'>): boolean {
  const all = [{ record: '@auth', reads: authReads }, ...records];
  return all.some(({ record, reads }) =>
    reads.some((read) => isCalculated(read) && mentionsRead(authorize, record, read.name)),
  );
}

function isCalculated(read: Read): boolean {
  return read.kind !== 'value' || read.value.kind !== 'field';
}

/**
 * Collects the parts that must be true for the condition to be true, whatever the records are; empty where that is
 * unknown.
 */
function needed(condition: Expression, names: ReadonlySet<string>): readonly Expression[] {
  if (names.size === 0) return [];
  // The code of a hook runs once for a request, with the whole condition.
  if (!mentions(condition, names)) return isHookInside(condition) ? [] : [condition];
  if (condition.kind === 'truth') return needed(condition.value, names);
  if (condition.kind !== 'operation') return [];
  if (condition.operator === 'and') return condition.operands.flatMap((operand) => needed(operand, names));
  return condition.operator === 'or' ? neededOfAny(condition, names) : [];
}

function neededOfAny(condition: Operation, names: ReadonlySet<string>): readonly Expression[] {
  const parts = condition.operands.map((operand) => needed(operand, names));
  if (parts.some((part) => part.length === 0)) return [];
  const operands = parts.map((part) => all(part, condition));
  return [{ ...condition, operands }];
}

function all(parts: readonly Expression[], around: Operation): Expression {
  return parts.length === 1 ? (parts[0] as Expression) : { ...around, operator: 'and', operands: parts };
}

// ── Fusion ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// If only the ids of the records of a path are needed, one statement finds them and writes: it changes nothing where
// one of them is missing.

function isFused(endpoint: Endpoint, single: Create | Update | Delete | null): boolean {
  const { records, actions, authorize, request, response, head } = endpoint;
  if (single === null || actions.length !== 1 || records.length === 0 || authorize.length > 0) return false;
  const names = new Set(records.map(({ record }) => record));
  if (single.kind === 'create' && single.onConflict) return false;
  const isTarget = single.kind === 'create' || isIdOfLast(writtenId(single), endpoint);
  return isTarget && !mentions([request, response, head, otherParts(single, endpoint)], names);
}

/** The id of the record at the end of the path. */
export function isIdOfLast(value: Expression, { records }: Endpoint): boolean {
  return value.kind === 'snapshot' && value.record === records.at(-1)?.record && value.read === 'id';
}

function writtenId(write: Update | Delete): Expression {
  if (write.kind === 'update') return write.id;
  if (write.target.kind === 'id') return write.target.id;
  throw new Error('not a delete of one record');
}

/** All parts except the id of the last record itself. */
function otherParts(write: Create | Update | Delete, endpoint: Endpoint): unknown {
  if (write.kind === 'delete') return [];
  const values = write.values.map(({ value }) => value);
  const others = write.kind === 'create' ? values.filter((value) => !isIdOfLast(value, endpoint)) : values;
  return [others, write.values.map(({ condition }) => condition), write.reads];
}

// ── Locked records ───────────────────────────────────────────────────────────────────────────────────────────────────

// The records that an endpoint locks before it reads what a rule is about. Their ids are read with the records of
// the path.

interface LockedRecord {
  readonly model: string;
  readonly id: Expression;
}

interface PlannedLocks {
  readonly endpoint: Endpoint;
  readonly locks: readonly LockedRecord[];
}

function withLocks(endpoint: Endpoint, locks: readonly RecordLock[], definition: Definition): PlannedLocks {
  const records = endpoint.records.map((record) => {
    const fields = locks.filter((lock) => lock.record === record.record).map(({ field }) => field ?? 'id');
    const reads = fields.map((field) => {
      const value = {
        kind: 'field' as const,
        path: [],
        model: record.model,
        field,
        type: typeOf(record.model, field, definition),
      };
      return { name: nameOf(field), kind: 'value' as const, value };
    });
    return reads.length > 0 ? { ...record, reads: [...record.reads, ...reads] } : record;
  });
  return {
    endpoint: locks.length > 0 ? { ...endpoint, records } : endpoint,
    locks: locks.map(({ model, record, field }) => {
      const type = typeOf(model, 'id', definition);
      return { model, id: { kind: 'snapshot', record, read: nameOf(field ?? 'id'), type } };
    }),
  };
}

/** No author can give such a name. */
function nameOf(field: string): string {
  return `#lock.${field}`;
}

function typeOf(model: string, field: string, definition: Definition): Type {
  const { fields } = modelIn(definition, model) as Model;
  return (fields.find(({ name }) => name === field) as Model['fields'][number]).type;
}
