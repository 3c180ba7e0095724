import { visible } from '../../compiler/diagnostics/source-line.ts';
import { FOLDER_MODE, looseObject, type RawEntry, rawEntries } from './loose-objects.ts';
import { readObjects } from './objects.ts';
import { git, type Repository } from './repository.ts';
import { GitRefusal } from './run-git.ts';

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
  const [object] = readObjects(repository, [tree]);
  if (object?.type !== 'tree') throw noFolder(revision, folder);
  const entries = looseFiles(repository, object.id, '') ?? listedFiles(repository, revision, tree);
  const wrong = entries.find(({ path }) => path.split('/').some(isNoName));
  if (wrong) throw badPath(revision, wrong.path);
  return entries;
}

function listedFiles(repository: Repository, revision: string, tree: string): readonly TreeEntry[] {
  const words = ['ls-tree', '-r', '-z', '--full-tree', tree];
  const { bytes } = git(repository, `list the files of ${revision}`, words);
  return bytes.toString('utf8').split('\0').slice(0, -1).map(entryFromLine);
}

/** Without a process. Undefined where git has to be asked: a folder is not in a file of its own, or is not as git writes it. */
function looseFiles(repository: Repository, tree: string, above: string): readonly TreeEntry[] | undefined {
  const object = looseObject(repository, tree);
  if (typeof object !== 'object' || object.type !== 'tree') return undefined;
  const entries = rawEntries(object.content, tree.length / 2);
  if (sizeOf(entries) !== object.content.length) return undefined;
  const files: TreeEntry[] = [];
  for (const { mode, name, id } of entries) {
    const path = `${above}${name}`;
    const found = mode === FOLDER_MODE ? looseFiles(repository, id, `${path}/`) : filesOfMode(mode, path, id);
    if (found === undefined) return undefined;
    files.push(...found);
  }
  return files;
}

function filesOfMode(mode: string, path: string, id: string): readonly TreeEntry[] | undefined {
  const kind = KINDS[mode];
  return kind && [{ path, kind, mode, id }];
}

/** Of the bytes that they were read from, where none of them was cut off. */
function sizeOf(entries: readonly RawEntry[]): number {
  return entries.reduce(
    (size, { mode, name, id }) => size + mode.length + 1 + Buffer.byteLength(name) + 1 + id.length / 2,
    0,
  );
}

/** Git itself writes no such names, but takes them from whoever pushes them; files of theirs would be anywhere. */
function isNoName(name: string): boolean {
  return name === '' || name === '.' || name === '..' || name.toLowerCase() === '.git';
}

function badPath(revision: string, path: string): GitRefusal {
  const what = `the revision ${revision} has a file \`${visible(path)}\`, which no checkout could hold`;
  return new GitRefusal('damaged-object', `${what}; \`git fsck\` says which folder it is in`);
}

export function hasFolder(repository: Repository, revision: string, folder: string): boolean {
  return isFolder(repository, `${revision}:${folder}`);
}

function isFolder(repository: Repository, name: string): boolean {
  return readObjects(repository, [name])[0]?.type === 'tree';
}

/** The files of one tree object. */
export function treeFromBytes(bytes: Buffer, hashLength: number): readonly TreeEntry[] {
  const files = rawEntries(bytes, hashLength).filter(({ mode }) => mode !== FOLDER_MODE);
  return files.map(({ mode, name, id }) => ({ path: name, kind: KINDS[mode] ?? 'file', mode, id }));
}

/** `100644 blob <id>\t<path>`; a path may have tabs and line breaks in it. */
function entryFromLine(line: string): TreeEntry {
  const tab = line.indexOf('\t');
  const [mode = '', , id = ''] = line.slice(0, tab).split(' ');
  return { path: line.slice(tab + 1), kind: KINDS[mode] ?? 'file', mode, id };
}

const KINDS: Readonly<Record<string, TreeEntry['kind']>> = {
  '100644': 'file',
  '100755': 'file',
  '120000': 'link',
  '160000': 'submodule',
};

function noFolder(revision: string, folder: string): GitRefusal {
  const what =
    folder === '' ? `the files of ${revision} are not in the repository` : `there is no folder \`${folder}\``;
  return new GitRefusal('missing-object', folder === '' ? what : `${what} at the revision ${revision}`);
}
