/** Types expressions. A fault is reported once; what it leaves behind fits everywhere, so that nothing follows from it. */
import type * as ast from '../ast/ast.ts';
import type { Expression, Root, Type } from '../program/program.ts';
import {
  ANY,
  isAny,
  item,
  many,
  nonNull,
  nullable,
  STRING,
  sameBase,
  scalar,
  typeName,
  unsized,
} from '../program/type.ts';
import { isHeaderName } from './answer-head.ts';
import { checkCall, functionsAt } from './calls.ts';
import { type Context, reported, textIfPath, textOf } from './context.ts';
import { isMisplacedFile } from './files.ts';
import { widens } from './fitting.ts';
import { checkHook } from './hooks.ts';
import { checkInputPath } from './input-paths.ts';
import { checkLiteral, checkObject, numberLiteral } from './literals.ts';
import { narrowed, rootKey } from './narrowing.ts';
import { checkBinary, checkUnary } from './operators.ts';
import { checkAuthPath, checkPath } from './paths.ts';
import { at, lacks, POSITIONS, type Scope } from './scope.ts';
import { reportNotAsked } from './unknown-names.ts';

export function checkExpression(
  context: Context,
  expression: ast.Expression,
  scope: Scope,
  expected?: Type,
): Expression {
  const checked = checkAny(context, expression, scope, expected);
  if (!isMisplacedFile(checked, expected)) return checked;
  return context.report('file-value', checked.span, { path: textIfPath(expression) }) ?? reported(checked.span);
}

function checkAny(context: Context, expression: ast.Expression, scope: Scope, expected?: Type): Expression {
  switch (expression.kind) {
    case 'path':
      return checkPath(context, expression, scope, expected);
    case 'auth':
      return checkAuthPath(context, expression, scope);
    case 'input':
      return checkInputPath(context, expression, scope);
    case 'request':
      return checkRequestPath(context, expression, scope);
    case 'call':
      return checkCall(context, expression, scope, expected);
    case 'binary':
      return checkBinary(context, expression, scope, expected);
    case 'unary':
      return signedNumber(context, expression, expected) ?? checkUnary(context, expression, scope, expected);
    case 'list':
      return checkList(context, expression, scope, expected);
    case 'object':
      return checkObject(context, expression, scope, expected);
    case 'hook':
      return checkHookExpression(context, expression, scope);
    default:
      return checkLiteral(context, expression, expected);
  }
}

function signedNumber(
  context: Context,
  { operator, operand, span }: ast.Unary,
  expected: Type | undefined,
): Expression | undefined {
  if (operator !== '-' || (operand.kind !== 'integer' && operand.kind !== 'float')) return undefined;
  return numberLiteral(context, operand, expected, -1, span);
}

function checkList(context: Context, list: ast.List, scope: Scope, expected: Type | undefined): Expression {
  const wanted = expected && item(expected);
  const items = list.items.map((entry) => checkExpression(context, entry, scope, wanted));
  if (expected?.base.kind === 'json') return { kind: 'list', items, type: many(ANY), span: list.span };
  const inner = expected?.many ? items.find(({ type }) => type.many) : undefined;
  if (inner) return context.report('list-of-lists', inner.span, { type: typeName(inner.type) }) ?? reported(list.span);
  const known = items.filter((entry) => entry.type.base.kind !== 'null' && !isAny(entry.type));
  const first = known[0]?.type ?? (items.length === 0 && expected?.many ? item(expected) : ANY);
  const type = known.find((entry) => widens(first, entry.type))?.type ?? first;
  // Objects with different members share no type but JSON.
  if (
    known.every((entry) => entry.type.base.kind === 'object') &&
    !known.every((entry) => sameBase(entry.type.base, first.base))
  )
    return { kind: 'list', items, type: many(scalar('json')), span: list.span };
  for (const entry of known) {
    const fits = sameBase(entry.type.base, type.base) || widens(entry.type, type);
    if (!fits)
      context.report('mixed-list', entry.span, { first: typeName(nonNull(first)), other: typeName(entry.type) });
  }
  return {
    kind: 'list',
    items,
    type: many({ ...unsized(type), nullable: items.some((entry) => entry.type.nullable) }),
    span: list.span,
  };
}

function checkHookExpression(context: Context, { hook, span }: ast.HookExpression, scope: Scope): Expression {
  if (!scope.position.hooks)
    return context.report('hook-not-here', span, { noun: scope.position.noun }) ?? reported(span);
  const { noun, secrets } = POSITIONS.hookArgument;
  const inner = at(scope, { ...scope.position, noun, secrets });
  const call = checkHook(context, hook, inner);
  return { kind: 'hook', call, type: call.returns ?? ANY, span };
}

// ── Request values ───────────────────────────────────────────────────────────────────────────────────────────────────

// `@request.header("x-tenant")` and `@claims.tenant`: texts that a request brings beside its inputs.

function checkRequestPath(context: Context, path: ast.RequestPath, scope: Scope): Expression {
  const { span, root: word } = path;
  const root = rootOf(context, path, scope);
  if (!root) return reported(span);
  context.witness?.meant({ ...span, end: span.start + word.length }, { kind: 'request', from: root.from });
  if (!scope.position.auth || lacks(scope, root)) return reportNotAsked(context, word, span, scope);
  return { kind: 'path', root, steps: [], type: narrowed(nullable(STRING), rootKey(root), scope), span };
}

const REQUEST = '@request';
const CLAIMS = '@claims';

type RequestRoot = Extract<Root, { kind: 'request' }>;

/** The root of the path; undefined if there is none, which has been reported. */
function rootOf(context: Context, path: ast.RequestPath, scope: Scope): RequestRoot | undefined {
  if (path.root === REQUEST) return headerOf(context, path);
  if (path.root === CLAIMS) return claimOf(context, path);
  const name = [path.root, textOf(path.steps)].join('.');
  return context.report('unknown-function', path.span, { name, near: undefined, functions: functionsAt(scope) });
}

function headerOf(context: Context, { steps, arguments: args, span }: ast.RequestPath): RequestRoot | undefined {
  const [name, ...others] = args ?? [];
  if (textOf(steps) !== 'header' || name?.kind !== 'string' || others.length > 0)
    return context.report('incomplete-request-value', span, { word: REQUEST });
  if (!isHeaderName(name.value)) return context.report('bad-header-name', name.span, { name: name.value });
  return { kind: 'request', from: 'header', path: [name.value.toLowerCase()] };
}

function claimOf(context: Context, { steps, arguments: args, span }: ast.RequestPath): RequestRoot | undefined {
  if (!context.authModel) {
    context.asksForAuth?.push({ word: CLAIMS, span });
    return undefined;
  }
  if (!context.trustsProvider) return context.report('claims-without-subject', span, {});
  if (steps.length === 0 || args) return context.report('incomplete-request-value', span, { word: CLAIMS });
  return { kind: 'request', from: 'claim', path: steps.map(({ text }) => text) };
}
