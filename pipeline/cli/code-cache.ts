/**
 * Runs a script, and keeps what V8 has compiled of it: the next run of the same command need not compile it again, which
 * would take longer than starting Node. V8 itself rejects what another version of it has made. The files are code, so
 * only those are read that nobody but the user can have written.
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
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { writeWhole } from '../../files/write-file.ts';

const DAY = 24 * 3600 * 1000;
/** Older ones are of a version of Kiln that is not used any more, or are made again. */
const LONGEST_KEPT = 30 * DAY;
const CHECKSUM_BYTES = 4;
const WRITABLE_BY_OTHERS = 0o022;
const ONLY_FOR_THE_USER = 0o600;

/**
 * `file` has one function in it, and is named after its content. `command` is what is done with it: each command needs
 * other parts of it. Nothing is kept where it is null.
 */
export function runScript<Exports>(file: string, command: string | null): Exports {
  const kept = command === null ? undefined : keptFile(file, command);
  const cachedData = kept === undefined ? undefined : readKept(kept);
  // The build writes it in ASCII, which is read faster and takes half of the memory.
  const source = readFileSync(file, 'latin1');
  // What V8 rejects was made under other flags. Whoever uses both would make it again each time.
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  if (kept !== undefined && (cachedData === undefined || (script.cachedDataRejected && isOlder(kept, DAY))))
    process.once('exit', (code) => {
      // A command that fails may have used little of its code.
      if (code === 0) keep(kept, compiledCode(script));
    });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), importForScript);
  return module.exports as Exports;
}

function importForScript(specifier: string): Promise<unknown> {
  return import(specifier);
}

/** V8 takes it back only under the flags that it was made under, and `startParser` changes one, which changes others. */
function compiledCode(script: Script): Buffer {
  setFlagsFromString('--no-liftoff-only --wasm-tier-up --wasm-dynamic-tiering');
  return script.createCachedData();
}

/** None where Node is told to keep nothing, or where it is not clear whose files these would be. */
function keptFile(file: string, command: string): string | undefined {
  if (process.env.NODE_DISABLE_COMPILE_CACHE || process.getuid === undefined) return undefined;
  const folder = process.env.XDG_CACHE_HOME || cacheInHome();
  if (folder === undefined) return undefined;
  return join(folder, 'kiln', `${basename(file)}-${command}-${process.version}-${process.arch}`);
}

/** None for a user who has no home, as in a container that runs under any number. */
function cacheInHome(): string | undefined {
  try {
    return join(homedir(), '.cache');
  } catch {
    return undefined;
  }
}

function readKept(file: string): Buffer | undefined {
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

/** Without it the next run is slower, and no more than that. */
function keep(file: string, data: Buffer): void {
  const folder = dirname(file);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(data));
  try {
    // One by one: where no folder can be made, as in /proc, Node tries for ever to make those above.
    for (const each of [dirname(folder), folder]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
    for (const name of readdirSync(folder)) removeOld(join(folder, name));
    writeWhole(file, Buffer.concat([checksum, data]), ONLY_FOR_THE_USER);
  } catch {
    // The folder cannot be written.
  }
}

function removeOld(file: string): void {
  try {
    if (isOlder(file, LONGEST_KEPT)) rmSync(file, { force: true });
  } catch {
    // It is a folder, or belongs to somebody else: Kiln did not write it.
  }
}

function isOlder(file: string, age: number): boolean {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > age;
}
