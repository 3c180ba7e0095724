/** Converts spans of the compiler to ranges of the editor. */
import type { Location, Range, TextEdit } from 'vscode-languageserver/node';
import type { Places } from '../../compiler/diagnostics/diagnostic.ts';
import type { Position, Span } from '../../compiler/source/source-file.ts';
import type { PlacedSection, Project } from '../project/project.ts';

/** Whether spans are those of the current texts, or of the texts at the last check. */
export type Time = 'now' | 'checked';

export function locationOf(project: Project, span: Span, time: Time): Location | undefined {
  const place = project.placed(span.file);
  const range = place && rangeOf(project, place, span, time);
  return range && { uri: place.file.uri, range };
}

export function rangeOf(project: Project, place: PlacedSection, span: Span, time: Time): Range | undefined {
  const { file, index, section } = place;
  if (time === 'now') return file.rangeIn(index, span.start, span.end);
  const moved = project.checked(section)?.shiftTo(section).around(span.start, span.end);
  return moved && file.rangeIn(index, moved.start, moved.end);
}

/** Files and lines as messages name them. */
export function placesIn(project: Project, time: Time): Places {
  return {
    name: (file) => project.placed(file)?.file.path ?? (file.split('\n', 1)[0] as string),
    lines: (file) => ({ positionAt: (offset) => positionOf(project, { file, start: offset, end: offset }, time) }),
  };
}

function positionOf(project: Project, span: Span, time: Time): Position {
  const start = locationOf(project, span, time)?.range.start ?? { line: 0, character: 0 };
  return { line: start.line + 1, column: start.character + 1 };
}

/** The edits by their file. */
export function changesFrom(edits: readonly { uri: string; edit: TextEdit }[]): Record<string, TextEdit[]> {
  const changes: Record<string, TextEdit[]> = {};
  for (const { uri, edit } of edits) changes[uri] = [...(changes[uri] ?? []), edit];
  return changes;
}
