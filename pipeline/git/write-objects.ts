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
  return writeEntries(repository, new Map(Object.entries(files).map(([name, id]) => [name, `100644 blob ${id}`])));
}

/**
 * `folder/name` to blobs, over the tree of a commit: what it has beside them stays. No commit is an empty tree. Only the
 * folders that change are written, however many there are.
 */
export function writeFolders(
  repository: Repository,
  commit: string | null,
  blobs: ReadonlyMap<string, string>,
): string {
  const top = commit === null ? new Map<string, string>() : entriesOf(repository, `${commit}^{tree}`);
  const changed = new Map<string, Map<string, string>>();
  for (const [path, id] of blobs) {
    const [folder = '', name = ''] = path.split('/');
    const files = changed.get(folder) ?? filesOf(repository, top.get(folder));
    changed.set(folder, files.set(name, `100644 blob ${id}`));
  }
  for (const [folder, files] of changed) top.set(folder, `040000 tree ${writeEntries(repository, files)}`);
  return writeEntries(repository, top);
}

function filesOf(repository: Repository, entry: string | undefined): Map<string, string> {
  const [, kind, id] = entry?.split(' ') ?? [];
  return kind === 'tree' && id !== undefined ? entriesOf(repository, id) : new Map();
}

/** Names to `100644 blob <id>`. */
function entriesOf(repository: Repository, tree: string): Map<string, string> {
  const { bytes } = git(repository, 'list a folder', ['ls-tree', '-z', tree]);
  const lines = bytes.toString('utf8').split('\0').slice(0, -1);
  return new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]));
}

function writeEntries(repository: Repository, entries: ReadonlyMap<string, string>): string {
  const lines = [...entries].map(([name, entry]) => `${entry}\t${name}\0`);
  return lineOf(git(repository, 'write a folder', ['mktree', '-z'], lines.join('')));
}

/** The bytes are ours to the last one, so no setting and no variable of the machine is in the hash. */
export function writeCommit(repository: Repository, { tree, parents, time, message }: NewCommit): string {
  const made = `${MAKER} ${time} +0000`;
  const head = [`tree ${tree}`, ...parents.map((id) => `parent ${id}`), `author ${made}`, `committer ${made}`];
  const text = `${head.join('\n')}\n\n${message}`;
  return lineOf(git(repository, 'write a commit', ['hash-object', '-t', 'commit', '-w', '--stdin'], text));
}
