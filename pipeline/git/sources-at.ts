/**
 * Reads a program as a revision has it: the `*.kiln` files that `kiln check` would read in a fresh checkout, and the
 * modules of hooks when the compiler asks for them. Nothing else is read, however large it is, and nothing of the work
 * tree. Where there is a problem, the sources are not all there.
 */
import { posix } from 'node:path';
import type { FileText, SourceFile } from '../../compiler/source/source-file.ts';
import {
  isSkippedFolder,
  isSourceName,
  LARGEST_FILE,
  notAFile,
  type SourceProblem,
  sizeAgainstLimit,
  sourceProblem,
  sourceText,
} from '../../files/source-rules.ts';
import { readSmallBlobs, type TreeEntry, treeAt } from './objects.ts';
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
  const entries = treeAt(repository, revision, folder);
  if (!entries) return withoutSources(revision, folder, noFolder(revision, folder));
  const files = new Map(entries.filter(({ kind }) => kind === 'file').map((entry) => [entry.path, entry]));
  const found = findSources(entries);
  const read = readFound(repository, found.sources);
  const submodules = entries.filter(({ kind }) => kind === 'submodule').map(({ path }) => path);
  const problems = [...found.problems, ...read.problems].sort((a, b) => (a.path < b.path ? -1 : 1));
  if (read.sources.length === 0 && problems.length === 0) {
    return { ...withoutSources(revision, folder, nothingToRead(revision, folder, entries)), submodules };
  }
  const fileText = (path: string) => moduleText(repository, files.get(posix.normalize(path)));
  return { revision, folder, ...read, problems, submodules, fileText };
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

function readFound(repository: Repository, found: readonly TreeEntry[]) {
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
function moduleText(repository: Repository, file: TreeEntry | undefined): string | undefined {
  if (file === undefined) return undefined;
  const { sizes, contents } = readSmallBlobs(repository, [file], LARGEST_FILE);
  const size = sizes.get(file.id) ?? 0;
  if (size > LARGEST_FILE) throw new GitRefusal('too-large', sizeAgainstLimit(file.path, size));
  return contents.get(file.id)?.toString('utf8');
}

// ── Find sources ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The `*.kiln` files of a revision, by the rules that hold for a folder on the disk.

function findSources(entries: readonly TreeEntry[]) {
  const roles = entries.map(pathRoleOf);
  const sources = entries.filter((entry, at) => roles[at] === 'source' && entry.kind === 'file');
  const links = entries.filter((entry, at) => roles[at] === 'source' && entry.kind === 'link');
  const folders = new Set(entries.flatMap((entry, at) => (roles[at] === 'misnamed' ? [misnamedFolder(entry)] : [])));
  const problems = [
    ...links.map(({ path }) => notAFile(path, 'a link')),
    ...[...folders].map((path) => notAFile(path, 'a folder')),
  ];
  return { sources, problems };
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
