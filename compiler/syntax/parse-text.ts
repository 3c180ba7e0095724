/**
 * Text in, concrete syntax tree out. Whatever the text is, there is a tree: what could not be read is an `ERROR` node,
 * and what had to be assumed is a node without width.
 */
import { treeFromNumbers } from './flat-tree.ts';
import { type Grammar, loadedGrammar } from './load-grammar.ts';
import type { SyntaxTree } from './syntax-node.ts';

/** `loadGrammar` must have been awaited once. */
export function parseText(text: string, grammar: Grammar = loadedGrammar()): SyntaxTree {
  return treeFromNumbers(grammar.parse(text), grammar);
}
