/** Decimals with a number of digits: `decimal(12, 2)` has at most 12, 2 of them behind the point. */
import type { Digits } from './expression.ts';

/** Writes a decimal with all its places; null if it has more digits. Leading and trailing zeros do not count. */
export function fittedDigits(decimal: string, { all, places }: Digits): string | null {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)0*(\d*?)(?:\.(\d*?)0*)?$/.exec(decimal) ?? [];
  if (whole.length > all - places || fraction.length > places) return null;
  const written = `${whole === '' ? '0' : whole}${places === 0 ? '' : `.${fraction.padEnd(places, '0')}`}`;
  return /[1-9]/.test(written) ? `${sign}${written}` : written;
}

/** The requirement, for a message about a value. */
export function digitsPhrase({ all, places }: Digits): string {
  return `must have at most ${all} digits, ${places} of them after the point`;
}

/** The type as the language writes it. */
export function decimalText({ all, places }: Digits): string {
  return `decimal(${all}, ${places})`;
}

/** The type of the column. */
export function numericType({ all, places }: Digits): `numeric(${number},${number})` {
  return `numeric(${all},${places})`;
}

/** The digits of the type of a column. */
export function digitsOfColumn(type: unknown): Digits | undefined {
  const [, all, places] = (typeof type === 'string' && /^numeric\((\d+),(\d+)\)/.exec(type)) || [];
  return all === undefined ? undefined : { all: Number(all), places: Number(places) };
}

/**
 * Whether every value of one type is a value of the other. The answer is false for a decimal with any number of digits.
 */
export function isWithin(from: Digits | undefined, to: Digits): boolean {
  return from !== undefined && from.places <= to.places && from.all - from.places <= to.all - to.places;
}

/**
 * The pattern of a decimal. A printed value has all its places; a sent value may have fewer, and leading and trailing
 * zeros.
 */
export function digitsPattern({ all, places }: Digits, isSent: boolean): string {
  const whole = all === places ? '0' : `[0-9]{1,${all - places}}`;
  if (!isSent) return `^-?${whole}${places === 0 ? '' : `\\.[0-9]{${places}}`}$`;
  return `^-?0*${whole}(\\.[0-9]{${places === 0 ? '0' : '1'},${places}}0*)?$`;
}

/** The digits of the pattern of a printed or of a sent value. */
export function digitsOfPattern(pattern: string | undefined): Digits | undefined {
  const [, whole, most, places = '0'] =
    /^\^-\?(?:0\*)?(0|\[0-9\]\{1,(\d+)\})(?:\(?\\\.\[0-9\]\{(?:[01],)?(\d+)\}(?:0\*\)\?)?)?\$$/.exec(pattern ?? '') ??
    [];
  return whole === undefined ? undefined : { all: Number(most ?? 0) + Number(places), places: Number(places) };
}
