/**
 * Reads a program as a revision has it: the `*.kiln` files that `kiln check` would read in a fresh checkout, and the
 * modules of hooks when the compiler asks for them. Nothing else is read, however large it is, and nothing of the work
 * tree. Where there is a problem, the sources are not all there.
 */
import type { FileText, SourceFile } from '../../compiler/source/source-file.ts';
import { type SourceProblem, sourceProblem } from '../../files/source-problem.ts';
import { LARGEST_FILE, sizeAgainstLimit } from '../../files/source-rules.ts';
import { sourceText } from '../../files/source-text.ts';
import { type FoundSource, findSources } from './find-sources.ts';
import { moduleTexts } from './module-texts.ts';
import { readSmallBlobs } from './objects.ts';
import type { Repository } from './repository.ts';
import { hasFolder, type TreeEntry, treeAt } from './tree.ts';
import { fileFinder } from './tree-files.ts';

interface SourcesAtRevision {
  readonly revision: string;
  /** In the repository's tree; empty for the top. The paths of the sources are relative to it. */
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
  return { revision, folder, ...read, problems, submodules, fileText: moduleTexts(repository, entries, find) };
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

interface ReadFound {
  readonly sources: readonly SourceFile[];
  readonly problems: readonly SourceProblem[];
}

function readFound(repository: Repository, found: readonly FoundSource[]): ReadFound {
  const { sizes, contents } = readSmallBlobs(repository, found, LARGEST_FILE);
  const texts = inOrder(found).map(({ path, id }) => {
    const bytes = contents.get(id);
    const text = bytes ? sourceText(path, bytes) : tooLarge(path, sizes.get(id) ?? 0);
    return typeof text === 'string' ? { path, text } : text;
  });
  return { sources: texts.filter((text) => 'text' in text), problems: texts.filter((text) => 'message' in text) };
}

function inOrder(found: readonly FoundSource[]): readonly FoundSource[] {
  return [...found].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function tooLarge(path: string, size: number): SourceProblem {
  return sourceProblem('too-large', path, sizeAgainstLimit(path, size));
}
