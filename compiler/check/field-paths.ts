/**
 * The fields that a list opens to its clients: fields and computed members to filter and sort by, and fields to search.
 */

import type * as ast from '../ast/ast.ts';
import {
  type ListOptions,
  listParameters,
  SEARCH_LANGUAGES,
  type SearchLanguage,
} from '../definition/contract/list-parameters.ts';
import { nearWord } from '../diagnostics/words/near-name.ts';
import type {
  Entrypoint,
  Field,
  Identify,
  Key,
  ListField,
  Model,
  Reference,
  Relation,
  Type,
} from '../program/program.ts';
import { isSortable, nullable, typeName, typeOfMember } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, firstOfEach, isStandIn, memberName, memberNamed, pathText, reportSecret } from './context.ts';
import { settledType } from './paths.ts';

type Options = ListOptions<ListField>;
/** What is listed: the records of a model, or those of one parent. */
type Records = Pick<Entrypoint, 'model' | 'through'>;
type Opened = Pick<Options, 'filterable' | 'sortable' | 'searchable' | 'search'>;

/** The property that lists the fields. */
type Property = Exclude<keyof Opened, 'search'>;

export function checkListFields(
  context: Context,
  written: ast.EndpointDeclaration,
  records: Records,
  page: Options['page'],
): Opened {
  const { filterable, sortable, searchable } = written;
  const others: Opened = {
    ...(sortable && { sortable: fieldsOf(context, sortable, records, 'sortable') }),
    ...(searchable && checkSearch(context, searchable, records)),
  };
  if (!filterable) return others;
  const fields = fieldsOf(context, filterable, records, 'filterable');
  reportTakenNames(context, fields, { page, ...others });
  return { filterable: fields, ...others };
}

function checkSearch(
  context: Context,
  written: ast.SearchedFields,
  records: Records,
): Pick<Opened, 'searchable' | 'search'> {
  const searchable = fieldsOf(context, written, records, 'searchable');
  const { language: said, prefix } = written;
  const field = prefix && records.model.members.get('prefix');
  if (field) context.report('prefix-or-field', prefix, { model: records.model.name, declared: field.span });
  const language = said && searchLanguage(context, said);
  if (!language && !prefix) return { searchable };
  return { searchable, search: { ...(language && { language }), ...(prefix && { prefix: true }) } };
}

/** The language of a search; undefined for `simple`, which compares words as they are. */
function searchLanguage(context: Context, { value, span }: ast.Text): SearchLanguage | undefined {
  const language = SEARCH_LANGUAGES.find((each) => each === value);
  if (language || value === 'simple') return language;
  const known = [...SEARCH_LANGUAGES, 'simple'];
  return context.report('unknown-language', span, { language: value, known, near: nearWord(value, known)?.name });
}

/** A filter is called as its field, which may be the name of another parameter. */
function reportTakenNames(context: Context, fields: readonly ListField[], others: Options): void {
  const taken = listParameters(others);
  for (const { name, value } of fields) {
    const by = Object.hasOwn(taken, name) ? taken[name]?.broughtBy : undefined;
    if (by) context.report('filter-name-taken', value.span, { name, by });
  }
}

function fieldsOf(
  context: Context,
  written: ast.ListFields,
  records: Records,
  property: Property,
): readonly ListField[] {
  if (written.paths.length === 0) context.report('empty-list-fields', written.span, { property });
  const fields = firstOfEach(
    written.paths.flatMap((path) => listField(context, path, records, property) ?? []),
    ({ name }) => name,
    ({ name, value: { span } }, { value: first }) =>
      context.report('selected-twice', span, { name, first: first.span, isKey: true, other: undefined }),
  );
  return [...fields.values()];
}

function listField(
  context: Context,
  path: ast.Path,
  { model, through }: Records,
  property: Property,
): ListField | undefined {
  if (path.steps.length > 1 && property === 'searchable')
    return context.report('search-of-others', path.span, { path: pathText(path), model: model.name });
  const walked = walkRecords(path, model, (name, from) => recordStep(context, name, from, property));
  if (!walked) return undefined;
  const { steps, last, end } = walked;
  const member = memberAt(context, last, end, property);
  const type = member && settledType(context, member, last.span);
  if (!type || !fits(context, type, last.span, property)) return undefined;
  // Only values of the records themselves can be read in index order.
  const needsIndex = property === 'filterable' || (property === 'sortable' && steps.length === 0);
  if (needsIndex && member.kind === 'field')
    warnWithoutIndex(context, member, steps.length === 0 ? through : undefined, last.span);
  return {
    name: pathText(path),
    member,
    value: {
      kind: 'path',
      root: { kind: 'row', model },
      steps: [...steps, member],
      type: steps.some((step) => typeOfMember(step).nullable) ? nullable(type) : type,
      span: path.span,
    },
  };
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

function memberAt(context: Context, name: ast.Name, model: Model, property: Property): ListField['member'] | undefined {
  const member = memberNamed(context, name, model);
  if (!member || isStandIn(member)) return undefined;
  if (member.kind === 'computed' && property !== 'searchable') return member;
  if (member.kind !== 'field')
    return context.report('not-a-list-field', name.span, {
      property,
      name: name.text,
      model: model.name,
      kind: member.kind,
      key: member.kind === 'reference' ? member.field.name : undefined,
    });
  return member.secret ? reportSecret(context, member, name.span, `a \`${property}\``) : member;
}

/** Checks that values can be compared and sorted, or, for a search, that they are texts. */
function fits(context: Context, type: Type, span: Span, property: Property): boolean {
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

function warnWithoutIndex(context: Context, field: Field, through: Records['through'], span: Span): void {
  if (hasIndex(field, through?.kind === 'relation' ? through.through.field : undefined)) return;
  context.report('list-field-without-index', span, {
    field: memberName(field),
    type: field.typeSpan,
    declared: field.span,
    isComputed: false,
  });
}

/** Postgres can use an index over several columns where the column is the first of them, or comes behind the key of one parent. */
export function hasIndex(field: Field, parent?: Field): boolean {
  const { unique, index, origin, model } = field;
  const isFirst = ({ parts: [first, second] }: Key) =>
    first?.field === field || (first?.field === parent && second?.field === field);
  return unique || index || origin !== 'written' || model.keys.some(isFirst);
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
  // Only what the records themselves have can be unique within their parent.
  const parentOf = (name: ast.Name) => (name === path.steps[0] ? through : undefined);
  const walked = walkRecords(path, start, (name, from) => identifyStep(context, name, from, parentOf(name)));
  if (!walked) return undefined;
  const { steps, last, end } = walked;
  const field = identifyField(context, last, end, parentOf(last));
  return field && { steps, field };
}

/** The records on the path to its last name; undefined if a step has been reported. */
function walkRecords(
  path: ast.Path,
  start: Model,
  stepOf: (name: ast.Name, from: Model) => Reference | Relation | undefined,
): { readonly steps: readonly (Reference | Relation)[]; readonly last: ast.Name; readonly end: Model } | undefined {
  const steps: (Reference | Relation)[] = [];
  let end = start;
  for (const name of path.steps.slice(0, -1)) {
    const step = stepOf(name, end);
    if (!step) return undefined;
    steps.push(step);
    end = step.kind === 'reference' ? step.to : step.from;
  }
  return { steps, last: path.steps.at(-1) as ast.Name, end };
}

function identifyStep(
  context: Context,
  name: ast.Name,
  model: Model,
  through: Reference | Relation | undefined,
): Reference | Relation | undefined {
  const member = memberNamed(context, name, model);
  if (!member || isStandIn(member)) return undefined;
  if (member.kind !== 'reference' && member.kind !== 'relation')
    return context.report('identify-through-field', name.span, { name: name.text, model: model.name });
  const reference = member.kind === 'reference' ? member : member.through;
  const isOwn = member.kind === 'reference';
  if (reference.unique || (isOwn && isUniqueWithin(model, reference.field, through))) return member;
  return context.report('identify-not-unique', name.span, {
    name: name.text,
    model: model.name,
    kind: member.kind,
    parent: isOwn ? parentName(through) : undefined,
    declared: reference.span,
  });
}

function identifyField(
  context: Context,
  name: ast.Name,
  model: Model,
  through: Reference | Relation | undefined,
): Field | undefined {
  const member = memberNamed(context, name, model);
  if (!member || isStandIn(member)) return undefined;
  if (member.kind !== 'field')
    return context.report('identify-not-a-field', name.span, { name: name.text, model: model.name, kind: member.kind });
  if (member.secret) return reportSecret(context, member, name.span, 'an `identify`');
  if (member.unique || isUniqueWithin(model, member, through)) return member;
  return context.report('identify-not-unique', name.span, {
    name: name.text,
    model: model.name,
    kind: 'field',
    parent: parentName(through),
    declared: member.span,
    type: member.typeSpan,
  });
}

function parentName(through: Reference | Relation | undefined): string | undefined {
  return through?.kind === 'relation' ? through.through.name : undefined;
}

/** `unique { parent, field }` tells the records of one parent apart. */
function isUniqueWithin(model: Model, field: Field, through: Reference | Relation | undefined): boolean {
  if (through?.kind !== 'relation') return false;
  const wanted = new Set<Field>([field, through.through.field]);
  return model.keys.some(
    ({ kind, parts }) => kind === 'unique' && parts.length === 2 && parts.every((part) => wanted.has(part.field)),
  );
}
