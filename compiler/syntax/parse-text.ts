/**
 * Text in, concrete syntax tree out. Whatever the text is, there is a tree: what could not be read is an `ERROR` node,
 * and what had to be assumed is a node without width.
 *
 * The parser gives the tree as numbers. At the head: how many there are, 1 where there are errors, and the depth. Then the
 * nodes, children before their parents, each with its type, its field or 0, its start, its end, and how many children it
 * has. tree-sitter-grammar/parse.c writes them.
 */
import { loadedGrammar } from './load-grammar.ts';
import type { SyntaxNode, SyntaxTree } from './syntax-node.ts';

const HEAD = 3;
const PER_NODE = 5;
/** The type of what could not be read. It is beyond those that the grammar has. */
const ERROR_TYPE = 0xffff;

const NO_CHILDREN: readonly SyntaxNode[] = [];

/** `loadGrammar` must have been awaited once. */
export function parseText(text: string): SyntaxTree {
  const { typeNames, fieldNames, parse } = loadedGrammar();
  const numbers = parse(text);
  // Nodes wait here until their parent comes. Nodes beyond the end belong to a parent already.
  const waiting: SyntaxNode[] = [];
  let end = 0;
  for (let at = HEAD; at < numbers.length; at += PER_NODE) {
    const type = numbers[at] as number;
    const count = numbers[at + 4] as number;
    const first = end - count;
    waiting[first] = {
      type: type === ERROR_TYPE ? 'ERROR' : (typeNames[type] as string),
      field: fieldNames[numbers[at + 1] as number],
      start: numbers[at + 2] as number,
      end: numbers[at + 3] as number,
      children: count === 0 ? NO_CHILDREN : waiting.slice(first, end),
    };
    end = first + 1;
  }
  return { root: waiting[0] as SyntaxNode, hasErrors: numbers[1] === 1, depth: numbers[2] as number };
}
