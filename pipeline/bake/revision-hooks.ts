/** The code of hooks as a revision has it, bundled in a folder of its own that is gone afterwards. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import { LARGEST_FILE } from '../../files/source-rules.ts';
import { systemReason } from '../../files/system-reason.ts';
import { readSmallBlobs } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { treeAt } from '../git/tree.ts';
import { bundleHooks, type HookBundle } from '../hooks/bundle-hooks.ts';
import { sourceHooks } from '../hooks/source-hooks.ts';
import { ImageRefusal } from '../image/image-refusal.ts';

const MODULE = /\.([cm]?[jt]sx?|json)$/;

export async function revisionHooks(
  repository: Repository,
  revision: string,
  folder: string,
  definition: Definition,
): Promise<HookBundle | undefined> {
  if (sourceHooks(definition).length === 0) return undefined;
  // Files are named as they are found, and through a link they would be found elsewhere.
  const place = realpathSync(onDisk(() => mkdtempSync(join(tmpdir(), 'kiln-hooks-'))));
  try {
    writeModules(repository, revision, folder, place);
    return await bundleHooks(place, definition, 'closed');
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Everything that could be imported; links and what is too large to be code are left out. */
function writeModules(repository: Repository, revision: string, folder: string, place: string): void {
  const modules = treeAt(repository, revision, folder).filter(({ kind, path }) => kind === 'file' && MODULE.test(path));
  const { contents } = readSmallBlobs(repository, modules, LARGEST_FILE);
  onDisk(() => {
    // esbuild looks for these in all folders above, and those of the machine are none of the project's.
    for (const settings of ['package.json', 'tsconfig.json']) writeFileSync(join(place, settings), '{}\n');
    for (const { path, id } of modules) {
      const content = contents.get(id);
      if (!content) continue;
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), content);
    }
  });
}

function onDisk<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    const what = `the code of hooks cannot be written to \`${tmpdir()}\`, where it is bundled: ${systemReason(error)}`;
    throw new ImageRefusal(`${what}. Make room, or set TMPDIR to another folder.`, { cause: error });
  }
}
