/** `unique { a, b }` and `index { a, b desc }`: over fields and references of one model. */

import type * as ast from '../ast/ast.ts';
import { snakeCase } from '../definition/names.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Assignment, Field, Key, Link, Model, OnConflict } from '../program/program.ts';
import { type Context, findMember, firstOfEach, notAmong, writtenName } from './context.ts';
import type { BuildingModel, Names } from './members.ts';

export function declareKeys(names: Names, model: BuildingModel, declaration: ast.ModelDeclaration): void {
  checkColumns(model, names.report);
  for (const written of declaration.members) {
    if (written.kind !== 'unique' && written.kind !== 'index') continue;
    const key = keyOf(names, model, written);
    if (key) model.keys.push(key);
  }
}

function keyOf(names: Names, model: Model, written: ast.KeyDeclaration): Key | undefined {
  const seen = new Map<string, ast.Name>();
  const parts = written.parts.map((part) => {
    const { name, direction } = part;
    const field = keyField(names, model, name, written.kind);
    // A reference and its key are two names of one column.
    const column = field?.name ?? name.text;
    const first = seen.get(column);
    const other = first?.text === name.text ? undefined : first?.text;
    if (first) names.report('selected-twice', name.span, { name: name.text, first: first.span, isKey: true, other });
    else seen.set(column, name);
    if (direction && written.kind === 'unique') names.report('direction-in-unique', direction.span, {});
    return field && { field, descending: direction?.order === 'desc' };
  });
  checkPartCount(names, written, seen.size);
  const sound = parts.filter((part) => part !== undefined);
  return sound.length === parts.length ? { kind: written.kind, parts: sound, span: written.span } : undefined;
}

/** The largest number of columns in an index of Postgres. */
const MOST_PARTS = 32;

function checkPartCount({ report }: Names, { kind, parts, span }: ast.KeyDeclaration, distinct: number): void {
  if (parts.length < 2) report('key-over-one', span, { kind, count: parts.length });
  const further = parts[MOST_PARTS];
  if (further && distinct > MOST_PARTS)
    report('key-over-many', further.span, { kind, count: distinct, most: MOST_PARTS });
}

function keyField(
  names: Pick<Names, 'report' | 'witness'>,
  model: Model,
  name: ast.Name,
  kind: 'unique' | 'index',
): Field | undefined {
  const { report } = names;
  const member = findMember(names, name, model);
  if (member?.kind === 'field' && member.type.many)
    return report('list-in-key', name.span, { field: `${model.name}.${name.text}`, kind });
  if (member?.kind === 'field' && member.file)
    return report('file-property', name.span, { field: `${model.name}.${name.text}`, property: kind });
  if (member?.kind === 'field') return member;
  if (member?.kind === 'reference') return member.field;
  const candidates = [...model.members.values()].filter(({ kind: k }) => k === 'field' || k === 'reference');
  const about = { ...notAmong(name, candidates), model: model.name, kind, found: member?.kind };
  return report('unknown-key-part', name.span, member ? { ...about, near: undefined } : about);
}

// ── Keys of creates ─────────────────────────────────────────────────────────────────────────────────────────────────

// `create … or keep` and `create … or update`: the unique key by which a record is found that is there already.

/**
 * The target of a create and its parent: `fixed` is the reference to the parent, `link` the reference of the parent.
 */
export interface CreateTarget {
  readonly model: Model;
  readonly fixed: readonly Assignment[];
  readonly link: Link | undefined;
}

/** `values` is all that the create stores, apart from defaults of fields that it does not name. */
export function checkConflict(
  context: Context,
  { onConflict, head }: ast.WriteAction,
  target: CreateTarget,
  values: readonly Assignment[],
): OnConflict | undefined {
  if (!onConflict) return undefined;
  const { does } = onConflict;
  const { model } = target;
  const key = onConflict.key ? namedKey(context, onConflict.key, model) : onlyKey(context, onConflict, target);
  if (!key) return undefined;
  if (target.link || !isWithin(key, target)) return reportWithoutParent(context, onConflict, target, key);
  const lacking = key.filter((field) => !field.default && !values.some((value) => value.field === field));
  if (lacking.length > 0) {
    const fields = lacking.map((field) => ({ name: writtenName(field), declared: field.span }));
    return context.report('key-not-given', onConflict.key?.span ?? head, { does, model: model.name, fields });
  }
  if (!onConflict.key) reportNullable(context, onConflict, model, key, values);
  return { does, key };
}

/** Whether records with the same key also have the same parent. */
function isWithin(key: readonly Field[], { fixed }: CreateTarget): boolean {
  return fixed.every(({ field }) => key.includes(field));
}

/** Reports a key without the parent: a caller who may write below one parent could reach the records of another. */
function reportWithoutParent(
  context: Context,
  { does, key: named, span }: ast.OnConflict,
  target: CreateTarget,
  key: readonly Field[],
): undefined {
  const { model, fixed, link } = target;
  const reference = link?.reference ?? fixed[0]?.field.reference;
  if (!reference) return undefined;
  const other = link ? undefined : keysOf(model).find((each) => isWithin(each, target));
  context.report('key-without-parent', named?.span ?? span, {
    does,
    model: model.name,
    parent: (link ? reference.model : reference.to).name,
    reference: link ? undefined : reference.name,
    key: key.map((field) => ({ name: writtenName(field), declared: field.span })),
    other: other?.map(writtenName),
    place: named ? { span: named.span, isNamed: true } : { span: { ...span, start: span.end }, isNamed: false },
  });
  return undefined;
}

/** Reports a key that may be null. An author who names the key has thought of it. */
function reportNullable(
  context: Context,
  { does, span }: ast.OnConflict,
  model: Model,
  key: readonly Field[],
  values: readonly Assignment[],
): void {
  const field = key.find((part) =>
    values.some((each) => each.field === part && part.type.nullable && each.value.type.nullable),
  );
  if (!field) return;
  const facts = { field: writtenName(field), key: key.map(writtenName), model: model.name, does, declared: field.span };
  context.report('nullable-key', span, { ...facts, end: { ...span, start: span.end } });
}

/** The id is made by Kiln, so that no create has the one of another record. */
function keysOf({ fields, keys }: Model): readonly (readonly Field[])[] {
  const single = fields.filter(({ unique, origin }) => unique && origin !== 'id').map((field) => [field]);
  const over = keys.filter(({ kind }) => kind === 'unique').map(({ parts }) => parts.map(({ field }) => field));
  return [...single, ...over];
}

function namesOf(keys: readonly (readonly Field[])[]): readonly (readonly string[])[] {
  return keys.map((key) => key.map(writtenName));
}

function onlyKey(context: Context, { does, span }: ast.OnConflict, target: CreateTarget): readonly Field[] | undefined {
  const { model } = target;
  const all = keysOf(model);
  const keys = [...all.filter((key) => isWithin(key, target)), ...all.filter((key) => !isWithin(key, target))];
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

// ── Columns ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// Checks of the columns of a table in Postgres.

const MOST_COLUMNS = 1600;

/** Every table has them already, hidden. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['xmin', 'xmax', 'cmin', 'cmax', 'ctid', 'tableoid']);

function checkColumns(model: Model, report: Diagnostics['report']): void {
  const count = model.fields.length;
  if (count > MOST_COLUMNS) report('too-many-columns', model.span, { model: model.name, count, most: MOST_COLUMNS });
  const columns = model.fields.map(({ name, reference, span }) => ({ name, reference, span, column: snakeCase(name) }));
  for (const { name, column, span } of columns)
    if (SYSTEM_COLUMNS.has(column)) report('reserved-column', span, { field: `${model.name}.${name}`, column });
  firstOfEach(
    columns,
    ({ column }) => column,
    ({ name, column, span }, { name: other, reference, span: first }) =>
      report('same-column', span, { name, other, column, reference: reference?.name, first }),
  );
}
