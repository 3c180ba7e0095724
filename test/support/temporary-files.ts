/**
 * Temporary files of the tests are in memory where there is enough of it: a new database and a repository are hundreds of
 * files, which memory takes and removes several times as fast as a disk does.
 */
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

const MEMORY = '/dev/shm';
/** In bytes, for several clusters at once: one of the API's tests grows to 2 GB. */
const ENOUGH_MEMORY = 8 * 1024 ** 3;

if (hasEnoughMemory()) process.env.TMPDIR ??= MEMORY;

function hasEnoughMemory(): boolean {
  if (!existsSync(MEMORY) || isWithoutPrograms()) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, freemem()) >= ENOUGH_MEMORY;
}

/** Tests write programs and start them. */
function isWithoutPrograms(): boolean {
  return /^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync('/proc/mounts', 'utf8'));
}
