/** Names and paths: what they lead to, and of which type it is. */

import type * as ast from '../ast/ast.ts';
import { snakeCase } from '../definition/names.ts';
import { type NearName, nearName } from '../diagnostics/words/near-name.ts';
import {
  type Expression,
  FUNCTIONS,
  type Member,
  type MemberType,
  type Model,
  type Path,
  type Query,
  type Root,
  type Step,
  type Type,
  type Variable,
} from '../program/program.ts';
import { ANY, INTEGER, many, nullable, record, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import {
  type Context,
  meaningOf,
  membersOf,
  pathText,
  reported,
  reportSecret,
  reportUnknownMember,
  settle,
  textOf,
} from './context.ts';
import { checkMembers, hasMembers } from './literals.ts';
import { narrowed, rootKey } from './narrowing.ts';
import { pathsWithin } from './rules.ts';
import { type Binding, bareRow, isInputBinding, lacks, POSITIONS, type Scope } from './scope.ts';

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

/** The setting that is meant by its name alone, or by a path into the environment, as in `process.env.NAME`. */
function meantSetting({ settings }: Context, path: ast.Path): NearName | undefined {
  const text = pathText(path);
  const [, name] = /^(?:(?:process\.)?env|settings?)\.(\w+)$/i.exec(text) ?? [];
  return name || settings.byName.has(text) ? { name: `setting(${name ?? text})` } : undefined;
}

/** Reports a word with an `@` where there is no request. */
export function reportNotAsked(context: Context, name: string, span: Span, scope: Scope): Expression {
  const { isWork, isSigned, takesInputs, position } = scope;
  if (isWork || isSigned) return context.report('no-caller', span, { name, isSigned, takesInputs }) ?? reported(span);
  const others = [...namesInScope(scope).map((seen) => seen.name), ...(position.faker ? ['faker'] : [])];
  context.report('unknown-name', span, {
    name,
    holder: undefined,
    noun: position.noun,
    near: undefined,
    others,
    isDropped: false,
    maybeText: false,
    unnamed: undefined,
  });
  return reported(span);
}

type Start = Pick<Path, 'root' | 'type'>;

function startOf(binding: Exclude<Binding, { kind: 'iterator' }>, scope: Scope): Start {
  switch (binding.kind) {
    case 'variable': {
      const { variable } = binding;
      const isRow = variable.holds === 'row' && scope.row;
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
    const memberType = typeOfMember(context, member, name.span);
    if (scope.position.faker && steps.length > 0)
      return (
        context.report('populator-path', name.span, { name: name.text, kind: 'path', isCollection: false }) ??
        reported(span)
      );
    if (!memberType || !mayBeRead(context, member, name, scope)) return reported(span);
    if (type.many && memberType.many && memberType.base.kind !== 'record') {
      context.report('list-of-lists', name.span, { type: typeName(memberType), member: name.text });
      return reported(span);
    }
    steps.push(member);
    type = through(type, memberType);
    key = `${key}.${name.text}`;
    if (isThere) type = narrowed(type, key, scope);
  }
  return { kind: 'path', root: start.root, steps, type, span } satisfies Path;
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
  if (isCollection) return many(inner);
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
  const isHidden = member.kind === 'field' && member.secret && !scope.position.secrets;
  if (isHidden) reportSecret(context, member, name.span, scope.position.noun);
  return !isHidden;
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
export function typeOfMember(context: Context, member: Member, from: Span): Type | undefined {
  switch (member.kind) {
    case 'field':
      return member.type;
    case 'reference':
      return record(member.to, member.nullable);
    case 'relation':
      return member.through.unique ? record(member.from, true) : many(record(member.from));
    case 'computed':
      return settle(context, member, from) ? member.value.type : undefined;
    case 'query':
      return settle(context, member, from) ? typeOfQuery(member.query) : undefined;
    case 'hook':
      return member.call?.returns ?? ANY;
  }
}

/** A query that could not be read has no value: what is wrong with it has been reported. */
function typeOfQuery(query: Query | undefined): Type {
  if (!query) return ANY;
  switch (query.cardinality) {
    case 'count':
      return INTEGER;
    case 'first':
      return record(query.model, true);
    case 'one':
      return record(query.model);
    default:
      return many(record(query.model));
  }
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

function reportUnknownName(context: Context, path: ast.Path, scope: Scope, expected: Type | undefined): Expression {
  const [name, next] = path.steps;
  context.witness?.missed?.(name.span, scope, expected);
  if (reportNotGrouped(context, name, next, scope)) return reported(name.span);
  const away = scope.outOfReach.get(name.text);
  if (scope.lacksName) return reported(name.span);
  if (away) reportOutOfReach(context, name, next, away, scope);
  else if (scope.results.has(name.text))
    context.report('result-not-here', name.span, {
      name: name.text,
      noun: scope.position.noun,
      declared: scope.results.get(name.text)?.span as Span,
    });
  else if (name.text === 'faker' && !scope.position.faker)
    context.report('faker-not-here', path.span, { noun: scope.position.noun });
  else if (scope.inputsToCome?.has(name.text)) context.report('input-too-early', name.span, { input: name.text });
  else if (isUncalled(path) && !meantValue(path, expected) && !meantMember(name, scope)) {
    const call = `${pathText(path)}${TAKES_NOTHING.has(name.text) ? '()' : '(…)'}`;
    context.report('not-called', path.span, { call });
  } else {
    const setting = meantSetting(context, path);
    const meant = setting ?? meantValue(path, expected) ?? meantMember(name, scope) ?? meantInput(name, scope);
    const unnamed = unnamedRecord(name, scope);
    const isSure = meant !== undefined || unnamed !== undefined;
    const near = isSure
      ? meant
      : (meantWord(path, scope) ?? nearName(name.text, namesInScope(scope)) ?? nearMember(name, scope));
    const maybeText = !next && !isSure && (expected?.base.kind === 'string' || expected?.base.kind === 'enum');
    context.report('unknown-name', setting ? path.span : name.span, {
      name: setting ? pathText(path) : name.text,
      holder: bareRow(scope)?.name,
      noun: scope.position.noun,
      near,
      others: namesInScope(scope).map((seen) => seen.name),
      isDropped: scope.position === POSITIONS.backfill && (bareRow(scope)?.drops.includes(name.text) ?? false),
      maybeText,
      unnamed,
    });
  }
  return reported(name.span);
}

/** Reports a member of the records of a group that is not one of its keys. */
export function reportNotGrouped(
  context: Context,
  name: ast.Name,
  next: ast.Name | undefined,
  { grouped }: Scope,
): boolean {
  const { row, model } = grouped ?? {};
  const member = row?.rowAlias === name.text ? next : name;
  if (!member || !row || !model?.members.has(member.text)) return false;
  const written = member === name ? name.text : `${name.text}.${member.text}`;
  context.report('not-grouped', name.span, { name: member.text, written });
  return true;
}

/**
 * Reports an alias that is out of reach. If the record is the row, its fields are names, and the alias before them is a
 * detour.
 */
function reportOutOfReach(
  context: Context,
  name: ast.Name,
  next: ast.Name | undefined,
  { model, endpoint }: { readonly model: Model; readonly endpoint: string },
  scope: Scope,
): void {
  const detour = next && scope.row === model ? { ...name.span, end: next.span.start } : undefined;
  context.report('name-out-of-reach', name.span, { name: name.text, model: model.name, endpoint, detour });
}

/** `length(title)` for `title.length`. */
function callOf(names: readonly ast.Name[], span: Span) {
  return { span, text: `${names.at(-1)?.text}(${textOf(names.slice(0, -1))})` };
}

/** Functions without arguments; most of faker's have none either. */
const TAKES_NOTHING: ReadonlySet<string> = new Set(['now', 'today', 'cryptoToken', 'faker']);

/** Tells whether the path is the name of a function whose value is meant. */
function isUncalled({ steps }: ast.Path): boolean {
  const [{ text }] = steps;
  return text === 'faker' ? steps.length === 3 : steps.length === 1 && FUNCTIONS.some((known) => known === text);
}

/** `True`, `NULL` and `auth`: words of other languages, and one without its sign. */
function meantWord({ steps: [{ text }, next] }: ast.Path, { position }: Scope): NearName | undefined {
  const word = text.toLowerCase().replaceAll('_', '');
  if (CALLERS.has(word) && position.auth) return { name: '@auth' };
  if (next) return undefined;
  return Object.hasOwn(FOREIGN_VALUES, word) ? { name: FOREIGN_VALUES[word] as string } : undefined;
}

/** Names for the authenticated record in other languages. */
const CALLERS: ReadonlySet<string> = new Set(['auth', 'user', 'currentuser', 'me', 'self']);

const FOREIGN_VALUES: Readonly<Record<string, string>> = {
  true: 'true',
  false: 'false',
  null: 'null',
  nil: 'null',
  none: 'null',
  undefined: 'null',
  currenttimestamp: 'now()',
  sysdate: 'now()',
  currentdate: 'today()',
};

/** The value of an enum, without its quotes. */
function meantValue({ steps }: ast.Path, expected: Type | undefined): NearName | undefined {
  if (steps.length > 1 || expected?.base.kind !== 'enum') return undefined;
  const value = expected.base.enum.values.find(({ name }) => name === steps[0].text);
  return value && { name: `"${value.name}"` };
}

/** The member of a known record, without the record's name. The row of a query comes first, if it has an alias. */
function meantMember({ text }: ast.Name, scope: Scope): NearName | undefined {
  const ofRow = scope.rowAlias === undefined ? undefined : scope.row?.members.get(text);
  if (ofRow) return { name: `${scope.rowAlias}.${text}`, span: ofRow.span };
  for (const [name, { members }] of recordsIn(scope)) {
    const member = members.get(text);
    if (member) return { name: `${name}.${text}`, span: member.span };
  }
  return undefined;
}

/** A field of the record that is created, which only a client can have said. */
function meantInput({ text }: ast.Name, { position }: Scope): NearName | undefined {
  const member = position.creates?.members.get(text);
  return member?.kind === 'field' && member.origin !== 'id' ? { name: `@input.${text}`, span: member.span } : undefined;
}

/** The names of records, with their models. */
function recordsIn({ names }: Scope): readonly (readonly [string, Model])[] {
  return [...names].flatMap(([name, binding]) => {
    const base = binding.kind === 'variable' ? binding.variable.type.base : undefined;
    return base?.kind === 'record' ? [[name, base.model] as const] : [];
  });
}

/** A misspelt member of a known record, or a member of a record to which the row refers. */
function nearMember({ text }: ast.Name, scope: Scope): NearName | undefined {
  const row = bareRow(scope);
  const steps = [...(row?.members.values() ?? [])].flatMap((member) => {
    const to = member.kind === 'reference' ? member.to.members.get(text) : undefined;
    return to ? [{ name: `${member.name}.${text}`, span: to.span }] : [];
  });
  if (steps[0]) return steps[0];
  for (const [name, model] of recordsIn(scope)) {
    const near = nearName(text, membersOf(model));
    if (near) return { ...near, name: `${name}.${near.name}` };
  }
  return undefined;
}

function unnamedRecord({ text }: ast.Name, { unnamed }: Scope) {
  if (!unnamed?.model.members.has(text)) return undefined;
  return { resource: unnamed.resource, alias: snakeCase(unnamed.model.name) };
}

function namesInScope(scope: Scope): readonly NearName[] {
  const named = (names: ReadonlyMap<string, { readonly span: Span }>) =>
    [...names].map(([name, { span }]) => ({ name, span }));
  const row = bareRow(scope);
  return [...(row ? named(row.members) : []), ...named(scope.names), ...named(scope.ownInputs)];
}
