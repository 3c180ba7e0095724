/** `kiln access`: who may call each endpoint, as the sources say it, of the work tree or of a revision. */
import { type Compilation, compile } from '../../compiler/compile.ts';
import { type ReadSources, readSources } from '../../files/read-sources.ts';
import { type PlacedRow, placedMatrix } from '../difference/placed-matrix.ts';
import { openRepository } from '../git/repository.ts';
import { revisionOf } from '../git/revision.ts';
import { sourcesAt } from '../git/sources-at.ts';
import { accessText } from './access-text.ts';
import { complainOf } from './build-complaint.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { compileSources, reportDiagnostics, reportProblems, sourceMapOf, startParser } from './project.ts';
import { printJson, printText } from './terminal.ts';

interface AccessOptions {
  readonly json?: boolean;
  readonly rev?: string;
}

export async function access(dir: string, { json = false, rev }: AccessOptions): Promise<ExitCode> {
  try {
    const found = rev === undefined ? await inWorkTree(dir) : await atRevision(dir, rev);
    if (found.read.problems.length > 0) return reportProblems(found.read.problems);
    return report(found, json);
  } catch (error) {
    return complainOf(error);
  }
}

interface Found {
  readonly read: ReadSources;
  readonly compilation: Compilation | null;
}

async function inWorkTree(dir: string): Promise<Found> {
  const read = readSources(dir);
  return { read, compilation: read.problems.length > 0 ? null : await compileSources(read) };
}

async function atRevision(dir: string, name: string): Promise<Found> {
  const repository = openRepository(dir);
  const { fileText, ...read } = sourcesAt(repository, revisionOf(repository, name));
  if (read.problems.length > 0) return { read, compilation: null };
  await startParser();
  return { read, compilation: compile(read.sources, fileText) };
}

function report({ read, compilation }: Found, json: boolean): ExitCode {
  const { definition, program, diagnostics = [], isComplete } = compilation ?? {};
  if (!definition || !program) {
    reportDiagnostics(diagnostics, read, isComplete);
    return EXIT.errors;
  }
  const rows = placedMatrix(definition, program, sourceMapOf(read));
  if (json) printJson(JSON.stringify(rows.map(jsonRow), undefined, 2));
  else printText(accessText(rows));
  return EXIT.ok;
}

function jsonRow({ id, endpoint, anonymous, signedIn, access: { says, shows }, place }: PlacedRow) {
  const [method, path] = endpoint.split(' ');
  return { id, method, path, anonymous, signedIn, rule: says, records: shows ?? null, place };
}
