/** The code of hooks as a revision has it, bundled in a folder of its own that is gone afterwards. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import { LARGEST_FILE } from '../files/source-rules.ts';
import { blobSizes, readBlobs } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { treeAt } from '../git/tree.ts';
import { bundleHooks, type HookBundle } from '../hooks/bundle-hooks.ts';
import { sourceHooks } from '../hooks/source-hooks.ts';

const MODULE = /\.([cm]?[jt]sx?|json)$/;

export async function revisionHooks(
  repository: Repository,
  revision: string,
  folder: string,
  definition: Definition,
): Promise<HookBundle | undefined> {
  if (sourceHooks(definition).length === 0) return undefined;
  const place = mkdtempSync(join(tmpdir(), 'kiln-hooks-'));
  try {
    writeModules(repository, revision, folder, place);
    return await bundleHooks(place, definition);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Everything that could be imported; links and what is too large to be code are left out. */
function writeModules(repository: Repository, revision: string, folder: string, place: string): void {
  const modules = treeAt(repository, revision, folder).filter(({ kind, path }) => kind === 'file' && MODULE.test(path));
  const sizes = blobSizes(
    repository,
    modules.map(({ id }) => id),
  );
  const small = modules.filter(({ id }) => (sizes.get(id) ?? 0) <= LARGEST_FILE);
  const blobs = readBlobs(
    repository,
    small.map(({ id }) => id),
  );
  for (const { path, id } of small) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), blobs.get(id) as Buffer);
  }
}
