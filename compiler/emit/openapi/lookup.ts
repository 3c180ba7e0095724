/** Finds what a definition names. A large one is asked many thousand times, so it is put in order once. */
import type { Definition, Field, Model, Reference } from '../../definition/definition.ts';

interface Index {
  readonly models: ReadonlyMap<string, Model>;
  /** The references to each model, with the model that has them. */
  readonly references: ReadonlyMap<string, readonly Incoming[]>;
}

interface Incoming extends Reference {
  readonly from: string;
}

const indexes = new WeakMap<Definition, Index>();

export function modelIn(definition: Definition, name: string): Model | undefined {
  return indexOf(definition).models.get(name);
}

export function fieldIn(definition: Definition, model: string, field: string): Field | undefined {
  return modelIn(definition, model)?.fields.find(({ name }) => name === field);
}

export function referencesTo(definition: Definition, model: string): readonly Incoming[] {
  return indexOf(definition).references.get(model) ?? [];
}

function indexOf(definition: Definition): Index {
  const known = indexes.get(definition) ?? newIndex(definition);
  indexes.set(definition, known);
  return known;
}

function newIndex({ models }: Definition): Index {
  const references = new Map<string, Incoming[]>(models.map(({ name }) => [name, []]));
  for (const model of models) {
    for (const each of model.references) references.get(each.to)?.push({ ...each, from: model.name });
  }
  return { models: new Map(models.map((model) => [model.name, model])), references };
}
