/** What is a source and what is not: the same on the disk, in a revision, and for whoever watches a folder. */
import { basename } from 'node:path';

const MEGABYTE = 1024 * 1024;

/** In bytes. */
export const LARGEST_FILE = 4 * MEGABYTE;

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', 'build', 'dist']);

/** Folders that hold nothing of the program. */
export function isSkippedFolder(name: string): boolean {
  return name.startsWith('.') || SKIPPED_FOLDERS.has(name);
}

/** Hidden files are left alone: editors keep their locks and copies in them. */
export function isSourceName(path: string): boolean {
  const name = basename(path);
  return name.endsWith('.kiln') && !name.startsWith('.');
}

export function sizeAgainstLimit(path: string, size: number): string {
  const megabytes = (Math.ceil((size / MEGABYTE) * 10) / 10).toFixed(1);
  return `\`${path}\` is ${megabytes} MB; Kiln reads files up to ${LARGEST_FILE / MEGABYTE} MB`;
}
