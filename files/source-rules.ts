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
  | 'nul-byte'
  | 'too-large'
  | 'not-a-file';

const CAUSES: Readonly<Record<SourceProblemKind, SourceProblem['cause']>> = {
  missing: 'usage',
  'not-a-folder': 'usage',
  'nothing-to-read': 'usage',
  unreadable: 'environment',
  'not-utf8': 'content',
  'nul-byte': 'content',
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

/** The text of a file's bytes, without a byte order mark; or why they are no text. */
export function sourceText(path: string, bytes: Uint8Array): string | SourceProblem {
  const text = utf8Text(bytes);
  if (text === undefined) return notUtf8(path, bytes);
  const nul = text.indexOf('\0');
  return nul < 0 ? text : nulByte(path, text, nul);
}

function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function notUtf8(path: string, bytes: Uint8Array): SourceProblem {
  if (looksLikeUtf16(bytes)) {
    return sourceProblem('not-utf8', path, `\`${path}\` is UTF-16 text; save it as UTF-8`);
  }
  const offset = firstBadByte(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const line = Buffer.from(bytes).toString('latin1', 0, offset).split('\n').length;
  const place = `byte ${offset}, on line ${line}, is not part of any character`;
  return sourceProblem('not-utf8', path, `\`${path}\` is not UTF-8 text: ${place}; save it as UTF-8`);
}

function looksLikeUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** Decoding replaces invalid bytes with U+FFFD; the first one that is not itself in the bytes is the place. */
function firstBadByte(bytes: Buffer): number {
  const text = bytes.toString('utf8');
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    if (bytes.toString('hex', offset, offset + 3) !== 'efbfbd') break;
    offset += 3;
    from = at + 1;
  }
  return offset;
}

function nulByte(path: string, text: string, at: number): SourceProblem {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const place = `byte ${Buffer.byteLength(before)}, on line ${line}, is zero`;
  return sourceProblem('nul-byte', path, `\`${path}\` is not a text file: ${place}`);
}
