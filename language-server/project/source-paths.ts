/** Files by their path, and what `kiln check` would read of them. */
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { readSources } from '../../files/read-sources.ts';
import { isSkippedFolder, isSourceName } from '../../files/source-rules.ts';

/** The path of a file, or the address as it is. */
export function keyOf(uri: string): string {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri).replace(/(?<=.)[/\\]$/, '') : uri;
  } catch {
    return uri;
  }
}

export function pathIn(folder: string | undefined, key: string): string {
  return folder === undefined ? key : relative(folder, key).split(sep).join('/');
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether `kiln check` would read it. */
export function isProjectPath(path: string): boolean {
  const folders = path.split(/[/\\]/).slice(0, -1);
  return isSourceName(path) && !folders.some(isSkippedFolder);
}

export function textOnDisk(path: string): string | undefined {
  return existsSync(path) ? readSources(path).sources[0]?.text : undefined;
}

export function sourcesBeside(folder: string): readonly SourceFile[] {
  try {
    const names = readdirSync(folder).filter(isSourceName);
    return names.flatMap((name) => readSources(join(folder, name)).sources);
  } catch {
    return [];
  }
}
