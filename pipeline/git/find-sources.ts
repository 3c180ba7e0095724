/** The `*.kiln` files of a revision, by the rules that hold for a folder on the disk. */
import { type SourceProblem, sourceProblem } from '../../files/source-problem.ts';
import { isSkippedFolder, isSourceName } from '../../files/source-rules.ts';
import type { TreeEntry } from './tree.ts';
import type { FindFile } from './tree-files.ts';

export interface FoundSource {
  readonly path: string;
  readonly id: string;
}

interface FoundSources {
  readonly sources: readonly FoundSource[];
  readonly problems: readonly SourceProblem[];
}

export function findSources(entries: readonly TreeEntry[], find: FindFile): FoundSources {
  const places = entries.map(pathRoleOf);
  const files = entries.filter((entry, at) => places[at] === 'source' && entry.kind === 'file');
  const links = entries.filter((entry, at) => places[at] === 'source' && entry.kind === 'link');
  const followed = followLinks(links, new Set(files.map(({ path }) => path)), find);
  const folders = new Set(entries.flatMap((entry, at) => (places[at] === 'misnamed' ? [misnamedFolder(entry)] : [])));
  return {
    sources: [...files.map(({ path, id }) => ({ path, id })), ...followed.sources],
    problems: [...followed.problems, ...[...folders].map((path) => notAFile(path, 'a folder'))],
  };
}

type PathRole = 'source' | 'misnamed' | 'other';

/** The folders on the way count from the top, as they would be entered. */
function pathRoleOf({ path, kind }: TreeEntry): PathRole {
  const names = path.split('/');
  const name = names.pop() ?? '';
  const turn = names.find((folder) => isSkippedFolder(folder) || isSourceName(folder));
  if (turn !== undefined) return isSkippedFolder(turn) ? 'other' : 'misnamed';
  if (!isSourceName(name)) return 'other';
  return kind === 'submodule' ? 'misnamed' : 'source';
}

function misnamedFolder({ path }: TreeEntry): string {
  const names = path.split('/');
  return names.slice(0, names.findIndex(isSourceName) + 1).join('/');
}

/** `read` holds what is read already: a file with two names is still one file. */
function followLinks(links: readonly TreeEntry[], read: Set<string>, find: FindFile): FoundSources {
  const sources: FoundSource[] = [];
  const problems: SourceProblem[] = [];
  for (const { path } of links) {
    const file = find(path);
    if (file.kind !== 'file') problems.push(badLink(path, file.kind));
    else if (!read.has(file.path)) {
      read.add(file.path);
      sources.push({ path, id: file.id });
    }
  }
  return { sources, problems };
}

function badLink(path: string, kind: 'folder' | 'missing' | 'outside' | 'circle'): SourceProblem {
  if (kind === 'folder') return notAFile(path, 'a link to something that is not a file');
  if (kind === 'outside')
    return sourceProblem('link-outside', path, `\`${path}\` is a link to a file outside the project`);
  const reason = kind === 'missing' ? 'what it points to does not exist' : 'its links form a cycle';
  return sourceProblem('broken-link', path, `\`${path}\` is a broken link: ${reason}`);
}

function notAFile(path: string, what: string): SourceProblem {
  return sourceProblem('not-a-file', path, `\`${path}\` is ${what}, though its name ends in \`.kiln\``);
}
