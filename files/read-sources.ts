/**
 * Reads a project's `*.kiln` files from the disk: a folder's path comes in, their texts go out in the order of their
 * paths. All problems are collected, one sentence each. If there is one, the sources are incomplete, and compiling them
 * would report errors that follow from it.
 */
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SourceFile } from '../compiler/source/source-file.ts';
import {
  isSkippedFolder,
  isSourceName,
  LARGEST_FILE,
  notAFile,
  type SourceProblem,
  sourcesFrom,
  sourceText,
  tooLarge,
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
  return failed(path, { kind: 'not-a-folder', path, message: `\`${path}\` is neither a folder nor a \`.kiln\` file` });
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
  if (isMissing) return { kind: 'missing', path, message: `\`${path}\` does not exist` };
  return { kind: 'unreadable', path, message: `\`${path}\` cannot be read: ${systemReason(error)}` };
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
  return { kind: 'nothing-to-read', path: folder, message: `there are no sources in \`${folder}\`: ${looked}` };
}

// ── Finding ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface FoundSources {
  /** The paths relative to the folder, with `/`. */
  readonly files: readonly string[];
  readonly problems: readonly SourceProblem[];
  readonly isEmpty: boolean;
}

function findSources(folder: string): FoundSources {
  const files: string[] = [];
  const problems: SourceProblem[] = [];
  /** Gives the number of entries, without those of inner folders. */
  const lookInto = (subfolder: string): number => {
    const entries = orError(() => readdirSync(join(folder, subfolder), { withFileTypes: true }));
    if (entries instanceof Error) {
      const path = subfolder || folder;
      const message = `the folder \`${path}\` cannot be read: ${systemReason(entries)}`;
      return problems.push({ kind: 'unreadable', path, message });
    }
    for (const entry of entries) {
      const path = subfolder ? `${subfolder}/${entry.name}` : entry.name;
      const isSource = isSourceName(entry.name);
      if (entry.isDirectory() && isSkippedFolder(entry.name)) continue;
      if (entry.isDirectory() && !isSource) lookInto(path);
      else if (isSource && entry.isFile()) files.push(path);
      // A pipe or a device: to read it could wait for ever.
      else if (isSource) problems.push(notAFile(path, kindOf(entry)));
    }
    return entries.length;
  };
  const isEmpty = lookInto('') === 0;
  return { files, problems, isEmpty };
}

function kindOf(entry: Dirent): string {
  if (entry.isDirectory()) return 'a folder';
  return entry.isSymbolicLink() ? 'a link' : 'not a regular file';
}

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function readFiles(folder: string, paths: readonly string[], found: readonly SourceProblem[]): ReadSources {
  const files = paths.map((path) => ({ path }));
  return { folder, ...sourcesFrom(files, found, ({ path }) => readFile(folder, path)) };
}

function readFile(folder: string, path: string): string | SourceProblem {
  try {
    const file = join(folder, path);
    const { size } = statSync(file);
    if (size > LARGEST_FILE) return tooLarge(path, size);
    return sourceText(path, readFileSync(file));
  } catch (error) {
    return { kind: 'unreadable', path, message: `\`${path}\` cannot be read: ${systemReason(error)}` };
  }
}
