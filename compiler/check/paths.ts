/** Names and paths: what they lead to, and of which type it is. */

import type * as ast from '../ast/ast.ts';
import {
  type Expression,
  FUNCTIONS,
  type Member,
  type MemberType,
  type Model,
  type Path,
  type Root,
  type Step,
  type Type,
  type Variable,
} from '../program/program.ts';
import { INTEGER, many, nonNull, nullable, record, typeName, typeOfMember } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, meaningOf, reported, reportSecret, reportUnknownMember, settle, textOf } from './context.ts';
import { checkMembers, hasMembers } from './literals.ts';
import { narrowed, rootKey } from './narrowing.ts';
import { pathsWithin } from './rules.ts';
import { type Binding, bareRow, isInputBinding, lacks, type Scope } from './scope.ts';
import { reportNotAsked, reportUnknownName } from './unknown-names.ts';

export function checkPath(context: Context, path: ast.Path, scope: Scope, expected?: Type): Expression {
  const first = path.steps[0];
  const row = bareRow(scope);
  if (row?.members.has(first.text)) {
    if (reportAmbiguous(context, first, row, scope)) return reported(path.span);
    return walk(context, { root: { kind: 'row', model: row }, type: record(row) }, path.steps, path.span, scope);
  }
  const binding = scope.names.get(first.text) ?? scope.ownInputs.get(first.text);
  if (!binding) return reportUnknownName(context, path, scope, expected);
  context.witness?.meant(first.span, meaningOf(first.text, binding));
  if (binding.kind === 'key' && reportHiddenByKey(context, first, scope)) return reported(path.span);
  const rest = path.steps.slice(1);
  if (binding.kind === 'iterator') return iteratorValue(context, binding.name, first, rest, path.span);
  return walkFrom(context, binding, rest, path.span, scope);
}

export function walkFrom(
  context: Context,
  binding: Exclude<Binding, { kind: 'iterator' }>,
  names: readonly ast.Name[],
  span: Span,
  scope: Scope,
): Expression {
  if (binding.kind === 'input') context.inputUse.read(binding.input);
  if (binding.kind === 'variable' && binding.variable.input) context.inputUse.read(binding.variable.input);
  const { secret } = binding.kind === 'variable' ? binding.variable : binding.kind === 'input' ? binding.input : {};
  if (secret && !scope.position.secrets)
    return reportSecret(context, secret, span, scope.position.noun) ?? reported(span);
  return walk(context, startOf(binding, scope), names, span, scope);
}

/** A member would hide the alias or the input: `filter { id is id }` would compare each row with itself. */
export function reportAmbiguous(context: Context, name: ast.Name, row: Model, scope: Scope): boolean {
  const binding = scope.names.get(name.text) ?? ownInput(name, scope);
  if (!binding || isParentOfRow(binding, row.members.get(name.text), scope)) return false;
  const isField = !scope.names.has(name.text);
  return reportTwoMeanings(context, name, row, binding, { ...scope, isField, isQueried: scope.rowIsQueried });
}

/** Reports a name that is a key of the groups and also an alias or an input. */
function reportHiddenByKey(context: Context, name: ast.Name, { grouped, saidInputs }: Scope): boolean {
  const other = grouped?.row.names.get(name.text);
  if (!grouped || !other) return false;
  return reportTwoMeanings(context, name, grouped.model, other, { saidInputs, isField: false, isQueried: false });
}

/** An input that the expression calls `@input.n` is not meant by the bare name. */
function reportTwoMeanings(
  context: Context,
  name: ast.Name,
  model: Model,
  binding: Binding,
  { saidInputs, isField, isQueried }: Pick<Scope, 'saidInputs'> & Readonly<Record<'isField' | 'isQueried', boolean>>,
): boolean {
  const isInput = isInputBinding(binding);
  if (isInput && saidInputs?.has(name.text)) return false;
  context.report('ambiguous-name', name.span, {
    name: name.text,
    model: model.name,
    isInput,
    isField,
    isQueried,
    other: binding.span,
  });
  return true;
}

/**
 * Whether the name is the parent of the row: in `entrypoint Post as post { entrypoint comments { … } }` the name `post`
 * is the same record either way.
 */
function isParentOfRow(binding: Binding, member: Member | undefined, { parentOfRow }: Scope): boolean {
  if (binding.kind !== 'variable' || parentOfRow === undefined) return false;
  return binding.variable === parentOfRow.variable && member === parentOfRow.reference;
}

/** A response says what the record is after the action, so there its members are meant. */
function ownInput({ text }: ast.Name, { ownInputs, position }: Scope): Binding | undefined {
  return position.refusesOwnInputs ? ownInputs.get(text) : undefined;
}

export function checkAuthPath(context: Context, path: ast.AuthPath, scope: Scope): Expression {
  const model = context.authModel;
  if (!model) {
    context.asksForAuth?.push({ word: '@auth', span: path.span });
    return reported(path.span);
  }
  context.witness?.meant({ ...path.span, end: path.span.start + '@auth'.length }, { kind: 'auth', model });
  const root: Root = { kind: 'auth', model, known: scope.facts.has('@auth') };
  if (!scope.position.auth || lacks(scope, root)) return reportNotAsked(context, '@auth', path.span, scope);
  return walk(context, { root, type: record(model, true) }, path.steps, path.span, scope);
}

type Start = Pick<Path, 'root' | 'type'>;

function startOf(binding: Exclude<Binding, { kind: 'iterator' }>, scope: Scope): Start {
  switch (binding.kind) {
    case 'variable': {
      const { variable } = binding;
      const isRow = (variable.holds === 'row' || variable === scope.recordOfRow) && scope.row;
      return { root: isRow ? { kind: 'row', model: scope.row } : rootOf(variable), type: variable.type };
    }
    case 'input':
      return {
        root: { kind: 'input', input: binding.input },
        type: binding.input.mayBeAbsent ? nullable(binding.input.type) : binding.input.type,
      };
    case 'argument':
      return { root: { kind: 'argument', name: binding.name }, type: binding.type };
    case 'key':
      return { root: { kind: 'key', name: binding.name }, type: binding.type };
  }
}

/** The root of a path that begins with this name. */
export function rootOf(variable: Variable): Root {
  const { holds, type } = variable;
  const isCaller = holds === 'caller' && type.base.kind === 'record';
  return isCaller ? { kind: 'auth', model: type.base.model, known: true } : { kind: 'variable', variable };
}

/** Follows the steps. The type excludes nulls that are known not to occur. */
function walk(context: Context, start: Start, names: readonly ast.Name[], span: Span, scope: Scope): Expression {
  const steps: Step[] = [];
  let key = rootKey(start.root);
  let type = narrowed(start.type, key, scope);
  const isThere = start.root.kind !== 'auth' || !type.nullable;
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as ast.Name;
    if (type.base.kind === 'any' && !isResult(start)) return reported(span);
    const found = type.base.kind === 'object' ? type.base.members.get(name.text) : undefined;
    if (found?.variable) return walkItems(context, found, type, names.slice(at), span, scope);
    const isInRows = start.root.kind === 'row' && type.many;
    if (type.base.kind === 'any' || (hasMembers(type) && !isInRows))
      return checkMembers(context, { kind: 'path', root: start.root, steps, type, span }, names.slice(at), span, scope);
    const model = type.base.kind === 'record' ? type.base.model : undefined;
    if (!model) {
      context.report('no-members', name.span, {
        name: name.text,
        type: typeName(type),
        isFunction: FUNCTIONS.some((known) => known === name.text),
        whole: name === names.at(-1) && names[0]?.span.start === span.start ? callOf(names, span) : undefined,
      });
      return reported(span);
    }
    const member = model.members.get(name.text);
    if (!member) {
      context.witness?.missed?.(name.span, scope, undefined);
      const isWhole = name === names.at(-1) && names[0]?.span.start === span.start;
      const counted = isWhole ? countOf(names, type) : undefined;
      if (counted)
        context.report('unknown-member', span, { name: name.text, model: model.name, near: { name: counted } });
      else reportUnknownMember(context, name, model);
      return reported(span);
    }
    context.witness?.meant(name.span, { kind: 'member', member });
    const memberType = settledType(context, member, name.span);
    if (scope.position.faker && steps.length > 0)
      return (
        context.report('populator-path', name.span, { name: name.text, kind: 'path', isCollection: false }) ??
        reported(span)
      );
    if (!memberType || !mayBeRead(context, member, name, scope)) return reported(span);
    if (type.many && memberType.many && memberType.base.kind !== 'record') {
      context.report('list-of-lists', name.span, { type: typeName(memberType), member: name.text, of: 'records' });
      return reported(span);
    }
    steps.push(member);
    type = through(type, mayBeGone(start, steps) ? nullable(memberType) : memberType);
    key = `${key}.${name.text}`;
    if (isThere) type = narrowed(type, key, scope);
  }
  if (type.many && mayCollectNull(start, steps, scope)) type = { ...type, nullItems: true };
  return { kind: 'path', root: start.root, steps, type, span } satisfies Path;
}

/** Whether the last step leads to a record with which the one at the start may have been deleted. */
function mayBeGone({ root }: Start, [first, ...more]: readonly Step[]): boolean {
  const isDeleted = root.kind === 'variable' && root.variable.holds === 'deleted';
  return isDeleted && more.length === 0 && first?.kind === 'reference' && first.onDelete === 'cascade';
}

/**
 * Whether a path gives a null for one of many records. Each of several records that were found gives its value, null or
 * not; of the records of a relation, the database leaves out those from which the path does not go on.
 */
function mayCollectNull({ root, type }: Start, steps: readonly Step[], { facts }: Scope): boolean {
  const types = steps.map(typeOfMember);
  const last = types.at(-1);
  if (type.nullItems || !last) return type.nullItems === true;
  if (type.many && !types.some((each) => each.many)) {
    const keyAt = (at: number) => [rootKey(root), ...steps.slice(0, at + 1).map(({ name }) => name)].join('.');
    return types.some((each, at) => each.nullable && !facts.has(keyAt(at)));
  }
  return last.nullable && !last.many && last.base.kind !== 'record';
}

/** Follows the steps from the record that an item of a list names, or from those of all items. */
function walkItems(
  context: Context,
  { variable, type, span: declared }: MemberType,
  { many: isMany }: Type,
  [name, ...names]: readonly ast.Name[],
  span: Span,
  scope: Scope,
): Expression {
  const inner = isMany ? many(type) : type;
  if (name)
    context.witness?.meant(name.span, { kind: 'local', name: name.text, noun: 'member', type: inner, declared });
  return walk(context, { root: rootOf(variable as Variable), type: inner }, names, span, scope);
}

/** `posts.length` of a collection, which is `count(posts)`. */
function countOf(names: readonly ast.Name[], { many: isMany }: Type): string | undefined {
  const isCount = isMany && names.length > 1 && ['length', 'size', 'count'].includes(names.at(-1)?.text ?? '');
  return isCount ? `count(${textOf(names.slice(0, -1))})` : undefined;
}

/** Tells whether the path starts at an untyped result of custom code. */
function isResult({ root }: Start): boolean {
  return root.kind === 'variable' && root.variable.holds === 'result' && root.variable.type.base.kind === 'any';
}

/** The type of a step: nullable after a nullable, a collection after a collection. */
function through(outer: Type, inner: Type): Type {
  const isCollection = outer.many || (inner.many && inner.base.kind === 'record');
  if (isCollection) return many(nonNull(inner));
  return outer.nullable ? nullable(inner) : inner;
}

export function mayBeRead(context: Context, member: Member, name: ast.Name, scope: Scope): boolean {
  const isStored = member.kind === 'field' || member.kind === 'reference';
  const isCollection = member.kind === 'relation' && !member.through.unique;
  const isPicked = isCollection && scope.position.relations;
  if (scope.position.faker && !isStored && !isPicked)
    return context.report('populator-path', name.span, { name: name.text, kind: member.kind, isCollection }) ?? false;
  if (member.kind === 'hook')
    return context.report('hook-in-expression', name.span, { hook: name.text, noun: scope.position.noun }) ?? false;
  if ((scope.isWork || scope.isSigned) && !isWithoutRequest(context, member, name, scope)) return false;
  if (member.kind !== 'field' || !member.secret || scope.position.secrets) return true;
  return reportSecret(context, member, name.span, scope.position.noun) ?? false;
}

/** Whether the member reads nothing that the scope lacks. */
function isWithoutRequest(context: Context, member: Member, { text: name, span }: ast.Name, scope: Scope): boolean {
  const found = pathsWithin([member]).find(({ root }) => lacks(scope, root));
  if (!found) return true;
  const { isSigned } = scope;
  context.report('no-caller', span, { name, isSigned, isSetting: found.root.kind === 'setting', read: found.span });
  return false;
}

/** The type of a member as seen from one record, or nothing where the member depends on itself. */
export function settledType(context: Context, member: Member, from: Span): Type | undefined {
  return settle(context, member, from) ? typeOfMember(member) : undefined;
}

function iteratorValue(
  context: Context,
  name: string,
  first: ast.Name,
  rest: readonly ast.Name[],
  span: Span,
): Expression {
  const [value, ...more] = rest;
  if ((value?.text !== 'current' && value?.text !== 'total') || more.length > 0) {
    const at = value?.span ?? first.span;
    context.report('bad-iterator', at, { name, step: value?.text });
    return reported(span);
  }
  return { kind: 'path', root: { kind: 'iterator', name, value: value.text }, steps: [], type: INTEGER, span };
}

/** `length(title)` for `title.length`. */
function callOf(names: readonly ast.Name[], span: Span) {
  return { span, text: `${names.at(-1)?.text}(${textOf(names.slice(0, -1))})` };
}
