/** Numbers that a type cannot hold are refused, as the database refuses them. */
import { LONGEST_MADE, LONGEST_PART } from '../../compiler/definition/contract/validators.ts';
import { ApiError } from '../errors/api-error.ts';
import { MAX_WHOLE_DIGITS } from '../values/decimal.ts';
import { isLongerThan } from '../values/text.ts';
import type { Value } from '../values/value.ts';

export class OutOfRange extends ApiError {
  constructor(message: string, detail = `A result ${message}.`) {
    const errors = [{ path: '', code: 'out-of-range', message, params: {} }];
    super('validation-failed', { detail, errors });
  }
}

export function outOfRange(message: string): OutOfRange {
  return new OutOfRange(message);
}

/** Checks an integer, and turns -0, which integers do not have, into 0. */
export function safeInteger(value: number): number {
  if (!Number.isSafeInteger(value)) throw outOfRange('is too large for an integer');
  return value + 0;
}

export function finiteFloat(value: number): number {
  if (!Number.isFinite(value)) throw outOfRange('is too large for a float');
  return value;
}

/** Checks a product or a quotient whose exact value is not zero, as in Postgres. */
export function nonZeroFloat(value: number): number {
  if (value === 0) throw outOfRange('is too small for a float');
  return finiteFloat(value);
}

export function fittingDecimal(value: string): string {
  // Only a long text can have too many digits, so only those of a long one are counted.
  if (value.length > MAX_WHOLE_DIGITS && wholeDigits(value) > MAX_WHOLE_DIGITS)
    throw outOfRange('has too many digits for a decimal');
  return value;
}

function wholeDigits(value: string): number {
  const end = value.indexOf('.');
  return (end < 0 ? value.length : end) - (value.startsWith('-') ? 1 : 0);
}

/** Checks the length of a text before it is made. `most` is a length that is always allowed. */
export function shortEnough(length: number, most = 0): number {
  if (length > Math.max(LONGEST_MADE, most)) throw outOfRange(`is a text of more than ${LONGEST_MADE} characters`);
  return length;
}

/** Checks the length of a text to search for. */
export function shortPart(part: Value): Value {
  if (typeof part === 'string' && isLongerThan(LONGEST_PART, part))
    throw new OutOfRange(
      `must have at most ${LONGEST_PART} characters`,
      `A text to look for in another one must have at most ${LONGEST_PART} characters.`,
    );
  return part;
}
