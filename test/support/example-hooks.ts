import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import { bundleHooks, loadHooks } from '../../pipeline/hooks/bundle-hooks.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';

/** The code of the hooks of a project, bundled as a server has it. */
export async function exampleHooks(project: string, definition: Definition): Promise<HookModules> {
  const bundle = await bundleHooks(project, definition);
  if (bundle === undefined) return {};
  const folder = mkdtempSync(join(tmpdir(), 'kiln-hooks-'));
  try {
    const hooks = 'text' in bundle ? await loadHooks(folder, bundle.text) : JSON.stringify(bundle.problems);
    if (typeof hooks === 'string') throw new Error(hooks);
    return hooks;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
