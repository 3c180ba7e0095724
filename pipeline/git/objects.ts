/**
 * Reads objects of a repository, thousands of them through one process. What is given out has been checked against the
 * hash that names it: git itself does not do that when it reads.
 */
import { createHash } from 'node:crypto';
import { type GitObject, looseHead, looseObject, type ObjectHead } from './loose-objects.ts';
import { askGit, type Repository } from './repository.ts';
import { GitRefusal, gitFailure } from './run-git.ts';

export type { GitObject } from './loose-objects.ts';

/** In the order of the names, which are hashes or what git understands, such as `<commit>:path`. */
export function readObjects(repository: Repository, names: readonly string[]): readonly (GitObject | undefined)[] {
  const read = new Map();
  const found = names.map((name) => looseObject(repository, name, read));
  const asked = askedFor(
    repository,
    names.filter((_, at) => found[at] === undefined),
  );
  return found.map((each) => (each === undefined ? asked.shift() : each === 'missing' ? undefined : each));
}

function askedFor(repository: Repository, names: readonly string[]): (GitObject | undefined)[] {
  if (names.length === 0) return [];
  const bytes = batch(repository, '--batch', names);
  const objects: (GitObject | undefined)[] = [];
  let at = 0;
  for (const _ of names) {
    const end = bytes.indexOf(0x0a, at);
    const head = headOf(bytes.toString('utf8', at, end));
    const content = bytes.subarray(end + 1, end + 1 + (head?.size ?? 0));
    objects.push(head && checked({ id: head.id, type: head.type, content }));
    at = end + 1 + (head ? head.size + 1 : 0);
  }
  return objects;
}

/** Contents by id. */
export function readBlobs(repository: Repository, ids: readonly string[]): ReadonlyMap<string, Buffer> {
  const unique = [...new Set(ids)];
  const objects = readObjects(repository, unique);
  return new Map(unique.map((id, at) => [id, objects[at]?.content ?? refuse(id)]));
}

interface SmallBlobs {
  /** By id, of all. */
  readonly sizes: ReadonlyMap<string, number>;
  /** By id, of those that are not too large. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

/** Of what is larger than `largest`, only the size is read, which git keeps beside each object. */
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
  const found = names.map((name) => looseHead(repository, name));
  const left = names.filter((_, at) => found[at] === undefined);
  const lines = left.length === 0 ? [] : batch(repository, '--batch-check', left).toString('utf8').split('\n');
  return found.map((each) =>
    each === undefined ? headOf(lines.shift() ?? '') : each === 'missing' ? undefined : each,
  );
}

function batch(repository: Repository, how: string, names: readonly string[]): Buffer {
  const { status, bytes, stderr } = askGit(repository, ['cat-file', how], names.map((name) => `${name}\n`).join(''));
  if (status === 0) return bytes;
  if (/corrupt|cannot be read|unable to read|inflate|hash mismatch/.test(stderr)) throw damaged(stderr);
  throw gitFailure('read from the repository', stderr);
}

/** `<id> <type> <size>`. Anything else says that there is no such object. */
function headOf(line: string): ObjectHead | undefined {
  const [, id, type, size] = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/.exec(line) ?? [];
  return id && type && size ? { id, type, size: Number(size) } : undefined;
}

function checked(object: GitObject): GitObject {
  const { id, type, content } = object;
  const hash = createHash(id.length === 40 ? 'sha1' : 'sha256')
    .update(`${type} ${content.length}\0`)
    .update(content);
  if (hash.digest('hex') !== id) throw damaged(`error: the object ${id} is not what its hash says`);
  return object;
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

function refuse(id: string): never {
  throw missingObject(id);
}
