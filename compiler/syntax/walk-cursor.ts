/** Writes the numbers of flat-tree.ts from a cursor, for the engine that has nothing better. */
import { ROLE } from './flat-tree.ts';

/** The part of tree-sitter's cursor that is needed. */
interface Cursor {
  readonly nodeTypeId: number;
  readonly nodeIsMissing: boolean;
  /** Zero or undefined where the node has no field. */
  readonly currentFieldId: number | undefined;
  readonly startIndex: number;
  readonly endIndex: number;
  gotoFirstChild(): boolean;
  gotoNextSibling(): boolean;
  gotoParent(): boolean;
}

/** Walks without recursion, for no text may be nested too deeply for it. */
export function numbersFromCursor(cursor: Cursor, roles: Uint8Array, hasErrors: boolean): Int32Array {
  const numbers = [hasErrors ? 1 : 0, 0];
  const open: OpenNode[] = [];
  let depth = 0;
  for (;;) {
    const type = cursor.nodeTypeId;
    const role = roles[type] ?? ROLE.kept;
    if (isKept(cursor, role, hasErrors)) {
      open.push(nodeAt(cursor, type));
      if (open.length > depth) depth = open.length;
      if (role === ROLE.kept && cursor.gotoFirstChild()) continue;
      closeNode(open, numbers);
    }
    while (open.length > 0 && !cursor.gotoNextSibling()) {
      cursor.gotoParent();
      closeNode(open, numbers);
    }
    if (open.length === 0) break;
  }
  numbers[1] = depth;
  return Int32Array.from(numbers);
}

/** Punctuation and keywords go, unless the parser had to assume one: then the missing word has to be reported. */
function isKept(cursor: Cursor, role: number, hasErrors: boolean): boolean {
  if (role >= ROLE.kept) return true;
  return (role === ROLE.keptAsField && !!cursor.currentFieldId) || (hasErrors && cursor.nodeIsMissing);
}

interface OpenNode {
  readonly type: number;
  readonly field: number;
  readonly start: number;
  readonly end: number;
  children: number;
}

function nodeAt(cursor: Cursor, type: number): OpenNode {
  const { currentFieldId, startIndex: start, endIndex: end } = cursor;
  return { type, field: currentFieldId ?? 0, start, end, children: 0 };
}

function closeNode(open: OpenNode[], numbers: number[]): void {
  const { type, field, start, end, children } = open.pop() as OpenNode;
  numbers.push(type, field, start, end, children);
  const parent = open.at(-1);
  if (parent) parent.children += 1;
}
