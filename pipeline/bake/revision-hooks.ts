import type { Definition } from '../../compiler/definition/definition.ts';
import { LARGEST_FILE } from '../../files/source-rules.ts';
import { readSmallBlobs } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { treeAt } from '../git/tree.ts';
import { bundleHooks, type HookBundle } from '../hooks/bundle-hooks.ts';
import { sourceHooks } from '../hooks/source-hooks.ts';

const MODULE = /\.([cm]?[jt]sx?|json)$/;

/** The code of hooks, bundled from the files of a revision and nothing else. */
export async function revisionHooks(
  repository: Repository,
  revision: string,
  folder: string,
  definition: Definition,
): Promise<HookBundle | undefined> {
  if (sourceHooks(definition).length === 0) return undefined;
  return bundleHooks(modulesAt(repository, revision, folder), definition);
}

/** Everything that could be imported; links and what is too large to be code are left out. */
function modulesAt(repository: Repository, revision: string, folder: string): ReadonlyMap<string, Buffer> {
  const modules = treeAt(repository, revision, folder).filter(({ kind, path }) => kind === 'file' && MODULE.test(path));
  const { contents } = readSmallBlobs(repository, modules, LARGEST_FILE);
  return new Map(
    modules.flatMap(({ path, id }) => {
      const content = contents.get(id);
      return content ? [[path, content] as const] : [];
    }),
  );
}
