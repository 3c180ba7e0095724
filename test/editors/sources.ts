/** All sources of this repository that the grammar takes without an error, by name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { corpusCases } from '../tree-sitter-grammar/corpus-file.ts';
import { rootOf } from './highlights.ts';

export interface NamedSource {
  readonly name: string;
  readonly text: string;
}

const root = new URL('../../', import.meta.url);
const rootFolder = fileURLToPath(root);

export const EXAMPLES: readonly NamedSource[] = kilnFiles('examples');

export const CORPUS: readonly NamedSource[] = readdirSync(new URL('tree-sitter-grammar/test/corpus/', root))
  .flatMap((file) => casesOf(file))
  .filter((source) => isSound(source) && !source.name.includes('A raw text that is never closed'));

/** The programs of the compiler's tests: small ones, and many that no author would write. */
export const TEST_PROGRAMS: readonly NamedSource[] = kilnFiles('test').filter(isSound);

function kilnFiles(folder: string): readonly NamedSource[] {
  return readdirSync(new URL(folder, root), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.kiln'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ name: relative(rootFolder, path), text: readFileSync(path, 'utf8') }));
}

function casesOf(file: string): readonly NamedSource[] {
  const text = readFileSync(new URL(`tree-sitter-grammar/test/corpus/${file}`, root), 'utf8');
  return corpusCases(text).map(({ title, source }) => ({ name: `${file}: ${title}`, text: source }));
}

function isSound({ text }: NamedSource): boolean {
  return !rootOf(text).hasError;
}
