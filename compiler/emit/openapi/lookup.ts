/** Finds what a definition names. A large one is asked many thousand times, so it is put in order once. */
import type { Definition, Field, Reference } from '../../definition/definition.ts';
import { modelIn } from '../../definition/lookup.ts';
import { memoized } from '../../definition/memo.ts';

interface Incoming extends Reference {
  readonly from: string;
}

export function fieldIn(definition: Definition, model: string, field: string): Field | undefined {
  return modelIn(definition, model)?.fields.find(({ name }) => name === field);
}

export function referencesTo(definition: Definition, model: string): readonly Incoming[] {
  return referencesIn(definition).get(model) ?? [];
}

/** The references to each model, with the model that has them. */
const referencesIn = memoized(({ models }: Definition): ReadonlyMap<string, readonly Incoming[]> => {
  const found = new Map<string, Incoming[]>(models.map(({ name }) => [name, []]));
  for (const model of models) {
    for (const each of model.references) found.get(each.to)?.push({ ...each, from: model.name });
  }
  return found;
});
