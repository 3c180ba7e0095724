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
import type { Endpoint, Serializable } from './endpoint.ts';
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
  const index = new WriterIndex(writers);
  const found = new Set(inCircles(writers, index));
  const seen = new Set<Item>();
  // The set grows while it is gone through. Many read the same, which is looked at once.
  for (const { reads } of found) {
    for (const item of reads.items) {
      if (seen.has(item)) continue;
      seen.add(item);
      for (const writer of index.writersOf(item)) found.add(writer);
    }
  }
  const isWritten = (item: Item) => index.writersOf(item).length > 0;
  return [...found]
    .map(({ id, reads }) => ({ endpoint: id, rereadsCaller: [...reads.ofCaller].some(isWritten) }))
    .sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
}

/** Who writes what. A delete changes every field of its records. */
class WriterIndex {
  readonly #inserters = new Map<Item, Writer[]>();
  readonly #changers = new Map<Item, Writer[]>();
  readonly #changersByModel = new Map<string, Writer[]>();

  constructor(writers: readonly Writer[]) {
    for (const writer of writers) {
      for (const item of writer.writes.inserts) pushTo(this.#inserters, item, writer);
      for (const item of writer.writes.changes) pushTo(this.#changers, item, writer);
      for (const model of new Set([...writer.writes.changes].map(modelOf)))
        pushTo(this.#changersByModel, model, writer);
    }
  }

  writersOf(item: Item): readonly Writer[] {
    return [...(this.#inserters.get(item) ?? []), ...this.#changersOf(item)];
  }

  /** Who else changes the same records. */
  overwritersOf(item: Item): readonly Writer[] {
    const model = modelOf(item);
    return item === recordsOf(model) ? (this.#changersByModel.get(model) ?? []) : this.#changersOf(item);
  }

  #changersOf(item: Item): readonly Writer[] {
    const deleted = recordsOf(modelOf(item));
    const changers = this.#changers.get(item) ?? [];
    return item === deleted ? changers : [...changers, ...(this.#changers.get(deleted) ?? [])];
  }
}

function writersOf(definition: Definition): readonly Writer[] {
  const auth = passwordAuthOf(definition);
  const endpoints = [...definition.endpoints, ...(auth ? accountEndpoints(auth, definition) : [])];
  const accesses = accessesIn(definition);
  const readers = endpoints.filter(hasActions).map((endpoint) => ({ endpoint, reads: accesses.readsOf(endpoint) }));
  // Most programs have no such rule, and then it does not matter who writes.
  if (readers.every(({ reads }) => reads.items.size === 0)) return [];
  return readers
    .map(({ endpoint, reads }) => ({ id: endpoint.id, reads, writes: accesses.writesOf(endpoint, reads) }))
    .filter((writer) => writesOf(writer).length > 0);
}

function hasActions({ actions }: Endpoint): boolean {
  return actions.length > 0;
}

function writesOf({ writes: { inserts, changes } }: Writer): readonly Item[] {
  return [...inserts, ...changes];
}

function pushTo<T>(lists: Map<Item, T[]>, item: Item, value: T): void {
  const list = lists.get(item);
  if (list) list.push(value);
  else lists.set(item, [value]);
}

// ── Circles ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What is read leads to who writes it, what is changed to who else changes it. */
type Node = Writer | ItemNode;

interface ItemNode {
  readonly next: readonly Writer[];
}

/** Those that read in a circle. One in which nothing is read is a queue at a lock, and harmless. */
function inCircles(writers: readonly Writer[], index: WriterIndex): readonly Writer[] {
  const readNode = nodesOf((item) => index.writersOf(item));
  const changeNode = nodesOf((item) => index.overwritersOf(item));
  const next = (node: Node): readonly Node[] => {
    if ('next' in node) return node.next;
    return [...[...node.reads.items].map(readNode), ...[...node.writes.changes].map(changeNode)];
  };
  const circleOf = new Map<Node, readonly Node[]>();
  const readers = writers.filter(({ reads }) => reads.items.size > 0);
  for (const circle of stronglyConnected<Node>(readers, next)) for (const node of circle) circleOf.set(node, circle);
  return readers.filter((reader) =>
    [...reader.reads.items].some((item) => circleOf.get(readNode(item)) === circleOf.get(reader)),
  );
}

/** Each is made when it is first come to. */
function nodesOf(next: (item: Item) => readonly Writer[]): (item: Item) => ItemNode {
  const nodes = new Map<Item, ItemNode>();
  return (item) => {
    const node = nodes.get(item) ?? { next: next(item) };
    nodes.set(item, node);
    return node;
  };
}

/** Tarjan's algorithm, without recursion: a definition may have thousands of endpoints. */
function stronglyConnected<T extends object>(starts: readonly T[], next: (node: T) => readonly T[]): readonly T[][] {
  const index = new Map<T, number>();
  const low = new Map<T, number>();
  const stack: T[] = [];
  const onStack = new Set<T>();
  const found: T[][] = [];
  const open = (node: T) => {
    index.set(node, index.size);
    low.set(node, index.size - 1);
    stack.push(node);
    onStack.add(node);
    return { node, rest: next(node)[Symbol.iterator]() };
  };
  const lower = (node: T, to: number) => low.set(node, Math.min(low.get(node) as number, to));
  for (const start of starts) {
    const path = index.has(start) ? [] : [open(start)];
    while (path.length > 0) {
      const { node, rest } = path.at(-1) as ReturnType<typeof open>;
      const { value, done } = rest.next();
      if (!done) {
        if (!index.has(value)) path.push(open(value));
        else if (onStack.has(value)) lower(node, index.get(value) as number);
        continue;
      }
      path.pop();
      const before = path.at(-1);
      if (before) lower(before.node, low.get(node) as number);
      if (low.get(node) === index.get(node)) found.push(closed(node, stack, onStack));
    }
  }
  return found;
}

function closed<T>(node: T, stack: T[], onStack: Set<T>): T[] {
  const component = stack.splice(stack.lastIndexOf(node));
  for (const each of component) onStack.delete(each);
  return component;
}
