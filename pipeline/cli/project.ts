/** The common part of the commands: reading the sources, compiling them, reporting problems. */
import { relative, resolve, sep } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type Compilation, type CompileOptions, compile } from '../../compiler/compile.ts';
import { type Diagnostic, severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { shownLine, visible } from '../../compiler/diagnostics/source-line.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { fileTextIn } from '../../files/file-text.ts';
import type { ReadSources } from '../../files/read-sources.ts';
import type { SourceProblem } from '../../files/source-rules.ts';
import type { HookPlace, HookProblem } from '../hooks/hook-problem.ts';
import { complain, EXIT, type ExitCode, errorMark, hasColour, pointToExplanation, tellPainted } from './terminal.ts';

export async function compileSources({ folder, sources }: ReadSources, options?: CompileOptions): Promise<Compilation> {
  await startParser();
  return compile(sources, fileTextIn(folder), options);
}

export async function startParser(): Promise<void> {
  // A command is over before optimised WebAssembly would pay off, yet would wait for it at its end.
  setFlagsFromString('--liftoff-only');
  await loadGrammar();
}

/** Says each problem in a sentence. */
export function reportProblems(problems: readonly SourceProblem[]): ExitCode {
  for (const problem of problems) complain(problem.message);
  if (problems.length === 0) return EXIT.ok;
  return problems.every((problem) => problem.cause === 'content') ? EXIT.errors : EXIT.usage;
}

export function reportDiagnostics(diagnostics: readonly Diagnostic[], read: ReadSources, isComplete = true): void {
  const colour = hasColour(process.stderr);
  const text = renderText(diagnostics, sourceMapOf(read), { colour });
  if (text !== '') tellPainted(text.replace(/\n$/, ''));
  if (!isComplete) process.stderr.write('The rest is checked once all of this can be read\n');
  pointToExplanation(diagnostics.find((diagnostic) => severityOf(diagnostic) === 'error')?.code);
}

/** Files are named as they can be opened from where the command runs. */
export function sourceMapOf({ folder, sources }: Pick<ReadSources, 'folder' | 'sources'>): SourceMap {
  const fromHere = relative(process.cwd(), folder);
  const named = (fromHere.startsWith('..') ? folder : fromHere).split(sep).join('/');
  return new SourceMap(sources, named, (path) => fileTextIn(folder)(path));
}

// ── Hook problems ────────────────────────────────────────────────────────────────────────────────────────────────────

// Problems of hooks as the compiler shows its own: the sentence, the place, the line with carets, the way out.

export function reportHookProblems(problems: readonly HookProblem[], projectFolder: string): void {
  const reports = problems.map((problem) => `${reportOf(problem, projectFolder)}\n`);
  process.stderr.write([...reports, `${plural(problems.length, 'error')}\n`].join('\n'));
  pointToExplanation(problems[0]?.code);
}

function reportOf({ code, message, place, label, help }: HookProblem, projectFolder: string): string {
  const gutter = ' '.repeat(String(place?.line ?? '').length);
  return [
    `${errorMark(`error[${code}]`)}: ${visible(message)}`,
    ...(place ? snippet(place, label, gutter, projectFolder) : []),
    ...(help === null ? [] : [`${gutter} = help: ${visible(help)}`]),
  ].join('\n');
}

function snippet(place: HookPlace, label: string | null, gutter: string, projectFolder: string): readonly string[] {
  const { text, indent, carets } = shownLine(place.lineText, place.start, place.end);
  const marks = '^'.repeat(carets) + (label === null ? '' : ` ${label}`);
  return [
    `  --> ${visible(pathFromHere(projectFolder, place.file))}:${place.line}:${place.start + 1}`,
    `${place.line} | ${text}`.trimEnd(),
    `${gutter} | ${' '.repeat(indent)}${marks}`,
  ];
}

/** Turns a path into one that can be opened from the current folder. */
export function pathFromHere(projectFolder: string, file: string): string {
  const path = resolve(projectFolder, file);
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
}
