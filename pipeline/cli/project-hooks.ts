import type { Definition } from '../../compiler/definition/definition.ts';
import { fileTextIn } from '../../files/file-text.ts';
import type { CompileProblem } from '../../runtime/console/live/live-event.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { problemFromSentence, problemsFromHooks } from '../dev/compile-problems.ts';
import { bundleHooks } from '../hooks/bundle-hooks.ts';
import { loadHooks } from '../hooks/load-hooks.ts';
import { writeHookTypes } from '../hooks/write-types.ts';
import { reportHookProblems } from './hook-problems.ts';
import { complain } from './terminal.ts';

/** The code of a project's hooks; undefined where it cannot be used, which has been said then. */
export async function projectHooks(
  folder: string,
  definition: Definition,
  tell?: (problems: readonly CompileProblem[]) => void,
): Promise<HookModules | undefined> {
  const bundle = await bundleHooks(folder, definition);
  if (bundle === undefined) return {};
  if ('problems' in bundle) {
    reportHookProblems(bundle.problems, folder);
    tell?.(problemsFromHooks(bundle.problems, fileTextIn(folder)));
    return undefined;
  }
  const loaded = writeHookTypes(folder, definition) ?? (await loadHooks(folder, bundle.text));
  if (typeof loaded !== 'string') return loaded;
  complain(loaded);
  tell?.([problemFromSentence(loaded)]);
  return undefined;
}
