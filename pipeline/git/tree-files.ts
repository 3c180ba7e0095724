/**
 * Finds files in a revision by their paths, as a file system would: links are followed as long as they stay inside the
 * folder. Nothing is written to the disk, and the target of a link is read only when a path goes through it.
 */
import { once } from '../../compiler/definition/kept.ts';
import { readSmallBlobs } from './objects.ts';
import type { Repository } from './repository.ts';
import type { TreeEntry } from './tree.ts';

type FoundFile =
  /** `path` is where the file itself is. */
  | { readonly kind: 'file'; readonly path: string; readonly id: string }
  | { readonly kind: 'folder' | 'missing' | 'outside' | 'circle' };

export type FindFile = (path: string) => FoundFile;

/** As many as Linux follows. */
const MOST_LINKS = 40;
const LONGEST_TARGET = 4096;

export function fileFinder(repository: Repository, entries: readonly TreeEntry[]): FindFile {
  const files = new Map(entries.map((entry) => [entry.path, entry]));
  const folders = foldersOf(entries);
  const targets = once(() => linkTargets(repository, entries));
  const targetOf = (entry: TreeEntry) => targets().get(entry.id) ?? '';
  return (path) => walk(path, { files, folders, targetOf });
}

interface Ground {
  readonly files: ReadonlyMap<string, TreeEntry>;
  readonly folders: ReadonlySet<string>;
  targetOf(link: TreeEntry): string;
}

function walk(path: string, ground: Ground): FoundFile {
  let ahead = path.split('/');
  let here: readonly string[] = [];
  let links = 0;
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === '..' && here.length === 0) return { kind: 'outside' };
    here = step(here, name);
    const entry = ground.files.get(here.join('/'));
    if (entry?.kind === 'link') {
      links += 1;
      const target = ground.targetOf(entry);
      if (links > MOST_LINKS) return { kind: 'circle' };
      if (target === '') return { kind: 'missing' };
      if (target.startsWith('/')) return { kind: 'outside' };
      ahead = [...target.split('/'), ...ahead];
      here = here.slice(0, -1);
    } else if (!ground.folders.has(here.join('/'))) {
      return ahead.length === 0 ? foundAt(here.join('/'), entry) : { kind: 'missing' };
    }
  }
  return { kind: 'folder' };
}

function step(here: readonly string[], name: string): readonly string[] {
  if (name === '' || name === '.') return here;
  return name === '..' ? here.slice(0, -1) : [...here, name];
}

function foundAt(path: string, entry: TreeEntry | undefined): FoundFile {
  if (entry === undefined) return { kind: 'missing' };
  return entry.kind === 'submodule' ? { kind: 'folder' } : { kind: 'file', path, id: entry.id };
}

/** The top is one of them. */
function foldersOf(entries: readonly TreeEntry[]): ReadonlySet<string> {
  const folders = new Set(['']);
  for (const { path } of entries) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

function linkTargets(repository: Repository, entries: readonly TreeEntry[]): ReadonlyMap<string, string> {
  const links = entries.filter(({ kind }) => kind === 'link');
  const { contents } = readSmallBlobs(repository, links, LONGEST_TARGET);
  return new Map([...contents].map(([id, bytes]) => [id, bytes.toString('utf8')]));
}
