/** The common part of the commands: reading the sources, compiling them, reporting problems. */
import { relative, sep } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type Compilation, type CompileOptions, compile } from '../../compiler/compile.ts';
import { type Reported, severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { fileTextFrom, fileTextIn } from '../../files/file-text.ts';
import type { ReadSources } from '../../files/read-sources.ts';
import { isOfContent, type SourceProblem } from '../../files/source-rules.ts';
import { hookReports } from '../dev/compile-problems.ts';
import type { HookProblem } from '../hooks/hook-problem.ts';
import { complain, EXIT, type ExitCode, hasColour, pointToExplanation, tellPainted } from './terminal.ts';

type Project = Pick<ReadSources, 'folder' | 'sources'>;

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
  return problems.every(isOfContent) ? EXIT.errors : EXIT.usage;
}

export function reportDiagnostics(diagnostics: readonly Reported[], read: Project, isComplete = true): void {
  const colour = hasColour(process.stderr);
  const text = renderText(diagnostics, sourceMapOf(read), { colour });
  if (text !== '') tellPainted(text.replace(/\n$/, ''));
  if (!isComplete) process.stderr.write('The rest is checked once all of this can be read\n');
  pointToExplanation(diagnostics.find((diagnostic) => severityOf(diagnostic) === 'error')?.code);
}

/** Files are named as they can be opened from where the command runs. */
export function sourceMapOf({ folder, sources }: Project): SourceMap {
  const fromHere = relative(process.cwd(), folder);
  const named = (fromHere.startsWith('..') ? folder : fromHere).split(sep).join('/');
  return new SourceMap(sources, named, fileTextFrom(folder));
}

export function reportHookProblems(problems: readonly HookProblem[], folder: string): ExitCode {
  reportDiagnostics(hookReports(problems, fileTextFrom(folder)), { folder, sources: [] });
  return EXIT.errors;
}
