/** Decides which files are sources: the same on the disk, in a revision, and for a watcher of a folder. */
import { basename } from 'node:path';

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

/**
 * The reason why sources could not be read. `usage` problems are about the path that was given, `environment` ones
 * about the machine, and `content` ones about files that the author has to change.
 */
export interface SourceProblem {
  readonly kind: SourceProblemKind;
  readonly cause: 'usage' | 'environment' | 'content';
  /** The path relative to the project's folder; as it was given, if the problem is about that folder itself. */
  readonly path: string;
  /** One sentence without a full stop. */
  readonly message: string;
}

type SourceProblemKind =
  | 'missing'
  | 'not-a-folder'
  | 'nothing-to-read'
  | 'unreadable'
  | 'not-utf8'
  | 'too-large'
  | 'not-a-file';

const CAUSES: Readonly<Record<SourceProblemKind, SourceProblem['cause']>> = {
  missing: 'usage',
  'not-a-folder': 'usage',
  'nothing-to-read': 'usage',
  unreadable: 'environment',
  'not-utf8': 'content',
  'too-large': 'content',
  'not-a-file': 'content',
};

export function sourceProblem(kind: SourceProblemKind, path: string, message: string): SourceProblem {
  return { kind, cause: CAUSES[kind], path, message };
}

/** Sources are files: a link may lead anywhere, and git has no file behind it. */
export function notAFile(path: string, what: string): SourceProblem {
  return sourceProblem('not-a-file', path, `\`${path}\` is ${what}, though its name ends in \`.kiln\``);
}

// ── Text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The text of a file's bytes, without a byte order mark; or why they are no text. UTF-16 without a mark has zeros. */
export function sourceText(path: string, bytes: Uint8Array): string | SourceProblem {
  const text = utf8Text(bytes);
  const isText = text !== undefined && !text.includes('\0');
  return isText ? text : sourceProblem('not-utf8', path, `\`${path}\` is not UTF-8 text; save it as UTF-8`);
}

function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
