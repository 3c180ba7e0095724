/**
 * Reads a program as a revision has it: the `*.kiln` files that `kiln check` would read in a fresh checkout, and the
 * modules of hooks when the compiler asks for them. Nothing else is read, however large it is, and nothing of the work
 * tree. Where there is a problem, the sources are not all there.
 */

import { once } from '../../compiler/definition/memo.ts';
import type { FileText, SourceFile } from '../../compiler/source/source-file.ts';
import {
  isSkippedFolder,
  isSourceName,
  LARGEST_FILE,
  type SourceProblem,
  sizeAgainstLimit,
  sourceProblem,
  sourceText,
} from '../../files/source-rules.ts';
import { hasFolder, readSmallBlobs, type TreeEntry, treeAt } from './objects.ts';
import type { Repository } from './repository.ts';
import { GitRefusal } from './run-git.ts';

interface SourcesAtRevision {
  readonly revision: string;
  /**
   * The folder of the project in the repository's tree; empty for the top. The paths of the sources are relative to it.
   */
  readonly folder: string;
  readonly sources: readonly SourceFile[];
  readonly problems: readonly SourceProblem[];
  readonly fileText: FileText;
  /** Folders that belong to other repositories: nothing below them is part of the program. */
  readonly submodules: readonly string[];
}

/** `revision` is a full hash, as `revisionOf` gives it. */
export function sourcesAt(repository: Repository, revision: string, folder = repository.folder): SourcesAtRevision {
  if (!hasFolder(repository, revision, folder)) return withoutSources(revision, folder, noFolder(revision, folder));
  const entries = treeAt(repository, revision, folder);
  const find = fileFinder(repository, entries);
  const found = findSources(entries, find);
  const read = readFound(repository, found.sources);
  const submodules = entries.filter(({ kind }) => kind === 'submodule').map(({ path }) => path);
  const problems = [...found.problems, ...read.problems].sort((a, b) => (a.path < b.path ? -1 : 1));
  if (read.sources.length === 0 && problems.length === 0) {
    return { ...withoutSources(revision, folder, nothingToRead(revision, folder, entries)), submodules };
  }
  return { revision, folder, ...read, problems, submodules, fileText: (path) => moduleText(repository, find(path)) };
}

function withoutSources(revision: string, folder: string, problem: SourceProblem): SourcesAtRevision {
  return { revision, folder, sources: [], problems: [problem], submodules: [], fileText: () => undefined };
}

function noFolder(revision: string, folder: string): SourceProblem {
  return sourceProblem('missing', folder, `the folder \`${folder}\` does not exist at the revision ${revision}`);
}

function nothingToRead(revision: string, folder: string, entries: readonly TreeEntry[]): SourceProblem {
  const where = folder === '' ? `the revision ${revision}` : `\`${folder}\` at the revision ${revision}`;
  const looked = entries.length === 0 ? 'it has no files' : 'none of its files ends in `.kiln`';
  const hasModules = entries.some(({ kind }) => kind === 'submodule');
  const apart = hasModules ? ', and submodules are not part of it' : '';
  return sourceProblem('nothing-to-read', folder, `there are no sources in ${where}: ${looked}${apart}`);
}

function readFound(repository: Repository, found: readonly FoundSource[]) {
  const { sizes, contents } = readSmallBlobs(repository, found, LARGEST_FILE);
  const inOrder = found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const texts = inOrder.map(({ path, id }) => {
    const bytes = contents.get(id);
    const tooLarge = () => sourceProblem('too-large', path, sizeAgainstLimit(path, sizes.get(id) ?? 0));
    const text = bytes ? sourceText(path, bytes) : tooLarge();
    return typeof text === 'string' ? { path, text } : text;
  });
  return { sources: texts.filter((text) => 'text' in text), problems: texts.filter((text) => 'message' in text) };
}

/** Reads the text of a module of hooks. */
function moduleText(repository: Repository, file: FoundFile): string | undefined {
  if (file.kind !== 'file') return undefined;
  const { sizes, contents } = readSmallBlobs(repository, [file], LARGEST_FILE);
  const size = sizes.get(file.id) ?? 0;
  if (size > LARGEST_FILE) throw new GitRefusal('too-large', sizeAgainstLimit(file.path, size));
  return contents.get(file.id)?.toString('utf8');
}

// ── Find sources ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The `*.kiln` files of a revision, by the rules that hold for a folder on the disk.

interface FoundSource {
  readonly path: string;
  readonly id: string;
}

interface FoundSources {
  readonly sources: readonly FoundSource[];
  readonly problems: readonly SourceProblem[];
}

function findSources(entries: readonly TreeEntry[], find: FindFile): FoundSources {
  const places = entries.map(pathRoleOf);
  const files = entries.filter((entry, at) => places[at] === 'source' && entry.kind === 'file');
  const links = entries.filter((entry, at) => places[at] === 'source' && entry.kind === 'link');
  const followed = followLinks(links, new Set(files.map(({ path }) => path)), find);
  const folders = new Set(entries.flatMap((entry, at) => (places[at] === 'misnamed' ? [misnamedFolder(entry)] : [])));
  return {
    sources: [...files.map(({ path, id }) => ({ path, id })), ...followed.sources],
    problems: [...followed.problems, ...[...folders].map((path) => notAFile(path, 'a folder'))],
  };
}

/** The folders on the way count from the top, as they would be entered. */
function pathRoleOf({ path, kind }: TreeEntry): 'source' | 'misnamed' | 'other' {
  const names = path.split('/');
  const name = names.pop() ?? '';
  const turn = names.find((folder) => isSkippedFolder(folder) || isSourceName(folder));
  if (turn !== undefined) return isSkippedFolder(turn) ? 'other' : 'misnamed';
  if (!isSourceName(name)) return 'other';
  return kind === 'submodule' ? 'misnamed' : 'source';
}

function misnamedFolder({ path }: TreeEntry): string {
  const names = path.split('/');
  return names.slice(0, names.findIndex(isSourceName) + 1).join('/');
}

/** `read` holds what is read already: a file with two names is still one file. */
function followLinks(links: readonly TreeEntry[], read: Set<string>, find: FindFile): FoundSources {
  const sources: FoundSource[] = [];
  const problems: SourceProblem[] = [];
  for (const { path } of links) {
    const file = find(path);
    if (file.kind !== 'file') problems.push(badLink(path, file.kind));
    else if (!read.has(file.path)) {
      read.add(file.path);
      sources.push({ path, id: file.id });
    }
  }
  return { sources, problems };
}

function badLink(path: string, kind: 'folder' | 'missing' | 'outside' | 'circle'): SourceProblem {
  if (kind === 'folder') return notAFile(path, 'a link to something that is not a file');
  if (kind === 'outside')
    return sourceProblem('link-outside', path, `\`${path}\` is a link to a file outside the project`);
  const reason = kind === 'missing' ? 'what it points to does not exist' : 'its links form a cycle';
  return sourceProblem('broken-link', path, `\`${path}\` is a broken link: ${reason}`);
}

function notAFile(path: string, what: string): SourceProblem {
  return sourceProblem('not-a-file', path, `\`${path}\` is ${what}, though its name ends in \`.kiln\``);
}

// ── Tree files ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Finds files in a revision by their paths, as a file system would: links are followed as long as they stay inside the
// folder. Nothing is written to the disk, and the target of a link is read only when a path goes through it.

type FoundFile =
  /** `path` is where the file itself is. */
  | { readonly kind: 'file'; readonly path: string; readonly id: string }
  | { readonly kind: 'folder' | 'missing' | 'outside' | 'circle' };

type FindFile = (path: string) => FoundFile;

/** The same limit as in Linux. */
const MOST_LINKS = 40;
const LONGEST_TARGET = 4096;

function fileFinder(repository: Repository, entries: readonly TreeEntry[]): FindFile {
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

/** Lists the folders, including the top. */
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
