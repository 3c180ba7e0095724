/**
 * The accesses of an endpoint: the items that it reads without a lock before it decides what to write, and the items
 * that it writes.
 *
 * Only deciding parts count: `authorize`, `only`, the checks of inputs, and the actions. Reads for the response alone
 * change nothing. The path does not count either: its records are found by then.
 */

import type { Definition } from './definition.ts';
import type { Action, Endpoint } from './endpoint.ts';
import type { Expression, HookArgument, Read, Snapshot } from './expression.ts';
import { hasNode, isOwnCode, modelsOfRecords, nodesIn, referencesTo } from './lookup.ts';
import { fieldOf, ITSELF, type Item, isPart, NOTHING_LOCKED, pathName, ReadItems, recordsOf } from './read-items.ts';

export interface Reads {
  readonly items: ReadonlySet<Item>;
  /** The part of them that is read of the caller's record. */
  readonly ofCaller: ReadonlySet<Item>;
  /** The part of them that code with the database may write, too. */
  readonly writtenByCode: readonly Item[];
  /** Whether code of a file runs in its transactions. */
  readonly hasCode: boolean;
}

/** By the names of records of the path that are locked first: the references whose other side they are. */
export type LockedRelations = ReadonlyMap<string, ReadonlySet<Item>>;

const NO_RELATIONS: LockedRelations = new Map();

export interface Writes {
  /** The items of new records: nobody else can have changed them. */
  readonly inserts: Set<Item>;
  /** The items of records that existed before. */
  readonly changes: Set<Item>;
}

/** The accesses of the endpoints of one definition. */
export interface Accesses {
  readsOf(endpoint: Endpoint, locked?: LockedRelations): Reads;
  writesOf(endpoint: Pick<Endpoint, 'actions'>, reads: Pick<Reads, 'writtenByCode'>): Writes;
  /** The references of `of` to records that are deleted with one of `model`. */
  referencesTaken(model: string, of: string): readonly string[];
}

export function accessesIn(definition: Definition): Accesses {
  return {
    readsOf(endpoint, locked = NO_RELATIONS) {
      const deciding = decidingOf(endpoint);
      const reads = decidingReads(endpoint, deciding, definition, locked);
      const ofCaller = callerReadsOf(endpoint, deciding, definition);
      const writtenByCode = deciding.hasSource && endpoint.method !== 'GET' ? reads.ofCollections() : [];
      return { items: new Set([...reads.items, ...ofCaller]), ofCaller, writtenByCode, hasCode: deciding.hasSource };
    },
    writesOf({ actions }, { writtenByCode }) {
      const writes: Writes = { inserts: new Set(), changes: new Set(writtenByCode) };
      for (const action of actions) addWrites(action, writes, definition);
      return writes;
    },
    referencesTaken(model, of) {
      const incoming = [...goneWith(model, definition)].flatMap((gone) => referencesTo(definition, gone));
      return incoming.filter(({ from }) => from === of).map(({ field }) => field);
    },
  };
}

// ── What is written ─────────────────────────────────────────────────────────────────────────────────────────────────

function addWrites(action: Action, { inserts, changes }: Writes, definition: Definition): void {
  const change = (model: string, values: readonly { readonly field: string }[]) => {
    for (const { field } of values) changes.add(fieldOf(model, field));
  };
  switch (action.kind) {
    case 'create':
      inserts.add(recordsOf(action.model));
      change(action.model, action.onConflict?.changes ?? []);
      if (action.link) change(action.link.model, [action.link]);
      return;
    case 'update':
      change(action.model, action.values);
      return;
    case 'delete':
      if (action.link) change(action.link.model, [action.link]);
      addDeleted(action.model, changes, definition);
      return;
    case 'query':
      if (action.does.kind === 'update') change(action.query.model, action.does.values);
      if (action.does.kind === 'delete') addDeleted(action.query.model, changes, definition);
      return;
  }
}

/**
 * Adds the records that are deleted together with a record, and the references that are set to null. The fields of a
 * deleted record are not listed. The writes of custom code are among the changes already, without the records that go
 * with them.
 */
function addDeleted(model: string, changes: Set<Item>, definition: Definition): void {
  for (const name of goneWith(model, definition)) {
    changes.add(recordsOf(name));
    for (const { from, onDelete, field } of referencesTo(definition, name))
      if (onDelete === 'set null') changes.add(fieldOf(from, field));
  }
}

/** The model itself, and those whose records are deleted with its own. */
function goneWith(model: string, definition: Definition): ReadonlySet<string> {
  const gone = new Set([model]);
  // The set grows during the loop.
  for (const name of gone)
    for (const { from, onDelete } of referencesTo(definition, name)) if (onDelete === 'cascade') gone.add(from);
  return gone;
}

// ── What decides ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The parts of an endpoint that decide whether and what it writes. */
interface Deciding {
  /** The names of the reads that are used, by the name of their record; `=` for a whole result. */
  readonly used: ReadonlyMap<string, ReadonlySet<string>>;
  readonly hookQueries: readonly Extract<HookArgument, { kind: 'query' }>[];
  /** Inline code sees only its arguments. Code in a file has the transaction, and may write what was counted. */
  readonly hasSource: boolean;
}

function decidingOf({ records, authorize, request, actions }: Endpoint): Deciding {
  const guards = [records.map(({ only }) => only), authorize, request];
  // The body of a webhook decides nothing.
  const decide = actions.filter((action) => !(action.kind === 'execute' && isOwnCode(action.hook.code)));
  const parts = [guards, decide.filter(({ kind }) => kind !== 'respond')];
  const inTransaction = [guards, decide.filter(({ kind }) => kind !== 'service-call')];
  const used = new Map<string, Set<string>>();
  for (const { record, read } of nodesIn<Snapshot>(parts, ({ kind }) => kind === 'snapshot'))
    used.set(record, (used.get(record) ?? new Set()).add(read ?? '='));
  return {
    used,
    hookQueries: nodesIn(parts, ({ kind, query, select }) => kind === 'query' && Boolean(query && select)),
    hasSource: hasNode(inTransaction, ({ kind, file }) => kind === 'source' && file !== undefined),
  };
}

function decidingReads(
  endpoint: Endpoint,
  { used, hookQueries }: Deciding,
  definition: Definition,
  locked: LockedRelations,
): ReadItems {
  const { records, actions } = endpoint;
  const changed = changedRecords(actions);
  const items = new ReadItems(definition, rowsOfRecords(endpoint, definition, locked));
  for (const { record, model, only, reads } of records) {
    const lockedRelations = locked.get(record);
    const itself = lockedRelations ? ITSELF : NOTHING_LOCKED;
    const lockedPaths = changed.has(record) ? lockedPathsOf(record, reads, actions) : itself;
    const row = { model, lockedPaths, lockedRelations };
    items.add(usedOf(reads, used.get(record)), row);
    if (only) items.add([{ value: only }], row);
  }
  for (const action of actions) addActionReads(action, used, changed, items);
  for (const { query, select } of hookQueries) items.addHookQuery(query, select);
  return items;
}

function callerReadsOf(endpoint: Endpoint, { used }: Deciding, definition: Definition): ReadonlySet<Item> {
  const items = new ReadItems(definition, rowsOfRecords(endpoint, definition, NO_RELATIONS));
  const model = definition.auth?.model;
  if (model === undefined) return items.items;
  const lockedPaths = changedRecords(endpoint.actions).has('@auth') ? ITSELF : NOTHING_LOCKED;
  items.add(usedOf(endpoint.authReads, used.get('@auth')), { model, lockedPaths });
  return items.items;
}

function usedOf(reads: readonly Read[], used: ReadonlySet<string> | undefined): readonly Read[] {
  return reads.filter(({ name }) => used?.has(name));
}

function addActionReads(
  action: Action,
  used: ReadonlyMap<string, ReadonlySet<string>>,
  changed: ReadonlySet<string>,
  items: ReadItems,
): void {
  switch (action.kind) {
    case 'create':
    case 'update': {
      // The record itself is locked by being written. A record that stays as it is is only read.
      const isKept = action.kind === 'create' && action.onConflict?.changes.length === 0;
      const lockedPaths = isKept ? NOTHING_LOCKED : ITSELF;
      const row = { model: action.model, lockedPaths };
      items.add(usedOf(action.reads, used.get(action.record)), row);
      if (action.kind === 'create' && action.onConflict?.only) items.add([{ value: action.onConflict.only }], row);
      return;
    }
    case 'delete':
      if (action.target.kind === 'query') items.addQuery(action.target.query, null);
      return;
    case 'query': {
      const { query, does, record } = action;
      if (does.kind === 'find') {
        const lockedPaths = record !== null && changed.has(record) ? ITSELF : NOTHING_LOCKED;
        items.add(usedOf(does.reads, used.get(record ?? '')), { model: query.model, lockedPaths });
        return;
      }
      const isUsed = record !== null && used.has(record);
      const isRead = does.kind === 'select' || does.kind === 'count' || does.kind === 'group';
      if (isRead && !isUsed && query.cardinality !== 'one') return;
      const each = items.addQuery(query, null);
      if (does.kind === 'update') items.add(does.values, { model: query.model, lockedPaths: ITSELF });
      if (does.kind === 'group') {
        const order = isPart(query) ? does.orderBy : [];
        items.add([...does.keys, ...does.select, ...order], each);
      }
      if (does.kind !== 'select') return;
      const isLocked = query.cardinality !== 'many' && record !== null && changed.has(record);
      const row = isLocked ? { model: query.model, lockedPaths: ITSELF } : each;
      items.add(usedOf(does.reads, used.get(record ?? '')), row);
      if (used.get(record ?? '')?.has('=')) items.add(does.select, row);
      return;
    }
  }
}

// ── What is locked ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The names of the records that actions change: those are locked when they are read. */
function changedRecords(actions: readonly Action[]): ReadonlySet<string> {
  const targets = actions.map(targetOf);
  return new Set(targets.flatMap((target) => (target?.kind === 'snapshot' ? [target.record] : [])));
}

function targetOf(action: Action): Expression | null {
  if (action.kind === 'update') return action.id;
  return action.kind === 'delete' && action.target.kind === 'id' ? action.target.id : null;
}

/** The paths to records that are locked beside this one, such as the author in `update post.author { … }`. */
function lockedPathsOf(record: string, reads: readonly Read[], actions: readonly Action[]): ReadonlySet<string> {
  const names = actions.flatMap((action) => {
    const target = action.kind === 'update' ? action.id : null;
    return target?.kind === 'snapshot' && target.record === record && target.read ? [target.read] : [];
  });
  const paths = reads.flatMap((read) =>
    names.includes(read.name) && read.kind === 'value' && read.value.kind === 'field'
      ? [pathName(read.value.path)]
      : [],
  );
  return new Set(['', ...paths]);
}

// ── Names ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function rowsOfRecords(endpoint: Endpoint, definition: Definition, locked: LockedRelations) {
  const found = modelsOfRecords(endpoint, definition);
  return (record: string) => {
    const model = found.get(record);
    return model === undefined
      ? undefined
      : { model, lockedPaths: NOTHING_LOCKED, lockedRelations: locked.get(record) };
  };
}
