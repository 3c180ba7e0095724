import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { kilnFolderOf, makeKilnFolder } from '../../files/kiln-folder.ts';
import { makeFolder, writeWhole } from '../../files/write-file.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { BUNDLE_FILE } from './bundle-hooks.ts';

/**
 * Puts a bundle where its source map fits, and imports it. A sentence where it cannot be written, where the code fails
 * while it is loaded, or where what it exports cannot be called.
 */
export async function loadHooks(projectFolder: string, text: string): Promise<HookModules | string> {
  const file = join(kilnFolderOf(projectFolder), BUNDLE_FILE);
  const refusal = makeKilnFolder(projectFolder) ?? makeFolder(dirname(file)) ?? writeWhole(file, text);
  if (refusal !== undefined) return refusal;
  process.setSourceMapsEnabled(true);
  const modules = await importModules(file);
  return typeof modules === 'string' ? modules : (notAFunction(modules) ?? modules);
}

let imports = 0;

async function importModules(file: string): Promise<HookModules | string> {
  imports += 1;
  try {
    // A module is imported once for each of its URLs: what changed since is seen under another one.
    const module: { readonly default: HookModules } = await import(`${pathToFileURL(file)}?${imports}`);
    return module.default;
  } catch (error) {
    return `the hooks cannot be loaded: ${error instanceof Error ? withPlace(error) : String(error)}`;
  }
}

function withPlace({ name, message, stack }: Error): string {
  const place = /\((?:file:\/\/)?(\/[^)]+:\d+:\d+)\)|at (?:file:\/\/)?(\/.+:\d+:\d+)/.exec(stack ?? '');
  const where = place?.[1] ?? place?.[2];
  return `${name}: ${message}${where ? ` (${where})` : ''}`;
}

function notAFunction(modules: HookModules): string | undefined {
  const wrong = Object.entries(modules).find(([, hook]) => typeof hook !== 'function')?.[0];
  const [file, name] = wrong?.split('#') ?? [];
  return wrong && `\`${name}\` of \`${file}\` is not a function, so it cannot be a hook`;
}
