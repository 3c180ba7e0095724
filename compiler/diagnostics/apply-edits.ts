import type { SourceFile } from '../source/source-file.ts';
import type { Edit } from './words/words.ts';

/** All the edits of one fix, or none of them. */
export type Fix = readonly Edit[];

/** The fixes that can be made together: of two that touch the same text, the first. */
export function compatible(fixes: readonly Fix[]): readonly Fix[] {
  const chosen: Fix[] = [];
  for (const fix of fixes) {
    const isFree = chosen.flat().every((edit) => fix.every((other) => !touches(edit, other)));
    if (isFree) chosen.push(fix);
  }
  return chosen;
}

function touches(one: Edit, other: Edit): boolean {
  return one.span.file === other.span.file && one.span.start <= other.span.end && other.span.start <= one.span.end;
}

/** The sources with these edits made. A source without an edit stays the same object. */
export function edited(sources: readonly SourceFile[], edits: readonly Edit[]): readonly SourceFile[] {
  return sources.map((source) => {
    const own = edits.filter(({ span }) => span.file === source.path);
    return own.length === 0 ? source : { ...source, text: editedText(source.text, own) };
  });
}

function editedText(text: string, edits: readonly Edit[]): string {
  const inOrder = edits.toSorted((a, b) => a.span.start - b.span.start);
  let result = '';
  let at = 0;
  for (const { span, text: put } of inOrder) {
    result += text.slice(at, span.start) + put;
    at = span.end;
  }
  return result + text.slice(at);
}
