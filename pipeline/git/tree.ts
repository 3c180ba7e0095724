import { GitRefusal } from './git-refusal.ts';
import { askGit, git, type Repository } from './repository.ts';

/** A file as a revision has it. Sizes are asked for apart: where blobs were left out of a clone, each would be fetched. */
export interface TreeEntry {
  /** Relative to the folder that was asked for, with `/`. */
  readonly path: string;
  readonly kind: 'file' | 'link' | 'submodule';
  /** As git writes it: `100644`, `100755`, `120000` or `160000`. */
  readonly mode: string;
  readonly id: string;
}

/** All files below a folder of the revision, in the order of the bytes of their paths. */
export function treeAt(repository: Repository, revision: string, folder = ''): readonly TreeEntry[] {
  const tree = `${revision}:${folder}`;
  if (!isFolder(repository, tree)) throw noFolder(revision, folder);
  const words = ['ls-tree', '-r', '-z', '--full-tree', tree];
  const { bytes } = git(repository, `list the files of ${revision}`, words);
  const entries = bytes.toString('utf8').split('\0').slice(0, -1).map(entryFromLine);
  const wrong = entries.find(({ path }) => path.split('/').some(isNoName));
  if (wrong) throw badPath(revision, wrong.path);
  return entries;
}

/** Git itself writes no such names, but takes them from whoever pushes them; files of theirs would be anywhere. */
function isNoName(name: string): boolean {
  return name === '' || name === '.' || name === '..' || name.toLowerCase() === '.git';
}

function badPath(revision: string, path: string): GitRefusal {
  const what = `the revision ${revision} has a file \`${path}\`, which no checkout could hold`;
  return new GitRefusal('damaged-object', `${what}; \`git fsck\` says which folder it is in`);
}

export function hasFolder(repository: Repository, revision: string, folder: string): boolean {
  return isFolder(repository, `${revision}:${folder}`);
}

function isFolder(repository: Repository, name: string): boolean {
  return askGit(repository, ['cat-file', '-t', name]).bytes.toString('utf8') === 'tree\n';
}

/** The entries of one tree object: `100644 name\0` and the bytes of a hash, again and again. */
export function treeFromBytes(bytes: Buffer, hashLength: number): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, blank);
    const mode = bytes.toString('latin1', at, blank);
    const path = bytes.toString('utf8', blank + 1, end);
    at = end + 1 + hashLength;
    if (mode !== FOLDER)
      entries.push({ path, kind: KINDS[mode] ?? 'file', mode, id: bytes.toString('hex', end + 1, at) });
  }
  return entries;
}

/** `100644 blob <id>\t<path>`; a path may have tabs and line breaks in it. */
function entryFromLine(line: string): TreeEntry {
  const tab = line.indexOf('\t');
  const [mode = '', , id = ''] = line.slice(0, tab).split(' ');
  return { path: line.slice(tab + 1), kind: KINDS[mode] ?? 'file', mode, id };
}

const FOLDER = '40000';
const KINDS: Readonly<Record<string, TreeEntry['kind']>> = { '120000': 'link', '160000': 'submodule' };

function noFolder(revision: string, folder: string): GitRefusal {
  const what =
    folder === '' ? `the files of ${revision} are not in the repository` : `there is no folder \`${folder}\``;
  return new GitRefusal('missing-object', folder === '' ? what : `${what} at the revision ${revision}`);
}
