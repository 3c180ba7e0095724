/**
 * Exact numbers as texts, as Postgres's `numeric` has them: `1.50 + 1` is `2.50`. Every function takes canonical texts
 * and gives one, equal to what Postgres prints for the same operation.
 */
import { QUOTIENT_PLACES } from '../../compiler/definition/functions.ts';
import type { Value } from './value.ts';

/** The limits of a `numeric` of Postgres, in digits before and after the point. */
export const MAX_WHOLE_DIGITS = 131_072;
const MAX_SCALE = 16_383;

/** `digits` without the point, of which `scale` stand behind it. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const FORM = /^(-?)(\d+)(\.\d+)?$/;

/** The one form of a decimal: no zeros in front, no `-0`; zeros at the end stay. Null where the text is none. */
export function canonicalDecimal(text: string): string | null {
  const [, sign = '', written = '', fraction = ''] = FORM.exec(text) ?? [];
  const whole = written.replace(/^0+(?=\d)/, '');
  if (whole === '' || whole.length > MAX_WHOLE_DIGITS || fraction.length - 1 > MAX_SCALE) return null;
  const isZero = whole === '0' && !/[1-9]/.test(fraction);
  return `${isZero ? '' : sign}${whole}${fraction}`;
}

function decimalFromText(text: string): Decimal {
  const point = text.indexOf('.');
  if (point < 0) return { digits: BigInt(text), scale: 0 };
  return { digits: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

function textFromDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  if (scale === 0) return sign + text;
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

function digitsAt({ digits, scale }: Decimal, wanted: number): bigint {
  return wanted === scale ? digits : digits * powerOfTen(wanted - scale);
}

/** Applies a function to both at the larger scale, which is also that of a sum. */
function aligned<T>(a: string, b: string, apply: (a: bigint, b: bigint, scale: number) => T): T {
  const left = decimalFromText(a);
  const right = decimalFromText(b);
  const scale = Math.max(left.scale, right.scale);
  return apply(digitsAt(left, scale), digitsAt(right, scale), scale);
}

export function addDecimals(a: string, b: string): string {
  return aligned(a, b, (left, right, scale) => textFromDecimal({ digits: left + right, scale }));
}

/**
 * Adds the halves first: adding one after the other would take the square of the digits, if one of many values is long.
 */
export function sumOfDecimals(values: readonly string[]): string {
  return textFromDecimal(total(values.map(decimalFromText)));
}

function total(values: readonly Decimal[]): Decimal {
  if (values.length < 2) return values[0] ?? { digits: 0n, scale: 0 };
  const half = values.length >> 1;
  const [left, right] = [total(values.slice(0, half)), total(values.slice(half))];
  const scale = Math.max(left.scale, right.scale);
  return { digits: digitsAt(left, scale) + digitsAt(right, scale), scale };
}

export function subtractDecimals(a: string, b: string): string {
  return aligned(a, b, (left, right, scale) => textFromDecimal({ digits: left - right, scale }));
}

export function multiplyDecimals(a: string, b: string): string {
  const left = decimalFromText(a);
  const right = decimalFromText(b);
  const product = { digits: left.digits * right.digits, scale: left.scale + right.scale };
  return textFromDecimal(product.scale > MAX_SCALE ? rounded(product, MAX_SCALE) : product);
}

/** The remainder, with the sign of the first. Null where the second is zero. */
export function moduloDecimals(a: string, b: string): string | null {
  return aligned(a, b, (left, right, scale) =>
    right === 0n ? null : textFromDecimal({ digits: left % right, scale }),
  );
}

/** Compares numbers and the texts of decimals, in any mixture. */
export function compareNumbers(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return compareDecimals(decimalOf(a), decimalOf(b));
}

function decimalOf(value: Value): string {
  return typeof value === 'number' ? decimalFromNumber(value) : String(value);
}

/** Compares digit by digit: making numbers of two long texts takes far longer. */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0;
  const isNegative = a.startsWith('-');
  if (isNegative !== b.startsWith('-')) return isNegative ? -1 : 1;
  return isNegative ? compareMagnitudes(b.slice(1), a.slice(1)) : compareMagnitudes(a, b);
}

/** Compares two texts without a sign. */
function compareMagnitudes(a: string, b: string): number {
  const [left = '', leftFraction = ''] = a.split('.');
  const [right = '', rightFraction = ''] = b.split('.');
  if (left.length !== right.length) return left.length < right.length ? -1 : 1;
  if (left !== right) return left < right ? -1 : 1;
  return compareFractions(leftFraction, rightFraction);
}

function compareFractions(a: string, b: string): number {
  const length = Math.max(a.length, b.length);
  const left = a.padEnd(length, '0');
  const right = b.padEnd(length, '0');
  return left < right ? -1 : left > right ? 1 : 0;
}

export function negateDecimal(value: string): string {
  if (value.startsWith('-')) return value.slice(1);
  return isZeroDecimal(value) ? value : `-${value}`;
}

export function absoluteDecimal(value: string): string {
  return value.startsWith('-') ? value.slice(1) : value;
}

export function isZeroDecimal(value: string): boolean {
  return !/[1-9]/.test(value);
}

/** Rounds; halves go away from zero. Negative places round before the point. */
export function roundDecimal(value: string, places: number): string {
  const limited = Math.min(Math.max(places, -MAX_WHOLE_DIGITS - 1), MAX_SCALE);
  return textFromDecimal(rounded(decimalFromText(value), limited));
}

/** The whole number below or above the value, or the value itself. */
export function wholeDecimal(value: string, direction: 'floor' | 'ceil'): string {
  const { digits, scale } = decimalFromText(value);
  const unit = powerOfTen(scale);
  const rest = digits % unit;
  const step = direction === 'ceil' ? (rest > 0n ? 1n : 0n) : rest < 0n ? -1n : 0n;
  return (digits / unit + step).toString();
}

function rounded(value: Decimal, places: number): Decimal {
  if (places >= value.scale) return { digits: digitsAt(value, places), scale: places };
  const unit = powerOfTen(value.scale - places);
  const digits = dividedHalfAway(value.digits, unit);
  return places >= 0 ? { digits, scale: places } : { digits: digits * powerOfTen(-places), scale: 0 };
}

function dividedHalfAway(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n !== divisor < 0n;
  const magnitude = dividend < 0n ? -dividend : dividend;
  const by = divisor < 0n ? -divisor : divisor;
  const quotient = (magnitude * 2n + by) / (by * 2n);
  return isNegative ? -quotient : quotient;
}

/** The quotient without trailing zeros. Null where the second is zero. */
export function quotientOf(a: string, b: string): string | null {
  const quotient = divideDecimals(a, b, QUOTIENT_PLACES);
  return quotient === null ? null : withoutZeros(quotient);
}

export function withoutZeros(decimal: string): string {
  let end = decimal.length;
  if (decimal.includes('.')) while (decimal[end - 1] === '0') end--;
  const short = decimal.slice(0, decimal[end - 1] === '.' ? end - 1 : end);
  return short === '-0' ? '0' : short;
}

/** Divides with as many digits as Postgres, unless `places` is given. Null where the second is zero. */
export function divideDecimals(a: string, b: string, places?: number): string | null {
  const left = decimalFromText(a);
  const right = decimalFromText(b);
  if (right.digits === 0n) return null;
  const scale = places ?? quotientScale(left, right);
  const exponent = scale + right.scale - left.scale;
  const dividend = exponent >= 0 ? left.digits * powerOfTen(exponent) : left.digits;
  const divisor = exponent >= 0 ? right.digits : right.digits * powerOfTen(-exponent);
  return textFromDecimal({ digits: dividedHalfAway(dividend, divisor), scale });
}

/** Postgres counts in groups of four digits: at least sixteen significant digits, and no fewer than either side has. */
function quotientScale(left: Decimal, right: Decimal): number {
  const dividend = leadingGroup(left);
  const divisor = leadingGroup(right);
  const weight = dividend.weight - divisor.weight - (dividend.group <= divisor.group ? 1 : 0);
  return Math.min(Math.max(16 - weight * 4, left.scale, right.scale), 1000);
}

function leadingGroup({ digits, scale }: Decimal): { readonly weight: number; readonly group: number } {
  if (digits === 0n) return { weight: 0, group: 0 };
  const text = (digits < 0n ? -digits : digits).toString();
  const magnitude = text.length - scale - 1;
  const weight = Math.floor(magnitude / 4);
  return { weight, group: Number(text.padEnd(4, '0').slice(0, magnitude - weight * 4 + 1)) };
}

/** The digits of a finite number as JavaScript prints them, without an exponent: `1e-7` is `0.0000001`. */
export function decimalFromNumber(value: number): string {
  return decimalFromPrinted(String(value));
}

/** Reads `1.5e-7`, or a text without an exponent. */
export function decimalFromPrinted(text: string): string {
  const [mantissa = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  const { digits, scale } = decimalFromText(mantissa);
  const places = scale - Number(exponent);
  return textFromDecimal(places > 0 ? { digits, scale: places } : { digits: digits * powerOfTen(-places), scale: 0 });
}
