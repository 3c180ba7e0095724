/**
 * Writes objects into a repository and gives their hashes. Nothing shows until a reference leads to them: what is left
 * behind by a process that was killed is removed by git's own housekeeping.
 */
import { git, type Repository } from './repository.ts';
import { lineOf } from './run-git.ts';

/** File names to blobs. */
type TreeFiles = Readonly<Record<string, string>>;

interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** In seconds since 1970. */
  readonly time: number;
  readonly message: string;
}

/** No person and no machine: the same commit has the same hash, whoever makes it. */
const MAKER = 'Kiln <kiln@localhost>';

export function writeBlob(repository: Repository, content: Uint8Array | string): string {
  return lineOf(git(repository, 'write a file', ['hash-object', '-w', '--no-filters', '--stdin'], content));
}

export function writeTree(repository: Repository, files: TreeFiles): string {
  const lines = Object.entries(files).map(([name, id]) => `100644 blob ${id}\t${name}\0`);
  return lineOf(git(repository, 'write a folder', ['mktree', '-z'], lines.join('')));
}

/** The bytes are ours to the last one, so no setting and no variable of the machine is in the hash. */
export function writeCommit(repository: Repository, { tree, parents, time, message }: NewCommit): string {
  const made = `${MAKER} ${time} +0000`;
  const head = [`tree ${tree}`, ...parents.map((id) => `parent ${id}`), `author ${made}`, `committer ${made}`];
  const text = `${head.join('\n')}\n\n${message}`;
  return lineOf(git(repository, 'write a commit', ['hash-object', '-t', 'commit', '-w', '--stdin'], text));
}
