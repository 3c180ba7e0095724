import { readObjects } from './objects.ts';
import type { Repository } from './repository.ts';
import { GitRefusal } from './run-git.ts';

/** What a commit says, apart from who made it. */
export interface Commit {
  readonly revision: string;
  readonly tree: string;
  /** As they were written, also where a shallow clone does not have them. */
  readonly parents: readonly string[];
  /** When it was committed, in seconds since 1970. */
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

/** Reading more of them takes longer than asking git. */
const LONGEST_LINE = 64;

/**
 * The commits from `tip` back to `end`, which is not among them, newest first; without an `end`, back to the first commit.
 * Undefined where git has to be asked: after a merge, where the line is long, and where `end` is not found.
 */
export function commitLine(repository: Repository, tip: string, end: string | null): readonly Commit[] | undefined {
  const line: Commit[] = [];
  for (let id: string | null = tip; id !== end; ) {
    const [object] = id === null || line.length === LONGEST_LINE ? [] : readObjects(repository, [id]);
    if (object?.type !== 'commit') return undefined;
    const commit = commitFromBytes(object.id, object.content);
    if (commit.parents.length > 1) return undefined;
    line.push(commit);
    id = commit.parents[0] ?? null;
  }
  return line;
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
