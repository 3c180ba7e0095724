/**
 * A git repository as Kiln sees it: a folder comes in, and where its repository is goes out, with or without a work tree,
 * inside a hook or not. From then on only committed content is looked at; work trees and indexes are never touched.
 */
import { realpathSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import {
  type Environment,
  environmentHere,
  environmentOf,
  freeEnvironment,
  GitRefusal,
  type GitResult,
  type GitRun,
  gitFailure,
  lineOf,
  runGit,
} from './run-git.ts';

export interface Repository {
  /** Where git keeps this work tree's references; of a bare repository, the repository itself. */
  readonly gitFolder: string;
  /** Where git keeps what all work trees of the repository share. */
  readonly sharedFolder: string;
  /**
   * The folder of the project, as it is named in the repository's tree: the one that was opened, or for a bare repository
   * what `kiln.folder` in its configuration says. Empty for the top.
   */
  readonly folder: string;
  /** Its history was cut when it was cloned. */
  readonly isShallow: boolean;
  /** What names its objects. */
  readonly hash: 'sha1' | 'sha256';
  readonly environment: Environment;
}

const OLDEST = [2, 20] as const;

/** In the configuration of a bare repository: where in its tree the project is. */
export const FOLDER_SETTING = 'kiln.folder';

export function openRepository(folder: string, outer: Environment = process.env): Repository {
  mustBeFolder(folder);
  const environment = isHere(folder) ? environmentHere(outer) : freeEnvironment(outer);
  const run: GitRun = { folder, environment };
  const [gitFolder = '', shared = '', prefix = '', isShallow, isBare, hash] = factsOf(folder, run);
  // One that answers this is from 2019 or later, and need not be asked for its version.
  if (hash !== 'sha1' && hash !== 'sha256') mustBeRecent(lineOf(runGit(['version'], run)));
  return {
    gitFolder,
    sharedFolder: resolve(folder, shared),
    folder: prefix.replace(/\/$/, '') || (isBare === 'true' ? configuredFolder(run) : ''),
    isShallow: isShallow === 'true',
    hash: hash === 'sha256' ? hash : 'sha1',
    environment: environmentOf(gitFolder, outer),
  };
}

const FACTS = [
  '--absolute-git-dir',
  '--git-common-dir',
  '--show-prefix',
  '--is-shallow-repository',
  '--is-bare-repository',
  // A git that does not know of it has no other than SHA-1, and gives the words back.
  '--show-object-format',
];

/** A line each. Where the name of a folder has line breaks in it, they are asked for one by one. */
function factsOf(folder: string, run: GitRun): readonly string[] {
  const lines = found(folder, runGit(['rev-parse', ...FACTS], run)).split('\n');
  return lines.length === FACTS.length ? lines : FACTS.map((fact) => found(folder, runGit(['rev-parse', fact], run)));
}

/** A bare repository has no folders that could be opened. */
function configuredFolder(run: GitRun): string {
  return lineOf(runGit(['config', '--local', '--get', FOLDER_SETTING], run));
}

/** Whatever git answers. */
export function askGit(repository: Repository, words: readonly string[], input?: Uint8Array | string): GitResult {
  const { gitFolder, environment } = repository;
  const run = { folder: gitFolder, environment, ...(input === undefined ? {} : { input }) };
  return runGit([`--git-dir=${gitFolder}`, ...words], run);
}

/** What git gives; a refusal where it does not. `act` goes on from "git cannot". */
export function git(
  repository: Repository,
  act: string,
  words: readonly string[],
  input?: Uint8Array | string,
): GitResult {
  const result = askGit(repository, words, input);
  if (result.status !== 0) throw gitFailure(act, result.stderr);
  return result;
}

function mustBeFolder(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return;
  const what = stats ? 'is not a folder' : 'does not exist';
  throw new GitRefusal('not-a-repository', `\`${folder}\` ${what}`);
}

function isHere(folder: string): boolean {
  return relative(realpathSync(folder), realpathSync('.')) === '';
}

/** Exported for its test: no machine has every git. */
export function mustBeRecent(version: string): void {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  const [oldestMajor, oldestMinor] = OLDEST;
  const isOld = Number(major) < oldestMajor || (Number(major) === oldestMajor && Number(minor) < oldestMinor);
  if (!isOld) return;
  throw new GitRefusal('git-too-old', `Kiln needs git ${OLDEST.join('.')} or newer; this is git ${major}.${minor}`);
}

function found(folder: string, result: GitResult): string {
  if (result.status === 0) return lineOf(result);
  const shown = resolve(folder);
  if (result.stderr.includes('dubious ownership')) throw foreign(shown);
  if (!/not a git repository/i.test(result.stderr)) throw gitFailure(`open \`${shown}\``, result.stderr);
  const what = `\`${shown}\` is not in a git repository; Kiln builds what is committed: run \`git init\` and commit first`;
  throw new GitRefusal('not-a-repository', what);
}

function foreign(folder: string): GitRefusal {
  const trust = `git config --global --add safe.directory '${folder}'`;
  const what = `\`${folder}\` belongs to another user, so git does not trust it; where you do, run \`${trust}\``;
  return new GitRefusal('foreign-repository', what);
}
