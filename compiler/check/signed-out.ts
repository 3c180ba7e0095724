/**
 * Evaluates an `authorize` when nobody is signed in. `@auth` and everything that is read from it is null then: it is
 * not true and equals nothing, so `not @auth.banned` and `@auth.role is not "guest"` are true. A missing caller has no
 * records, so `count(@auth.strikes) < 3` is true too.
 */
import { isNull, pathsIn } from '../program/parts.ts';
import type { Call, Endpoint, Expression, FunctionName, Operation, Path, Step } from '../program/program.ts';
import type { Context } from './context.ts';

import { isOfCaller, readsCaller } from './rules.ts';

export function reportTrueWhenSignedOut(context: Context, { authorize }: Endpoint): void {
  if (authorize.some((guard) => holds(guard) === false)) return;
  for (const { span } of authorize.flatMap(slips)) context.report('true-when-signed-out', span, { span });
}

/** The parts that say something of the caller and let in everybody who is not signed in. */
function slips(condition: Expression): readonly Expression[] {
  if (holds(condition) === false || asksForNobody(condition)) return [];
  const all = operandsOf(condition, 'and');
  if (all) return all.flatMap(slips);
  const any = operandsOf(condition, 'or');
  // `@auth is null or not @auth.banned` says that everybody else is meant too.
  if (any) return any.some(asksForNobody) ? [] : any.flatMap(slips);
  return holds(condition) && pathsIn(condition).some(readsCaller) ? [condition] : [];
}

function operandsOf(condition: Expression, operator: Operation['operator']): readonly Expression[] | undefined {
  return condition.kind === 'operation' && condition.operator === operator ? condition.operands : undefined;
}

/** `@auth is null`. */
function asksForNobody(condition: Expression): boolean {
  const sides = operandsOf(condition, 'is') ?? [];
  return sides.some(isNull) && sides.some(isOfCaller);
}

/** A value that is the same in all requests without a caller; undefined if it depends on something else. */
type Value = string | number | boolean | null | readonly never[] | undefined;

/** A collection without records. */
const NONE: readonly never[] = [];

/** Whether the condition holds. Null counts as false. */
function holds(condition: Expression): boolean | undefined {
  const value = valueFor(condition);
  return value === undefined ? undefined : value === true;
}

function valueFor(expression: Expression): Value {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'path':
      return isOfCaller(expression) || expression.steps.some(findsNothing) ? ofNothing(expression) : undefined;
    case 'operation':
      return valueOfOperation(expression);
    case 'call':
      return valueOfCall(expression);
    case 'member':
      return valueFor(expression.of) === null ? null : undefined;
    default:
      return undefined;
  }
}

/** A query that finds only records of the caller. */
function findsNothing(step: Step): boolean {
  return step.kind === 'query' && step.query?.filter !== undefined && holds(step.query.filter) === false;
}

function ofNothing({ steps, type }: Path): Value {
  const last = steps.at(-1);
  if (last?.kind === 'query' && last.query.cardinality === 'count' && findsNothing(last)) return 0;
  return type.many ? NONE : null;
}

function valueOfCall({ function: name, arguments: args }: Call): Value {
  const values = args.map(valueFor);
  const [first] = values;
  if (name === 'coalesce') return firstOf(values);
  if (name === 'if') return valueOfChoice(args as readonly [Expression, Expression, Expression]);
  if (first === NONE) return OF_NOTHING[name];
  return NULL_OF_NULL.has(name) && first === null ? null : undefined;
}

function firstOf(values: readonly Value[]): Value {
  return values.find((value) => value !== null) ?? (values.includes(undefined) ? undefined : null);
}

function valueOfChoice([asked, then, otherwise]: readonly [Expression, Expression, Expression]): Value {
  const isSo = holds(asked);
  if (isSo !== undefined) return valueFor(isSo ? then : otherwise);
  const [one, other] = [valueFor(then), valueFor(otherwise)];
  return one === other ? one : undefined;
}

const OF_NOTHING: Readonly<Partial<Record<FunctionName, Value>>> = {
  count: 0,
  sum: 0,
  exists: false,
  min: null,
  max: null,
  avg: null,
};

const NULL_OF_NULL: ReadonlySet<FunctionName> = new Set([
  'length',
  'lower',
  'upper',
  'trim',
  'round',
  'ceil',
  'floor',
  'abs',
  'integer',
  'decimal',
]);

function valueOfOperation({ operator, operands }: Operation): Value {
  switch (operator) {
    case 'and':
      return joined(operands.map(holds), false);
    case 'or':
      return joined(operands.map(holds), true);
    case 'not':
      return opposite(holds(operands[0] as Expression));
    case 'is not':
      return opposite(comparison('is', operands));
    case 'not in':
      return opposite(comparison('in', operands));
    default:
      return comparison(operator, operands);
  }
}

/** Compares two values. A path from `@auth` is null then, and only a test for null finds that. */
function comparison(operator: Operation['operator'], operands: readonly Expression[]): boolean | undefined {
  const [left, right] = operands.map(valueFor);
  if (operands.some(isOfCaller)) return operator === 'is' && operands.some(isNull);
  if (operator === 'in' && right === NONE) return false;
  if (left === undefined || right === undefined) return undefined;
  if (operator === 'is') return left === right;
  const compare = COMPARISONS[operator];
  if (!compare) return undefined;
  return typeof left === 'number' && typeof right === 'number' ? compare(left, right) : undefined;
}

const COMPARISONS: Readonly<Partial<Record<Operation['operator'], (left: number, right: number) => boolean>>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** Joins the outcomes of `and` or `or`. One decisive outcome is enough; so are outcomes that all agree. */
function joined(outcomes: readonly (boolean | undefined)[], decisive: boolean): boolean | undefined {
  if (outcomes.includes(decisive)) return decisive;
  return outcomes.includes(undefined) ? undefined : !decisive;
}

function opposite(outcome: boolean | undefined): boolean | undefined {
  return outcome === undefined ? undefined : !outcome;
}
