import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { SourceFile } from '../source/source-file.ts';

/**
 * The concrete syntax tree: the named nodes of the grammar, comments among them, and the tokens that carry a field
 * (operators). Punctuation and keywords are left out; their places follow from the text between the children.
 */
export interface SyntaxNode {
  /** The rule's name in grammar.js; `ERROR` if the text could not be read. */
  readonly type: string;
  /** The field under which the parent reads this node. */
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly children: readonly SyntaxNode[];
}

export interface SyntaxTree {
  readonly root: SyntaxNode;
  /** True if any part could not be read, or something had to be assumed. */
  readonly hasErrors: boolean;
  /**
   * The number of nodes on the longest path from the root to a leaf, both included: 1 for an empty text. Recursive code
   * must check this first, because a hostile text can be nested deeper than any stack.
   */
  readonly depth: number;
}

/** The named types that are one token. A test compares them with the grammar. */
export const LEAF_TYPES: ReadonlySet<string> = new Set(
  'identifier at_word integer float string raw_string true false null comment doc_comment'.split(' '),
);

// ── Depth ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The deepest nesting. Later phases walk trees by recursion; no author nests deeper than this, and no stack overflows.
 */
export const MAX_DEPTH = 500;

/** True if the tree is not nested too deeply. A tree with errors is reported elsewhere. */
export function reportNesting(source: SourceFile, tree: SyntaxTree, diagnostics: Diagnostics): boolean {
  if (tree.depth <= MAX_DEPTH) return true;
  if (tree.hasErrors) return false;
  const { start, end } = firstBelow(tree.root, MAX_DEPTH);
  diagnostics.report('nested-too-deeply', { file: source.path, start, end }, { limit: MAX_DEPTH });
  return false;
}

/** The first node of those that lie too deep, by place. */
function firstBelow(root: SyntaxNode, limit: number): SyntaxNode {
  let level: readonly SyntaxNode[] = [root];
  for (let depth = 1; depth <= limit; depth++) level = level.flatMap((node) => node.children);
  return level[0] ?? root;
}
