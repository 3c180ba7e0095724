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
  Member,
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
  { filterable, sortable, searchable }: ast.EndpointDeclaration,
  records: Records,
  page: Options['page'],
): Opened {
  const others: Opened = {
    ...(sortable && { sortable: fieldsOf(sortable, { context, records, property: 'sortable' }) }),
    ...(searchable && checkSearch(context, searchable, records)),
  };
  if (!filterable) return others;
  const fields = fieldsOf(filterable, { context, records, property: 'filterable' });
  reportTakenNames(context, fields, { page, ...others });
  return { filterable: fields, ...others };
}

function checkSearch(context: Context, written: ast.SearchedFields, records: Records): Opened {
  const searchable = fieldsOf(written, { context, records, property: 'searchable' });
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

/** The fields that are named by a property of a list. */
interface Opening {
  readonly context: Context;
  readonly records: Records;
  readonly property: Property;
}

function fieldsOf(written: ast.ListFields, opening: Opening): readonly ListField[] {
  const { context, property } = opening;
  if (written.paths.length === 0) context.report('empty-list-fields', written.span, { property });
  const fields = firstOfEach(
    written.paths.flatMap((path) => listField(path, opening) ?? []),
    ({ name }) => name,
    ({ name, value: { span } }, { value: first }) =>
      context.report('selected-twice', span, { name, first: first.span, isKey: true, other: undefined }),
  );
  return [...fields.values()];
}

function listField(path: ast.Path, opening: Opening): ListField | undefined {
  const { context, records, property } = opening;
  const { model, through } = records;
  if (path.steps.length > 1 && property === 'searchable')
    return context.report('search-of-others', path.span, { path: pathText(path), model: model.name });
  const walked = walkRecords(context, path, model, (member, span) => recordStep(member, span, opening));
  if (!walked) return undefined;
  const { steps, last, span } = walked;
  const member = memberToOpen(last, span, opening);
  const type = member && settledType(context, member, span);
  if (!type || !fits(context, type, span, property)) return undefined;
  // Only values of the records themselves can be read in index order.
  const needsIndex = property === 'filterable' || (property === 'sortable' && steps.length === 0);
  if (needsIndex && member.kind === 'field')
    warnWithoutIndex(context, member, steps.length === 0 ? through : undefined, span);
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
function recordStep(member: Member, span: Span, { context, property }: Opening): RecordStep | undefined {
  if (member.kind === 'reference' || (member.kind === 'relation' && member.through.unique)) return member;
  const { name, model, kind } = member;
  return context.report('list-field-path', span, { property, name, model: model.name, kind });
}

function memberToOpen(member: Member, span: Span, { context, property }: Opening): ListField['member'] | undefined {
  if (member.kind === 'computed' && property !== 'searchable') return member;
  if (member.kind === 'field') return member.secret ? reportSecret(context, member, span, `a \`${property}\``) : member;
  const { name, model, kind } = member;
  const key = kind === 'reference' ? member.field.name : undefined;
  return context.report('not-a-list-field', span, { property, name, model: model.name, kind, key });
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
  through?: Records['through'],
): Pick<Identify, 'steps' | 'field'> | undefined {
  // Only what the records themselves have can be unique within their parent.
  const isUnique = (member: Field | RecordStep, span: Span) =>
    tellsApart(context, member, span, span.start === path.span.start ? through : undefined);
  const walked = walkRecords(context, path, start, (member, span) => {
    const { kind, name, model } = member;
    if (kind === 'reference' || kind === 'relation') return isUnique(member, span) ? member : undefined;
    return context.report('identify-through-field', span, { name, model: model.name });
  });
  if (!walked) return undefined;
  const { steps, last, span } = walked;
  const { kind, name, model } = last;
  if (kind !== 'field') return context.report('identify-not-a-field', span, { name, model: model.name, kind });
  if (last.secret) return reportSecret(context, last, span, 'an `identify`');
  return isUnique(last, span) ? { steps, field: last } : undefined;
}

/** Whether it tells records apart, or the records of one parent: `unique { parent, field }`. */
function tellsApart(context: Context, member: Field | RecordStep, span: Span, through: Records['through']): boolean {
  const { kind, name, model } = member;
  const key = kind === 'relation' ? member.through : member;
  const parent = kind !== 'relation' && through?.kind === 'relation' ? through.through : undefined;
  const wanted = new Set([key.kind === 'reference' ? key.field : key, parent?.field]);
  const isWithinParent = parent && model.keys.some((each) => isUniqueOver(each, wanted));
  if (key.unique || isWithinParent) return true;
  context.report('identify-not-unique', span, {
    name,
    model: model.name,
    kind,
    parent: parent?.name,
    declared: key.span,
    ...(kind === 'field' && { type: member.typeSpan }),
  });
  return false;
}

function isUniqueOver({ kind, parts }: Key, fields: ReadonlySet<Field | undefined>): boolean {
  return kind === 'unique' && parts.length === 2 && parts.every(({ field }) => fields.has(field));
}

// ── The members on a path ───────────────────────────────────────────────────────────────────────────────────────────

type RecordStep = Reference | Relation;

/** The records on the path to its last member; undefined if one of them has been reported. */
function walkRecords(
  context: Context,
  path: ast.Path,
  start: Model,
  stepOf: (member: Member, span: Span) => RecordStep | undefined,
) {
  const steps: RecordStep[] = [];
  let end = start;
  for (const name of path.steps.slice(0, -1)) {
    const member = soundMember(context, name, end);
    const step = member && stepOf(member, name.span);
    if (!step) return undefined;
    steps.push(step);
    end = step.kind === 'reference' ? step.to : step.from;
  }
  const name = path.steps.at(-1) as ast.Name;
  const last = soundMember(context, name, end);
  return last && { steps, last, span: name.span };
}

function soundMember(context: Context, name: ast.Name, model: Model): Member | undefined {
  const member = memberNamed(context, name, model);
  return isStandIn(member) ? undefined : member;
}
