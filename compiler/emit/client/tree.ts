/**
 * The tree of a client: a place for each segment of the paths, and every operation at exactly one place under a name that
 * nothing else there has.
 */
import { groupedBy } from '../../definition/lookup.ts';
import { Names } from '../openapi/names.ts';
import type { ClientOperation } from './operations.ts';

export interface ClientNode {
  /**
   * The segments from the top: `post`, `{post_slug}`, `comments`. If several parameters share a place, it is the first.
   */
  readonly segments: readonly string[];
  readonly methods: readonly Named<ClientOperation>[];
  readonly groups: readonly Named<ClientNode>[];
  /** The node behind a value of the path. */
  readonly one: ClientNode | null;
  /** All operations here and below. */
  readonly inside: readonly ClientOperation[];
  /** The operations of the collection or the single record here, wherever they stand. */
  readonly residents: readonly ClientOperation[];
}

export interface Named<T> {
  readonly name: string;
  readonly value: T;
}

export function treeOf(operations: readonly ClientOperation[]): ClientNode {
  return placeFrom([], operations);
}

/** `here` are the operations whose place begins with the segments. */
function placeFrom(segments: readonly string[], here: readonly ClientOperation[]): ClientNode {
  const depth = segments.length;
  const own = here.filter(({ place }) => place.length === depth);
  const deeper = here.filter(({ place }) => place.length > depth);
  const below = groupedBy(deeper, ({ place }) => (place[depth]?.startsWith('{') ? ONE : (place[depth] ?? '')));
  const names = new Names(own.flatMap(({ name }) => (name.kind === 'built-in' ? [name.text] : [])));
  const next = ([segment, inside]: readonly [string, readonly ClientOperation[]]) =>
    placeFrom([...segments, inside[0]?.place[depth] ?? segment], inside);
  const one = below.get(ONE);
  const literal = [...below].filter(([segment]) => segment !== ONE);
  const groups = literal.map((entry) => ({ name: groupName(entry[0], names), value: next(entry) }));
  return {
    segments,
    groups,
    methods: methodsOf(own, names),
    one: one === undefined ? null : next([ONE, one]),
    inside: here,
    residents: here.filter(({ home }) => home === depth),
  };
}

/** All parameters at a place are one: which of them is meant, only the methods behind it know. */
const ONE = '{}';

// ── Names ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function groupName(segment: string, names: Names): string {
  const name = memberName(segment);
  return names.claim(name, `${name}_`);
}

/**
 * The methods. Built-in endpoints keep their names. Custom ones that would share a name get that of their HTTP method.
 */
function methodsOf(own: readonly ClientOperation[], names: Names): readonly Named<ClientOperation>[] {
  const wanted = own.flatMap(({ name }) => (name.kind === 'custom' ? [memberName(name.segment)] : []));
  const isByPatch = own.some(({ name, method }) => name.kind === 'built-in' && method === 'patch');
  return own.map((operation) => {
    const { name, method } = operation;
    // PATCH has the plain name if there are two updates.
    if (name.kind === 'built-in' && method === 'put' && isByPatch)
      return { name: names.claim(`${name.text}${memberWords(method)}`), value: operation };
    if (name.kind === 'built-in') return { name: name.text, value: operation };
    const plain = memberName(name.segment);
    const isAlone = wanted.filter((each) => each === plain).length === 1;
    const longer = `${method}${memberWords(name.segment) || '_'}`;
    return { name: isAlone ? names.claim(plain, longer) : names.claim(longer), value: operation };
  });
}

// ── Member names ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Segments of paths as names of JavaScript.

/** Names that JavaScript calls or looks up by itself, such as `then` when a value is awaited. */
const HELD: ReadonlySet<string> = new Set([
  'then',
  'constructor',
  'prototype',
  'toJSON',
  'toString',
  'toLocaleString',
  'valueOf',
]);

/** `lowStock` from `low-stock` and from `low_stock`, `_2024` from `2024`, `then_` from `then`. */
function memberName(segment: string): string {
  const words = memberWords(segment);
  const name = words.slice(0, 1).toLowerCase() + words.slice(1);
  if (HELD.has(name)) return `${name}_`;
  return /^\p{ID_Start}/u.test(name) ? name : `_${name}`;
}

/** `LowStock` from `low-stock`. Letters of every script may stand in a name. */
function memberWords(segment: string): string {
  const words = decodeURIComponent(segment)
    .split(/[^\p{ID_Continue}]+|_+/u)
    .filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
