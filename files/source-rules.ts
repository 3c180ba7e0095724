/** Decides which files are sources: the same on the disk, in a revision, and for a watcher of a folder. */
import { basename } from 'node:path';
import type { SourceFile } from '../compiler/source/source-file.ts';

const MEGABYTE = 1024 * 1024;

/** The largest size of a file in bytes. */
export const LARGEST_FILE = 4 * MEGABYTE;

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', 'build', 'dist']);

/** Whether the folder contains nothing of the program. */
export function isSkippedFolder(name: string): boolean {
  return name.startsWith('.') || SKIPPED_FOLDERS.has(name);
}

/** Tells whether the file is a source. Hidden files are not: editors store their locks and copies in them. */
export function isSourceName(path: string): boolean {
  const name = basename(path);
  return name.endsWith('.kiln') && !name.startsWith('.');
}

export function sizeAgainstLimit(path: string, size: number): string {
  const megabytes = (Math.ceil((size / MEGABYTE) * 10) / 10).toFixed(1);
  return `\`${path}\` is ${megabytes} MB; Kiln reads files up to ${LARGEST_FILE / MEGABYTE} MB`;
}

// ── Problems ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The reason why sources could not be read. */
export interface SourceProblem {
  readonly kind:
    | 'missing'
    | 'not-a-folder'
    | 'nothing-to-read'
    | 'unreadable'
    | 'not-utf8'
    | 'too-large'
    | 'not-a-file';
  /** The path relative to the project's folder; as it was given, if the problem is about that folder itself. */
  readonly path: string;
  /** One sentence without a full stop. */
  readonly message: string;
}

/** Whether it is about a file that the author has to change, not about the path that was given or the machine. */
export function isOfContent({ kind }: SourceProblem): boolean {
  return kind === 'not-utf8' || kind === 'too-large' || kind === 'not-a-file';
}

/** Sources are files: a link may lead anywhere, and git has no file behind it. */
export function notAFile(path: string, what: string): SourceProblem {
  return { kind: 'not-a-file', path, message: `\`${path}\` is ${what}, though its name ends in \`.kiln\`` };
}

// ── Text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The sources in the order of their paths, and all problems. `read` gives the text of a file, or why there is none. */
export function sourcesFrom<T extends { readonly path: string }>(
  files: readonly T[],
  found: readonly SourceProblem[],
  read: (file: T) => string | SourceProblem,
) {
  const texts = files.toSorted(byPath).map((file) => {
    const text = read(file);
    return typeof text === 'string' ? { path: file.path, text } : text;
  });
  const sources: readonly SourceFile[] = texts.filter((text) => 'text' in text);
  const problems = [...found, ...texts.filter((text) => 'message' in text)].sort(byPath);
  return { sources, problems };
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : 1;
}

export function tooLarge(path: string, size: number): SourceProblem {
  return { kind: 'too-large', path, message: sizeAgainstLimit(path, size) };
}

/** The text of a file's bytes, without a byte order mark; or why they are no text. UTF-16 without a mark has zeros. */
export function sourceText(path: string, bytes: Uint8Array): string | SourceProblem {
  const text = utf8Text(bytes);
  const isText = text !== undefined && !text.includes('\0');
  return isText ? text : { kind: 'not-utf8', path, message: `\`${path}\` is not UTF-8 text; save it as UTF-8` };
}

function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
