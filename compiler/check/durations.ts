/** Durations, which are added to dates and timestamps and taken from them: `now() + days(3)`. */
import type * as ast from '../ast/ast.ts';
import { CLOCK_UNITS, isUnit, type Unit } from '../definition/units.ts';
import type { Expression, Type } from '../program/program.ts';
import { isAny, nullable, scalar, typeName } from '../program/type.ts';
import { type Context, isReported, reported } from './context.ts';
import type { Scope } from './scope.ts';

/** The moment and the duration of a sum or a difference; undefined where it has no duration in its place. */
interface Move {
  readonly unit: Unit;
  readonly moment: ast.Expression;
  readonly duration: ast.Call;
  readonly isBack: boolean;
}

export function moveIn({ operator, left, right }: ast.Binary): Move | undefined {
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

type CheckCount = (context: Context, duration: ast.Call, scope: Scope) => Expression | undefined;

/** A date stays a date. */
export function checkMove(
  context: Context,
  { operator, span }: ast.Binary,
  { unit, moment, duration, isBack }: Move,
  scope: Scope,
  expected: Type | undefined,
  checkCount: CheckCount,
): Expression {
  const from = context.checkExpression(context, moment, scope, expected && isMoment(expected) ? expected : undefined);
  const count = checkCount(context, duration, scope);
  if (!count || isReported(from)) return reported(span);
  const { type } = from;
  if (type.many || !(isMoment(type) || isAny(type))) {
    context.report('moved-value', from.span, { operator, unit, type: typeName(type) });
    return reported(span);
  }
  if (type.base.kind === 'date' && CLOCK_UNITS.includes(unit)) {
    context.report('time-on-date', duration.span, { operator, unit });
    return reported(span);
  }
  const base = isAny(type) ? scalar('timestamp') : type;
  return {
    kind: 'call',
    function: unit,
    arguments: [from, isBack ? opposite(count) : count],
    type: count.type.nullable ? nullable(base) : base,
    span,
  };
}

export function isMoment({ base }: Type): boolean {
  return base.kind === 'date' || base.kind === 'timestamp';
}

function opposite(count: Expression): Expression {
  if (count.kind === 'literal' && typeof count.value === 'number') return { ...count, value: 0 - count.value };
  return { kind: 'operation', operator: 'negate', operands: [count], type: count.type, span: count.span };
}
