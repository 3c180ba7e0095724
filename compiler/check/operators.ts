import type * as ast from '../ast/ast.ts';
import { CLOCK_UNITS, isUnit, type Unit } from '../definition/functions.ts';
import type { Expression, Operator, Type } from '../program/program.ts';
import {
  BOOLEAN,
  FLOAT,
  INTEGER,
  isAny,
  isJoinable,
  isListValue,
  isMoment,
  isNumber,
  isOrdered,
  item,
  nullable,
  STRING,
  sameBase,
  scalar,
  typeName,
} from '../program/type.ts';
import { checkDurationCount } from './calls.ts';
import { type Context, isReported, reported, textIfPath } from './context.ts';
import { orFile } from './files.ts';
import { checkCondition, widens } from './fitting.ts';
import { isLiteral } from './literals.ts';
import { factsWhen } from './narrowing.ts';
import { type Scope, withFacts } from './scope.ts';

export function checkUnary(context: Context, unary: ast.Unary, scope: Scope, expected: Type | undefined): Expression {
  const { span } = unary;
  if (unary.operator === 'not') {
    const operand = checkCondition(context, unary.operand, scope);
    return { kind: 'operation', operator: 'not', operands: [operand], type: BOOLEAN, span };
  }
  const operand = context.checkExpression(context, unary.operand, scope, expected);
  if (!isNumber(operand.type) || operand.type.many) {
    context.report('bad-operand', operand.span, { operator: '-', type: typeName(operand.type), wants: 'a number' });
    return reported(span);
  }
  return { kind: 'operation', operator: 'negate', operands: [operand], type: operand.type, span };
}

export function checkBinary(context: Context, binary: ast.Binary, scope: Scope, expected?: Type): Expression {
  const { operator } = binary;
  if (operator === 'and' || operator === 'or') return checkLogic(context, binary, scope);
  if (operator === 'in' || operator === 'not in') return checkMembership(context, binary, scope);
  if (operator === 'is' || operator === 'is not') return checkEquality(context, binary, scope);
  if (/^[<>]/.test(operator)) return checkComparison(context, binary, scope);
  return checkArithmetic(context, binary, scope, expected);
}

function operation(binary: ast.Binary, operator: Operator, operands: readonly Expression[], type: Type): Expression {
  return { kind: 'operation', operator, operands, type, span: binary.span };
}

/** The right side of `and` runs only where the left side holds, the right side of `or` only where it does not. */
function checkLogic(context: Context, binary: ast.Binary, scope: Scope): Expression {
  const operator = binary.operator as 'and' | 'or';
  const left = checkCondition(context, binary.left, scope);
  const right = checkCondition(context, binary.right, withFacts(scope, factsWhen(left, operator === 'and')));
  return operation(binary, operator, [left, right], BOOLEAN);
}

/** A literal takes its type from the other side, so the other side goes first. */
function checkSides(
  context: Context,
  binary: ast.Binary,
  scope: Scope,
  hint: (other: Type, side: 'left' | 'right') => Type | undefined = (other) => other,
  expected?: Type,
): [Expression, Expression] {
  if (isLiteral(binary.left) && !isLiteral(binary.right)) {
    const right = context.checkExpression(context, binary.right, scope, expected);
    return [context.checkExpression(context, binary.left, scope, hint(right.type, 'left') ?? expected), right];
  }
  const left = context.checkExpression(context, binary.left, scope, expected);
  return [left, context.checkExpression(context, binary.right, scope, hint(left.type, 'right') ?? expected)];
}

function checkEquality(context: Context, binary: ast.Binary, scope: Scope): Expression {
  const { left: first, right: second } = binary;
  const withNull = second.kind === 'null' ? first : first.kind === 'null' ? second : undefined;
  const [left, right] = checkSides(context, binary, scope, undefined, withNull && orFile(withNull));
  const comparable = areAlike(left, right) && comparableBases(left.type, right.type);
  if (!comparable) reportUncomparable(context, binary, left, right);
  return operation(binary, binary.operator as Operator, [left, right], BOOLEAN);
}

/** A list is compared with a list, and a single value with a single value. Only a list that is a value may be null. */
function areAlike(left: Expression, right: Expression): boolean {
  if ((left.type.many && !isListValue(left)) || (right.type.many && !isListValue(right))) return false;
  return left.type.many === right.type.many || isNull(left.type) || isNull(right.type);
}

function comparableBases(left: Type, right: Type): boolean {
  if (isAny(left) || isNull(left) || isAny(right) || isNull(right)) return true;
  if (widens(left, right) || widens(right, left)) return true;
  return left.base.kind !== 'json' && left.base.kind !== 'object' && sameBase(left.base, right.base);
}

function isNull({ base }: Type): boolean {
  return base.kind === 'null';
}

function checkComparison(context: Context, binary: ast.Binary, scope: Scope): Expression {
  const [left, right] = checkSides(context, binary, scope);
  if (!isSortable(left.type) || !isSortable(right.type) || !comparableBases(left.type, right.type))
    reportUncomparable(context, binary, left, right);
  const type = left.type.nullable || right.type.nullable ? nullable(BOOLEAN) : BOOLEAN;
  return operation(binary, binary.operator as Operator, [left, right], type);
}

function isSortable(type: Type): boolean {
  return !type.many && (isOrdered(type) || isAny(type));
}

function checkMembership(context: Context, binary: ast.Binary, scope: Scope): Expression {
  const [left, right] = checkSides(context, binary, scope, (other, side) =>
    side === 'left' ? item(other) : { ...other, many: true },
  );
  const isCollection = right.type.many || isAny(right.type);
  if (!isCollection)
    context.report('not-a-collection', right.span, { type: typeName(right.type), operator: binary.operator });
  else if (left.type.many || !comparableBases(left.type, item(right.type)))
    reportUncomparable(context, binary, left, right);
  return operation(binary, binary.operator as Operator, [left, right], BOOLEAN);
}

function reportUncomparable(context: Context, binary: ast.Binary, left: Expression, right: Expression): void {
  if (isAny(left.type) || isAny(right.type)) return;
  context.report('cannot-compare', binary.span, {
    operator: binary.operator,
    left: typeName(left.type),
    right: typeName(right.type),
    text: [left, right].map(textOf).find((text) => text !== undefined),
    collection: textIfPath(left.type.many ? binary.left : binary.right),
  });
}

function textOf(side: Expression): string | undefined {
  return side.kind === 'literal' && typeof side.value === 'string' ? side.value : undefined;
}

function checkArithmetic(context: Context, binary: ast.Binary, scope: Scope, expected: Type | undefined): Expression {
  const move = moveIn(binary);
  if (move) return checkMove(context, binary, move, scope, expected);
  const [left, right] = checkSides(context, binary, scope, numeric, numeric(expected));
  if (binary.operator === '+' && isJoin(left, right, expected)) return checkJoin(context, binary, left, right);
  if ([left, right].some(isReported)) return reported(binary.span);
  const areNumbers = [left, right].every(({ type }) => !type.many && isNumber(type));
  if (!areNumbers || isDecimalMix(left.type, right.type)) return reportBadOperands(context, binary, left, right);
  const operator = binary.operator as '+' | '-' | '*' | '/' | '%';
  const type = arithmeticType(operator, left.type, right.type);
  const divides = operator === '/' || operator === '%';
  return operation(binary, operator, [left, right], divides && mayBeZero(context, right) ? nullable(type) : type);
}

/** Whether the divisor may be zero. The result is null then, in the server as in the database. */
function mayBeZero(context: Context, divisor: Expression): boolean {
  if (divisor.kind !== 'literal') return true;
  const isZero = Number(divisor.value) === 0 && !isAny(divisor.type);
  if (isZero) context.report('division-by-zero', divisor.span, {});
  return isZero;
}

/**
 * The type that a literal takes from the other side. Only decimals pass theirs on: a date is joined to a text, not to
 * another date.
 */
function numeric(other: Type | undefined): Type | undefined {
  return other?.base.kind === 'decimal' ? other : undefined;
}

/** Tells whether `+` joins texts. If neither side has a known type, the expected type decides. */
function isJoin(left: Expression, right: Expression, expected: Type | undefined): boolean {
  const [one, other] = [addendType(left), addendType(right)];
  if (isUntold(one) && isUntold(other)) return expected?.base.kind === 'string';
  return isText(one) || isText(other);
}

function isUntold(type: Type): boolean {
  return isAny(type) && !type.many;
}

function isText({ base, many }: Type): boolean {
  return base.kind === 'string' && !many;
}

/** The type of a side of `+`. faker picks an item of the list that it is given, so the list tells the type. */
function addendType(side: Expression): Type {
  const [list] = side.kind === 'faker' ? side.arguments : [];
  return isAny(side.type) && list?.type.many ? item(list.type) : side.type;
}

function checkJoin(context: Context, binary: ast.Binary, left: Expression, right: Expression): Expression {
  for (const side of [left, right]) {
    if (!isJoinable(side.type)) {
      context.report('cannot-join', side.span, { type: typeName(side.type), record: side.type.base.kind === 'record' });
      return reported(binary.span);
    }
  }
  const type = left.type.nullable || right.type.nullable ? nullable(STRING) : STRING;
  return operation(binary, 'join', [left, right], type);
}

/** A decimal is exact and a float is not: they never mix by themselves. */
function isDecimalMix(left: Type, right: Type): boolean {
  const kinds = [left.base.kind, right.base.kind];
  return kinds.includes('decimal') && kinds.includes('float');
}

function arithmeticType(operator: '+' | '-' | '*' | '/' | '%', left: Type, right: Type): Type {
  const number = isAny(left) || isAny(right) ? FLOAT : widest(left, right);
  const base = operator === '/' && number === INTEGER ? FLOAT : number;
  return left.nullable || right.nullable ? nullable(base) : { ...base, nullable: false };
}

function widest(left: Type, right: Type): Type {
  if (left.base.kind === 'decimal' || right.base.kind === 'decimal') return scalar('decimal');
  return left.base.kind === 'float' || right.base.kind === 'float' ? FLOAT : INTEGER;
}

function reportBadOperands(context: Context, binary: ast.Binary, left: Expression, right: Expression): Expression {
  if (!isAny(left.type) && !isAny(right.type)) {
    context.report('bad-operands', binary.span, {
      operator: binary.operator,
      left: typeName(left.type),
      right: typeName(right.type),
    });
  }
  return reported(binary.span);
}

// ── Durations ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Durations, which are added to dates and timestamps and taken from them: `now() + days(3)`.

/** The moment and the duration of a sum or a difference; undefined where it has no duration in its place. */
interface Move {
  readonly unit: Unit;
  readonly moment: ast.Expression;
  readonly duration: ast.Call;
  readonly isBack: boolean;
}

function moveIn({ operator, left, right }: ast.Binary): Move | undefined {
  if (operator !== '+' && operator !== '-') return undefined;
  const behind = unitOf(right);
  if (behind) return { unit: behind, moment: left, duration: right as ast.Call, isBack: operator === '-' };
  const ahead = operator === '+' ? unitOf(left) : undefined;
  return ahead && { unit: ahead, moment: right, duration: left as ast.Call, isBack: false };
}

function unitOf(expression: ast.Expression): Unit | undefined {
  if (expression.kind !== 'call' || expression.function.steps.length > 1) return undefined;
  const { text } = expression.function.steps[0];
  return isUnit(text) ? text : undefined;
}

/** A date stays a date. */
function checkMove(
  context: Context,
  { operator, span }: ast.Binary,
  { unit, moment, duration, isBack }: Move,
  scope: Scope,
  expected: Type | undefined,
): Expression {
  const from = context.checkExpression(context, moment, scope, expected && isMoment(expected) ? expected : undefined);
  const count = checkDurationCount(context, duration, scope);
  if (!count || isReported(from)) return reported(span);
  const { type } = from;
  if (type.many || !(isMoment(type) || isAny(type)))
    return context.report('moved-value', from.span, { operator, unit, type: typeName(type) }) ?? reported(span);
  if (type.base.kind === 'date' && CLOCK_UNITS.includes(unit))
    return context.report('time-on-date', duration.span, { operator, unit }) ?? reported(span);
  const base = isAny(type) ? scalar('timestamp') : type;
  return {
    kind: 'call',
    function: unit,
    arguments: [from, isBack ? opposite(count) : count],
    type: count.type.nullable ? nullable(base) : base,
    span,
  };
}

function opposite(count: Expression): Expression {
  if (count.kind === 'literal' && typeof count.value === 'number') return { ...count, value: 0 - count.value };
  return { kind: 'operation', operator: 'negate', operands: [count], type: count.type, span: count.span };
}
