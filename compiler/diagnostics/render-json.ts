import type { SourceMap } from '../source/line-index.ts';
import type { Span } from '../source/source-file.ts';
import { placedWords, type Reported } from './diagnostic.ts';
import type { JsonDiagnostic, JsonPosition, JsonRange } from './json-diagnostic.ts';

/** Diagnostics as plain data: what `renderText` says, and the edits that fix it, for tools. */
export function renderJson(diagnostics: readonly Reported[], sources: SourceMap): readonly JsonDiagnostic[] {
  return diagnostics.map((diagnostic) => jsonDiagnostic(diagnostic, sources));
}

function jsonDiagnostic(diagnostic: Reported, sources: SourceMap): JsonDiagnostic {
  const words = placedWords(diagnostic, sources);
  return {
    code: diagnostic.code,
    severity: words.severity ?? 'error',
    message: words.message,
    ...(words.label ? { label: words.label } : {}),
    ...(words.help ? { help: words.help } : {}),
    ...jsonRange(diagnostic.span ?? NOWHERE, sources),
    notes: (words.notes ?? []).map((note) => ({ message: note.text, ...jsonRange(note.span, sources) })),
    edits: (words.edits ?? []).map((edit) => ({ ...jsonRange(edit.span, sources), text: edit.text })),
  };
}

/** The project. */
const NOWHERE: Span = { file: '', start: 0, end: 0 };

function jsonRange(span: Span, sources: SourceMap): JsonRange {
  return {
    file: sources.name(span.file),
    start: jsonPosition(span, span.start, sources),
    end: jsonPosition(span, span.end, sources),
  };
}

function jsonPosition(span: Span, offset: number, sources: SourceMap): JsonPosition {
  return { ...sources.lines(span.file).positionAt(offset), offset };
}
