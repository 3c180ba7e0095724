/**
 * A git repository as Kiln sees it: finds the repository of a folder, with or without a work tree, inside a hook or
 * not. Only committed content is read from it; work trees and indexes are never touched.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
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

// ── References ───────────────────────────────────────────────────────────────────────────────────────────────────────

// They are read, and moved only from where they were seen.

/** A move of a reference; `from` is where it was seen, or null where it is to be new. */
export interface ReferenceMove {
  readonly name: string;
  readonly from: string | null;
  readonly to: string;
}

export interface Reference {
  readonly name: string;
  readonly id: string;
}

type MoveResult =
  | { readonly kind: 'moved' }
  /** It is not where it was seen. */
  | { readonly kind: 'elsewhere'; readonly id: string | null }
  /** Another process has held it for seconds, or was killed while it did. */
  | { readonly kind: 'locked' };

/** Lists references in the order of their names. `folder` is for example `refs/kiln/releases`. */
export function referencesIn(repository: Repository, folder: string): readonly Reference[] {
  const words = ['for-each-ref', '--format=%(objectname) %(refname)', '--sort=refname', folder];
  const lines = lineOf(git(repository, 'list references', words)).split('\n');
  const parts = lines.filter((line) => line !== '').map((line) => line.split(' '));
  return parts.map(([id = '', name = '']) => ({ id, name }));
}

/** The id of a reference; null where there is none. */
export function referenceId(repository: Repository, name: string): string | null {
  return referenceInFile(repository, name) ?? askedReference(repository, name);
}

/** Reads a reference from its file; undefined where git has to be asked: it may store references in another format. */
function referenceInFile({ sharedFolder }: Repository, name: string): string | undefined {
  try {
    return /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(readFileSync(join(sharedFolder, name), 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

function askedReference(repository: Repository, name: string): string | null {
  const { status, bytes, stderr } = askGit(repository, ['show-ref', '--verify', '--hash', name]);
  if (status === 0) return bytes.toString('utf8').trim();
  if (stderr === '' || stderr.includes('not a valid ref')) return null;
  throw gitFailure(`read \`${name}\``, stderr);
}

/**
 * Moves references by compare-and-swap, all of them or none: if several move one from the same place, one succeeds. The
 * first one that has moved elsewhere is reported.
 */
export function moveReferences(repository: Repository, moves: readonly ReferenceMove[]): MoveResult {
  const words = ['update-ref', '--no-deref', '-m', 'kiln: release', '-z', '--stdin'];
  const { status, stderr } = askGit(repository, words, moves.map(updateText).join(''));
  if (status === 0) return { kind: 'moved' };
  for (const { name, from } of moves) {
    const now = referenceId(repository, name);
    if (now !== from) return { kind: 'elsewhere', id: now };
  }
  if (/\.lock'|\.lock: /.test(stderr) && stderr.includes('File exists')) return { kind: 'locked' };
  throw gitFailure(`move \`${moves.map(({ name }) => name).join('` and `')}\``, stderr);
}

/** Formats a move for git. A hash of zeros means that the reference does not exist yet. */
function updateText({ name, from, to }: ReferenceMove): string {
  return `update ${name}\0${to}\0${from ?? '0'.repeat(to.length)}\0`;
}

export function isBranchName(repository: Repository, branch: string): boolean {
  if (PLAIN.test(branch)) return true;
  return !/[\0]/.test(branch) && askGit(repository, ['check-ref-format', `refs/heads/${branch}`]).status === 0;
}

/** Names without anything that git could object to, so git need not check them. */
const PLAIN = /^[A-Za-z0-9_]+([-/][A-Za-z0-9_]+)*$/;
