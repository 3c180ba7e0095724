import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { FileText } from '../compiler/source/source-file.ts';

/** Reads files inside the folder only, wherever links may lead. */
export function fileTextIn(folder: string): FileText {
  const root = realpathSync(folder);
  return (path) => textInside(root, path);
}

/** Reads files that belong to the folder wherever they are, such as code that several projects share. */
export function fileTextFrom(folder: string): FileText {
  return (path) => textOf(resolve(folder, path));
}

function textInside(root: string, path: string): string | undefined {
  try {
    const file = realpathSync(join(root, path));
    return file.startsWith(root + sep) ? textOf(file) : undefined;
  } catch {
    return undefined;
  }
}

function textOf(file: string): string | undefined {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
