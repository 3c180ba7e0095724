/** From one type to another, and to text. */
import type { Type } from '../../compiler/definition/expression.ts';
import { isZeroDecimal } from '../values/decimal.ts';
import { isList, jsonText } from '../values/json.ts';
import { KINDS } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { type Compiled, type NonNull, strict, unary } from './compiled.ts';
import type { Operand } from './fit.ts';
import { finiteFloat, nonZeroFloat } from './out-of-range.ts';

/** Null stays null; of a list each item is converted. */
export function convert(operand: Operand, to: Type): Compiled {
  const { type: from } = operand;
  const one = strict(conversion(from, to));
  return unary(operand, from.many ? strict((value) => (isList(value) ? value.map(one) : value)) : one);
}

function conversion(from: Type, to: Type): (value: NonNull) => Value {
  if (to.kind === 'string') return KINDS[from.kind].print;
  if (to.kind === 'decimal') return String;
  return from.kind === 'decimal' ? floatFromDecimal : (value) => value;
}

export function floatFromDecimal(value: Value): number {
  const text = String(value);
  return isZeroDecimal(text) ? 0 : nonZeroFloat(finiteFloat(Number(text)));
}

/** Null is `null`, as in JSON. */
export function stringify(operand: Operand): Compiled {
  const text = operand.type.many ? jsonText : KINDS[operand.type.kind].print;
  return unary(operand, (value) => (value === null ? 'null' : text(value)));
}
