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

/** Also makes 0 of -0, which integers do not have. */
export function safeInteger(value: number): number {
  if (!Number.isSafeInteger(value)) throw outOfRange('is too large for an integer');
  return value + 0;
}

export function finiteFloat(value: number): number {
  if (!Number.isFinite(value)) throw outOfRange('is too large for a float');
  return value;
}

/** Of a product or a quotient whose exact value is not zero, as in Postgres. */
export function nonZeroFloat(value: number): number {
  if (value === 0) throw outOfRange('is too small for a float');
  return finiteFloat(value);
}

export function fittingDecimal(value: string): string {
  // Only a long text can have too many digits, and only then they are counted.
  if (value.length > MAX_WHOLE_DIGITS && wholeDigits(value) > MAX_WHOLE_DIGITS)
    throw outOfRange('has too many digits for a decimal');
  return value;
}

function wholeDigits(value: string): number {
  const end = value.indexOf('.');
  return (end < 0 ? value.length : end) - (value.startsWith('-') ? 1 : 0);
}

/** Before a text of so many characters is made. `most` is how many it may have in any case. */
export function shortEnough(length: number, most = 0): number {
  if (length > Math.max(LONGEST_MADE, most)) throw outOfRange(`is a text of more than ${LONGEST_MADE} characters`);
  return length;
}

/** What is looked for in a text. */
export function shortPart(part: Value): Value {
  if (typeof part === 'string' && isLongerThan(LONGEST_PART, part))
    throw new OutOfRange(
      `must have at most ${LONGEST_PART} characters`,
      `A text to look for in another one must have at most ${LONGEST_PART} characters.`,
    );
  return part;
}
