/**
 * Objects that git keeps in a file each, which are those of the last commits and pushes: they are read without starting a
 * process. What is not found here, or is not what its hash says, git itself is asked for.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { constants, inflateSync } from 'node:zlib';
import type { Repository } from './repository.ts';

export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly content: Buffer;
}

export interface ObjectHead {
  readonly id: string;
  readonly type: string;
  readonly size: number;
}

/** `missing`: the tree was read and has no such entry. Undefined: git has to be asked. */
type Found<T> = T | 'missing' | undefined;

/** Objects that were read for the same question: many names begin with the same commit. */
type ReadObjects = Map<string, GitObject | undefined>;

/** As `readObjects` is asked: a full hash, or with `^{tree}`, `^{commit}` or `:path` behind it. */
export function looseObject(repository: Repository, name: string, read: ReadObjects = new Map()): Found<GitObject> {
  const id = idOf(repository, name, read);
  return id === undefined || id === 'missing' ? id : readOnce(repository, id, read);
}

/** Reads only the first bytes: type and size. */
export function looseHead(repository: Repository, name: string): Found<ObjectHead> {
  const id = idOf(repository, name, new Map());
  if (id === undefined || id === 'missing') return id;
  const start = startOf(repository, id);
  const end = start?.indexOf(0) ?? -1;
  return start && end > 0 ? headFrom(id, start.toString('latin1', 0, end)) : undefined;
}

/** Of the object that is named. */
function idOf(repository: Repository, name: string, read: ReadObjects): Found<string> {
  const [, id = '', kind, path] = /^([0-9a-f]{40}|[0-9a-f]{64})(?:\^\{(commit|tree)\}|:(.*))?$/s.exec(name) ?? [];
  if (id === '') return undefined;
  if (kind === undefined && path === undefined) return id;
  const object = readOnce(repository, id, read);
  if (kind === 'commit') return object?.type === 'commit' ? id : undefined;
  const tree =
    object?.type === 'commit' ? /^tree ([0-9a-f]+)\n/.exec(object.content.toString('latin1'))?.[1] : undefined;
  if (tree === undefined || !path) return tree;
  return idBelow(repository, tree, path.split('/'), read);
}

function idBelow(
  repository: Repository,
  tree: string,
  [name = '', ...rest]: readonly string[],
  read: ReadObjects,
): Found<string> {
  // Git reads these as relative to a folder.
  if (name === '' || name === '.' || name === '..') return undefined;
  const object = readOnce(repository, tree, read);
  if (object?.type !== 'tree') return undefined;
  const entry = rawEntries(object.content, tree.length / 2).find((each) => each.name === name);
  if (entry === undefined) return 'missing';
  if (rest.length === 0) return entry.id;
  return entry.mode === FOLDER_MODE ? idBelow(repository, entry.id, rest, read) : 'missing';
}

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

function readOnce(repository: Repository, id: string, read: ReadObjects): GitObject | undefined {
  if (!read.has(id)) read.set(id, readLoose(repository, id));
  return read.get(id);
}

function readLoose(repository: Repository, id: string): GitObject | undefined {
  for (const folder of objectFolders(repository)) {
    try {
      const bytes = inflated(readFileSync(fileOf(folder, id)));
      const end = bytes.indexOf(0);
      const head = headFrom(id, bytes.toString('latin1', 0, end));
      const content = bytes.subarray(end + 1);
      const hash = createHash(id.length === 40 ? 'sha1' : 'sha256').update(bytes);
      return head?.size === content.length && hash.digest('hex') === id ? { id, type: head.type, content } : undefined;
    } catch {
      // It may be in another folder, or in a pack.
    }
  }
  return undefined;
}

/** In steps of 16 kB, as usual. For a large object these are too many, and all that they give has to be put together. */
function inflated(bytes: Buffer): Buffer {
  return bytes.length < SMALL ? inflateSync(bytes) : inflateSync(bytes, { chunkSize: inflatedSize(bytes) });
}

const SMALL = 4096;

/** As its head says, and one more byte: a step that is full is followed by another one. */
function inflatedSize(bytes: Buffer): number {
  const start = inflatedStart(bytes);
  const end = start.indexOf(0);
  return end + 1 + Number(start.toString('latin1', start.indexOf(0x20) + 1, end)) + 1;
}

/** Enough for the head, and for a little of what follows. */
const START = 128;

function startOf(repository: Repository, id: string): Buffer | undefined {
  for (const folder of objectFolders(repository)) {
    try {
      const file = openSync(fileOf(folder, id), 'r');
      try {
        const bytes = Buffer.alloc(START);
        const length = readSync(file, bytes, 0, START, 0);
        return inflatedStart(bytes.subarray(0, length));
      } finally {
        closeSync(file);
      }
    } catch {
      // As above.
    }
  }
  return undefined;
}

function inflatedStart(bytes: Buffer): Buffer {
  return inflateSync(bytes.subarray(0, START), { finishFlush: constants.Z_SYNC_FLUSH });
}

function headFrom(id: string, text: string): ObjectHead | undefined {
  const [, type, size] = /^([a-z]+) (\d+)$/.exec(text) ?? [];
  return type && size ? { id, type, size: Number(size) } : undefined;
}

function fileOf(folder: string, id: string): string {
  return join(folder, id.slice(0, 2), id.slice(2));
}

/** Those of a push that is being checked are in a folder of their own. */
function objectFolders({ sharedFolder, environment }: Repository): readonly string[] {
  const { GIT_OBJECT_DIRECTORY: own, GIT_ALTERNATE_OBJECT_DIRECTORIES: others = '' } = environment;
  return own === undefined ? [join(sharedFolder, 'objects')] : [own, ...others.split(delimiter).filter(Boolean)];
}
