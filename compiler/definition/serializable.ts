/**
 * The endpoints whose requests must run as if one came after the other. Two requests can break a rule together when
 * one reads without a lock what the other writes, while the other reads or overwrites what the first one writes;
 * with more requests, when such steps lead round in a circle. Every endpoint that reads in a circle is serializable. So
 * is every endpoint that writes what one of them reads: Postgres watches only transactions that are serializable. One
 * that only overwrites needs nothing: the serializable one fails when it comes second, and waits when it comes first.
 *
 * Two requests of one endpoint are a circle, too: `count`, then `validate`, then `create`.
 */

import { accessesIn, type Reads, type Writes } from './accesses.ts';
import { accountEndpoints, passwordAuthOf } from './accounts.ts';
import type { Definition } from './definition.ts';
import type { Serializable } from './endpoint.ts';
import { memoized } from './memo.ts';
import { type Item, modelOf, recordsOf } from './read-items.ts';

/** By the ids of their endpoints. What the definition says, or worked out for one of an earlier Kiln, once. */
export const serializableEndpoints = memoized((definition: Definition): ReadonlyMap<string, Serializable> => {
  const found = definition.serializable ?? findSerializable(definition);
  return new Map(found.map((each) => [each.endpoint, each]));
});

interface Writer {
  readonly id: string;
  readonly reads: Reads;
  readonly writes: Writes;
}

/** In the order of their ids. */
export function findSerializable(definition: Definition): readonly Serializable[] {
  const writers = writersOf(definition);
  const index = indexOf(writers);
  const found = new Set(writers.filter((writer) => isInCircle(writer, index)));
  // The set grows while it is gone through.
  for (const { reads } of found)
    for (const item of reads.items) for (const writer of index.writersOf(item)) found.add(writer);
  const isWritten = (item: Item) => index.writersOf(item).length > 0;
  return [...found]
    .map(({ id, reads }) => ({ endpoint: id, rereadsCaller: [...reads.ofCaller].some(isWritten) }))
    .sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
}

interface WriterIndex {
  readonly writersOf: (item: Item) => readonly Writer[];
  /** The writers that come after this one in a circle: who writes what it reads, and who else changes what it changes. */
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

/** Whether it reads in a circle. One in which nothing is read is a queue at a lock, and harmless. */
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
  const endpoints = [...definition.endpoints, ...(auth ? accountEndpoints(auth, definition) : [])];
  const accesses = accessesIn(definition);
  const readers = endpoints
    .filter(({ actions }) => actions.length > 0)
    .map((endpoint) => ({ endpoint, reads: accesses.readsOf(endpoint) }));
  // Most programs have no such rule, and then it does not matter who writes.
  if (readers.every(({ reads }) => reads.items.size === 0)) return [];
  return readers
    .map(({ endpoint, reads }) => ({ id: endpoint.id, reads, writes: accesses.writesOf(endpoint, reads) }))
    .filter((writer) => writesOf(writer).length > 0);
}

function writesOf({ writes: { inserts, changes } }: Writer): readonly Item[] {
  return [...inserts, ...changes];
}
