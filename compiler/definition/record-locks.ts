/**
 * Rules about the records of one record, such as the tickets of an event. Where every endpoint that reads or writes those
 * tickets for a rule knows their event when it begins, it locks the event first, and requests for different events never
 * conflict. One endpoint that does not know it, such as one that changes tickets by a query, keeps all of them from it.
 */
import type { Accesses, LockedRelations, Reads, Writes } from './accesses.ts';
import type { Definition } from './definition.ts';
import type { Action, Endpoint, RecordLock, Serializable } from './endpoint.ts';
import type { Expression, Query } from './expression.ts';
import { fieldOf, type Item, modelOf } from './read-items.ts';

export interface Writer {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly reads: Reads;
  readonly writes: Writes;
}

/** A reference by which records belong to the record that is locked. */
export interface Anchor {
  /** What is locked: `Event`. */
  readonly model: string;
  /** What belongs to it: `Ticket`, by `event_id`. */
  readonly of: string;
  readonly field: string;
}

export interface LockPlan {
  readonly anchor: Anchor;
  /** By the ids of the endpoints that take part. */
  readonly locks: ReadonlyMap<string, readonly RecordLock[]>;
}

/** The references to records of paths, in endpoints that are serializable without locks. */
export function anchorsIn(
  { models }: Definition,
  writers: readonly Writer[],
  serializable: readonly Serializable[],
): readonly Anchor[] {
  const ids = new Set(serializable.map(({ endpoint }) => endpoint));
  const owners = new Set(
    writers.filter(({ id }) => ids.has(id)).flatMap(({ endpoint }) => endpoint.records.map(({ model }) => model)),
  );
  return models.flatMap(({ name, references }) =>
    references.flatMap(({ to, field }) => (owners.has(to) && to !== name ? [{ model: to, of: name, field }] : [])),
  );
}

export function relationsOf({ records }: Endpoint, anchors: readonly Anchor[]): LockedRelations {
  const found = records.flatMap(({ record, model }) => {
    const own = anchors.filter((anchor) => anchor.model === model).map(({ of, field }) => fieldOf(of, field));
    return own.length > 0 ? [[record, new Set(own)] as const] : [];
  });
  return new Map(found);
}

/** Null where a lock cannot do. */
export function lockPlan(anchor: Anchor, writers: readonly Writer[], accesses: Accesses): LockPlan | null {
  const readers = new Map(writers.map((writer) => [writer, readThrough(anchor, writer, accesses)]));
  const items = new Set([...readers.values()].flat());
  if (items.size === 0) return null;
  const locks = new Map<string, readonly RecordLock[]>();
  for (const [writer, read] of readers) {
    const isWriter = [...writer.writes.inserts, ...writer.writes.changes].some((item) => items.has(item));
    if (!isWriter && read.length === 0) continue;
    const own = locksOf(anchor, writer, items, accesses);
    if (own === null) return null;
    locks.set(writer.id, own);
  }
  return { anchor, locks };
}

/** What of the model it reads only through the record of its path. */
function readThrough(anchor: Anchor, { endpoint, reads }: Writer, accesses: Accesses): readonly Item[] {
  const left = accesses.readsOf(endpoint, relationsOf(endpoint, [anchor])).items;
  return [...reads.items].filter((item) => modelOf(item) === anchor.of && !left.has(item));
}

/** Null where it cannot be said which. Code may write any records. */
function locksOf(anchor: Anchor, writer: Writer, items: ReadonlySet<Item>, accesses: Accesses) {
  const { endpoint, reads } = writer;
  if (reads.hasCode) return null;
  const own = endpoint.records.filter(({ model }) => model === anchor.model);
  const found: RecordLock[] = own.map(({ record }) => ({ model: anchor.model, record, field: null }));
  for (const action of endpoint.actions) {
    const { inserts, changes } = accesses.writesOf({ ...endpoint, actions: [action] }, { ...reads, writtenByCode: [] });
    const written = [...inserts, ...changes].filter((item) => items.has(item));
    if (written.length === 0) continue;
    const lock = lockOfWrite(action, written, anchor, endpoint, accesses);
    if (lock === null) return null;
    found.push(...lock);
  }
  return found;
}

function lockOfWrite(
  action: Action,
  written: readonly Item[],
  anchor: Anchor,
  endpoint: Endpoint,
  accesses: Accesses,
): readonly RecordLock[] | null {
  const { model, of, field } = anchor;
  if (written.includes(fieldOf(of, field))) return null;
  switch (action.kind) {
    case 'create': {
      const owner = action.values.find((value) => value.field === field)?.value;
      const isPlain = action.model === of && !action.onConflict;
      return isPlain && owner ? lockOf(owner, model, null, anchor, endpoint) : null;
    }
    case 'update':
      return action.model === of ? lockOf(action.id, of, field, anchor, endpoint) : null;
    case 'delete': {
      if (!takesOwnOnly(action.model, anchor, accesses)) return null;
      if (action.target.kind === 'query') return lockOfQuery(action.target.query, anchor, endpoint);
      return lockOf(action.target.id, action.model, action.model === of ? field : null, anchor, endpoint);
    }
    case 'query': {
      const isOwn = action.does.kind !== 'delete' || takesOwnOnly(action.query.model, anchor, accesses);
      return isOwn ? lockOfQuery(action.query, anchor, endpoint) : null;
    }
    default:
      return null;
  }
}

/** Whether nothing that belongs to other records is deleted, or loses its reference, with a record of the model. */
function takesOwnOnly(deleted: string, { model, of, field }: Anchor, accesses: Accesses): boolean {
  const taken = accesses.referencesTaken(deleted, of);
  return deleted === of ? taken.length === 0 : deleted === model && taken.join() === field;
}

/** A query of what belongs to a record, such as `event.tickets`. */
function lockOfQuery({ origin, path }: Query, anchor: Anchor, endpoint: Endpoint): readonly RecordLock[] | null {
  const [step, further] = path;
  const isOwn = step?.kind === 'relation' && step.model === anchor.of && step.field === anchor.field;
  if (origin.kind !== 'record' || !isOwn || further) return null;
  return lockOf(origin.id, anchor.model, null, anchor, endpoint);
}

/** A record that the endpoint has created is nobody else's yet; or it belongs to one that is locked for that. */
function lockOf(
  id: Expression,
  model: string,
  field: string | null,
  anchor: Anchor,
  { records, actions }: Endpoint,
): readonly RecordLock[] | null {
  if (id.kind !== 'snapshot' || id.read !== 'id') return null;
  const { record } = id;
  if (records.some((each) => each.record === record && each.model === model))
    return [{ model: anchor.model, record, field }];
  const isNew = (each: Action) =>
    each.kind === 'create' && each.record === record && each.model === model && !each.onConflict;
  return actions.some(isNew) ? [] : null;
}
