/**
 * What an endpoint reads without a lock before it decides what to write, and what it writes. Both are sets of items: a
 * field of a model (`Room.capacity`), or which records of a model there are (`Booking#records`).
 *
 * Only what decides counts: `authorize`, the checks of inputs, and the actions. What is read for the response alone
 * changes nothing. How a path names its records does not count either: they are found by then.
 */
import type {
  Action,
  Definition,
  Endpoint,
  Expression,
  HookArgument,
  Model,
  Origin,
  Query,
  Read,
  Selected,
  Step,
} from './definition.ts';
import { keptFor } from './kept.ts';

export type Item = string;

export interface Reads {
  readonly items: ReadonlySet<Item>;
  /** The part of them that is read of the caller's record. */
  readonly ofCaller: ReadonlySet<Item>;
  /** The part of them that code with the database may write, too. */
  readonly writtenByCode: readonly Item[];
}

export interface Writes {
  /** Of new records: nobody else can have changed them. */
  readonly inserts: Set<Item>;
  /** Of records that were there before. */
  readonly changes: Set<Item>;
}

/** For the endpoints of one definition. */
interface AccessesIn {
  readsOf(endpoint: Endpoint): Reads;
  writesOf(endpoint: Endpoint, reads: Reads): Writes;
}

export function accessesIn(definition: Definition): AccessesIn {
  const models = modelsIn(definition);
  return {
    readsOf(endpoint) {
      const deciding = decidingOf(endpoint);
      const reads = decidingReads(endpoint, deciding, definition, models);
      const ofCaller = callerReadsOf(endpoint, deciding, definition, models);
      const writtenByCode = deciding.hasSource && endpoint.method !== 'GET' ? reads.ofCollections() : [];
      return { items: new Set([...reads.items, ...ofCaller]), ofCaller, writtenByCode };
    },
    writesOf({ actions }, { writtenByCode }) {
      const writes: Writes = { inserts: new Set(), changes: new Set(writtenByCode) };
      for (const action of actions) addWrites(action, writes, models);
      return writes;
    },
  };
}

/** What a value over a row is computed from, through references, computed members and queries too. */
export function readsOfValue(value: Expression, model: string, definition: Definition): ReadonlySet<Item> {
  const reads = new ReadItems(modelsIn(definition), () => undefined);
  reads.add([{ value }], at(model));
  return reads.items;
}

/** Whether a value is read through a query that ends in `one`. Whether there is that record is for the rows to say. */
export function promisesRecord(part: unknown, definition: Definition): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { kind, many, nullable, model, computed } = part as Readonly<Record<string, unknown>>;
  if (kind === 'query' && many === false && nullable === false) return true;
  const owner = kind === 'computed' ? definition.models.find(({ name }) => name === model) : undefined;
  const behind = owner?.computed.find(({ name }) => name === computed);
  return [...Object.values(part), behind].some((inner) => promisesRecord(inner, definition));
}

/** Which records of a model there are. */
export function recordsOf(model: string): Item {
  return `${model}#records`;
}

export function fieldOf(model: string, field: string): Item {
  return `${model}.${field}`;
}

/** No name has a dot or a hash in it. */
export function modelOf(item: Item): string {
  const dot = item.indexOf('.');
  return item.slice(0, dot === -1 ? item.indexOf('#') : dot);
}

interface KnownModel {
  readonly model: Model;
  /** What is changed when one of its records is deleted; null until it is asked for. */
  deleted: readonly Item[] | null;
  /** The references of all models that lead to this one. */
  readonly referring: (Model['references'][number] & { readonly from: string })[];
}

type Models = ReadonlyMap<string, KnownModel>;

function modelsIn(definition: Definition): Models {
  const models = new Map<string, KnownModel>(
    definition.models.map((model) => [model.name, { model, referring: [], deleted: null }]),
  );
  for (const { name, references } of definition.models)
    for (const reference of references) models.get(reference.to)?.referring.push({ ...reference, from: name });
  return models;
}

// ── What is written ─────────────────────────────────────────────────────────────────────────────────────────────────

function addWrites(action: Action, { inserts, changes }: Writes, models: Models): void {
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
      addDeleted(action.model, changes, models);
      return;
    case 'query':
      if (action.does.kind === 'update') change(action.query.model, action.does.values);
      if (action.does.kind === 'delete') addDeleted(action.query.model, changes, models);
      return;
    case 'execute':
    case 'respond':
    case 'validate':
      return;
  }
}

/** What code may write is among the changes already, without what goes with it. */
function addDeleted(name: string, changes: Set<Item>, models: Models): void {
  for (const item of deletedWith(name, models)) changes.add(item);
}

/** Many endpoints delete records of the same model. */
function deletedWith(name: string, models: Models): readonly Item[] {
  const known = models.get(name);
  if (known === undefined) return [recordsOf(name)];
  known.deleted ??= [...findDeleted(name, models)];
  return known.deleted;
}

/**
 * With what goes, or loses its reference, together with the record. That all fields of a deleted record are changed is
 * not written out.
 */
function findDeleted(first: string, models: Models): ReadonlySet<Item> {
  const found = new Set<Item>();
  const gone = new Set([first]);
  // The set grows while it is gone through.
  for (const name of gone) {
    found.add(recordsOf(name));
    for (const { from, onDelete, field } of models.get(name)?.referring ?? []) {
      if (onDelete === 'cascade') gone.add(from);
      if (onDelete === 'set null') found.add(fieldOf(from, field));
    }
  }
  return found;
}

// ── What decides ────────────────────────────────────────────────────────────────────────────────────────────────────

/** What is found in the parts of an endpoint that decide whether and what is written. */
interface Deciding {
  /** By the names of their records, the names of the reads that are used; `=` for a result as it is. */
  readonly used: Map<string, Set<string>>;
  readonly hookQueries: Extract<HookArgument, { kind: 'query' }>[];
  /** Inline code sees only its arguments. Code in a file has the transaction, and may write what was counted. */
  hasSource: boolean;
}

const decidingOf = keptFor(({ authorize, request, actions }: Endpoint): Deciding => {
  const deciding: Deciding = { used: new Map(), hookQueries: [], hasSource: false };
  findDeciding([authorize, request, actions.filter(({ kind }) => kind !== 'respond')], deciding);
  return deciding;
});

interface AnyNode {
  readonly [key: string]: unknown;
}

function findDeciding(value: unknown, deciding: Deciding): void {
  const node = value as AnyNode;
  const { kind, record, read } = node;
  if (kind === 'snapshot') {
    const reads = deciding.used.get(String(record)) ?? new Set();
    deciding.used.set(String(record), reads.add(typeof read === 'string' ? read : '='));
  }
  if (kind === 'query' && node.query && node.select)
    deciding.hookQueries.push(value as Deciding['hookQueries'][number]);
  if (kind === 'source' && node.file !== undefined) deciding.hasSource = true;
  for (const key in node) {
    const inner = node[key];
    if (typeof inner === 'object' && inner !== null && key !== 'type') findDeciding(inner, deciding);
  }
}

function decidingReads(
  endpoint: Endpoint,
  { used, hookQueries }: Deciding,
  definition: Definition,
  models: Models,
): ReadItems {
  const { records, actions } = endpoint;
  const changed = changedRecords(actions);
  const items = new ReadItems(models, modelsOfRecords(endpoint, definition));
  for (const { record, model, reads } of records) {
    const lockedPaths = changed.has(record) ? lockedPathsOf(record, reads, actions) : NOTHING_LOCKED;
    items.add(usedOf(reads, used.get(record)), { model, lockedPaths });
  }
  for (const action of actions) addActionReads(action, used, changed, items);
  for (const { query, select } of hookQueries) items.addHookQuery(query, select);
  return items;
}

function callerReadsOf(
  endpoint: Endpoint,
  { used }: Deciding,
  definition: Definition,
  models: Models,
): ReadonlySet<Item> {
  const items = new ReadItems(models, modelsOfRecords(endpoint, definition));
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
      // The record itself is locked by being written. One that is kept is only read.
      const isKept = action.kind === 'create' && action.onConflict?.changes.length === 0;
      const lockedPaths = isKept ? NOTHING_LOCKED : ITSELF;
      items.add(usedOf(action.reads, used.get(action.record)), { model: action.model, lockedPaths });
      return;
    }
    case 'delete':
      if (action.target.kind === 'query') items.addQuery(action.target.query, null);
      return;
    case 'query': {
      const { query, does, record } = action;
      const isUsed = record !== null && used.has(record);
      const isRead = does.kind === 'select' || does.kind === 'count' || does.kind === 'group';
      if (isRead && !isUsed && query.cardinality !== 'one') return;
      items.addQuery(query, null);
      if (does.kind === 'update') items.add(does.values, { model: query.model, lockedPaths: ITSELF });
      if (does.kind === 'group') {
        const order = isPart(query) ? does.orderBy : [];
        items.add([...does.keys, ...does.select, ...order], at(query.model));
      }
      if (does.kind !== 'select') return;
      const isLocked = query.cardinality !== 'many' && record !== null && changed.has(record);
      const row = { model: query.model, lockedPaths: isLocked ? ITSELF : NOTHING_LOCKED };
      items.add(usedOf(does.reads, used.get(record ?? '')), row);
      if (used.get(record ?? '')?.has('=')) items.add(does.select, row);
      return;
    }
    case 'execute':
    case 'respond':
    case 'validate':
      return;
  }
}

// ── What is locked ──────────────────────────────────────────────────────────────────────────────────────────────────

const NOTHING_LOCKED: ReadonlySet<string> = new Set();
/** The path without steps. */
const ITSELF: ReadonlySet<string> = new Set(['']);

/** The names of the records that actions change: those are locked when they are read. */
function changedRecords(actions: readonly Action[]): ReadonlySet<string> {
  return new Set(actions.flatMap((action) => (targetOf(action)?.kind === 'snapshot' ? [recordIn(action)] : [])));
}

function targetOf(action: Action): Expression | null {
  if (action.kind === 'update') return action.id;
  return action.kind === 'delete' && action.target.kind === 'id' ? action.target.id : null;
}

function recordIn(action: Action): string {
  return (targetOf(action) as Extract<Expression, { kind: 'snapshot' }>).record;
}

/** As the author in `update post.author { … }`, who is locked beside the post. */
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

function pathName(path: readonly Step[]): string {
  return path.map(({ name }) => name).join('.');
}

// ── What is read ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The record that an expression is about, and the paths from it whose ends are locked. */
interface RowAt {
  readonly model: string;
  readonly lockedPaths: ReadonlySet<string>;
}

/** Whether the order decides what is read: only some of what is found is taken. */
function isPart({ limit, offset, cardinality }: Query): boolean {
  return limit !== null || offset !== null || cardinality !== 'many';
}

class ReadItems {
  readonly items = new Set<Item>();
  readonly #models: Models;
  readonly #modelOfRecord: (record: string) => string | undefined;
  readonly #collections = new Set<string>();
  readonly #seen = new Set<unknown>();

  constructor(models: Models, modelOfRecord: (record: string) => string | undefined) {
    this.#models = models;
    this.#modelOfRecord = modelOfRecord;
  }

  /** What is read of models whose records are counted, searched or listed. */
  ofCollections(): readonly Item[] {
    return [...this.items].filter((item) => this.#collections.has(modelOf(item)));
  }

  add(parts: readonly (Read | Selected | { readonly value: Expression })[], row: RowAt): void {
    this.#visit(parts, row);
  }

  addQuery(query: Query, row: RowAt | null): void {
    this.#origin(query, row);
    const each = at(query.model);
    this.#visit(query.filter, each);
    if (isPart(query)) this.#visit(query.orderBy, each);
  }

  /** What is read for the code of hooks. */
  addHookQuery(query: Query, select: readonly Selected[]): void {
    this.addQuery(query, null);
    this.#visit(select, at(query.model));
  }

  #visit(node: unknown, row: RowAt): void {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const inner of node) this.#visit(inner, row);
      return;
    }
    const part = node as Expression | Selected | Read | { readonly kind?: undefined };
    switch (part.kind) {
      case 'field':
        this.#path(part.path, row.model);
        if (!row.lockedPaths.has(pathName(part.path))) this.#field(part.model, part.field);
        return;
      case 'computed':
        this.#path(part.path, row.model);
        this.#computed(part.model, part.computed, part.path.length === 0 ? row : at(part.model));
        return;
      case 'collect':
      case 'aggregate':
        this.#visit(part.value, this.#path(part.path, row.model));
        return;
      case 'records': {
        const origin: Origin = 'origin' in part ? part.origin : { kind: 'row' };
        this.#origin({ ...part, origin }, row);
        this.#visit(part.select, part.path.length === 0 && origin.kind === 'row' ? row : at(part.model));
        return;
      }
      case 'hook':
        this.#hook(part.hook, row);
        return;
      default:
        for (const inner of Object.values(part)) this.#visit(inner, row);
    }
  }

  #hook(hook: unknown, row: RowAt): void {
    const known =
      typeof hook === 'string' ? this.#models.get(row.model)?.model.hooks.find(({ name }) => name === hook) : null;
    const { arguments: args } = (known?.hook ?? hook) as { arguments: readonly { kind: string }[] };
    for (const argument of args) {
      const { query, select } = argument as { query?: Query; select?: readonly Selected[] };
      if (query) this.addQuery(query, row);
      this.#visit(query ? select : argument, query ? at(query.model) : row);
    }
  }

  #computed(model: string, name: string, row: RowAt): void {
    const computed = this.#models.get(model)?.model.computed.find((member) => member.name === name);
    const isNew = computed !== undefined && (row.lockedPaths.size > 0 || !this.#seen.has(computed));
    if (!isNew) return;
    if (row.lockedPaths.size === 0) this.#seen.add(computed);
    this.#visit(computed.value, row);
  }

  #origin({ origin, path, model }: Pick<Query, 'origin' | 'path' | 'model'>, row: RowAt | null): void {
    if (origin.kind === 'model') this.#records(model);
    const start = origin.kind === 'record' ? this.#modelOfRecord(origin.id.record) : row?.model;
    if (start !== undefined) this.#path(path, start);
  }

  #path(path: readonly Step[], start: string): RowAt {
    let from = start;
    for (const step of path) {
      if (step.kind === 'reference') this.#field(from, step.field);
      if (step.kind === 'relation') {
        this.#records(step.model);
        this.#field(step.model, step.field);
      }
      if (step.kind === 'query') this.#modelQuery(step.of, step.name);
      from = step.model;
    }
    return at(from);
  }

  #modelQuery(model: string, name: string): void {
    const query = this.#models.get(model)?.model.queries.find((member) => member.name === name)?.query;
    if (query === undefined || this.#seen.has(query)) return;
    this.#seen.add(query);
    this.addQuery(query, at(model));
  }

  #records(model: string): void {
    this.#collections.add(model);
    this.items.add(recordsOf(model));
  }

  /** An id never changes. */
  #field(model: string, field: string): void {
    if (field !== 'id') this.items.add(fieldOf(model, field));
  }
}

function at(model: string): RowAt {
  return { model, lockedPaths: NOTHING_LOCKED };
}

// ── Names ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function modelsOfRecords({ records, actions }: Endpoint, { auth }: Definition): (record: string) => string | undefined {
  const found = new Map(records.map(({ record, model }) => [record, model]));
  if (auth) found.set('@auth', auth.model);
  for (const action of actions) {
    if (action.kind === 'create' || action.kind === 'update') found.set(action.record, action.model);
    if (action.kind === 'query' && action.record !== null) found.set(action.record, action.query.model);
  }
  return (record) => found.get(record);
}
