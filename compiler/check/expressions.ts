/** Types expressions. A fault is reported once; what it leaves behind fits everywhere, so that nothing follows from it. */
import type * as ast from '../ast/ast.ts';
import type { Expression, Type } from '../program/program.ts';
import { ANY, isAny, item, many, nonNull, sameBase, scalar, typeName, unsized } from '../program/type.ts';
import { checkCall } from './calls.ts';
import { type Context, reported, textIfPath } from './context.ts';
import { isMisplacedFile } from './files.ts';
import { widens } from './fitting.ts';
import { checkHook } from './hooks.ts';
import { checkInputPath } from './input-paths.ts';
import { checkLiteral, checkObject, numberLiteral } from './literals.ts';
import { checkBinary, checkUnary } from './operators.ts';
import { checkAuthPath, checkPath } from './paths.ts';
import { checkRequestPath } from './request-values.ts';
import { at, POSITIONS, type Scope } from './scope.ts';

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
