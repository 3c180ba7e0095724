/**
 * Reads objects of a repository, thousands of them through one process. What is given out has been checked against the
 * hash that names it: git itself does not do that when it reads.
 */
import { createHash } from 'node:crypto';
import { visible } from '../../compiler/diagnostics/source-line.ts';
import { CatFileEnded, catFile } from './cat-file.ts';
import { git, type Repository } from './repository.ts';
import { GitRefusal, gitFailure } from './run-git.ts';

export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly content: Buffer;
}

/** In the order of the names, which are hashes or what git understands, such as `<commit>:path`. */
export function readObjects(repository: Repository, names: readonly string[]): readonly (GitObject | undefined)[] {
  return names.map((name) => readObject(repository, name) as GitObject | undefined);
}

interface SizedObject extends Omit<GitObject, 'content'> {
  readonly size: number;
  /** Undefined where it is larger than was asked for. */
  readonly content: Buffer | undefined;
}

function readObject(repository: Repository, name: string, largest = Number.POSITIVE_INFINITY): SizedObject | undefined {
  if (name.includes('\n')) return undefined;
  const process = catFile(repository);
  try {
    // Anything else says that there is no such object.
    const [, id, type, length] = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/.exec(process.head(name)) ?? [];
    if (!id || !type) return undefined;
    const size = Number(length);
    const content = process.content(size, size <= largest);
    if (content) mustBe(id, type, content);
    return { id, type, size, content };
  } catch (error) {
    if (!(error instanceof CatFileEnded)) throw error;
    const isDamaged = /corrupt|cannot be read|unable to read|inflate|hash mismatch/.test(error.message);
    throw isDamaged ? damaged(error.message) : gitFailure('read from the repository', error.message);
  }
}

/** Contents by id. */
export function readBlobs(repository: Repository, ids: readonly string[]): ReadonlyMap<string, Buffer> {
  const blobs = ids.map((id) => ({ id }));
  return readSmallBlobs(repository, blobs).contents;
}

interface SmallBlobs {
  /** By id, of all. */
  readonly sizes: ReadonlyMap<string, number>;
  /** By id, of those that are not larger than `largest`. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

export function readSmallBlobs(repository: Repository, blobs: readonly { id: string }[], largest?: number): SmallBlobs {
  const sizes = new Map<string, number>();
  const contents = new Map<string, Buffer>();
  for (const id of new Set(blobs.map((blob) => blob.id))) {
    const object = readObject(repository, id, largest);
    if (object === undefined) throw missingObject(id);
    sizes.set(id, object.size);
    if (object.content) contents.set(id, object.content);
  }
  return { sizes, contents };
}

/** Whether each of the names stands for an object that is here. */
export function areHere(repository: Repository, names: readonly string[]): readonly boolean[] {
  return names.map((name) => readObject(repository, name, 0) !== undefined);
}

export function commitName(revision: string): string {
  return `${revision}^{commit}`;
}

function mustBe(id: string, type: string, content: Buffer): void {
  const hash = createHash(id.length === 40 ? 'sha1' : 'sha256').update(`${type} ${content.length}\0`);
  if (hash.update(content).digest('hex') !== id) throw damaged(`error: the object ${id} is not what its hash says`);
}

function damaged(stderr: string): GitRefusal {
  const { message } = gitFailure('read from the repository', stderr);
  return new GitRefusal(
    'damaged-object',
    `${message}; \`git fsck\` says what is damaged, and another clone may have it`,
  );
}

/** Where git cannot even tell an object's size, it says the same of a damaged one. */
export function missingObject(name: string): GitRefusal {
  const what = `the object ${name} is missing from the repository, or damaged; \`git fsck\` says which`;
  return new GitRefusal('missing-object', what);
}

// ── Trees ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const FOLDER_MODE = '40000';

export interface RawEntry {
  /** As it is in the object: folders have `40000`. */
  readonly mode: string;
  readonly name: string;
  readonly id: string;
}

/** The entries of one tree object: `100644 name\0` and the bytes of a hash, again and again. */
export function rawEntries(bytes: Buffer, hashLength: number): readonly RawEntry[] {
  const entries: RawEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(0x20, at);
    const end = blank < 0 ? -1 : bytes.indexOf(0, blank);
    if (end < 0) break;
    const mode = bytes.toString('latin1', at, blank);
    const name = bytes.toString('utf8', blank + 1, end);
    at = end + 1 + hashLength;
    entries.push({ mode, name, id: bytes.toString('hex', end + 1, at) });
  }
  return entries;
}

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
  if (!hasFolder(repository, revision, folder)) throw noFolder(revision, folder);
  const words = ['ls-tree', '-r', '-z', '--full-tree', `${revision}:${folder}`];
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
  const what = `the revision ${revision} has a file \`${visible(path)}\`, which no checkout could hold`;
  return new GitRefusal('damaged-object', `${what}; \`git fsck\` says which folder it is in`);
}

export function hasFolder(repository: Repository, revision: string, folder: string): boolean {
  return readObject(repository, `${revision}:${folder}`)?.type === 'tree';
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
