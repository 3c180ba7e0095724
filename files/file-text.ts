import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { FileText } from '../compiler/source/source-file.ts';

/** Reads files inside the folder only, wherever links may lead. */
export function fileTextIn(folder: string): FileText {
  const root = realpathSync(folder);
  return (path) => textInside(root, path);
}

function textInside(root: string, path: string): string | undefined {
  try {
    const file = realpathSync(join(root, path));
    const isOurs = file.startsWith(root + sep) && statSync(file).isFile();
    return isOurs ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
