/**
 * Reads a program as a revision has it: the `*.kiln` files that `kiln check` would read in a fresh checkout, and the
 * modules of hooks when the compiler asks for them. Nothing else is read, however large it is, and nothing of the work
 * tree. Where there is a problem, the sources are not all there.
 */
import { posix } from 'node:path';
import type { FileText } from '../../compiler/source/source-file.ts';
import type { ReadSources } from '../../files/read-sources.ts';
import {
  isSkippedFolder,
  isSourceName,
  LARGEST_FILE,
  notAFile,
  type SourceProblem,
  sizeAgainstLimit,
  sourcesFrom,
  sourceText,
  tooLarge,
} from '../../files/source-rules.ts';
import { readSmallBlobs, type TreeEntry, treeAt } from './objects.ts';
import type { Repository } from './repository.ts';
import { GitRefusal } from './run-git.ts';

interface SourcesAtRevision extends ReadSources {
  readonly fileText: FileText;
}

/** `revision` is a full hash, as `revisionOf` gives it. */
export function sourcesAt(repository: Repository, revision: string, folder = repository.folder): SourcesAtRevision {
  const entries = treeAt(repository, revision, folder);
  if (!entries) return withoutSources(folder, noFolder(revision, folder));
  const files = new Map(entries.filter(({ kind }) => kind === 'file').map((entry) => [entry.path, entry]));
  const { sources, problems } = readFound(repository, findSources(entries));
  if (sources.length + problems.length === 0) return withoutSources(folder, nothingToRead(revision, folder, entries));
  const fileText = (path: string) => moduleText(repository, files.get(posix.normalize(path)));
  return { folder, sources, problems, fileText };
}

function withoutSources(folder: string, problem: SourceProblem): SourcesAtRevision {
  return { folder, sources: [], problems: [problem], fileText: () => undefined };
}

function noFolder(revision: string, folder: string): SourceProblem {
  return {
    kind: 'missing',
    path: folder,
    message: `the folder \`${folder}\` does not exist at the revision ${revision}`,
  };
}

function nothingToRead(revision: string, folder: string, entries: readonly TreeEntry[]): SourceProblem {
  const where = folder === '' ? `the revision ${revision}` : `\`${folder}\` at the revision ${revision}`;
  const looked = entries.length === 0 ? 'it has no files' : 'none of its files ends in `.kiln`';
  const hasModules = entries.some(({ kind }) => kind === 'submodule');
  const apart = hasModules ? ', and submodules are not part of it' : '';
  return { kind: 'nothing-to-read', path: folder, message: `there are no sources in ${where}: ${looked}${apart}` };
}

function readFound(repository: Repository, { sources, problems }: ReturnType<typeof findSources>) {
  const { sizes, contents } = readSmallBlobs(repository, sources, LARGEST_FILE);
  return sourcesFrom(sources, problems, ({ path, id }) => {
    const bytes = contents.get(id);
    return bytes ? sourceText(path, bytes) : tooLarge(path, sizes.get(id) ?? 0);
  });
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
  const sources: TreeEntry[] = [];
  const problems = new Map<string, SourceProblem>();
  for (const entry of entries) {
    const names = entry.path.split('/');
    // The folders on the way count from the top, as they would be entered.
    const at = names.findIndex((name) => isSkippedFolder(name) || isSourceName(name));
    if (at < 0 || isSkippedFolder(names[at] as string)) continue;
    const path = names.slice(0, at + 1).join('/');
    if (path !== entry.path || entry.kind === 'submodule') problems.set(path, notAFile(path, 'a folder'));
    else if (entry.kind === 'link') problems.set(path, notAFile(path, 'a link'));
    else sources.push(entry);
  }
  return { sources, problems: [...problems.values()] };
}
