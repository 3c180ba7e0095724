import { type FoldingRange, FoldingRangeKind } from 'vscode-languageserver/node';
import type { KilnFile } from '../project/kiln-file.ts';

/** Blocks and runs of comment lines. By the lines alone, so that a text that cannot be read folds as well. */
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
