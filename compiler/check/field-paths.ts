/** The fields that a list opens to its clients: what they may filter and sort by, and search. */
import type * as ast from '../ast/ast.ts';
import { type ListOptions, listParameters } from '../definition/contract/list-parameters.ts';
import type { Field, Identify, ListField, Member, Model, Reference, Relation } from '../program/program.ts';
import { isSortable, nullable, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, pathText } from './context.ts';
import { reportUnknownMember } from './paths.ts';

type Options = ListOptions<ListField>;
type Opened = Pick<Options, 'filterable' | 'sortable' | 'searchable'>;

/** The property that lists the fields. */
type Property = keyof Opened;

export function checkListFields(
  context: Context,
  written: ast.EndpointDeclaration,
  model: Model,
  page: Options['page'],
): Opened {
  const { filterable, sortable, searchable } = written;
  const others: Opened = {
    ...(sortable && { sortable: fieldsOf(context, sortable, model, 'sortable') }),
    ...(searchable && { searchable: fieldsOf(context, searchable, model, 'searchable') }),
  };
  if (!filterable) return others;
  const fields = fieldsOf(context, filterable, model, 'filterable');
  reportTakenNames(context, fields, { page, ...others });
  return { filterable: fields, ...others };
}

/** A filter is called as its field, which may be the name of another parameter. */
function reportTakenNames(context: Context, fields: readonly ListField[], others: Options): void {
  const taken = listParameters(others);
  for (const { name, value } of fields) {
    const by = Object.hasOwn(taken, name) ? taken[name]?.broughtBy : undefined;
    if (by) context.report('filter-name-taken', value.span, { name, by });
  }
}

function fieldsOf(context: Context, written: ast.ListFields, model: Model, property: Property): readonly ListField[] {
  if (written.paths.length === 0) context.report('empty-list-fields', written.span, { property });
  const seen = new Map<string, Span>();
  return written.paths.flatMap((path) => {
    const field = listField(context, path, model, property);
    if (!field || isListedTwice(context, field, path.span, seen)) return [];
    seen.set(field.name, path.span);
    return [field];
  });
}

function isListedTwice(context: Context, { name }: ListField, span: Span, seen: ReadonlyMap<string, Span>): boolean {
  const first = seen.get(name);
  if (first) context.report('selected-twice', span, { name, first, isKey: true, other: undefined });
  return first !== undefined;
}

function listField(context: Context, path: ast.Path, model: Model, property: Property): ListField | undefined {
  const names = [...path.steps];
  const last = names.pop() as ast.Name;
  if (names.length > 0 && property === 'searchable')
    return context.report('search-of-others', path.span, { path: pathText(path) ?? '', model: model.name });
  const steps: (Reference | Relation)[] = [];
  let end = model;
  for (const name of names) {
    const step = recordStep(context, name, end, property);
    if (!step) return undefined;
    steps.push(step);
    end = step.kind === 'reference' ? step.to : step.from;
  }
  const field = fieldAt(context, last, end, property);
  if (!field || !fits(context, field, last.span, property)) return undefined;
  // Only values of the records themselves can be read in the order of an index.
  const needsIndex = property === 'filterable' || (property === 'sortable' && steps.length === 0);
  if (needsIndex) warnWithoutIndex(context, field, last.span, property);
  return {
    name: path.steps.map(({ text }) => text).join('.'),
    field,
    value: {
      kind: 'path',
      root: { kind: 'row', model },
      steps: [...steps, field],
      type: steps.some(mayBeMissing) ? nullable(field.type) : field.type,
      span: path.span,
    },
  };
}

function mayBeMissing(step: Reference | Relation): boolean {
  return step.kind === 'relation' || step.nullable;
}

function memberNamed(context: Context, name: ast.Name, model: Model): Member | undefined {
  const member = model.members.get(name.text);
  if (!member) return reportUnknownMember(context, name, model);
  context.witness?.meant(name.span, { kind: 'member', member });
  return member;
}

/** Each step leads to one record at most. */
function recordStep(
  context: Context,
  name: ast.Name,
  model: Model,
  property: Property,
): Reference | Relation | undefined {
  const member = memberNamed(context, name, model);
  if (!member || isStandIn(member)) return undefined;
  if (member.kind === 'reference' || (member.kind === 'relation' && member.through.unique)) return member;
  return context.report('list-field-path', name.span, {
    property,
    name: name.text,
    model: model.name,
    kind: member.kind,
  });
}

function fieldAt(context: Context, name: ast.Name, model: Model, property: Property): Field | undefined {
  const member = memberNamed(context, name, model);
  if (!member || isStandIn(member)) return undefined;
  if (member.kind !== 'field')
    return context.report('not-a-list-field', name.span, {
      property,
      name: name.text,
      model: model.name,
      kind: member.kind,
      key: member.kind === 'reference' ? member.field.name : undefined,
    });
  if (!member.secret) return member;
  return context.report('secret-read', name.span, {
    field: `${model.name}.${name.text}`,
    noun: `a \`${property}\``,
    declared: member.span,
  });
}

/** What is not sound has been reported. */
function isStandIn(member: Member): boolean {
  return member.kind === 'field' && member.type.base.kind === 'any';
}

/** Whether the values of the field have an order; what has one can be compared too. Only texts have words in them. */
function fits(context: Context, { type }: Field, span: Span, property: Property): boolean {
  if (property === 'searchable') {
    const isText = type.base.kind === 'string' && !type.many;
    if (!isText) context.report('not-searchable', span, { type: typeName(type) });
    return isText;
  }
  const isFit = isSortable(type);
  if (!isFit)
    context.report(property === 'sortable' ? 'not-sortable' : 'not-filterable', span, { type: typeName(type) });
  return isFit;
}

function warnWithoutIndex(context: Context, field: Field, span: Span, property: Property): void {
  if (hasIndex(field)) return;
  context.report('list-field-without-index', span, {
    property,
    field: `${field.model.name}.${field.name}`,
    type: field.typeSpan,
    declared: field.span,
  });
}

/** Postgres can use an index over several columns where the column is the first of them. */
export function hasIndex(field: Field): boolean {
  const { unique, index, origin, model } = field;
  return unique || index || origin !== 'written' || model.keys.some(({ parts }) => parts[0]?.field === field);
}

// ── Paths that identify records ─────────────────────────────────────────────────────────────────────────────────────

// Paths that tell the records of a model apart: for URLs, and for references that are given by another field.

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
