/**
 * A tree as numbers, which is how both engines hand it over. The native one writes them in C, in one call for a file: a
 * call for each step would take longer than parsing. bindings/node/binding.c has the same numbers.
 *
 * At the head: 1 where there are errors, and the depth. Then the nodes, children before their parents, each with its
 * type, its field or 0, its start, its end, and how many children it has.
 */
import type { SyntaxNode, SyntaxTree } from './syntax-node.ts';

/** Changes with the order of the numbers, so that an older addon is known for what it is. */
export const LAYOUT = 1;
const HEAD = 2;
const PER_NODE = 5;

/** What becomes of the nodes of a type. */
export const ROLE = {
  /** Left out, unless the parser had to assume one. */
  dropped: 0,
  /** Kept where the parent reads it as a field. */
  keptAsField: 1,
  kept: 2,
  /** Kept, and known to have no children. */
  keptLeaf: 3,
} as const;

/** The type of what could not be read. It is beyond those that the grammar has. */
const ERROR_TYPE = 0xffff;

export interface TypeTable {
  /** By the number of the type. */
  readonly typeNames: readonly (string | null)[];
  /** By the number of the field; there is none for 0. */
  readonly fieldNames: readonly (string | null)[];
}

const NO_CHILDREN: readonly SyntaxNode[] = [];

export function treeFromNumbers(numbers: Int32Array, { typeNames, fieldNames }: TypeTable): SyntaxTree {
  // Nodes wait here until their parent comes. What is beyond the end belongs to a parent already.
  const waiting: SyntaxNode[] = [];
  let end = 0;
  for (let at = HEAD; at < numbers.length; at += PER_NODE) {
    const type = numbers[at] as number;
    const count = numbers[at + 4] as number;
    const first = end - count;
    waiting[first] = {
      type: type === ERROR_TYPE ? 'ERROR' : (typeNames[type] as string),
      field: fieldNames[numbers[at + 1] as number] ?? undefined,
      start: numbers[at + 2] as number,
      end: numbers[at + 3] as number,
      children: count === 0 ? NO_CHILDREN : waiting.slice(first, end),
    };
    end = first + 1;
  }
  return { root: waiting[0] as SyntaxNode, hasErrors: numbers[0] === 1, depth: numbers[1] as number };
}
