/** Which requests may meet the data of others: a unique value that is taken, a record that is still referred to. */
import type { Definition } from '../../definition/definition.ts';
import type { Action, Endpoint } from '../../definition/endpoint.ts';
import { modelIn } from '../../definition/lookup.ts';
import { referencesTo } from './lookup.ts';

export function mayConflict({ actions }: Endpoint, definition: Definition): boolean {
  return actions.some((action) => conflicts(action, definition));
}

function conflicts(action: Action, definition: Definition): boolean {
  switch (action.kind) {
    case 'create':
      return isTied(action.model, () => true, definition);
    case 'update':
      return isChangeTied(action.model, action.values, definition);
    case 'delete':
      return isHeld(action.model, definition);
    case 'query':
      if (action.does.kind === 'update') return isChangeTied(action.query.model, action.does.values, definition);
      return action.does.kind === 'delete' && isHeld(action.query.model, definition);
    default:
      return false;
  }
}

type Values = readonly { readonly field: string }[];

function isChangeTied(model: string, values: Values, definition: Definition): boolean {
  const changed = new Set(values.map(({ field }) => field));
  return isTied(model, (field) => changed.has(field), definition);
}

/** Whether one of the fields must be unique, or names another record. */
function isTied(name: string, isWritten: (field: string) => boolean, definition: Definition): boolean {
  const { fields = [], uniques = [], references = [] } = modelIn(definition, name) ?? {};
  return (
    fields.some(({ name, unique }) => unique && name !== 'id' && isWritten(name)) ||
    uniques.some((key) => key.some(isWritten)) ||
    references.some(({ field }) => isWritten(field))
  );
}

function isHeld(name: string, definition: Definition): boolean {
  return holdersOf(name, definition).length > 0;
}

interface Holder {
  readonly model: string;
  readonly field: string;
}

/** The references that may keep a record of the model, or one that goes with it, from being deleted. */
export function holdersOf(name: string, definition: Definition, seen: Set<string> = new Set()): readonly Holder[] {
  if (seen.has(name)) return [];
  seen.add(name);
  return referencesTo(definition, name).flatMap(({ from, field, onDelete }) => {
    if (onDelete === 'set null') return [];
    return onDelete === 'restrict' ? [{ model: from, field }] : holdersOf(from, definition, seen);
  });
}
