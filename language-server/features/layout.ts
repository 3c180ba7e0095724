/** The lines of a file: their canonical format, and which of them fold. */
import { type FoldingRange, FoldingRangeKind, type TextEdit } from 'vscode-languageserver/node';
import { formatSource } from '../../compiler/format/format-source.ts';
import { parseText } from '../../compiler/syntax/parse-text.ts';
import { MAX_DEPTH } from '../../compiler/syntax/syntax-node.ts';
import type { KilnFile } from '../project/kiln-file.ts';
import { commonEnds } from '../project/shift.ts';

/** The edits that bring a file into the canonical format. A text that cannot be read is not changed. */
export function formattingOf(file: KilnFile): readonly TextEdit[] {
  const { text } = file;
  const tree = parseText(text);
  if (file.isTemplate || tree.hasErrors || tree.depth > MAX_DEPTH) return [];
  const formatted = formatSource(text, tree);
  return formatted === text ? [] : [smallestEdit(file, text, formatted)];
}

/** One edit over the lines that differ, so that cursors elsewhere stay where they are. */
function smallestEdit(file: KilnFile, before: string, after: string): TextEdit {
  const common = commonEnds(before, after);
  const head = before.lastIndexOf('\n', common.head - 1) + 1;
  // A place between the halves of a line end is none for an editor.
  const isWithinLineEnd = before.slice(-common.tail - 1).startsWith('\r\n');
  const tail = isWithinLineEnd ? common.tail - 1 : common.tail;
  const range = { start: file.positionAt(head), end: file.positionAt(before.length - tail) };
  return { range, newText: after.slice(head, after.length - tail) };
}

// ── Folding ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The folding ranges: blocks and runs of comment lines. They are found by the lines alone, so that an unreadable text
 * folds as well.
 */
export function foldingOf(file: KilnFile): readonly FoldingRange[] {
  const lines = file.text.split('\n');
  return [...blocksIn(lines), ...commentsIn(lines)].sort((a, b) => a.startLine - b.startLine);
}

function blocksIn(lines: readonly string[]): readonly FoldingRange[] {
  const found: FoldingRange[] = [];
  const open: number[] = [];
  lines.forEach((line, at) => {
    for (const sign of withoutTexts(line).match(/[{}]/g) ?? []) {
      const start = sign === '{' ? open.push(at) && undefined : open.pop();
      // The line of the `}` stays to be seen.
      if (start !== undefined && at - 1 > start) found.push({ startLine: start, endLine: at - 1 });
    }
  });
  return found;
}

function withoutTexts(line: string): string {
  return line.replace(/"(?:\\.|[^"\\])*"/g, '').replace(/\/\/.*/, '');
}

function commentsIn(lines: readonly string[]): readonly FoldingRange[] {
  const found: FoldingRange[] = [];
  let start: number | undefined;
  [...lines, ''].forEach((line, at) => {
    const isComment = line.trimStart().startsWith('//');
    if (isComment) start ??= at;
    else if (start !== undefined) {
      if (at - 1 > start) found.push({ startLine: start, endLine: at - 1, kind: FoldingRangeKind.Comment });
      start = undefined;
    }
  });
  return found;
}
