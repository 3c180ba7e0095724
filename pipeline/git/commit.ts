import { once } from '../../compiler/definition/memo.ts';
import { areHere, commitName, readObjects } from './objects.ts';
import { askGit, type Repository } from './repository.ts';
import { GitRefusal, gitFailure } from './run-git.ts';

/** The contents of a commit, without its author. */
export interface Commit {
  readonly revision: string;
  readonly tree: string;
  /** The parents that the commit states, even if a shallow clone does not have them. */
  readonly parents: readonly string[];
  /** The time of the commit, in seconds since 1970. */
  readonly time: number;
  /** The first paragraph of the message, in one line. */
  readonly subject: string;
  readonly message: string;
}

export function commitOf(repository: Repository, revision: string): Commit {
  const [object] = readObjects(repository, [revision]);
  if (object?.type === 'commit') return commitFromBytes(object.id, object.content);
  throw new GitRefusal('unknown-revision', `the commit ${revision} is not in the repository`);
}

export function commitFromBytes(revision: string, bytes: Buffer): Commit {
  const end = bytes.indexOf('\n\n');
  const head = bytes.toString('latin1', 0, end < 0 ? bytes.length : end).split('\n');
  const message = end < 0 ? '' : textOf(bytes.subarray(end + 2), valuesOf(head, 'encoding')[0]);
  return {
    revision,
    tree: valuesOf(head, 'tree')[0] ?? '',
    parents: valuesOf(head, 'parent'),
    time: timeOf(valuesOf(head, 'committer')[0]),
    subject: subjectOf(message),
    message,
  };
}

/** The lines of a signature begin with a blank, so they are never taken for a header. */
function valuesOf(head: readonly string[], name: string): readonly string[] {
  return head.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
}

/** `Ann <ann@example.org> 1700000000 +0100`. A commit from before 1970 is taken as one from its first second. */
function timeOf(committer: string | undefined): number {
  return Math.max(0, Number(/> (-?\d+)/.exec(committer ?? '')?.[1] ?? 0));
}

function subjectOf(message: string): string {
  const [paragraph = ''] = message.trimStart().split(/\n\s*\n/);
  return paragraph.trim().replace(/\s*\n\s*/g, ' ');
}

function textOf(bytes: Buffer, encoding = 'utf-8'): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}

// ── Trailers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The values of a trailer, such as `Breaking: <reason>`, oldest first. */
type Trailers = (key: string) => readonly string[];

/**
 * Collects the trailers of the commits after `from`. Git decides what is a trailer: a line of the last paragraph of a
 * message. If `from` is not available, only `to` itself is read.
 */
export function trailersBetween(repository: Repository, from: string | null, to: string): Trailers {
  const lines = once(() => trailerLines(repository, from, to));
  return (key) => lines().flatMap((each) => valueIn(each, key));
}

function trailerLines(repository: Repository, from: string | null, to: string): readonly string[] {
  const logged = (...commits: readonly string[]) =>
    askGit(repository, ['log', '--no-show-signature', '--format=%(trailers:only,unfold)', ...commits]);
  const since = from === null ? null : logged('--reverse', `${from}..${to}`);
  const isKnown = since?.status === 0 || (from !== null && areHere(repository, [commitName(from)])[0]);
  const { status, bytes, stderr } = since && isKnown ? since : logged('-1', to);
  if (status !== 0) throw gitFailure('read the messages of commits', stderr);
  return bytes.toString('utf8').split('\n');
}

/** Keys are the same in small and large letters, as they are for git. A trailer without a value says nothing. */
function valueIn(line: string, key: string): readonly string[] {
  const at = line.indexOf(':');
  const isKey = at > 0 && line.slice(0, at).trim().toLowerCase() === key.toLowerCase();
  const value = isKey ? line.slice(at + 1).trim() : '';
  return value === '' ? [] : [value];
}
