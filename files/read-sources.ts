/**
 * Reads a project's `*.kiln` files from the disk: a folder's path comes in, their texts go out in the order of their
 * paths. All problems are collected, one sentence each. If there is one, the sources are incomplete, and compiling them
 * would report errors that follow from it.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SourceFile } from '../compiler/source/source-file.ts';
import {
  isSkippedFolder,
  isSourceName,
  LARGEST_FILE,
  notAFile,
  type SourceProblem,
  sizeAgainstLimit,
  sourceProblem,
  sourceText,
} from './source-rules.ts';
import { systemReason } from './system-reason.ts';

export interface ReadSources {
  /** The folder to which the paths of the sources are relative. */
  readonly folder: string;
  readonly sources: readonly SourceFile[];
  readonly problems: readonly SourceProblem[];
}

/** `path` is a project's folder, or a single `.kiln` file. */
export function readSources(path: string): ReadSources {
  const stats = orError(() => statSync(path));
  if (stats instanceof Error) return failed(path, cannotOpen(path, stats));
  if (stats.isDirectory()) return readFolder(path);
  if (stats.isFile() && isSourceName(path)) return readFiles(dirname(path), [basename(path)], []);
  return failed(path, sourceProblem('not-a-folder', path, `\`${path}\` is neither a folder nor a \`.kiln\` file`));
}

function orError<T>(look: () => T): T | NodeJS.ErrnoException {
  try {
    return look();
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

function cannotOpen(path: string, error: NodeJS.ErrnoException): SourceProblem {
  const isMissing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
  if (isMissing) return sourceProblem('missing', path, `\`${path}\` does not exist`);
  return sourceProblem('unreadable', path, `\`${path}\` cannot be read: ${systemReason(error)}`);
}

function failed(folder: string, problem: SourceProblem): ReadSources {
  return { folder, sources: [], problems: [problem] };
}

function readFolder(folder: string): ReadSources {
  const found = findSources(folder);
  const read = readFiles(folder, found.files, found.problems);
  if (read.sources.length > 0 || read.problems.length > 0) return read;
  return failed(folder, nothingToRead(folder, found.isEmpty));
}

function nothingToRead(folder: string, isEmpty: boolean): SourceProblem {
  const looked = isEmpty ? 'the folder is empty' : 'no file in it or below it ends in `.kiln`';
  return sourceProblem('nothing-to-read', folder, `there are no sources in \`${folder}\`: ${looked}`);
}

// ── Finding ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface FoundSources {
  /** The paths relative to the folder, with `/`. */
  readonly files: readonly string[];
  readonly problems: readonly SourceProblem[];
  readonly isEmpty: boolean;
}

interface Search {
  readonly folder: string;
  readonly files: string[];
  readonly problems: SourceProblem[];
  /** Folders that are still to be searched. */
  readonly ahead: string[];
}

function findSources(folder: string): FoundSources {
  const search: Search = { folder, files: [], problems: [], ahead: [''] };
  let entries = 0;
  for (let next = search.ahead.pop(); next !== undefined; next = search.ahead.pop()) entries += lookInto(next, search);
  return { files: search.files.sort(), problems: search.problems, isEmpty: entries === 0 };
}

/** Searches a folder. Returns the number of entries seen. */
function lookInto(subfolder: string, search: Search): number {
  try {
    const entries = readdirSync(join(search.folder, subfolder), { withFileTypes: true });
    for (const entry of entries) {
      const path = subfolder ? `${subfolder}/${entry.name}` : entry.name;
      if (entry.isDirectory()) addFolder(path, entry.name, search);
      else if (isSourceName(entry.name) && entry.isFile()) search.files.push(path);
      // A pipe or a device: to read it could wait for ever.
      else if (isSourceName(entry.name))
        search.problems.push(notAFile(path, entry.isSymbolicLink() ? 'a link' : 'not a regular file'));
    }
    return entries.length;
  } catch (error) {
    const path = subfolder || search.folder;
    const message = `the folder \`${path}\` cannot be read: ${systemReason(error)}`;
    search.problems.push(sourceProblem('unreadable', path, message));
    return 1;
  }
}

function addFolder(path: string, name: string, search: Search): void {
  if (isSkippedFolder(name)) return;
  if (isSourceName(name)) search.problems.push(notAFile(path, 'a folder'));
  else search.ahead.push(path);
}

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function readFiles(folder: string, files: readonly string[], found: readonly SourceProblem[]): ReadSources {
  const sources: SourceFile[] = [];
  const problems = [...found];
  for (const path of files) {
    const text = readFile(folder, path);
    if (typeof text === 'string') sources.push({ path, text });
    else problems.push(text);
  }
  return { folder, sources, problems: problems.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

function readFile(folder: string, path: string): string | SourceProblem {
  try {
    const file = join(folder, path);
    const { size } = statSync(file);
    if (size > LARGEST_FILE) return sourceProblem('too-large', path, sizeAgainstLimit(path, size));
    return sourceText(path, readFileSync(file));
  } catch (error) {
    return sourceProblem('unreadable', path, `\`${path}\` cannot be read: ${systemReason(error)}`);
  }
}
