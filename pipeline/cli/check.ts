/** `kiln check`: compiles, and says what is wrong. */

import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { plural } from '../../compiler/diagnostics/plural.ts';
import { renderJson } from '../../compiler/diagnostics/render-json.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { readSources } from '../files/read-sources.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { analyseSources, reportDiagnostics, reportProblems } from './project.ts';
import { print } from './terminal.ts';

export async function check(dir: string, options: { readonly json: boolean }): Promise<ExitCode> {
  const read = readSources(dir);
  const { sources, problems } = read;
  if (problems.length > 0) return reportProblems(problems);
  const { diagnostics } = await analyseSources(read);
  if (options.json) print(jsonReport(diagnostics, sources));
  else reportToPeople(diagnostics, sources);
  return hasErrors(diagnostics) ? EXIT.errors : EXIT.ok;
}

function reportToPeople(diagnostics: readonly Diagnostic[], sources: readonly SourceFile[]): void {
  reportDiagnostics(diagnostics, sources);
  if (!hasErrors(diagnostics)) print(`Checked ${plural(sources.length, 'file')}: no errors`);
}

function jsonReport(diagnostics: readonly Diagnostic[], sources: readonly SourceFile[]): string {
  const report = { files: sources.length, diagnostics: renderJson(diagnostics, new SourceMap(sources)) };
  return JSON.stringify(report, undefined, 2);
}

function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => severityOf(diagnostic) === 'error');
}
