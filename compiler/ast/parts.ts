/**
 * Descriptions of the nodes that are no expressions. A description is the reader of a node, and its type follows from
 * it: each part has a name, and says where in the syntax tree it is read.
 */
import type { Span } from '../source/source-file.ts';
import type { PlaceName } from '../syntax/forms.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import type { Name, Node, Properties, Text } from './nodes.ts';
import type { DocumentedNode, Reader } from './reader.ts';

/** Reads a part of a node. */
export interface Read<T> {
  (reader: Reader, node: SyntaxNode, around: Around): T;
  /** The rules of the members that it reads from the body of the node. */
  readonly members?: readonly string[];
  /** Whether these members have doc comments. */
  readonly isDocumented?: boolean;
}

export interface Around extends Omit<DocumentedNode, 'node'> {
  /** What is in the body of the node. */
  readonly members: readonly DocumentedNode[];
  /** The properties among them, by their rules. */
  readonly written: ReadonlyMap<string, SyntaxNode>;
}

export const ALONE: Around = { doc: null, docComments: [], members: [], written: new Map() };

type Parts = Readonly<Record<string, Read<unknown>>>;

/** A part that may be missing can be left out where the compiler itself makes such a node. */
type PartsOf<P extends Parts> = {
  readonly [Key in keyof P as undefined extends ReturnType<P[Key]> ? never : Key]: ReturnType<P[Key]>;
} & {
  readonly [Key in keyof P as undefined extends ReturnType<P[Key]> ? Key : never]?: ReturnType<P[Key]>;
};

type NodeFrom<P extends Parts, Place extends PlaceName> = {
  readonly [Key in keyof (PartsOf<P> & Properties<Place> & Node)]: (PartsOf<P> & Properties<Place> & Node)[Key];
};

/**
 * A node with these parts and the properties of the place. They are in its body; those of a node without one that is
 * `open` are in the node itself.
 */
export function node<P extends Parts, Place extends PlaceName = never>(
  parts: P,
  place?: Place,
  isOpen?: 'open',
): Read<NodeFrom<P, Place>> {
  const all = Object.entries(parts);
  const members = new Set(all.flatMap(([, { members = [] }]) => members));
  const readsBody = isOpen || place !== undefined || all.some(([, part]) => part.members);
  const isDocumented = all.some(([, part]) => part.isDocumented);
  return (reader, node, { doc, docComments }) => {
    const body = readsBody ? (isOpen ? node : reader.optional(node, 'body')) : undefined;
    const contents = body ? (isDocumented ? reader.documented(body) : reader.contents(body).map(alone)) : [];
    const others = contents.filter(({ node: { type, field } }) => !members.has(type) && !field && type !== 'alias');
    for (const other of others) reader.reportMisplacedDoc(other);
    const written = body ? reader.properties(others.map((other) => other.node)) : ALONE.written;
    const around = { doc, docComments, members: contents, written };
    // All nodes of a kind get their parts in the same order, one by one: V8 reads such objects faster.
    const read: Record<string, unknown> = { span: reader.span(node) };
    for (const [key, part] of all) read[key] = part(reader, node, around);
    return (written.size > 0 ? { ...read, ...reader.propertiesFrom(written) } : read) as NodeFrom<P, Place>;
  };
}

const alone = (node: SyntaxNode): DocumentedNode => ({ node, doc: null, docComments: [] });

/** A node with a name and a doc comment. */
export function declared<P extends Parts, Place extends PlaceName = never>(parts: P, place?: Place, isOpen?: 'open') {
  return node({ name: name(), doc: DOC, ...parts }, place, isOpen);
}

/** Reports a doc comment above a node that has no place for it. */
export function undocumented<T>(read: Read<T>): Read<T> {
  return (reader, node, around) => {
    reader.reportMisplacedDoc(around);
    return read(reader, node, around);
  };
}

// ── Parts ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export const DOC: Read<string | null> = (_, __, { doc }) => doc;

export const is =
  <const Kind extends string>(kind: Kind): Read<Kind> =>
  () =>
    kind;

export const name =
  (field?: string): Read<Name> =>
  (reader, node) =>
    reader.childName(node, field);

export const text =
  (field?: string): Read<Text> =>
  (reader, node) =>
    reader.childText(node, field);

export const words =
  <Words extends string>(field: string): Read<Words> =>
  (reader, node) =>
    reader.words(reader.child(node, field)) as Words;

const nameWithin =
  (rule: string): Read<Name | undefined> =>
  (reader, node) =>
    reader.nameWithin(node, rule);

export const ALIAS = nameWithin('alias');
export const WAS = nameWithin('was');

export const child =
  <T>(field: string, read: Read<T>): Read<T> =>
  (reader, node) =>
    read(reader, reader.child(node, field), ALONE);

export const optional =
  <T>(field: string, read: Read<T>): Read<T | undefined> =>
  (reader, node) =>
    ifThere(reader, reader.optional(node, field), read);

export const ofRule =
  <T>(rule: string, read: Read<T>): Read<T | undefined> =>
  (reader, node) =>
    ifThere(reader, reader.ofType(node, rule), read);

/** A property that is a node of its own. */
export const property =
  <T>(rule: string, read: Read<T>): Read<T | undefined> =>
  (reader, _, { written }) =>
    ifThere(reader, written.get(rule), read);

export const SPAN: Read<Span> = (reader, node) => reader.span(node);

function ifThere<T>(reader: Reader, node: SyntaxNode | undefined, read: Read<T>): T | undefined {
  return node && read(reader, node, ALONE);
}

/** All that is in the node. */
export const contents =
  <T>(read: Read<T>): Read<readonly T[]> =>
  (reader, node) =>
    reader.contents(node).map((item) => read(reader, item, ALONE));

/** The same with the doc comments in it. */
export const describedContents =
  <T>(read: Read<T>): Read<readonly T[]> =>
  (reader, node) =>
    reader.documented(node).map(({ node: item, ...docs }) => read(reader, item, { ...ALONE, ...docs }));

/** The members of the body that follow one of these rules. */
export function members<P extends Parts>(rules: P) {
  const read: Read<readonly ReturnType<P[keyof P]>[]> = (reader, _, around) =>
    around.members.flatMap(({ node, ...docs }) => {
      const rule = rules[node.type] as Read<ReturnType<P[keyof P]>> | undefined;
      return rule ? [rule(reader, node, { ...ALONE, ...docs })] : [];
    });
  return Object.assign(read, { members: Object.keys(rules) });
}

/** The same for members that may have doc comments. */
export function documented<P extends Parts>(rules: P) {
  return Object.assign(members(rules), { isDocumented: true });
}
