/** Values whose type is known only when they are there, because custom code gave them, are made into what is needed. */

import { digitsPhrase, fittedDigits } from '../../compiler/definition/digits.ts';
import type { Convert, Digits, Expression, Type } from '../../compiler/definition/expression.ts';
import { isZeroDecimal } from '../values/decimal.ts';
import { isList, jsonText } from '../values/json.ts';
import { fitsType, KINDS } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { type Compiled, type Environment, type NonNull, strict, unary } from './compiled.ts';
import { finiteFloat, nonZeroFloat, outOfRange } from './out-of-range.ts';

/** A part with the type of its expression. */
export interface Operand extends Compiled {
  readonly type: Type;
}

/** The known type among operands that belong together. */
export function knownType(types: readonly Type[]): Type {
  return types.find(({ kind }) => kind !== 'any') ?? { kind: 'any' };
}

/** Throws where what custom code gave does not fit: a mistake of the application, not of the client. */
export function fitted(part: Operand, type: Type, { enumValues }: Environment): Compiled {
  return whereUnknown(part, type, (value) => fittedValue(value, type, enumValues));
}

function whereUnknown(part: Operand, type: Type, fit: (value: NonNull) => Value): Compiled {
  return part.type.kind !== 'any' || type.kind === 'any' ? part : unary(part, strict(fit));
}

/** `place` is what the value is for: `` for `Post.title` ``. */
export function fittedValue(value: unknown, type: Type, enumValues: Environment['enumValues'], place = ''): Value {
  const checked = fitsType(value, type, enumValues);
  if (!checked.ok) throw new Error(`custom code returned an invalid value${place}: ${withSubject(checked.message)}`);
  return checked.value;
}

/** Converts a value of custom code to the expected type. An error names the code, for the log. */
export function checked(part: Operand, { value: source, type }: Convert, { enumValues }: Environment): Compiled {
  return unary(part, (value) => {
    if (value === null) return nullFor(type, source);
    const fits = fitsType(value, type, enumValues);
    if (fits.ok) return fits.value;
    throw new Error(
      `${nameOf(source)} returned a value that is not of type ${typeName(type)}: ${withSubject(fits.message)}`,
    );
  });
}

/** The message about an item of a list begins with the item. */
function withSubject(message: string): string {
  return message.startsWith('must') ? `it ${message}` : message;
}

function nullFor(type: Type, source: Expression): null {
  if (type.nullable) return null;
  throw new Error(`${nameOf(source)} returned null instead of a ${typeName(type)}`);
}

function typeName({ kind, enum: name, many }: Type): string {
  return `${many ? 'list of ' : ''}${name ?? kind}`;
}

function nameOf(source: Expression): string {
  if (source.kind === 'member') return nameOf(source.of);
  if (source.kind === 'snapshot') return `the code behind \`${source.record}\``;
  if (source.kind !== 'hook') return 'custom code';
  const { code } = source.hook;
  return `the hook ${code.kind === 'inline' ? `\`${code.expression}\`` : `\`${code.export}\` of ${code.file}`}`;
}

/**
 * Fits a value for a comparison by equality: a value that does not fit stays as it is, and equals nothing of the type.
 */
export function fittedIfPossible(part: Operand, type: Type, { enumValues }: Environment): Compiled {
  return whereUnknown(part, type, (value) => {
    const checked = fitsType(value, type, enumValues);
    return checked.ok ? checked.value : value;
  });
}

// ── Convert ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// The conversions from one type to another, and to text.

/** Converts a value, or each item of a list. Null stays null. */
export function convert(operand: Operand, to: Type): Compiled {
  const { type: from } = operand;
  const one = strict(conversion(from, to));
  return unary(operand, from.many ? strict((value) => (isList(value) ? value.map(one) : value)) : one);
}

function conversion(from: Type, to: Type): (value: NonNull) => Value {
  if (to.kind === 'string') return KINDS[from.kind].print;
  if (to.digits) return sized(to.digits);
  if (to.kind === 'decimal') return String;
  return from.kind === 'decimal' ? floatFromDecimal : (value) => value;
}

function sized(digits: Digits): (value: NonNull) => Value {
  return (value) => {
    const fitted = fittedDigits(String(value), digits);
    if (fitted === null) throw outOfRange(digitsPhrase(digits));
    return fitted;
  };
}

export function floatFromDecimal(value: Value): number {
  const text = String(value);
  return isZeroDecimal(text) ? 0 : nonZeroFloat(finiteFloat(Number(text)));
}

/** Prints a value. Null is `null`, as in JSON. */
export function stringify(operand: Operand): Compiled {
  const text = operand.type.many ? jsonText : KINDS[operand.type.kind].print;
  return unary(operand, (value) => (value === null ? 'null' : text(value)));
}
