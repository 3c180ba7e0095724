/** `create … or keep` and `create … or update`: the unique key by which a record is found that is there already. */
import type * as ast from '../ast/ast.ts';
import type { Assignment, Field, Model, OnConflict } from '../program/program.ts';
import type { Context } from './context.ts';
import { keyField } from './keys.ts';

/** `values` is all that the create stores, apart from defaults of fields that it does not name. */
export function checkConflict(
  context: Context,
  { onConflict, head }: ast.WriteAction,
  model: Model,
  values: readonly Assignment[],
): OnConflict | undefined {
  if (!onConflict) return undefined;
  const { does } = onConflict;
  const key = onConflict.key ? namedKey(context, onConflict.key, model) : onlyKey(context, onConflict, model);
  if (!key) return undefined;
  const lacking = key.filter((field) => !field.default && !values.some((value) => value.field === field));
  if (lacking.length > 0) {
    const fields = lacking.map((field) => ({ name: nameOf(field), declared: field.span }));
    return context.report('key-not-given', onConflict.key?.span ?? head, { does, model: model.name, fields });
  }
  if (!onConflict.key) reportNullable(context, onConflict, model, key, values);
  return { does, key };
}

/** Whoever names the key has thought of it. */
function reportNullable(
  context: Context,
  { does, span }: ast.OnConflict,
  model: Model,
  key: readonly Field[],
  values: readonly Assignment[],
): void {
  const field = key.find((part) => values.some((value) => value.field === part && mayBeNull(value)));
  if (!field) return;
  const facts = { field: nameOf(field), key: key.map(nameOf), model: model.name, does, declared: field.span };
  context.report('nullable-key', span, { ...facts, end: { ...span, start: span.end } });
}

/** A reference goes by its own name, not by that of its key. */
function nameOf({ reference, name }: Field): string {
  return reference?.name ?? name;
}

function mayBeNull({ field, value }: Assignment): boolean {
  return field.type.nullable && (value.kind === 'input' ? value.input.type.nullable : value.type.nullable);
}

/** The id is made by Kiln, so that no create has the one of another record. */
function keysOf({ fields, keys }: Model): readonly (readonly Field[])[] {
  const single = fields.filter(({ unique, origin }) => unique && origin !== 'id').map((field) => [field]);
  const over = keys.filter(({ kind }) => kind === 'unique').map(({ parts }) => parts.map(({ field }) => field));
  return [...single, ...over];
}

function namesOf(keys: readonly (readonly Field[])[]): readonly (readonly string[])[] {
  return keys.map((key) => key.map(nameOf));
}

function onlyKey(context: Context, { does, span }: ast.OnConflict, model: Model): readonly Field[] | undefined {
  const keys = keysOf(model);
  const [key] = keys;
  if (!key) return context.report('no-unique-key', span, { does, model: model.name, declared: model.span });
  if (keys.length === 1) return key;
  return context.report('which-key', span, {
    does,
    model: model.name,
    keys: namesOf(keys),
    end: { ...span, start: span.end },
  });
}

function namedKey(
  context: Context,
  { parts, span }: NonNullable<ast.OnConflict['key']>,
  model: Model,
): readonly Field[] | undefined {
  for (const { direction } of parts) if (direction) context.report('direction-in-unique', direction.span, {});
  const fields = parts.map(({ name }) => keyField(context, model, name, 'unique'));
  if (fields.includes(undefined)) return undefined;
  const keys = keysOf(model);
  const named = new Set(fields);
  const key = keys.find((each) => each.length === named.size && each.every((field) => named.has(field)));
  const names = parts.map(({ name }) => name.text);
  return key ?? context.report('not-a-key', span, { model: model.name, names, keys: namesOf(keys) });
}
