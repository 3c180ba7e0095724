/**
 * Writes objects into a repository and gives their hashes. Nothing shows until a reference leads to them: what is left
 * behind by a process that was killed is removed by git's own housekeeping.
 */
import { git, type Repository } from './repository.ts';
import { lineOf } from './run-git.ts';
import { treeAt } from './tree.ts';

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

/** Paths to blobs, over the tree of a commit: what it has beside them stays. No commit is an empty tree. */
export function writeFolders(
  repository: Repository,
  commit: string | null,
  blobs: ReadonlyMap<string, string>,
): string {
  const before = commit === null ? [] : treeAt(repository, commit).map(({ path, id }) => [path, id] as const);
  const folders = new Map<string, Record<string, string>>();
  for (const [path, id] of [...before, ...blobs]) {
    const [folder = '', name = ''] = path.split('/');
    folders.set(folder, { ...folders.get(folder), [name]: id });
  }
  const lines = [...folders].map(([name, files]) => `040000 tree ${writeTree(repository, files)}\t${name}\0`);
  return lineOf(git(repository, 'write a folder', ['mktree', '-z'], lines.join('')));
}

/** The bytes are ours to the last one, so no setting and no variable of the machine is in the hash. */
export function writeCommit(repository: Repository, { tree, parents, time, message }: NewCommit): string {
  const made = `${MAKER} ${time} +0000`;
  const head = [`tree ${tree}`, ...parents.map((id) => `parent ${id}`), `author ${made}`, `committer ${made}`];
  const text = `${head.join('\n')}\n\n${message}`;
  return lineOf(git(repository, 'write a commit', ['hash-object', '-t', 'commit', '-w', '--stdin'], text));
}
