/** `kiln check`: compiles, and says what is wrong, with the sources and with the files of hooks. */
import type { Compilation } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { renderJson } from '../../compiler/diagnostics/render-json.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { fileTextFrom } from '../../files/file-text.ts';
import { type ReadSources, readSources } from '../../files/read-sources.ts';
import { hookReports } from '../dev/compile-problems.ts';
import type { HookProblem } from '../hooks/hook-problem.ts';
import type { PlacedPlans } from './check-plans.ts';
import { compileSources, reportDiagnostics, reportHookProblems, reportProblems, sourceMapOf } from './project.ts';
import { EXIT, type ExitCode, print, printJson, Refusal } from './terminal.ts';

interface CheckOptions {
  readonly json?: boolean;
  /** Whether to report queries that no index serves. */
  readonly plans?: boolean;
  /** Make the edits that errors suggest. */
  readonly fix?: boolean;
  /** Show them, and write nothing. */
  readonly dryRun?: boolean;
}

export async function check(dir: string, options: CheckOptions): Promise<ExitCode> {
  if (options.dryRun && !options.fix) throw new Refusal('`--dry-run` shows what `--fix` would write: add `--fix`');
  const read = readSources(dir);
  if (read.problems.length > 0) {
    if (options.json)
      printJson(jsonReport({ diagnostics: [], isComplete: false, hookProblems: [], plans: null }, read, options));
    return reportProblems(read.problems);
  }
  return options.fix ? checkFixed(read, options) : checkRead(read, options);
}

/**
 * Fixes the sources, then reports the errors that remain. With `--dry-run` those would be about texts that nobody has.
 */
async function checkFixed(read: ReadSources, options: CheckOptions): Promise<ExitCode> {
  const { changedFiles, fixed, printDiff, printFixes, writeFixes } = await import('./check-fix.ts');
  const fix = await fixed(read);
  if (options.dryRun && !options.json) {
    printDiff(fix, read);
    return fix.fixes + fix.left > 0 ? EXIT.errors : EXIT.ok;
  }
  if (!options.dryRun) writeFixes(fix);
  if (!options.json) printFixes(fix);
  return checkRead(fix.read, options, { errors: fix.fixes, files: changedFiles(fix) });
}

async function checkRead(read: ReadSources, options: CheckOptions, fixed?: FixReport): Promise<ExitCode> {
  const compilation = await compileSources(read, {
    needsDefinition: ({ hookFiles }) => hookFiles.length > 0 || options.plans === true,
  });
  const checked = { ...compilation, hookProblems: await hookProblemsIn(read.folder, compilation.definition, options) };
  const plans =
    options.plans && !hasErrors(checked) ? (await import('./check-plans.ts')).plansOf(read, compilation) : null;
  const findings = { ...checked, plans, fixed };
  if (options.json) printJson(jsonReport(findings, read, options));
  else await reportToPeople(findings, read);
  return hasErrors(findings) ? EXIT.errors : EXIT.ok;
}

/** The changes that `--fix` has made. */
interface FixReport {
  readonly errors: number;
  readonly files: readonly string[];
}

interface Findings extends Pick<Compilation, 'diagnostics' | 'isComplete'> {
  readonly hookProblems: readonly HookProblem[];
  /** Null where they were not asked for, or there are errors. */
  readonly plans: PlacedPlans | null;
  readonly fixed?: FixReport | undefined;
}

/**
 * Bundles the hooks to find their problems, then checks their types. The files are known only once the sources have no
 * errors. With `--dry-run` the types would be those of texts that nobody has.
 */
async function hookProblemsIn(
  folder: string,
  definition: Definition | undefined,
  { dryRun }: CheckOptions,
): Promise<readonly HookProblem[]> {
  if (!definition) return [];
  const { bundleHooks } = await import('../hooks/bundle-hooks.ts');
  const bundle = await bundleHooks(folder, definition);
  if (bundle && 'problems' in bundle) return bundle.problems;
  if (bundle === undefined || dryRun) return [];
  const { hookTypeProblems } = await import('../hooks/check-types.ts');
  return hookTypeProblems(folder, definition);
}

async function reportToPeople(findings: Findings, read: ReadSources): Promise<void> {
  const { diagnostics, isComplete, hookProblems, plans } = findings;
  reportDiagnostics(diagnostics, read, isComplete);
  if (hookProblems.length > 0) reportHookProblems(hookProblems, read.folder);
  if (!hasErrors(findings)) print(`Checked ${plural(read.sources.length, 'file')}: no errors`);
  if (plans !== null) (await import('./check-plans.ts')).reportPlans(plans);
}

/** Makes the whole report, so that a tool that reads it need not look at anything else. */
function jsonReport(
  { diagnostics, isComplete, hookProblems, plans, fixed }: Findings,
  read: ReadSources,
  options: CheckOptions,
): string {
  const ofHooks = hookProblems.length === 0 ? [] : hookReports(hookProblems, fileTextFrom(read.folder));
  const report = {
    files: read.sources.length,
    complete: isComplete,
    problems: read.problems.map(({ kind, path, message }) => ({ kind, path, message })),
    diagnostics: renderJson([...diagnostics, ...ofHooks], sourceMapOf(read)),
    ...(options.plans ? { plans } : {}),
    ...(fixed ? { fixed } : {}),
  };
  return JSON.stringify(report, undefined, 2);
}

function hasErrors({ diagnostics, hookProblems }: Omit<Findings, 'plans'>): boolean {
  return hookProblems.length > 0 || diagnostics.some((diagnostic) => severityOf(diagnostic) === 'error');
}
