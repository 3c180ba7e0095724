/**
 * The endpoints whose requests must run as if one came after the other. Two requests can break a rule together when
 * one reads without a lock what the other writes, while the other reads or overwrites what the first one writes;
 * with more requests, when such steps lead round in a circle. Every endpoint that reads in a circle is serializable. So
 * is every endpoint that writes what one of them reads: Postgres watches only transactions that are serializable. One
 * that only overwrites needs nothing: the serializable one fails when it comes second, and waits when it comes first.
 *
 * Two requests of one endpoint are a circle, too: `count`, then `validate`, then `create`.
 */

import { type Accesses, accessesOf, type Item } from './accesses.ts';
import { accountEndpoints, passwordAuthOf } from './accounts.ts';
import type { Definition, Endpoint } from './definition.ts';

export interface Serializable {
  /** Whether something that is read of the caller may be changed by another request: then it is read again. */
  readonly rereadsCaller: boolean;
}

/** By the ids of their endpoints. Worked out once for a definition. */
export function serializableEndpoints(definition: Definition): ReadonlyMap<string, Serializable> {
  const known = KNOWN.get(definition) ?? findSerializable(definition);
  KNOWN.set(definition, known);
  return known;
}

const KNOWN = new WeakMap<Definition, ReadonlyMap<string, Serializable>>();

interface Writer {
  readonly id: string;
  readonly accesses: Accesses;
}

function findSerializable(definition: Definition): ReadonlyMap<string, Serializable> {
  const writers = writersOf(definition);
  const writersByItem = new Map<Item, Writer[]>();
  for (const writer of writers) for (const item of writesOf(writer)) pushTo(writersByItem, item, writer);
  const found = new Set(inCircles(writers, writersByItem));
  // The set grows while it is gone through.
  for (const { accesses } of found)
    for (const item of accesses.reads) for (const writer of writersByItem.get(item) ?? []) found.add(writer);
  const isWritten = (item: Item) => writersByItem.has(item);
  return new Map(
    [...found].map(({ id, accesses }) => [id, { rereadsCaller: [...accesses.callerReads].some(isWritten) }]),
  );
}

function writersOf(definition: Definition): readonly Writer[] {
  const auth = passwordAuthOf(definition);
  const endpoints = [...definition.endpoints, ...(auth ? accountEndpoints(auth, definition) : [])];
  return endpoints
    .filter(hasActions)
    .map((endpoint) => ({ id: endpoint.id, accesses: accessesOf(endpoint, definition) }))
    .filter((writer) => writesOf(writer).length > 0);
}

function hasActions({ actions }: Endpoint): boolean {
  return actions.length > 0;
}

function writesOf({ accesses: { inserts, changes } }: Writer): readonly Item[] {
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
function inCircles(writers: readonly Writer[], writersByItem: ReadonlyMap<Item, readonly Writer[]>): readonly Writer[] {
  const changersByItem = new Map<Item, Writer[]>();
  for (const writer of writers) for (const item of writer.accesses.changes) pushTo(changersByItem, item, writer);
  const readNodes = nodesOf(writersByItem);
  const changeNodes = nodesOf(changersByItem);
  const next = (node: Node): readonly Node[] => {
    if ('next' in node) return node.next;
    return [...present(node.accesses.reads, readNodes), ...present(node.accesses.changes, changeNodes)];
  };
  const circleOf = new Map<Node, readonly Node[]>();
  for (const circle of stronglyConnected<Node>(writers, next)) for (const node of circle) circleOf.set(node, circle);
  return writers.filter((writer) =>
    present(writer.accesses.reads, readNodes).some((node) => circleOf.get(node) === circleOf.get(writer)),
  );
}

function nodesOf(byItem: ReadonlyMap<Item, readonly Writer[]>): ReadonlyMap<Item, ItemNode> {
  return new Map([...byItem].map(([item, next]) => [item, { next }]));
}

function present(items: ReadonlySet<Item>, nodes: ReadonlyMap<Item, ItemNode>): readonly ItemNode[] {
  return [...items].flatMap((item) => nodes.get(item) ?? []);
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
