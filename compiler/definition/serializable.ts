/**
 * The endpoints whose requests must run as if one came after the other. Two requests can break a rule together when
 * one reads without a lock what the other writes, while the other reads or overwrites what the first one writes;
 * with more requests, when such steps lead round in a circle. Every endpoint that reads in a circle is serializable. So
 * is every endpoint that writes what one of them reads: Postgres watches only transactions that are serializable. One
 * that only overwrites needs nothing: the serializable one fails when it comes second, and waits when it comes first.
 *
 * Two requests of one endpoint are a circle, too: `count`, then `validate`, then `create`. Where all that is read in
 * circles belongs to one record, its endpoints lock that record instead, see `record-locks.ts`.
 */

import { type Accesses, accessesIn } from './accesses.ts';
import { accountEndpoints, passwordAuthOf } from './accounts.ts';
import type { Definition } from './definition.ts';
import type { EndpointLocks, RecordLock, Serializable } from './endpoint.ts';
import { memoized } from './memo.ts';
import { type Item, modelOf, recordsOf } from './read-items.ts';
import { anchorsIn, type LockPlan, lockPlan, relationsOf, type Writer } from './record-locks.ts';
import { workEndpoints } from './work.ts';

/** The serializable endpoints by id, from the definition, or computed once for a definition of an earlier Kiln. */
export const serializableEndpoints = memoized((definition: Definition): ReadonlyMap<string, Serializable> => {
  return new Map(orderOf(definition).serializable.map((each) => [each.endpoint, each]));
});

/** By the ids of their endpoints. */
export const lockingEndpoints = memoized((definition: Definition): ReadonlyMap<string, readonly RecordLock[]> => {
  return new Map((orderOf(definition).locks ?? []).map(({ endpoint, locks }) => [endpoint, locks]));
});

/** How requests of the endpoints come one after the other. In the order of their ids. */
type RequestOrder = Pick<Definition, 'locks'> & { readonly serializable: readonly Serializable[] };

const orderOf = memoized((definition: Definition): RequestOrder => {
  const { serializable, locks } = definition;
  return serializable ? { serializable, ...(locks && { locks }) } : findRequestOrder(definition);
});

/** Locks are tried for all that is serializable without them. What they leave serializable keeps no locks. */
export function findRequestOrder(definition: Definition): RequestOrder {
  const writers = writersOf(definition);
  const unlocked = findSerializable(writers);
  const accesses = accessesIn(definition);
  let plans = anchorsIn(definition, writers, unlocked).flatMap((anchor) => lockPlan(anchor, writers, accesses) ?? []);
  for (;;) {
    const serializable = plans.length === 0 ? unlocked : findSerializable(withLocks(writers, plans, accesses));
    const ids = new Set(serializable.map(({ endpoint }) => endpoint));
    const kept = plans.filter(({ locks }) => ![...locks.keys()].some((id) => ids.has(id)));
    if (kept.length === plans.length) return { serializable, ...(kept.length > 0 && { locks: locksOf(kept) }) };
    plans = kept;
  }
}

function withLocks(writers: readonly Writer[], plans: readonly LockPlan[], accesses: Accesses): readonly Writer[] {
  return writers.map((writer) => {
    const own = plans.filter(({ locks }) => locks.has(writer.id)).map(({ anchor }) => anchor);
    return own.length === 0
      ? writer
      : { ...writer, reads: accesses.readsOf(writer.endpoint, relationsOf(writer.endpoint, own)) };
  });
}

function locksOf(plans: readonly LockPlan[]): readonly EndpointLocks[] {
  const found = new Map<string, Map<string, RecordLock>>();
  for (const { locks } of plans)
    for (const [endpoint, own] of locks) {
      const known = found.get(endpoint) ?? new Map<string, RecordLock>();
      for (const lock of own) known.set(JSON.stringify(lock), lock);
      found.set(endpoint, known);
    }
  return [...found]
    .map(([endpoint, locks]) => ({ endpoint, locks: [...locks.values()] }))
    .filter(({ locks }) => locks.length > 0)
    .sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
}

/** Finds the serializable endpoints, sorted by id. */
function findSerializable(writers: readonly Writer[]): readonly Serializable[] {
  const index = indexOf(writers);
  const found = new Set(writers.filter((writer) => isInCircle(writer, index)));
  // The set grows during the loop.
  for (const { reads } of found)
    for (const item of reads.items) for (const writer of index.writersOf(item)) found.add(writer);
  const isWritten = (item: Item) => index.writersOf(item).length > 0;
  return [...found]
    .map(({ id, reads }) => ({ endpoint: id, rereadsCaller: [...reads.ofCaller].some(isWritten) }))
    .sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
}

interface WriterIndex {
  readonly writersOf: (item: Item) => readonly Writer[];
  /**
   * The writers that come after this one in a circle: those that write what it reads, and those that change what it
   * changes.
   */
  readonly next: (writer: Writer) => ReadonlySet<Writer>;
}

/** A delete changes every field of its records. */
function indexOf(writers: readonly Writer[]): WriterIndex {
  const changes = ({ writes }: Writer, item: Item) =>
    writes.changes.has(item) || writes.changes.has(recordsOf(modelOf(item)));
  const changesModel = ({ writes }: Writer, model: string) =>
    [...writes.changes].some((item) => modelOf(item) === model);
  const writersOf = perKey((item: Item) =>
    writers.filter((each) => each.writes.inserts.has(item) || changes(each, item)),
  );
  const overwritersOf = perKey((item: Item) => {
    const model = modelOf(item);
    return writers.filter((each) => (item === recordsOf(model) ? changesModel(each, model) : changes(each, item)));
  });
  const next = ({ reads, writes }: Writer) =>
    new Set([...[...reads.items].flatMap(writersOf), ...[...writes.changes].flatMap(overwritersOf)]);
  return { writersOf, next: perKey(next) };
}

function perKey<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** Whether it reads in a circle. A circle without reads is a queue at a lock, and harmless. */
function isInCircle(reader: Writer, { writersOf, next }: WriterIndex): boolean {
  const after = new Set([...reader.reads.items].flatMap(writersOf));
  for (const writer of after) {
    if (writer === reader) return true;
    for (const further of next(writer)) after.add(further);
  }
  return false;
}

function writersOf(definition: Definition): readonly Writer[] {
  const auth = passwordAuthOf(definition);
  const endpoints = [
    ...definition.endpoints,
    ...(auth ? accountEndpoints(auth, definition) : []),
    ...workEndpoints(definition),
  ];
  const accesses = accessesIn(definition);
  const readers = endpoints
    .filter(({ actions }) => actions.length > 0)
    .map((endpoint) => ({ endpoint, reads: accesses.readsOf(endpoint) }));
  // Most programs have no such rule, and then it does not matter who writes.
  if (readers.every(({ reads }) => reads.items.size === 0)) return [];
  return readers
    .map(({ endpoint, reads }) => ({ id: endpoint.id, endpoint, reads, writes: accesses.writesOf(endpoint, reads) }))
    .filter((writer) => writesOf(writer).length > 0);
}

function writesOf({ writes: { inserts, changes } }: Writer): readonly Item[] {
  return [...inserts, ...changes];
}
