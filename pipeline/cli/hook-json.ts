/** Problems of hooks in the form that diagnostics have in JSON, so that a tool shows both alike. */
import type { JsonDiagnostic, JsonPosition, JsonRange } from '../../compiler/diagnostics/json-diagnostic.ts';
import { fileTextIn } from '../../files/file-text.ts';
import type { HookPlace, HookProblem } from '../hooks/hook-problem.ts';
import { pathFromHere } from './hook-problems.ts';

export function jsonHookProblems(problems: readonly HookProblem[], projectFolder: string): readonly JsonDiagnostic[] {
  return problems.map(({ code, message, place, label, help }) => ({
    code,
    severity: 'error',
    message,
    ...(label === null ? {} : { label }),
    ...(help === null ? {} : { help }),
    ...(place === null ? nowhere(projectFolder) : rangeOf(place, projectFolder)),
    notes: [],
    edits: [],
  }));
}

/** About all hooks together: the project is the place. */
function nowhere(projectFolder: string): JsonRange {
  const start = { line: 1, column: 1, offset: 0 };
  return { file: pathFromHere(projectFolder, '.'), start, end: start };
}

function rangeOf({ file, line, start, end }: HookPlace, projectFolder: string): JsonRange {
  const lines = (fileTextIn(projectFolder)(file) ?? '').split('\n');
  const lineStart = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const position = (column: number): JsonPosition => ({ line, column: column + 1, offset: lineStart + column });
  return { file: pathFromHere(projectFolder, file), start: position(start), end: position(end) };
}
