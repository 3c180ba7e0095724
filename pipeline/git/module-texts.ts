/** The texts of the modules of hooks. The compiler asks for one at a time; the first one brings its whole folder. */
import { posix } from 'node:path';
import type { FileText } from '../../compiler/source/source-file.ts';
import { LARGEST_FILE, sizeAgainstLimit } from '../../files/source-rules.ts';
import { GitRefusal } from './git-refusal.ts';
import { readSmallBlobs } from './objects.ts';
import type { Repository } from './repository.ts';
import type { TreeEntry } from './tree.ts';
import type { FindFile } from './tree-files.ts';

export function moduleTexts(repository: Repository, entries: readonly TreeEntry[], find: FindFile): FileText {
  const texts = new Map<string, string>();
  return (path) => {
    const file = find(path);
    if (file.kind !== 'file') return undefined;
    if (!texts.has(file.id)) readFolder(repository, entries, file, texts);
    return texts.get(file.id);
  };
}

function readFolder(
  repository: Repository,
  entries: readonly TreeEntry[],
  asked: { readonly path: string; readonly id: string },
  texts: Map<string, string>,
): void {
  const folder = posix.dirname(asked.path);
  const modules = entries.filter((entry) => isModule(entry) && posix.dirname(entry.path) === folder);
  const { sizes, contents } = readSmallBlobs(repository, [asked, ...modules], LARGEST_FILE);
  const size = sizes.get(asked.id) ?? 0;
  if (size > LARGEST_FILE) throw new GitRefusal('too-large', sizeAgainstLimit(asked.path, size));
  for (const [id, bytes] of contents) texts.set(id, bytes.toString('utf8'));
}

function isModule({ kind, path }: TreeEntry): boolean {
  return kind === 'file' && /\.[cm]?[jt]s$/.test(path);
}
