import type { Model, Type } from '../../compiler/definition/definition.ts';
import { fieldOf } from './assigned-values.ts';

/** The type of a model's ids. */
export function idOf(model: Model): Type {
  return fieldOf(model, 'id').type;
}
