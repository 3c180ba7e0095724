/** Numbers, each type with its own arithmetic, as Postgres has them. What is divided by zero is null. */

import { LONGEST_NUMBER } from '../../compiler/definition/contract/validators.ts';
import type { Operation, Type } from '../../compiler/definition/expression.ts';
import {
  absoluteDecimal,
  addDecimals,
  canonicalDecimal,
  decimalFromNumber,
  moduloDecimals,
  multiplyDecimals,
  negateDecimal,
  quotientOf,
  roundDecimal,
  subtractDecimals,
  wholeDecimal,
} from '../values/decimal.ts';
import { moduloFloats, roundFloat } from '../values/float.ts';
import { isLongerThan } from '../values/text.ts';
import type { Value } from '../values/value.ts';
import { binary, type Compiled, type Environment, strict, strictPair, unary } from './compiled.ts';
import { fitted, floatFromDecimal, type Operand } from './fit.ts';
import { finiteFloat, fittingDecimal, nonZeroFloat, safeInteger } from './out-of-range.ts';

type ArithmeticOperator = Extract<Operation['operator'], '+' | '-' | '*' | '/' | '%'>;
export type NumberKind = 'integer' | 'float' | 'decimal';

export function arithmetic(
  operator: ArithmeticOperator,
  [left, right]: readonly [Operand, Operand],
  type: Type,
  environment: Environment,
): Compiled {
  const kind = numberKind(type);
  const apply = OPERATORS[kind][operator];
  return binary(numberOf(left, kind, environment), numberOf(right, kind, environment), strictPair(apply as Pair));
}

/** Applies the function of the operand's kind. */
type OfNumber = (operand: Operand, environment: Environment) => Compiled;

interface ByKind {
  readonly integer: (value: number) => Value;
  readonly float: (value: number) => Value;
  readonly decimal: (value: string) => Value;
}

function ofNumber(apply: ByKind): OfNumber {
  return (operand, environment) => {
    const kind = numberKind(operand.type);
    return unary(numberOf(operand, kind, environment), strict(apply[kind] as (value: Value) => Value));
  };
}

const asItIs = (value: number) => value;

export const negate = ofNumber({ integer: (value) => 0 - value, float: (value) => -value, decimal: negateDecimal });

export const absolute = ofNumber({ integer: Math.abs, float: Math.abs, decimal: absoluteDecimal });

/** A float becomes an integer. */
export const whole = (direction: 'floor' | 'ceil') =>
  ofNumber({
    integer: asItIs,
    float: (value) => safeInteger(Math[direction](value)),
    decimal: (value) => fittingDecimal(wholeDecimal(value, direction)),
  });

/** A float without places becomes an integer; otherwise the type stays. */
export function round(operand: Operand, places: Operand | undefined, environment: Environment): Compiled {
  if (!places) return ROUND_WHOLE(operand, environment);
  const kind = numberKind(operand.type);
  const value = numberOf(operand, kind, environment);
  return binary(value, fitted(places, { kind: 'integer' }, environment), strictPair(ROUND[kind] as Pair));
}

const ROUND_WHOLE = ofNumber({
  integer: asItIs,
  float: (value) => safeInteger(roundFloat(value, 0)),
  decimal: (value) => fittingDecimal(roundDecimal(value, 0)),
});

/** Removes the fraction. Null where a text is no safe integer. */
export function integerOf(value: Value): Value {
  if (typeof value === 'number') return safeInteger(Math.trunc(value));
  if (typeof value !== 'string' || !/^-?\d{1,16}$/.test(value)) return null;
  return Number.isSafeInteger(Number(value)) ? Number(value) + 0 : null;
}

export function integerOfDecimal(value: Value): Value {
  return safeInteger(Number(String(value).split('.')[0]));
}

/** Converts to a decimal; null where a text is not a number, or is too long. */
export function decimalOf(value: Value): Value {
  if (typeof value === 'number') return decimalFromNumber(value);
  return typeof value === 'string' && !isLongerThan(LONGEST_NUMBER, value) ? canonicalDecimal(value) : null;
}

type Pair = (a: Value, b: Value) => Value;

/** The kind of a number; float for custom code, whose type is not known. */
export function numberKind({ kind }: Type): NumberKind {
  return kind === 'integer' || kind === 'decimal' ? kind : 'float';
}

/** Converts an operand. A decimal becomes a float beside a value of custom code. */
function numberOf(operand: Operand, kind: NumberKind, environment: Environment): Compiled {
  if (operand.type.kind === 'decimal' && kind === 'float') return unary(operand, strict(floatFromDecimal));
  return fitted(operand, { kind }, environment);
}

type Operators<N> = Readonly<Record<ArithmeticOperator, (a: N, b: N) => Value>>;

const divide = (a: number, b: number) => {
  if (b === 0) return null;
  return a === 0 ? a / b : nonZeroFloat(a / b);
};

const INTEGERS: Operators<number> = {
  '+': (a, b) => safeInteger(a + b),
  '-': (a, b) => safeInteger(a - b),
  '*': (a, b) => safeInteger(a * b),
  '/': divide,
  '%': (a, b) => (b === 0 ? null : safeInteger(a % b)),
};

const FLOATS: Operators<number> = {
  '+': (a, b) => finiteFloat(a + b),
  '-': (a, b) => finiteFloat(a - b),
  '*': (a, b) => (a === 0 || b === 0 ? a * b : nonZeroFloat(a * b)),
  '/': divide,
  '%': moduloFloats,
};

const DECIMALS: Operators<string> = {
  '+': (a, b) => fittingDecimal(addDecimals(a, b)),
  '-': (a, b) => fittingDecimal(subtractDecimals(a, b)),
  '*': (a, b) => fittingDecimal(multiplyDecimals(a, b)),
  '/': (a, b) => {
    const quotient = quotientOf(a, b);
    return quotient === null ? null : fittingDecimal(quotient);
  },
  '%': moduloDecimals,
};

const OPERATORS = { integer: INTEGERS, float: FLOATS, decimal: DECIMALS };

const ROUND = {
  integer: (value: number, places: number) =>
    places >= 0 ? value : safeInteger(Number(roundDecimal(String(value), places))),
  float: (value: number, places: number) => finiteFloat(roundFloat(value, places)),
  decimal: (value: string, places: number) => fittingDecimal(roundDecimal(value, places)),
};
