import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type { Action, Assignment, Endpoint } from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { modelIn } from '../../compiler/definition/lookup.ts';

/** The paths of inputs that are stored, as they are, in fields with an index: Postgres has a limit for these. */
export function indexedInputs({ actions }: Endpoint, definition: Definition): readonly (readonly string[])[] {
  return actions.flatMap((action) => {
    const written = writtenBy(action);
    const model = written && modelIn(definition, written.model);
    if (!written || !model) return [];
    return written.values.flatMap(({ field, value }) => {
      const input = inputBehind(value, action);
      return input?.kind === 'input' && isIndexed(model, field) ? [input.path] : [];
    });
  });
}

/** The value itself, or the list of which it is an item. */
function inputBehind(value: Expression, action: Action): Expression {
  const each = action.kind === 'create' ? action.each : undefined;
  return each && value.kind === 'snapshot' && value.record === each.item ? each.list : value;
}

function writtenBy(
  action: Action,
): { readonly model: string; readonly values: readonly Pick<Assignment, 'field' | 'value'>[] } | null {
  if (action.kind === 'create' || action.kind === 'update') return action;
  if (action.kind !== 'query' || action.does.kind !== 'update') return null;
  return { model: action.query.model, values: action.does.values };
}

function isIndexed({ fields, uniques }: Model, name: string): boolean {
  const isAlone = fields.some((field) => field.name === name && (field.unique || field.index));
  return isAlone || uniques.some((unique) => unique.includes(name));
}
