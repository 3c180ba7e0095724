/** The data that the data view has read from the server. */
import type { DataModel, DataOverview } from '../../runtime/console/data/data-forms.ts';
import type { Loaded } from '../state/api-document.ts';
import { consoleApi } from '../state/console-api.ts';
import { createStore } from '../state/store.ts';

/** The models with their columns. Every part of the view needs them, and a change of a record their counts. */
export const overview = createStore<Loaded<DataOverview>>({ value: null, error: null });

export async function loadOverview(): Promise<void> {
  try {
    overview.set({ value: await consoleApi.json<DataOverview>('data'), error: null });
  } catch (error) {
    overview.set({ value: overview.get().value, error: (error as Error).message });
  }
}

export function modelNamed(name: string): DataModel | undefined {
  return overview.get().value?.models.find((model) => model.name === name);
}
