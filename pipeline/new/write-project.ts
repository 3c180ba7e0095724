/** Puts a new project on the disk: all of it, or nothing and a sentence on what stands in the way. */
import { chmodSync, existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { systemReason } from '../../files/system-reason.ts';
import { makeFolder, writeWhole } from '../../files/write-file.ts';
import type { ProjectFile } from './project-file.ts';

/** Nothing where the folder can be made or is empty. That of a repository without files counts as empty. */
export function folderRefusal(folder: string): string | undefined {
  // `kiln new "$NAME"` without a NAME: it must not write among the files that are here.
  if (folder === '') return 'the name of the folder is empty; write `.` for this folder';
  try {
    const entries = readdirSync(folder).filter((entry) => entry !== '.git');
    return entries.length === 0
      ? undefined
      : `\`${folder}\` is not empty: a new project needs a folder of its own, and \`${entries.sort()[0]}\` is in this one`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') return `\`${folder}\` is a file, or a part of its path is`;
    return `\`${folder}\` cannot be read: ${systemReason(error)}`;
  }
}

/** For a folder that was not refused: what is in it afterwards has come from here. */
export function writeProject(folder: string, files: readonly ProjectFile[]): string | undefined {
  const missing = missingFolders(resolve(folder));
  for (const file of files) {
    const refusal = writeProjectFile(folder, file);
    if (refusal) {
      takeBack(folder, files);
      removeEmpty(missing);
      return refusal;
    }
  }
  return undefined;
}

/** The folder and those above it that have to be made, the innermost first. */
function missingFolders(folder: string): readonly string[] {
  return existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))];
}

function takeBack(folder: string, files: readonly ProjectFile[]): void {
  for (const { path } of files) rmSync(join(folder, path.replace(/\/.*/, '')), { recursive: true, force: true });
}

/** What somebody else has put into them meanwhile stays. */
function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders) {
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
  }
}

function writeProjectFile(folder: string, { path, text, isExecutable = false }: ProjectFile): string | undefined {
  const file = join(folder, path);
  const refusal = makeFolder(dirname(file)) ?? writeWhole(file, text);
  if (refusal === undefined && isExecutable) chmodSync(file, 0o755);
  return refusal;
}
