/** Floats as Postgres's `float8` has them. Whether a result is finite is for the caller to ask. */
import { decimalFromPrinted, moduloDecimals } from './decimal.ts';

/**
 * Prints a float as Postgres does: the shortest digits that give the number back, with an exponent from 1e15 and below
 * 1e-4.
 */
export function floatText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const size = Math.abs(value);
  if ((size >= 1e-4 && size < 1e15) || !Number.isFinite(value)) return String(value);
  const [mantissa = '', exponent = ''] = shortestExponential(value).split('e');
  return `${mantissa}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`;
}

/**
 * The shortest digits, with an exponent. If they lie exactly between two floats, JavaScript takes them and Postgres
 * adds a digit: 1e23.
 */
function shortestExponential(value: number): string {
  let text = value.toExponential();
  if (Math.abs(value) < 2 ** 53) return text;
  for (let digits = digitsOf(text); liesBetweenFloats(text, value); digits++) text = value.toExponential(digits);
  return text;
}

function digitsOf(exponential: string): number {
  return exponential.slice(0, exponential.indexOf('e')).replace(/[-.]/g, '').length;
}

/** Compares numbers so large that they and all between them are integers. */
function liesBetweenFloats(text: string, value: number): boolean {
  const printed = BigInt(decimalFromPrinted(text));
  const exact = BigInt(value);
  const neighbour = BigInt(neighbourOf(value, printed > exact));
  return printed !== exact && printed * 2n === exact + neighbour;
}

const bits = new DataView(new ArrayBuffer(8));

function neighbourOf(value: number, isAbove: boolean): number {
  bits.setFloat64(0, value);
  const isOutward = value > 0 === isAbove;
  bits.setBigInt64(0, bits.getBigInt64(0) + (isOutward ? 1n : -1n));
  const neighbour = bits.getFloat64(0);
  return Number.isFinite(neighbour) ? neighbour : value;
}

/** The remainder of the numbers as they are printed, so that `0.3 % 0.1` is 0. Null where the second is zero. */
export function moduloFloats(a: number, b: number): number | null {
  const remainder = moduloDecimals(decimalFromPrinted(floatText(a)), decimalFromPrinted(floatText(b)));
  return remainder === null ? null : Number(remainder);
}

/** Rounds; halves go away from zero. */
export function roundFloat(value: number, places: number): number {
  // `10 ** places` is not the nearest double for every exponent; what is written out is.
  const unit = Number(`1e${places}`);
  return (signOf(value) * Math.floor(Math.abs(value) * unit + 0.5)) / unit;
}

/** The sign, which is 0 for -0, as in Postgres and unlike `Math.sign`. */
function signOf(value: number): number {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}
