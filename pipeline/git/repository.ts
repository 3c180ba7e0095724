/**
 * A git repository as Kiln sees it: finds the repository of a folder, with or without a work tree, inside a hook or
 * not. Only committed content is read from it; work trees and indexes are never touched.
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
  /** The folder of this work tree's references; the repository itself if it is bare. */
  readonly gitFolder: string;
  /** The folder that all work trees of the repository share. */
  readonly sharedFolder: string;
  /**
   * The folder of the project, as it is named in the repository's tree: the one that was opened, or for a bare repository
   * what `kiln.folder` in its configuration says. Empty for the top.
   */
  readonly folder: string;
  /** Its history was cut when it was cloned. */
  readonly isShallow: boolean;
  /** The hash that names its objects. */
  readonly hash: 'sha1' | 'sha256';
  readonly environment: Environment;
}

const OLDEST = [2, 20] as const;

/** The setting of a bare repository for the folder of the project in its tree. */
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

/** Runs git and returns whatever it answers. */
export function askGit(repository: Repository, words: readonly string[], input?: Uint8Array | string): GitResult {
  const { gitFolder, environment } = repository;
  const run = { folder: gitFolder, environment, ...(input === undefined ? {} : { input }) };
  return runGit([`--git-dir=${gitFolder}`, ...words], run);
}

/** Returns the output of git, or throws a refusal where it fails. `act` continues the sentence "git cannot". */
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

/** Rejects an old git. Exported for its test: no machine has every git. */
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
