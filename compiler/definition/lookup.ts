/** Finds models and endpoints of a definition. A large one is asked many thousand times, so it is put in order once. */
import type { Definition, Endpoint, Model } from './definition.ts';
import { memoized } from './memo.ts';

interface Index {
  readonly models: ReadonlyMap<string, Model>;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

export function modelIn(definition: Definition, name: string): Model | undefined {
  return indexOf(definition).models.get(name);
}

export function endpointIn(definition: Definition, id: string): Endpoint | undefined {
  return indexOf(definition).endpoints.get(id);
}

const indexOf = memoized(
  ({ models, endpoints }: Definition): Index => ({
    models: new Map(models.map((model) => [model.name, model])),
    endpoints: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint])),
  }),
);
