/** The views of the console. Each is loaded when it is first opened. */
import type { ComponentType } from 'preact';
import type { ViewName, ViewProps } from '../state/route.ts';

export interface View {
  readonly title: string;
  load(): Promise<ComponentType<ViewProps>>;
}

export const VIEWS: Readonly<Record<ViewName, View>> = {
  reference: { title: 'Reference', load: async () => (await import('../reference/reference-view.tsx')).ReferenceView },
  models: { title: 'Models', load: async () => (await import('../models/models-view.tsx')).ModelsView },
  data: { title: 'Data', load: async () => (await import('../data/data-view.tsx')).RecordsView },
  live: { title: 'Live', load: async () => (await import('../live/live-view.tsx')).LiveView },
};
