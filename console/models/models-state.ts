/** The models that the view shows, and what changed of them since the last release. */
import type { ReleaseChanges } from '../../runtime/console/api/release-changes.ts';
import type { ModelGraph } from '../../runtime/console/model-graph.ts';
import { consoleApi, consoleKey, HAS_CONSOLE_API } from '../state/console-api.ts';
import { jsonFrom, MODELS } from '../state/page.ts';

export interface Models {
  readonly graph: ModelGraph;
  /** Null where there is no release to compare with, or nobody who could. */
  readonly changes: ReleaseChanges | null;
}

/** Without a key it is what every reader of the API may know. */
export async function loadModels(): Promise<Models> {
  if (!HAS_CONSOLE_API || consoleKey.get() === '') return { graph: await jsonFrom<ModelGraph>(MODELS), changes: null };
  const changes = consoleApi.json<ReleaseChanges | null>('changes').catch(() => null);
  return { graph: await consoleApi.json<ModelGraph>('models'), changes: await changes };
}
