/** `set`: the fields that can be set, and their values. */

import type * as ast from '../ast/ast.ts';
import type { Field, Model, Reference, SetValue } from '../program/program.ts';
import { record } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, findMember, notAmong } from './context.ts';
import { checkCondition, checkFitting } from './fitting.ts';
import { sayingInputs } from './input-paths.ts';
import { factsWhen } from './narrowing.ts';
import { type Scope, withFacts } from './scope.ts';
import { reportShownSecrets } from './secrets.ts';

/** The field that a `set` stores into: a field by its name, or the key of a reference by the reference's. */
export function settableField(
  context: Context,
  name: ast.Name,
  model: Model,
  fixed: readonly Field[] = [],
): Field | undefined {
  const member = findMember(context, name, model);
  if (member?.kind === 'reference') return member.field;
  if (member?.kind === 'field' && member.origin !== 'id') return member;
  return reportUnsettable(context, name, model, fixed);
}

function reportUnsettable(context: Context, name: ast.Name, model: Model, fixed: readonly Field[]): undefined {
  const member = model.members.get(name.text);
  const about = { name: name.text, model: model.name };
  if (member) context.report('cannot-set', name.span, { ...about, kind: member.kind, declared: member.span });
  else {
    const settable = settableMembers(model).filter((member) => !fixed.includes(fieldOf(member)));
    context.report('unknown-field', name.span, { ...about, ...notAmong(name, settable) });
  }
}

function settableMembers(model: Model): readonly (Field | Reference)[] {
  return [...model.members.values()].filter(
    (member): member is Field | Reference =>
      (member.kind === 'field' && member.name !== 'id') || member.kind === 'reference',
  );
}

export function fieldOf(member: Field | Reference): Field {
  return member.kind === 'reference' ? member.field : member;
}

/** A reference is set to a record, its key to an id. The value relies on the condition. */
export function checkSet(context: Context, field: Field, item: ast.SetItem, scope: Scope): SetValue {
  const { reference } = field;
  const by = `\`${field.model.name}.${item.name.text}\``;
  const asRecord = reference && item.name.text === reference.name;
  const type = asRecord ? record(reference.to, reference.nullable) : field.type;
  const saying = sayingInputs(scope, item.value, item.when);
  const when = item.when && checkCondition(context, item.when, saying, '`when`');
  const inner = when ? withFacts(saying, factsWhen(when, true)) : saying;
  const value = checkFitting(context, item.value, inner, { type, by });
  reportShownSecrets(context, value, field, 'a `set`');
  return { field, value, when };
}

/** Checks the sets of a `populate`, or of the `update` of a query. `parent` is set by what surrounds it. */
export function checkSets(
  context: Context,
  sets: readonly ast.SetItem[],
  model: Model,
  scope: Scope,
  parent?: Reference,
): readonly SetValue[] {
  const given = new Map<Field, Span>();
  return sets.flatMap((set) => {
    const field = settableField(context, set.name, model, parent ? [parent.field] : []);
    if (!field) return [];
    const first = given.get(field);
    if (first) context.report('given-twice', set.name.span, { field: field.name, first });
    if (field === parent?.field) context.report('parent-is-set', set.name.span, { reference: parent.name });
    given.set(field, set.name.span);
    return [checkSet(context, field, set, scope)];
  });
}
