/** `kiln access`: who may call each endpoint, as the sources say it, of the work tree or of a revision. */
import { type Compilation, compile } from '../../compiler/compile.ts';
import { visible } from '../../compiler/diagnostics/source-line.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { fileTextIn } from '../../files/file-text.ts';
import { type ReadSources, readSources } from '../../files/read-sources.ts';
import { type PlacedJob, type PlacedRow, placedMatrix } from '../difference/subject-place.ts';
import { openRepository } from '../git/repository.ts';
import { revisionOf } from '../git/revision.ts';
import { sourcesAt } from '../git/sources-at.ts';
import { reportDiagnostics, reportProblems, sourceMapOf, startParser } from './project.ts';
import { EXIT, type ExitCode, printJson, printText } from './terminal.ts';

interface AccessOptions {
  readonly json?: boolean;
  readonly rev?: string;
}

export async function access(dir: string, { json = false, rev }: AccessOptions): Promise<ExitCode> {
  const { fileText, ...read } = rev === undefined ? workTree(dir) : atRevision(dir, rev);
  if (read.problems.length > 0) return reportProblems(read.problems);
  await startParser();
  return report(read, compile(read.sources, fileText), json);
}

function workTree(dir: string) {
  const read = readSources(dir);
  // The folder may not exist, which is one of the problems.
  return { ...read, fileText: (path: string) => fileTextIn(read.folder)(path) };
}

function atRevision(dir: string, name: string) {
  const repository = openRepository(dir);
  return sourcesAt(repository, revisionOf(repository, name));
}

function report(read: ReadSources, compilation: Compilation, json: boolean): ExitCode {
  const { definition, program, diagnostics, isComplete } = compilation;
  if (!definition || !program) {
    reportDiagnostics(diagnostics, read, isComplete);
    return EXIT.errors;
  }
  const { rows, jobs } = placedMatrix(definition, program, sourceMapOf(read));
  if (json) printJson(JSON.stringify([...rows.map(jsonRow), ...jobs], undefined, 2));
  else printText(accessText(rows, jobs));
  return EXIT.ok;
}

function jsonRow({ endpoint, access: { says, shows }, ...row }: PlacedRow) {
  const { id, anonymous, signedIn, parallel, live, stale, place } = row;
  const [method, path] = endpoint.split(' ');
  return { id, method, path, anonymous, signedIn, rule: says, records: shows ?? null, parallel, live, stale, place };
}

// ── Access text ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The matrix of access rules as a table.

const TITLES = ['endpoint', 'anonymous', 'signed in', 'parallel', 'live', 'stale', 'place', 'rule'];

/** The rule may be long, so it is the last. */
export function accessText(rows: readonly PlacedRow[], jobs: readonly PlacedJob[] = []): string {
  const endpoints =
    rows.length === 0 ? ['There are no endpoints'] : [...tableOf(TITLES, rows.map(cells)), '', summary(rows)];
  const work = jobs.length === 0 ? [] : ['', ...tableOf(JOB_TITLES, jobs.map(cellsOfJob))];
  return [...endpoints, ...work].join('\n');
}

/** A column is left out where it is empty. */
function tableOf(titles: readonly string[], all: readonly (readonly string[])[]): readonly string[] {
  const isUsed = (_: string, column: number) => all.some((line) => line[column] !== '');
  const table = [titles, ...all].map((line) => line.filter(isUsed));
  const widths = titles.filter(isUsed).map((_, column) => Math.max(...table.map((cell) => cell[column]?.length ?? 0)));
  return table.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] as number))
      .join('  ')
      .trimEnd(),
  );
}

const JOB_TITLES = ['job', 'is done', 'parallel', 'place', 'run by'];

function cellsOfJob({ job, guarantee, parallel, place, runBy }: PlacedJob): readonly string[] {
  return [job, guarantee, parallel ?? '', `${place.file}:${place.line}`, runBy.join(', ')].map(visible);
}

function cells({ endpoint, anonymous, signedIn, access, parallel, live, stale, place }: PlacedRow): readonly string[] {
  const at = place ? `${place.file}:${place.line}` : '';
  const rule = access.shows === undefined ? access.says : `${access.says}; records: ${access.shows}`;
  const age = stale === null ? '' : `${stale} s`;
  return [endpoint, anonymous, signedIn, parallel ?? '', live ? 'yes' : '', age, at, rule].map(visible);
}

function summary(rows: readonly PlacedRow[]): string {
  const own = rows.filter(({ place }) => place === null);
  const ofAccounts = own.filter(({ id }) => id.startsWith('auth.')).length;
  // A push counts the endpoints of the sources alone.
  const counts = [
    `${rows.length - own.length} of the sources`,
    ...(ofAccounts === 0 ? [] : [`${ofAccounts} of accounts`]),
    ...(own.length === ofAccounts ? [] : [`${own.length - ofAccounts} of files`]),
  ];
  const origins = own.length === 0 ? '' : ` (${counts.join(', ')})`;
  const count = (who: PlacedRow['access']['who']) => rows.filter(({ access }) => access.who === who).length;
  const parts = [
    `${count('anyone')} for anyone`,
    `${count('signed in')} for everybody who is signed in`,
    `${count('condition')} under a condition`,
  ];
  return `${plural(rows.length, 'endpoint')}${origins}: ${parts.join(', ')}`;
}
