/** Paths that tell the records of a model apart: for URLs, and for references that are given by another field. */
import type * as ast from '../ast/ast.ts';
import type { Field, Identify, Model, Reference, Relation } from '../program/program.ts';
import type { Context } from './context.ts';
import { reportUnknownMember } from './paths.ts';

/** Each step must lead to one record only, and the field at the end must tell records apart. */
export function identifyPath(
  context: Context,
  path: ast.Path,
  start: Model,
  through?: Reference | Relation,
): Pick<Identify, 'steps' | 'field'> | undefined {
  const steps: (Reference | Relation)[] = [];
  let model = start;
  const names = [...path.steps];
  const last = names.pop() as ast.Name;
  for (const name of names) {
    const step = identifyStep(context, name, model);
    if (!step) return undefined;
    steps.push(step);
    model = step.kind === 'reference' ? step.to : step.from;
  }
  const field = identifyField(context, last, model, steps.length === 0 ? through : undefined);
  return field && { steps, field };
}

function identifyStep(context: Context, name: ast.Name, model: Model): Reference | Relation | undefined {
  const member = model.members.get(name.text);
  if (!member) return reportUnknownMember(context, name, model);
  context.witness?.meant(name.span, { kind: 'member', member });
  if (member.kind !== 'reference' && member.kind !== 'relation') {
    if (!isStandIn(member)) context.report('identify-through-field', name.span, { name: name.text, model: model.name });
    return undefined;
  }
  const reference = member.kind === 'reference' ? member : member.through;
  if (reference.unique) return member;
  return context.report('identify-not-unique', name.span, {
    name: name.text,
    model: model.name,
    kind: member.kind,
    parent: undefined,
    declared: reference.span,
  });
}

function isStandIn(member: { readonly kind: string; readonly type?: unknown }): boolean {
  return member.kind === 'field' && (member as Field).type.base.kind === 'any';
}

function identifyField(
  context: Context,
  name: ast.Name,
  model: Model,
  through: Reference | Relation | undefined,
): Field | undefined {
  const member = model.members.get(name.text);
  if (!member) return reportUnknownMember(context, name, model);
  context.witness?.meant(name.span, { kind: 'member', member });
  if (member.kind !== 'field')
    return context.report('identify-not-a-field', name.span, { name: name.text, model: model.name, kind: member.kind });
  if (isStandIn(member)) return undefined;
  if (member.secret)
    return context.report('secret-read', name.span, {
      field: `${model.name}.${name.text}`,
      noun: 'an `identify`',
      declared: member.span,
    });
  if (member.unique || isUniqueWithin(model, member, through)) return member;
  return context.report('identify-not-unique', name.span, {
    name: name.text,
    model: model.name,
    kind: 'field',
    parent: through?.kind === 'relation' ? through.through.name : undefined,
    declared: member.span,
  });
}

/** `unique { parent, field }` tells the records of one parent apart. */
function isUniqueWithin(model: Model, field: Field, through: Reference | Relation | undefined): boolean {
  if (through?.kind !== 'relation') return false;
  const wanted = new Set<Field>([field, through.through.field]);
  return model.keys.some(
    ({ kind, parts }) => kind === 'unique' && parts.length === 2 && parts.every((part) => wanted.has(part.field)),
  );
}
