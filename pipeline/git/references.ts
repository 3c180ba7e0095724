/** References: reading them, and moving one only from where it was seen. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askGit, git, type Repository } from './repository.ts';
import { gitFailure, lineOf } from './run-git.ts';

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
