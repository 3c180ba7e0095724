/**
 * The canonical format. Text and tree come in, the same text in another layout goes out: the tokens stay and keep
 * their order, so the meaning cannot change, and formatting twice gives what formatting once gave.
 */
import type { SyntaxTree } from '../syntax/syntax-node.ts';
import { printTokens } from './print-tokens.ts';
import { tokensFromTree } from './tokens-from-tree.ts';

/** Throws where the tree has errors: what could not be read cannot be laid out. */
export function formatSource(text: string, tree: SyntaxTree): string {
  if (tree.hasErrors) throw new Error('only a source without syntax errors can be formatted');
  return printTokens(text, tokensFromTree(text, tree.root));
}
