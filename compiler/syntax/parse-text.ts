/**
 * Text in, concrete syntax tree out. Whatever the text is, there is a tree: what could not be read is an `ERROR` node,
 * and what had to be assumed is a node without width.
 */
import { type Cursor, type Grammar, loadedGrammar } from './load-grammar.ts';
import { OPERATOR_SIGNS, OPERATOR_WORDS } from './reserved-words.ts';
import type { SyntaxNode, SyntaxTree } from './syntax-node.ts';

/** `loadGrammar` must have been awaited once. */
export function parseText(text: string, grammar: Grammar = loadedGrammar()): SyntaxTree {
  const { cursor, hasErrors, free } = grammar.parse(text);
  try {
    return treeFromCursor(cursor, kindsOf(grammar), hasErrors);
  } finally {
    free();
  }
}

/** What is known of a type once a node of it has been seen. Asking the engine each time would be most of the work. */
interface NodeKind {
  readonly name: string;
  readonly isNamed: boolean;
  readonly isLeaf: boolean;
  readonly isOperator: boolean;
}

interface Kinds {
  readonly byTypeId: Map<number, NodeKind>;
  readonly fieldById: Map<number, string>;
}

/** The named types that are one token, so that looking for children is in vain. A test holds these two against the grammar. */
export const LEAF_TYPES: ReadonlySet<string> = new Set(
  'identifier at_word integer float string raw_string true false null comment doc_comment'.split(' '),
);

/** The only tokens without a name of their own that a rule reads as a field. */
export const OPERATORS: ReadonlySet<string> = new Set([...OPERATOR_WORDS, ...OPERATOR_SIGNS, 'not']);

const NO_CHILDREN: readonly SyntaxNode[] = [];
const kindsByGrammar = new WeakMap<Grammar, Kinds>();

function kindsOf(grammar: Grammar): Kinds {
  let kinds = kindsByGrammar.get(grammar);
  if (!kinds) {
    kinds = { byTypeId: new Map(), fieldById: new Map() };
    kindsByGrammar.set(grammar, kinds);
  }
  return kinds;
}

type OpenNode = { -readonly [key in keyof SyntaxNode]: SyntaxNode[key] };

/** Walks without recursion, for no text may be nested too deeply for it. */
function treeFromCursor(cursor: Cursor, kinds: Kinds, hasErrors: boolean): SyntaxTree {
  const root = nodeAt(cursor, kindAt(cursor, kinds), kinds);
  let depth = 1;
  if (!cursor.gotoFirstChild()) return { root, hasErrors, depth };
  const open: OpenNode[] = [root];
  const firstChildren = [0];
  // Children wait here until their parent is complete, because an array that grows takes several times its room.
  const waiting: SyntaxNode[] = [];
  for (;;) {
    const kind = kindAt(cursor, kinds);
    if (isKept(cursor, kind, hasErrors)) {
      const node = nodeAt(cursor, kind, kinds);
      waiting.push(node);
      if (depth <= open.length) depth = open.length + 1;
      if (!kind.isLeaf && cursor.gotoFirstChild()) {
        open.push(node);
        firstChildren.push(waiting.length);
        continue;
      }
    }
    while (!cursor.gotoNextSibling()) {
      closeNode(open.pop() as OpenNode, firstChildren.pop() as number, waiting);
      if (open.length === 0) return { root, hasErrors, depth };
      cursor.gotoParent();
    }
  }
}

function closeNode(node: OpenNode, firstChild: number, waiting: SyntaxNode[]): void {
  if (firstChild === waiting.length) return;
  node.children = waiting.slice(firstChild);
  waiting.length = firstChild;
}

/** Punctuation and keywords go, unless the parser had to assume one: then its absence is the news. */
function isKept(cursor: Cursor, kind: NodeKind, hasErrors: boolean): boolean {
  if (kind.isNamed) return true;
  return (kind.isOperator && !!cursor.currentFieldId) || (hasErrors && cursor.nodeIsMissing);
}

function nodeAt(cursor: Cursor, kind: NodeKind, kinds: Kinds): OpenNode {
  return {
    type: kind.name,
    field: fieldAt(cursor, kinds),
    start: cursor.startIndex,
    end: cursor.endIndex,
    children: NO_CHILDREN,
  };
}

function kindAt(cursor: Cursor, { byTypeId }: Kinds): NodeKind {
  const id = cursor.nodeTypeId;
  let kind = byTypeId.get(id);
  if (!kind) {
    kind = kindFrom(cursor);
    byTypeId.set(id, kind);
  }
  return kind;
}

function kindFrom(cursor: Cursor): NodeKind {
  const name = cursor.nodeType;
  const isNamed = cursor.nodeIsNamed;
  return { name, isNamed, isLeaf: !isNamed || LEAF_TYPES.has(name), isOperator: !isNamed && OPERATORS.has(name) };
}

function fieldAt(cursor: Cursor, { fieldById }: Kinds): string | undefined {
  const id = cursor.currentFieldId;
  if (!id) return undefined;
  let field = fieldById.get(id);
  if (!field) {
    field = cursor.currentFieldName as string;
    fieldById.set(id, field);
  }
  return field;
}
