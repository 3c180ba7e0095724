import type { Action, Assignment, Definition, Endpoint, Model } from '../../compiler/definition/definition.ts';

/** The paths of inputs that are stored, as they are, in fields with an index: Postgres has a limit for these. */
export function indexedInputs({ actions }: Endpoint, { models }: Definition): readonly (readonly string[])[] {
  return actions.flatMap((action) => {
    const written = writtenBy(action);
    const model = models.find(({ name }) => name === written?.model);
    if (!written || !model) return [];
    return written.values.flatMap(({ field, value }) =>
      value.kind === 'input' && isIndexed(model, field) ? [value.path] : [],
    );
  });
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
