/** The problems of the sources, as the console shows them: the sentence, the place, and the lines around it. */
import { resolve } from 'node:path';
import { placedWords, type Reported, severityOf, type Worded } from '../../compiler/diagnostics/diagnostic.ts';
import { LineIndex, type SourceMap } from '../../compiler/source/line-index.ts';
import type { FileText, Span } from '../../compiler/source/source-file.ts';
import type { CompilePlace, CompileProblem, SourceLine } from '../../runtime/console/live/live-event.ts';
import type { HookPlace, HookProblem } from '../hooks/hook-problem.ts';

/** Selects the problems that keep the sources from being served: warnings do not. */
export function problemsFromDiagnostics(
  diagnostics: readonly Reported[],
  sources: SourceMap,
): readonly CompileProblem[] {
  return errorsIn(diagnostics).map((diagnostic) => {
    const { message, label, help, edits, notes = [] } = placedWords(diagnostic, sources);
    return {
      code: diagnostic.code,
      message,
      help: help ?? null,
      canFix: edits !== undefined,
      place: diagnostic.span && placeOf(diagnostic.span, sources, label ?? null),
      notes: notes.map((note) => ({ message: note.text, place: placeOf(note.span, sources, null) })),
    };
  });
}

export function errorsIn<R extends Reported>(diagnostics: readonly R[]): readonly R[] {
  return diagnostics.filter((diagnostic) => severityOf(diagnostic) === 'error');
}

/** Problems in the form of diagnostics, so that they are shown like those. */
export function hookReports(problems: readonly HookProblem[], textOf: FileText): readonly Worded[] {
  return problems.map(({ code, message, place, label, help }) => {
    const text = place && textOf(place.file);
    // A file outside of the project, such as that of a linked package, is not shown.
    const where = place && text === undefined ? ` (${place.file}:${place.line})` : '';
    return {
      code,
      span: place && text !== undefined && text !== null ? spanOf(place, text) : null,
      words: { message: `${message}${where}`, label: label ?? undefined, help: help ?? undefined },
    };
  });
}

function spanOf({ file, line, start, end }: HookPlace, text: string): Span {
  const from = new LineIndex(text).startOf(line);
  return { file, start: from + start, end: from + end };
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
