/** `kiln check`: compiles, and says what is wrong. */

import type { Analysis } from '../../compiler/compile.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { plural } from '../../compiler/diagnostics/plural.ts';
import { renderJson } from '../../compiler/diagnostics/render-json.ts';
import { type ReadSources, readSources } from '../files/read-sources.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { analyseSources, reportDiagnostics, reportProblems, sourceMapOf } from './project.ts';
import { print } from './terminal.ts';

export async function check(dir: string, options: { readonly json: boolean }): Promise<ExitCode> {
  const read = readSources(dir);
  if (read.problems.length > 0) {
    if (options.json) print(jsonReport({ diagnostics: [], isComplete: false }, read));
    return reportProblems(read.problems);
  }
  const analysis = await analyseSources(read);
  if (options.json) print(jsonReport(analysis, read));
  else reportToPeople(analysis, read);
  return hasErrors(analysis.diagnostics) ? EXIT.errors : EXIT.ok;
}

type Findings = Pick<Analysis, 'diagnostics' | 'isComplete'>;

function reportToPeople({ diagnostics, isComplete }: Findings, read: ReadSources): void {
  reportDiagnostics(diagnostics, read, isComplete);
  if (!hasErrors(diagnostics)) print(`Checked ${plural(read.sources.length, 'file')}: no errors`);
}

/** Always whole: a tool that reads it need not look at anything else. */
function jsonReport({ diagnostics, isComplete }: Findings, read: ReadSources): string {
  const report = {
    files: read.sources.length,
    complete: isComplete,
    problems: read.problems.map(({ kind, path, message }) => ({ kind, path, message })),
    diagnostics: renderJson(diagnostics, sourceMapOf(read)),
  };
  return JSON.stringify(report, undefined, 2);
}

function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => severityOf(diagnostic) === 'error');
}
