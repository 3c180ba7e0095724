/**
 * Reads objects of a repository, thousands of them through one process. What is given out has been checked against the
 * hash that names it: git itself does not do that when it reads.
 */
import { createHash } from 'node:crypto';
import { visible } from '../../compiler/diagnostics/source-line.ts';
import { askGit, type Repository } from './repository.ts';
import { GitRefusal, gitFailure } from './run-git.ts';

export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly content: Buffer;
}

interface ObjectHead {
  readonly id: string;
  readonly type: string;
  readonly size: number;
}

/** Reads objects in the order of the names, which are hashes or what git understands, such as `<commit>:path`. */
export function readObjects(repository: Repository, names: readonly string[]): readonly (GitObject | undefined)[] {
  if (names.length === 0) return [];
  const bytes = batch(repository, '--batch', names);
  let at = 0;
  return names.map(() => {
    const end = bytes.indexOf(0x0a, at);
    const head = headOf(bytes.toString('utf8', at, end));
    const content = bytes.subarray(end + 1, end + 1 + (head?.size ?? 0));
    at = end + 1 + (head ? head.size + 1 : 0);
    if (head) mustBe(head.id, head.type, content);
    return head && { id: head.id, type: head.type, content };
  });
}

/** Reads the contents of blobs, by id. */
export function readBlobs(repository: Repository, ids: readonly string[]): ReadonlyMap<string, Buffer> {
  const unique = [...new Set(ids)];
  const objects = readObjects(repository, unique);
  return new Map(unique.map((id, at) => [id, objects[at]?.content ?? refuse(id)]));
}

interface SmallBlobs {
  /** The sizes of all blobs, by id. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The contents of the blobs that are not larger than `largest`, by id. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

/** Reads blobs. Only the size is read of those larger than `largest`; git stores it beside each object. */
export function readSmallBlobs(repository: Repository, blobs: readonly { id: string }[], largest: number): SmallBlobs {
  const unique = [...new Set(blobs.map(({ id }) => id))];
  const heads = headsOf(repository, unique);
  const sizes = new Map(unique.map((id, at) => [id, heads[at]?.size ?? refuse(id)]));
  const small = unique.filter((id) => (sizes.get(id) ?? 0) <= largest);
  return { sizes, contents: readBlobs(repository, small) };
}

/** Whether each of the names stands for an object that is here. */
export function areHere(repository: Repository, names: readonly string[]): readonly boolean[] {
  return headsOf(repository, names).map((head) => head !== undefined);
}

function headsOf(repository: Repository, names: readonly string[]): readonly (ObjectHead | undefined)[] {
  const lines = names.length === 0 ? [] : batch(repository, '--batch-check', names).toString('utf8').split('\n');
  return names.map((_, at) => headOf(lines[at] ?? ''));
}

function batch(repository: Repository, how: string, names: readonly string[]): Buffer {
  // A name is a line, and `?` stands for nothing.
  const lines = names.map((name) => `${name.includes('\n') ? '?' : name}\n`).join('');
  const { status, bytes, stderr } = askGit(repository, ['cat-file', how], lines);
  if (status === 0) return bytes;
  if (/corrupt|cannot be read|unable to read|inflate|hash mismatch/.test(stderr)) throw damaged(stderr);
  throw gitFailure('read from the repository', stderr);
}

/** `<id> <type> <size>`. Anything else says that there is no such object. */
function headOf(line: string): ObjectHead | undefined {
  const [, id, type, size] = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/.exec(line) ?? [];
  return id && type && size ? { id, type, size: Number(size) } : undefined;
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

/** The refusal for an object whose size git cannot tell: git says the same of a missing one and a damaged one. */
export function missingObject(name: string): GitRefusal {
  const what = `the object ${name} is missing from the repository, or damaged; \`git fsck\` says which`;
  return new GitRefusal('missing-object', what);
}

function refuse(id: string): never {
  throw missingObject(id);
}

// ── Trees ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const FOLDER_MODE = '40000';

export interface RawEntry {
  /** The mode in the object: folders have `40000`. */
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
  /** The mode as git writes it: `100644`, `100755`, `120000` or `160000`. */
  readonly mode: string;
  readonly id: string;
}

/** All files below a folder of the revision, in the order of the bytes of their paths; undefined without that folder. */
export function treeAt(repository: Repository, revision: string, folder = ''): readonly TreeEntry[] | undefined {
  const name = `${revision}:${folder}`;
  const { status, bytes, stderr } = askGit(repository, ['ls-tree', '-r', '-z', '--full-tree', name]);
  if (status !== 0 && headsOf(repository, [name])[0]?.type !== 'tree') return undefined;
  if (status !== 0) throw gitFailure(`list the files of ${revision}`, stderr);
  const entries = bytes.toString('utf8').split('\0').slice(0, -1).map(entryFromLine);
  const wrong = entries.find(({ path }) => path.split('/').some(isNoName));
  if (wrong) throw badPath(revision, wrong.path);
  return entries;
}

/**
 * Whether git forbids this name. Git itself writes no such names, but accepts them in a push; files with them could be
 * anywhere.
 */
function isNoName(name: string): boolean {
  return name === '' || name === '.' || name === '..' || name.toLowerCase() === '.git';
}

function badPath(revision: string, path: string): GitRefusal {
  const what = `the revision ${revision} has a file \`${visible(path)}\`, which no checkout could hold`;
  return new GitRefusal('damaged-object', `${what}; \`git fsck\` says which folder it is in`);
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
