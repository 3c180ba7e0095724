/**
 * Writes objects into a repository, all of them through one process, as a pack that git takes apart. Nothing shows until a
 * reference leads to them: what is left behind by a process that was killed is removed by git's own housekeeping.
 */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Commit } from './commit.ts';
import { FOLDER_MODE, missingObject, type RawEntry, rawEntries, readObjects } from './objects.ts';
import { git, moveReferences, type ReferenceMove, type Repository } from './repository.ts';

type NewCommit = Pick<Commit, 'tree' | 'parents' | 'time' | 'message'>;

/** The author is no person and no machine: the same commit has the same hash, no matter who makes it. */
const MAKER = 'Kiln <kiln@localhost>';
const FILE_MODE = '100644';
/** The numbers of the types in a pack. */
const TYPES = { commit: 1, tree: 2, blob: 3 } as const;

/** Gives their hashes at once; they are in the repository when `write` has returned. */
export class NewObjects {
  readonly #repository: Repository;
  readonly #objects = new Map<string, Buffer>();

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  blob(content: Uint8Array | string): string {
    return this.#add('blob', Buffer.from(content));
  }

  /** Makes a tree of file names with their blobs. */
  tree(files: Readonly<Record<string, string>>): string {
    return this.#tree(Object.entries(files).map(([name, id]) => ({ mode: FILE_MODE, name, id })));
  }

  /**
   * Makes a tree from that of a commit, with the blobs at `folder/name` added: its other files stay. No commit is an
   * empty tree. Only the folders that change are made, however many there are.
   */
  folders(commit: string | null, blobs: ReadonlyMap<string, string>): string {
    const top = commit === null ? new Map<string, RawEntry>() : this.#entries(`${commit}^{tree}`);
    const changed = new Map<string, Map<string, RawEntry>>();
    for (const [path, id] of blobs) {
      const [folder = '', name = ''] = path.split('/');
      const before = top.get(folder);
      const files = changed.get(folder) ?? (before?.mode === FOLDER_MODE ? this.#entries(before.id) : new Map());
      changed.set(folder, files.set(name, { mode: FILE_MODE, name, id }));
    }
    for (const [name, files] of changed)
      top.set(name, { mode: FOLDER_MODE, name, id: this.#tree([...files.values()]) });
    return this.#tree([...top.values()]);
  }

  /** The bytes are ours to the last one, so no setting and no variable of the machine is in the hash. */
  commit({ tree, parents, time, message }: NewCommit): string {
    const made = `${MAKER} ${time} +0000`;
    const head = [`tree ${tree}`, ...parents.map((id) => `parent ${id}`), `author ${made}`, `committer ${made}`];
    return this.#add('commit', Buffer.from(`${head.join('\n')}\n\n${message}`));
  }

  write(): void {
    const objects = [...this.#objects.values()];
    const head = Buffer.alloc(12);
    head.write('PACK');
    head.writeUInt32BE(2, 4);
    head.writeUInt32BE(objects.length, 8);
    const pack = Buffer.concat([head, ...objects]);
    const hash = createHash(this.#repository.hash).update(pack).digest();
    git(this.#repository, 'write objects', ['unpack-objects', '-q'], Buffer.concat([pack, hash]));
    this.#objects.clear();
  }

  #entries(tree: string): Map<string, RawEntry> {
    const [object] = readObjects(this.#repository, [tree]);
    // A missing tree must not count as an empty one: all of its files would be lost.
    if (object?.type !== 'tree') throw missingObject(tree);
    const entries = rawEntries(object.content, object.id.length / 2);
    return new Map(entries.map((entry) => [entry.name, entry]));
  }

  /** Git wants them in the order of their bytes, as if the name of a folder ended in `/`. */
  #tree(entries: readonly RawEntry[]): string {
    const sorted = entries
      .map((entry) => ({ entry, key: Buffer.from(entry.mode === FOLDER_MODE ? `${entry.name}/` : entry.name) }))
      .sort((a, b) => Buffer.compare(a.key, b.key));
    const parts = sorted.flatMap(({ entry: { mode, name, id } }) => [
      Buffer.from(`${mode} ${name}\0`),
      Buffer.from(id, 'hex'),
    ]);
    return this.#add('tree', Buffer.concat(parts));
  }

  #add(type: keyof typeof TYPES, content: Buffer): string {
    const hash = createHash(this.#repository.hash).update(`${type} ${content.length}\0`).update(content);
    const id = hash.digest('hex');
    this.#objects.set(id, Buffer.concat([packedHead(TYPES[type], content.length), deflateSync(content)]));
    return id;
  }
}

/** The type and four bits of the size, then seven bits more in each byte; the highest bit says that another one follows. */
function packedHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128))
    bytes.push((bytes.pop() ?? 0) | 0x80, rest & 127);
  return Buffer.from(bytes);
}

// ── Write drafts ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Objects and the references to them, written together: two processes, however many there are.

/** Makes objects, and says which reference leads to them. It is called again if that has moved in the meantime. */
export type Draft = (objects: NewObjects) => ReferenceMove;

const ATTEMPTS = 5;

/** All references move, or none: then false, because another process holds one of them, or was faster each time. */
export function writeDrafts(repository: Repository, drafts: readonly Draft[]): boolean {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const objects = new NewObjects(repository);
    const moves = drafts.map((draft) => draft(objects));
    objects.write();
    const { kind } = moveReferences(repository, moves);
    if (kind !== 'elsewhere') return kind === 'moved';
  }
  return false;
}
