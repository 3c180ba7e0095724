/** The problems of the sources, as the console shows them: the sentence, the place, and the lines around it. */
import { resolve } from 'node:path';
import { type Diagnostic, placedWords, severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import type { SourceMap } from '../../compiler/source/line-index.ts';
import type { Span } from '../../compiler/source/source-file.ts';
import { fileTextIn } from '../../files/file-text.ts';
import type { CompilePlace, CompileProblem, SourceLine } from '../../runtime/console/live/live-event.ts';
import type { HookProblem } from '../hooks/hook-problem.ts';

/** Selects the problems that keep the sources from being served: warnings do not. */
export function problemsFromDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: SourceMap,
): readonly CompileProblem[] {
  return errorsIn(diagnostics).map((diagnostic) => {
    const { message, label, help, edits, notes = [] } = placedWords(diagnostic, sources);
    return {
      code: diagnostic.code,
      message,
      help: help ?? null,
      canFix: edits !== undefined,
      place: placeOf(diagnostic.span, sources, label ?? null),
      notes: notes.map((note) => ({ message: note.text, place: placeOf(note.span, sources, null) })),
    };
  });
}

export function errorsIn(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter((diagnostic) => severityOf(diagnostic) === 'error');
}

export function problemsFromHooks(problems: readonly HookProblem[], folder: string): readonly CompileProblem[] {
  const textOf = fileTextIn(folder);
  return problems.map(({ code, message, place, label, help }) => ({
    code,
    message,
    help,
    canFix: false,
    place: place && {
      file: place.file,
      path: resolve(folder, place.file),
      line: place.line,
      column: place.start + 1,
      label,
      source: linesAround((textOf(place.file) ?? '').split('\n'), place.line, place.line, [place.start, place.end]),
    },
    notes: [],
  }));
}

/** Makes a problem that is in no line of a file. */
export function problemFromSentence(message: string): CompileProblem {
  return { code: null, message, help: null, canFix: false, place: null, notes: [] };
}

function placeOf({ file, start, end }: Span, sources: SourceMap, label: string | null): CompilePlace {
  const index = sources.lines(file);
  const first = index.positionAt(start);
  const last = index.positionAt(Math.max(start, end));
  const lines = sources.text(file).split('\n');
  const marked = [start - index.startOf(first.line), end - index.startOf(last.line)] as const;
  return {
    file: sources.name(file),
    path: resolve(sources.name(file)),
    line: first.line,
    column: first.column,
    label,
    source: linesAround(lines, first.line, last.line, marked),
  };
}

/** How many lines are shown before and after. */
const AROUND = 2;
/** The number of lines that are shown of a longer span. */
const MOST_MARKED = 6;

function linesAround(
  lines: readonly string[],
  first: number,
  last: number,
  [start, end]: readonly [number, number],
): readonly SourceLine[] {
  const lastShown = Math.min(last, first + MOST_MARKED - 1);
  const from = Math.max(1, first - AROUND);
  return lines.slice(from - 1, lastShown + AROUND).map((whole, at) => {
    const line = from + at;
    const text = whole.replace(/\r$/, '');
    if (line < first || line > lastShown) return { line, text, mark: null };
    const begin = line === first ? start : text.length - text.trimStart().length;
    const stop = line === last ? end : text.length;
    return { line, text, mark: [begin, Math.max(stop, begin + 1)] };
  });
}
