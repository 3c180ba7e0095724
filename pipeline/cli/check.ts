/** `kiln check`: compiles, and says what is wrong, with the sources and with the files of hooks. */

import type { Compilation } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { renderJson } from '../../compiler/diagnostics/render-json.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { type ReadSources, readSources } from '../../files/read-sources.ts';
import { bundleHooks } from '../hooks/bundle-hooks.ts';
import type { HookProblem } from '../hooks/hook-problem.ts';
import type { PlacedPlans } from './check-plans.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { jsonHookProblems } from './hook-json.ts';
import { reportHookProblems } from './hook-problems.ts';
import { compileSources, reportDiagnostics, reportProblems, sourceMapOf } from './project.ts';
import { print } from './terminal.ts';

interface CheckOptions {
  readonly json?: boolean;
  /** Also what no index serves. */
  readonly plans?: boolean;
}

export async function check(dir: string, options: CheckOptions): Promise<ExitCode> {
  const read = readSources(dir);
  if (read.problems.length > 0) {
    if (options.json)
      print(jsonReport({ diagnostics: [], isComplete: false, hookProblems: [], plans: null }, read, options));
    return reportProblems(read.problems);
  }
  const compilation = await compileSources(read);
  const checked = { ...compilation, hookProblems: await hookProblemsIn(read.folder, compilation.definition) };
  const plans = options.plans && !hasErrors(checked) ? await (await plansCheck()).plansOf(read, compilation) : null;
  const findings = { ...checked, plans };
  if (options.json) print(jsonReport(findings, read, options));
  else await reportToPeople(findings, read);
  return hasErrors(findings) ? EXIT.errors : EXIT.ok;
}

interface Findings extends Pick<Compilation, 'diagnostics' | 'isComplete'> {
  readonly hookProblems: readonly HookProblem[];
  /** Null where they were not asked for, or there are errors. */
  readonly plans: PlacedPlans | null;
}

/** Which files there are is known once the sources are right. */
async function hookProblemsIn(folder: string, definition: Definition | undefined): Promise<readonly HookProblem[]> {
  const bundle = definition && (await bundleHooks(folder, definition));
  return bundle && 'problems' in bundle ? bundle.problems : [];
}

/** Most checks need no Postgres, and need not wait for its code. */
function plansCheck() {
  return import('./check-plans.ts');
}

async function reportToPeople(findings: Findings, read: ReadSources): Promise<void> {
  const { diagnostics, isComplete, hookProblems, plans } = findings;
  reportDiagnostics(diagnostics, read, isComplete);
  if (hookProblems.length > 0) reportHookProblems(hookProblems, read.folder);
  if (!hasErrors(findings)) print(`Checked ${plural(read.sources.length, 'file')}: no errors`);
  if (plans !== null) (await plansCheck()).reportPlans(plans);
}

/** Always whole: a tool that reads it need not look at anything else. */
function jsonReport(
  { diagnostics, isComplete, hookProblems, plans }: Findings,
  read: ReadSources,
  options: CheckOptions,
): string {
  const report = {
    files: read.sources.length,
    complete: isComplete,
    problems: read.problems.map(({ kind, path, message }) => ({ kind, path, message })),
    diagnostics: [...renderJson(diagnostics, sourceMapOf(read)), ...jsonHookProblems(hookProblems, read.folder)],
    ...(options.plans ? { plans } : {}),
  };
  return JSON.stringify(report, undefined, 2);
}

function hasErrors({ diagnostics, hookProblems }: Omit<Findings, 'plans'>): boolean {
  return hookProblems.length > 0 || diagnostics.some(isError);
}

function isError(diagnostic: Diagnostic): boolean {
  return severityOf(diagnostic) === 'error';
}
