/** The problems of a file as the editor shows them, with the edits that fix them. */
import {
  type CodeAction,
  CodeActionKind,
  DiagnosticSeverity,
  type Diagnostic as EditorDiagnostic,
  type Range,
  type TextEdit,
} from 'vscode-languageserver/node';
import { edited } from '../../compiler/diagnostics/apply-edits.ts';
import { type Diagnostic, placedWords, severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import type { Edit, Note, Words } from '../../compiler/diagnostics/words/words.ts';
import type { KilnFile, Section } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import { changesFrom, locationOf, placesIn, rangeOf, type Time } from './places.ts';

/** A diagnostic at its place, with the words that are said. */
interface PlacedDiagnostic {
  readonly shown: EditorDiagnostic;
  readonly words: Words;
  readonly time: Time;
}

export function diagnosticsOf(project: Project, file: KilnFile): readonly PlacedDiagnostic[] {
  return file.sections.flatMap((section, index) => {
    const found = [
      ...section.diagnostics.map((diagnostic) => ({ diagnostic, time: 'now' as const })),
      ...rulesBroken(project, section),
    ];
    return found.flatMap(({ diagnostic, time }) => {
      const range = rangeOf(project, { file, index, section }, diagnostic.span, time);
      const problem = range && placed(project, diagnostic, range, time);
      return problem && !isFixed(project, problem) ? [problem] : [];
    });
  });
}

/** The broken rules of a section. If its text cannot be read, the author does not see what follows from that. */
function rulesBroken(project: Project, section: Section) {
  if (section.diagnostics.some((diagnostic) => severityOf(diagnostic) === 'error')) return [];
  const diagnostics = project.checked(section)?.diagnostics ?? [];
  const certain = diagnostics.filter((diagnostic) => !isDoubtful(project.unreadWords, diagnostic));
  return certain.map((diagnostic) => ({ diagnostic, time: 'checked' as const }));
}

/** Whether its edits have been made since the last check, which would show it until the next one. */
function isFixed(project: Project, { words: { edits = [] }, time }: PlacedDiagnostic): boolean {
  if (project.isFresh || time === 'now' || edits.length === 0) return false;
  const files = [...new Set(edits.map(({ span }) => span.file))];
  return files.every((path) => {
    const section = project.placed(path)?.section;
    const text = section && project.checked(section)?.sound.text;
    return text !== undefined && edited([{ path, text }], edits)[0]?.text === section?.text;
  });
}

/** Whether a missing name may be declared in a text that could not be read so far. */
function isDoubtful(unreadWords: ReadonlySet<string>, { code, facts }: Diagnostic): boolean {
  const { name, type } = facts as { readonly name?: unknown; readonly type?: unknown };
  const missing = code === 'auth-not-declared' ? 'auth' : (name ?? type);
  return typeof missing === 'string' && unreadWords.has(missing);
}

function placed(project: Project, diagnostic: Diagnostic, range: Range, time: Time): PlacedDiagnostic {
  const words = placedWords(diagnostic, placesIn(project, time));
  const related = relatedTo(project, words.notes ?? [], time);
  const shown: EditorDiagnostic = {
    range,
    severity: words.severity === 'warning' ? DiagnosticSeverity.Warning : DiagnosticSeverity.Error,
    code: diagnostic.code,
    source: 'kiln',
    message: messageOf(words),
    ...(related.length > 0 ? { relatedInformation: related } : {}),
  };
  return { shown, words, time };
}

/** The label goes with the message, for an editor has no caret to write it beside. */
function messageOf({ message, label, help }: Words): string {
  return [label ? `${message}: ${label}` : message, ...(help ? [`Help: ${help}`] : [])].join('\n');
}

function relatedTo(project: Project, notes: readonly Note[], time: Time) {
  return notes.flatMap(({ span, text }) => {
    const location = locationOf(project, span, time);
    return location ? [{ location, message: text }] : [];
  });
}

// ── Fixes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export function mendsAt(project: Project, file: KilnFile, range: Range): readonly CodeAction[] {
  return diagnosticsOf(project, file)
    .filter(({ shown, words }) => words.edits && words.edits.length > 0 && meets(shown.range, range))
    .flatMap((found) => mendOf(project, found) ?? []);
}

function mendOf(project: Project, { shown, words, time }: PlacedDiagnostic): CodeAction | undefined {
  const edits = words.edits ?? [];
  const changes = editsByFile(project, edits, time);
  if (!changes) return undefined;
  return {
    title: mendTitle(project, edits, time),
    kind: CodeActionKind.QuickFix,
    diagnostics: [shown],
    isPreferred: true,
    edit: { changes },
  };
}

/** The edits by file; undefined if one has no place, because half a fix is none. */
function editsByFile(project: Project, edits: readonly Edit[], time: Time): Record<string, TextEdit[]> | undefined {
  const placedEdits = edits.flatMap(({ span, text }) => {
    const location = locationOf(project, span, time);
    return location ? [{ uri: location.uri, edit: { range: location.range, newText: text } }] : [];
  });
  return placedEdits.length === edits.length ? changesFrom(placedEdits) : undefined;
}

function mendTitle(project: Project, edits: readonly Edit[], time: Time): string {
  const [first, ...more] = edits;
  if (!first || more.length > 0) return 'Fix this in several places';
  const added = quoted(first.text);
  const taken = quoted(textOf(project, first, time));
  if (first.span.start === first.span.end) return `Add ${added}`;
  return first.text.trim() === '' ? `Remove ${taken}` : `Change ${taken} to ${added}`;
}

function textOf(project: Project, { span }: Edit, time: Time): string {
  const place = project.placed(span.file);
  const text = time === 'now' ? place?.section.text : place && project.checked(place.section)?.sound.text;
  return text?.slice(span.start, span.end) ?? '';
}

function quoted(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return `\`${line.length > 40 ? `${line.slice(0, 39)}…` : line}\``;
}

function meets(a: Range, b: Range): boolean {
  return !isBefore(a.end, b.start) && !isBefore(b.end, a.start);
}

function isBefore(a: Range['start'], b: Range['start']): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
