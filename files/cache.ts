/**
 * The cache of commands for later runs, in the user's own cache folder: compiled code, and facts about images. Only the
 * running time depends on it. Only complete files are read that nobody but the user can have written.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeWhole } from './write-file.ts';

export const DAY = 24 * 3600 * 1000;
/**
 * The longest age of a cached file. Older ones belong to a version of Kiln or an image that is no longer used, or are
 * made again.
 */
const LONGEST_CACHED = 30 * DAY;
const CHECKSUM_BYTES = 4;
const WRITABLE_BY_OTHERS = 0o022;
const ONLY_FOR_THE_USER = 0o600;

/** The path of a file in the cache. Undefined if it is not clear whose files these would be. */
export function cacheFile(name: string): string | undefined {
  if (process.getuid === undefined) return undefined;
  const folder = process.env.XDG_CACHE_HOME || cacheInHome();
  return folder === undefined ? undefined : join(folder, 'kiln', name);
}

/** The cache in the home folder; undefined for a user without a home, as in a container that runs under any number. */
function cacheInHome(): string | undefined {
  try {
    return join(homedir(), '.cache');
  } catch {
    return undefined;
  }
}

export function readCached(file: string): Buffer | undefined {
  try {
    const opened = openSync(file, 'r');
    try {
      const { uid, mode } = fstatSync(opened);
      if (uid !== process.getuid?.() || mode & WRITABLE_BY_OTHERS) return undefined;
      const bytes = readFileSync(opened);
      const data = bytes.subarray(CHECKSUM_BYTES);
      return bytes.length > CHECKSUM_BYTES && bytes.readUInt32LE() === crc32(data) ? data : undefined;
    } finally {
      closeSync(opened);
    }
  } catch {
    return undefined;
  }
}

/** Writes a file to the cache. A failure only makes the next run slower. */
export function writeCached(file: string, data: Buffer): void {
  const folder = dirname(file);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(data));
  try {
    // The folders are made one by one: if none can be made, as in /proc, Node would try forever to make those above.
    for (const each of [dirname(folder), folder]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
    for (const name of readdirSync(folder)) removeOld(join(folder, name));
    writeWhole(file, Buffer.concat([checksum, data]), ONLY_FOR_THE_USER);
  } catch {
    // The folder cannot be written.
  }
}

function removeOld(file: string): void {
  try {
    if (isOlder(file, LONGEST_CACHED)) rmSync(file, { force: true });
  } catch {
    // It is a folder, or belongs to somebody else: Kiln did not write it.
  }
}

export function isOlder(file: string, age: number): boolean {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > age;
}
