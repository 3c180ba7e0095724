/**
 * Reads a project's `*.kiln` files from the disk: a folder's path comes in, their texts go out in the order of their
 * paths. All problems are collected, one sentence each. If there is one, the sources are incomplete, and compiling them
 * would report errors that follow from it.
 */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { SourceFile } from '../compiler/source/source-file.ts';
import {
  isSkippedFolder,
  isSourceName,
  LARGEST_FILE,
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
  readonly links: string[];
  readonly problems: SourceProblem[];
  /** Folders that are still to be searched. */
  readonly ahead: string[];
}

function findSources(folder: string): FoundSources {
  const search: Search = { folder, files: [], links: [], problems: [], ahead: [''] };
  let entries = 0;
  for (let next = search.ahead.pop(); next !== undefined; next = search.ahead.pop()) entries += lookInto(next, search);
  followLinks(search);
  return { files: search.files.sort(), problems: search.problems, isEmpty: entries === 0 };
}

/** Searches a folder. Returns the number of entries seen. */
function lookInto(subfolder: string, search: Search): number {
  try {
    const entries = readdirSync(join(search.folder, subfolder), { withFileTypes: true });
    for (const entry of entries) {
      const path = subfolder ? `${subfolder}/${entry.name}` : entry.name;
      if (entry.isDirectory()) addFolder(path, entry.name, search);
      else if (isSourceName(entry.name)) addFile(path, entry.isSymbolicLink(), entry.isFile(), search);
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

function addFile(path: string, isLink: boolean, isFile: boolean, search: Search): void {
  if (isLink) search.links.push(path);
  else if (isFile) search.files.push(path);
  // A pipe or a device: to read it could wait for ever.
  else search.problems.push(notAFile(path, 'not a regular file'));
}

function notAFile(path: string, what: string): SourceProblem {
  return sourceProblem('not-a-file', path, `\`${path}\` is ${what}, though its name ends in \`.kiln\``);
}

// ── Links ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Follows links to files, never those to folders, so the search cannot go in a circle. */
function followLinks(search: Search): void {
  if (search.links.length === 0) return;
  const root = realpathSync(search.folder);
  const read = new Set(search.files.map((file) => join(root, file)));
  for (const link of search.links.sort()) followLink(link, root, read, search);
}

/** `read` has the files that are read already: a file with two names is still one file. */
function followLink(link: string, root: string, read: Set<string>, search: Search): void {
  const target = orError(() => realpathSync(join(search.folder, link)));
  if (target instanceof Error) {
    search.problems.push(brokenLink(link, target));
  } else if (!target.startsWith(root + sep)) {
    search.problems.push(sourceProblem('link-outside', link, `\`${link}\` is a link to a file outside the project`));
  } else if (!statSync(target).isFile()) {
    search.problems.push(notAFile(link, 'a link to something that is not a file'));
  } else if (!read.has(target)) {
    read.add(target);
    search.files.push(link);
  }
}

function brokenLink(link: string, error: NodeJS.ErrnoException): SourceProblem {
  const reason = error.code === 'ENOENT' ? 'what it points to does not exist' : systemReason(error);
  return sourceProblem('broken-link', link, `\`${link}\` is a broken link: ${reason}`);
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
