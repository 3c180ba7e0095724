/** Diagnostics as people read them: the sentence, the place, the line with carets, the other places, the fix. */
import type { LineIndex, SourceMap } from '../source/line-index.ts';
import type { Span } from '../source/source-file.ts';
import { placedWords, type Reported, severityOf } from './diagnostic.ts';
import { shownLine, visible } from './source-line.ts';
import { plural } from './words/plural.ts';
import type { Severity, Words } from './words/words.ts';

/** Writes diagnostics. The text ends in a line break and a closing count; it is empty if there is nothing to report. */
export function renderText(
  diagnostics: readonly Reported[],
  sources: SourceMap,
  options: { readonly colour: boolean },
): string {
  if (diagnostics.length === 0) return '';
  const paint = options.colour ? inColour : plain;
  const reports = diagnostics.map((diagnostic) => reportOf(diagnostic, sources, paint));
  return [...reports, closingCount(diagnostics)].map((part) => `${part}\n`).join('\n');
}

function reportOf(diagnostic: Reported, sources: SourceMap, paint: Paint): string {
  const words = placedWords(diagnostic, sources);
  const severity = words.severity ?? 'error';
  const gutter = gutterWidth(diagnostic, words, sources);
  const lines = [headline(diagnostic.code, severity, words.message, paint)];
  const { span } = diagnostic;
  if (span) lines.push(...snippet({ span, label: words.label, gutter, mark: severity }, sources, paint));
  for (const note of words.notes ?? []) {
    lines.push(`${paint('note', 'note')}: ${safeLines(note.text).join('\n      ')}`);
    lines.push(...snippet({ span: note.span, label: undefined, gutter, mark: 'note' }, sources, paint));
  }
  if (words.help) lines.push(helpText(words.help, gutter, paint));
  return lines.join('\n');
}

function headline(code: string, severity: Severity, message: string, paint: Paint): string {
  return paint(severity, `${severity}[${code}]`) + paint('strong', `: ${safeLines(message).join('\n  ')}`);
}

function helpText(help: string, gutter: number, paint: Paint): string {
  const margin = `${' '.repeat(gutter)} ${paint('frame', '=')} `;
  const hanging = `\n${' '.repeat(gutter + 3 + 'help: '.length)}`;
  return `${margin}${paint('help', 'help')}: ${safeLines(help).join(hanging)}`;
}

interface Snippet {
  readonly span: Span;
  readonly label: string | undefined;
  readonly gutter: number;
  readonly mark: Style;
}

function snippet({ span, label, gutter, mark }: Snippet, sources: SourceMap, paint: Paint): readonly string[] {
  const index = sources.lines(span.file);
  const { line, column } = index.positionAt(span.start);
  const shown = shownSpan(index, line, span);
  const carets = '^'.repeat(shown.carets) + (label ? ` ${safeLines(label).join(' ')}` : '');
  const margin = paint('frame', `${' '.repeat(gutter)} |`);
  return [
    `  ${paint('frame', '-->')} ${visible(sources.name(span.file))}:${line}:${column}`,
    `${paint('frame', `${String(line).padStart(gutter)} |`)} ${shown.text}`.trimEnd(),
    `${margin} ${' '.repeat(shown.indent)}${paint(mark, carets)}`,
  ];
}

/** A span over several lines is shown by its first one, with carets to the end of it. */
function shownSpan(index: LineIndex, line: number, span: Span) {
  const lineStart = index.startOf(line);
  return shownLine(index.lineText(line), span.start - lineStart, Math.max(span.start, span.end) - lineStart);
}

/** One width for all the snippets of a diagnostic, so that they stand in one line. */
function gutterWidth({ span }: Reported, words: Words, sources: SourceMap): number {
  const spans = [span ?? [], ...(words.notes ?? []).map((note) => note.span)].flat();
  const lines = spans.map((span) => sources.lines(span.file).positionAt(span.start).line);
  return String(Math.max(1, ...lines)).length;
}

function safeLines(text: string): readonly string[] {
  return text.split('\n').map(visible);
}

function closingCount(diagnostics: readonly Reported[]): string {
  const errors = diagnostics.filter((diagnostic) => severityOf(diagnostic) === 'error').length;
  const warnings = diagnostics.length - errors;
  const { size: files } = new Set(diagnostics.flatMap(({ span }) => span?.file ?? []));
  const counts = [errors && plural(errors, 'error'), warnings && plural(warnings, 'warning')].filter(Boolean);
  return `${counts.join(' and ')}${files === 0 ? '' : ` in ${plural(files, 'file')}`}`;
}

type Style = Severity | 'note' | 'help' | 'frame' | 'strong';
type Paint = (style: Style, text: string) => string;

const CODES: Readonly<Record<Style, string>> = {
  error: '1;31',
  warning: '1;33',
  note: '1;36',
  help: '1;32',
  frame: '34',
  strong: '1',
};

const inColour: Paint = (style, text) => `\u001b[${CODES[style]}m${text}\u001b[0m`;
const plain: Paint = (_style, text) => text;
