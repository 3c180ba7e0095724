import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { systemReason } from './system-reason.ts';

/**
 * Writes a file whole or not at all: readers see the old content or the new one. Returns a sentence if that is not
 * possible. A link stays a link, and a file keeps its permissions, those against writing too, unless `mode` gives
 * others.
 */
export function writeWhole(path: string, content: string | Uint8Array, mode?: number): string | undefined {
  const file = realPathOf(path);
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  try {
    const kept = modeToKeep(file);
    const wanted = mode ?? kept;
    writeFileSync(temporary, content, { flag: 'wx', mode });
    if (wanted !== undefined) chmodSync(temporary, wanted);
    renameSync(temporary, file);
    return undefined;
  } catch (error) {
    rmSync(temporary, { force: true });
    return `\`${path}\` cannot be written: ${systemReason(error)}`;
  }
}

/** Makes a folder and those above it; returns a sentence if that is not possible. */
export function makeFolder(path: string): string | undefined {
  try {
    makeUppermost(resolve(path));
    mkdirSync(path, { recursive: true });
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return `\`${path}\` is a file, but a folder is needed there`;
    // The folder above it exists: the file system takes no folders.
    const reason = code === 'ENOENT' ? 'there can be no new folder' : systemReason(error);
    return `the folder \`${path}\` cannot be made: ${reason}`;
  }
}

/** The uppermost folder that is missing is made alone: in `/proc`, Node would try to make all of them without an end. */
function makeUppermost(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (!existsSync(parent)) {
    makeUppermost(parent);
    return;
  }
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** The mode of the existing file; undefined if there is no file yet. Throws if the file may not be written. */
function modeToKeep(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  accessSync(file, constants.W_OK);
  return statSync(file).mode & 0o7777;
}

/** The folder for Kiln's own files in a project. Git ignores it. */
export function kilnFolderOf(projectFolder: string): string {
  return join(projectFolder, '.kiln');
}

/** Makes the folder if it is missing; returns a sentence if that is not possible. */
export function makeKilnFolder(projectFolder: string): string | undefined {
  const folder = kilnFolderOf(projectFolder);
  const ignore = join(folder, '.gitignore');
  return makeFolder(folder) ?? (existsSync(ignore) ? undefined : writeWhole(ignore, '*\n'));
}
