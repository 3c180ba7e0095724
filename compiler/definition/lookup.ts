/** Finds models and endpoints of a definition. A large one is asked many thousand times, so it is put in order once. */
import type { Definition, Endpoint, Model } from './definition.ts';

interface Index {
  readonly models: ReadonlyMap<string, Model>;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

const INDEXES = new WeakMap<Definition, Index>();

export function modelIn(definition: Definition, name: string): Model | undefined {
  return indexOf(definition).models.get(name);
}

export function endpointIn(definition: Definition, id: string): Endpoint | undefined {
  return indexOf(definition).endpoints.get(id);
}

function indexOf(definition: Definition): Index {
  const known = INDEXES.get(definition) ?? newIndex(definition);
  INDEXES.set(definition, known);
  return known;
}

function newIndex({ models, endpoints }: Definition): Index {
  return {
    models: new Map(models.map((model) => [model.name, model])),
    endpoints: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint])),
  };
}
