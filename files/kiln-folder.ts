import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, writeWhole } from './write-file.ts';

/** What Kiln keeps in a project for itself. Git is told to leave it alone. */
export function kilnFolderOf(projectFolder: string): string {
  return join(projectFolder, '.kiln');
}

/** Makes it where it is missing; gives a sentence where that is not possible. */
export function makeKilnFolder(projectFolder: string): string | undefined {
  const folder = kilnFolderOf(projectFolder);
  const ignore = join(folder, '.gitignore');
  return makeFolder(folder) ?? (existsSync(ignore) ? undefined : writeWhole(ignore, '*\n'));
}
