/** Checks whether a value fits its place. */

import type * as ast from '../ast/ast.ts';
import { fittedDigits } from '../definition/digits.ts';
import type { Digits } from '../definition/expression.ts';
import type { Expression, Type } from '../program/program.ts';
import { BOOLEAN, holdsRecord, isAny, sameBase, typeName } from '../program/type.ts';
import { type Context, textIfPath } from './context.ts';
import { POSITIONS, type Scope } from './scope.ts';

/** The requirement on a value, and its origin. */
interface Wanted {
  readonly type: Type;
  /** The origin of the requirement, in the author's words: `` `Post.title` ``. */
  readonly by: string;
  /** True if the origin takes a value rather than being one: a function, an action. */
  readonly takes?: boolean;
  /** A hint about what else the place takes. */
  readonly help?: string;
}

export function checkFitting(context: Context, expression: ast.Expression, scope: Scope, wanted: Wanted): Expression {
  const checked = context.checkExpression(context, expression, scope, wanted.type);
  reportMisfit(context, checked, wanted, scope);
  return checked;
}

/** Checks a condition. Null counts as false, so a nullable boolean is a condition too. */
export function checkCondition(
  context: Context,
  expression: ast.Expression,
  scope: Scope,
  noun = scope.position.noun,
): Expression {
  const checked = context.checkExpression(context, expression, scope, BOOLEAN);
  const { base, many: isMany } = checked.type;
  const fits = !isMany && (base.kind === 'boolean' || base.kind === 'any' || base.kind === 'null');
  const role = scope.position === POSITIONS.authorize ? roleOf(context, checked) : undefined;
  if (!fits) context.report('not-a-condition', checked.span, { noun, type: typeName(checked.type), role });
  return checked;
}

/** `"admin"` is meant as `@auth.role is "admin"` where that is one of its values. */
function roleOf({ authModel }: Context, value: Expression): string | undefined {
  if (value.kind !== 'literal' || !authModel) return undefined;
  const field = authModel.fields.find(
    ({ type: { base } }) => base.kind === 'enum' && base.enum.values.some(({ name }) => name === value.value),
  );
  return field && `@auth.${field.name} is "${value.value}"`;
}

export function reportMisfit(context: Context, value: Expression, wanted: Wanted, scope?: Scope): void {
  const { type } = value;
  const isListForOne = value.kind === 'list' && !wanted.type.many && wanted.type.base.kind !== 'json';
  if ((isAny(type) && !isListForOne) || isAny(wanted.type)) return;
  const { span } = value;
  if (!basesFit(type, wanted.type)) {
    const text = value.kind === 'literal' && typeof value.value === 'string' ? value.value : undefined;
    const { base } = wanted.type;
    const wants = { wanted: typeName(wanted.type), wantsRecord: base.kind === 'record', help: wanted.help };
    const enumValue = base.kind === 'enum' ? base.enum.values[0]?.name : undefined;
    context.report('wrong-type', span, { ...misfitOf(type, wanted), ...wants, enumValue, text });
  } else if (type.nullable && !wanted.type.nullable) {
    context.report('may-be-null', span, { ...misfitOf(type, wanted), source: nullSource(value), work: workOf(scope) });
  } else if (wanted.type.many && !wanted.takes) reportNullItem(context, value, wanted);
  if ('digits' in wanted.type.base && wanted.type.base.digits) reportDigits(context, value, wanted.type.base.digits);
}

function reportDigits(context: Context, value: Expression, digits: Digits): void {
  if (value.kind === 'list') for (const item of value.items) reportDigits(context, item, digits);
  if (value.kind !== 'literal' || value.value === null || fittedDigits(String(value.value), digits) !== null) return;
  context.report('too-many-digits', value.span, { digits: digits.all, places: digits.places });
}

function misfitOf(type: Type, { by, takes = false }: Wanted) {
  const isRecord = holdsRecord(type);
  const found = type.base.kind === 'object' && isRecord ? 'an object with a record in it' : typeName(type);
  return { by, takes, found, record: isRecord };
}

/** The items of a list are never null. */
function reportNullItem(context: Context, value: Expression, { by }: Wanted): void {
  const found = value.kind === 'list' ? value.items.find(({ type }) => type.nullable) : value.type.nullItems && value;
  if (found) context.report('null-item', found.span, { by, isLiteral: found.kind === 'literal' });
}

/**
 * The source of a null. Only a query that ends in `first` names a record that may be missing, or is one of the row
 * itself.
 */
function nullSource(value: Expression): 'literal' | 'auth' | 'input' | 'query' | 'record' | 'value' {
  if (value.kind === 'literal') return 'literal';
  if (value.kind === 'path' && value.root.kind === 'auth') return 'auth';
  if (value.type.base.kind !== 'record') return 'value';
  if (value.kind === 'call') return nullSource(value.arguments.findLast(({ type }) => type.nullable) as Expression);
  if (value.kind !== 'path') return 'record';
  if (value.root.kind === 'row') return value.steps.at(-1)?.kind === 'query' ? 'query' : 'value';
  if (value.root.kind !== 'variable' || value.steps.length > 0) return 'record';
  return value.root.variable.input ? 'input' : 'query';
}

function workOf(scope: Scope | undefined): 'job' | 'reaction' | 'failure' | undefined {
  if (scope?.isFailure) return 'failure';
  if (!scope?.isWork) return undefined;
  return scope.position === POSITIONS.reaction ? 'reaction' : 'job';
}

/** Integers widen to float and to decimal; `now()` fits an integer, as milliseconds (calls.ts); nothing else converts. */
function basesFit(found: Type, wanted: Type): boolean {
  if (found.base.kind === 'null') return !found.many;
  if (wanted.base.kind === 'json') return !holdsRecord(found);
  if (found.many !== wanted.many) return false;
  return widens(found, wanted) || sameBase(found.base, wanted.base);
}

export function widens(from: Type, to: Type): boolean {
  return from.base.kind === 'integer' && (to.base.kind === 'float' || to.base.kind === 'decimal');
}

// ── Arguments of calls ──────────────────────────────────────────────────────────────────────────────────────────────

/** The accepted number of arguments. */
export interface Arity {
  readonly fewest: number;
  readonly most: number;
}

export function hasRightCount(context: Context, call: ast.Call, { fewest, most }: Arity, count: number): boolean {
  const isRight = count >= fewest && count <= most;
  const name = call.function.steps.at(-1)?.text ?? '';
  if (!isRight) context.report('wrong-argument-count', call.span, { function: name, fewest, most, count });
  return isRight;
}

/** Reports an argument that is something else than what is wanted. */
export function reportArgument(context: Context, call: ast.Call, { type, span }: Expression, wants: string): undefined {
  if (isAny(type)) return;
  context.report('wrong-argument', span, {
    function: call.function.steps.at(-1)?.text ?? '',
    wants,
    type: typeName(type),
    record: type.base.kind === 'record',
    path: textIfPath(call.arguments.find((argument) => argument.span === span)),
  });
}
