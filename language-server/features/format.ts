import type { TextEdit } from 'vscode-languageserver/node';
import { formatSource } from '../../compiler/format/format-source.ts';
import { parseText } from '../../compiler/syntax/parse-text.ts';
import { MAX_DEPTH } from '../../compiler/syntax/syntax-node.ts';
import { commonEnds } from '../project/difference.ts';
import type { KilnFile } from '../project/kiln-file.ts';

/** What brings a file into the canonical format. Nothing is done to a text that cannot be read. */
export function formattingOf(file: KilnFile): readonly TextEdit[] {
  const { text } = file;
  const tree = parseText(text);
  if (tree.hasErrors || tree.depth > MAX_DEPTH) return [];
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
