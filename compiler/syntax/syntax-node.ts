/**
 * The concrete syntax tree: the named nodes of the grammar, comments among them, and the tokens that carry a field
 * (operators). Punctuation and keywords are left out; their places follow from the text between the children.
 */
export interface SyntaxNode {
  /** The rule's name in grammar.js; `ERROR` where the text could not be read. */
  readonly type: string;
  /** The field under which the parent reads this node. */
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly children: readonly SyntaxNode[];
}

export interface SyntaxTree {
  readonly root: SyntaxNode;
  /** True where any part could not be read, or something had to be assumed. */
  readonly hasErrors: boolean;
  /**
   * How many nodes lie on the longest way from the root to a leaf, both included: 1 for an empty text. Whoever walks
   * the tree by recursion must look at this first, for a hostile text can be nested deeper than any stack.
   */
  readonly depth: number;
}

/** The named types that are one token. A test compares them with the grammar. */
export const LEAF_TYPES: ReadonlySet<string> = new Set(
  'identifier at_word integer float string raw_string true false null comment doc_comment'.split(' '),
);
