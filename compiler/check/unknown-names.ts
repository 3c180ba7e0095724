/** Names that nothing has: what their author may have meant. */

import type * as ast from '../ast/ast.ts';
import { snakeCase } from '../definition/names.ts';
import { type NearName, nearName } from '../diagnostics/words/near-name.ts';
import { type Expression, FUNCTIONS, type Model, type Type } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, membersOf, namesOf, pathText, reported } from './context.ts';
import { bareRow, POSITIONS, type Scope } from './scope.ts';

export function reportUnknownName(
  context: Context,
  path: ast.Path,
  scope: Scope,
  expected: Type | undefined,
): Expression {
  const [name, next] = path.steps;
  context.witness?.missed?.(name.span, scope, expected);
  if (reportNotGrouped(context, name, next, scope)) return reported(name.span);
  const away = scope.outOfReach.get(name.text);
  if (scope.lacksName) return reported(name.span);
  if (away) {
    const { model, endpoint } = away;
    // If the record is the row, its fields are names, and the alias before them is a detour.
    const detour = next && scope.row === model ? { ...name.span, end: next.span.start } : undefined;
    context.report('name-out-of-reach', name.span, { name: name.text, model: model.name, endpoint, detour });
  } else if (scope.results.has(name.text))
    context.report('result-not-here', name.span, {
      name: name.text,
      noun: scope.position.noun,
      declared: scope.results.get(name.text)?.span as Span,
    });
  else if (name.text === 'faker' && !scope.position.faker)
    context.report('faker-not-here', path.span, { noun: scope.position.noun });
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
  const all = [bareRow(scope)?.members, scope.names, scope.ownInputs];
  return all.flatMap((names) => (names ? namesOf(names) : []));
}

/** Reports a word with an `@` where there is no request. */
export function reportNotAsked(context: Context, name: string, span: Span, scope: Scope): Expression {
  const { isWork, isSigned, takesInputs, position } = scope;
  if (isWork || isSigned) return context.report('no-caller', span, { name, isSigned, takesInputs }) ?? reported(span);
  const others = [...namesInScope(scope).map((seen) => seen.name), ...(position.faker ? ['faker'] : [])];
  context.report('unknown-name', span, { name, noun: position.noun, near: undefined, others, unnamed: undefined });
  return reported(span);
}

/** The setting that is meant by its name alone, or by a path into the environment, as in `process.env.NAME`. */
function meantSetting({ settings }: Context, path: ast.Path): NearName | undefined {
  const text = pathText(path);
  const [, name] = /^(?:(?:process\.)?env|settings?)\.(\w+)$/i.exec(text) ?? [];
  return name || settings.byName.has(text) ? { name: `setting(${name ?? text})` } : undefined;
}
