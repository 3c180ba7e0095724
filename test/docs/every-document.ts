/** All Markdown files of the repository, by their paths. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/document-parts.ts';

const NOT_OURS = new Set(['node_modules', 'dist', 'build']);

export function everyDocument(folder = '.'): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) || entry.name.startsWith('.') ? [] : everyDocument(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}
