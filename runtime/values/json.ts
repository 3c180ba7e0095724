/** Values as JSON. */

import type { Type } from '../../compiler/definition/expression.ts';
import { decimalFromNumber, withoutZeros } from './decimal.ts';
import { compareTexts, isStorable } from './text.ts';
import type { Value } from './value.ts';

/** Postgres and JavaScript read deeper ones, but nobody means them, and they cost a stack. */
const MAX_DEPTH = 100;

/** The text that Postgres prints of the same `jsonb`: its order of keys, its spaces, numbers without exponents. */
export function jsonText(value: Value): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '0' : decimalFromNumber(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(jsonText).join(', ')}]`;
  const keys = Object.keys(value).sort(compareKeys);
  return `{${keys.map((key) => `${JSON.stringify(key)}: ${jsonText(value[key] ?? null)}`).join(', ')}}`;
}

function compareKeys(a: string, b: string): number {
  return Buffer.byteLength(a) - Buffer.byteLength(b) || compareTexts(a, b);
}

export function isList(value: unknown): value is readonly Value[] {
  return Array.isArray(value);
}

/** Compares values without regard to the order of keys. */
export function isSameJson(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (isList(a) || isList(b)) return isList(a) && isList(b) && isSameList(a, b, isSameJson);
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key] ?? null, b[key] ?? null));
}

export function isSameList(a: readonly Value[], b: readonly Value[], isSame: (a: Value, b: Value) => boolean): boolean {
  return a.length === b.length && a.every((item, index) => isSame(item, b[index] ?? null));
}

/** The fault of a value that was read from JSON; null where Postgres can store it. */
export function faultOfJson(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : UNSTORABLE;
  if (typeof value === 'number') return Number.isFinite(value) ? null : INEXACT;
  if (value === null || typeof value !== 'object') return null;
  if (depth === MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`;
  if (!isList(value) && !Object.keys(value).every(isStorable)) return UNSTORABLE;
  for (const item of Object.values(value)) {
    const fault = faultOfJson(item, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

const INEXACT = 'must not contain a number that a double cannot hold exactly; send it as a string';

export const UNSTORABLE = 'must not contain the character U+0000 or half of a surrogate pair';

/** Whether no two items are equal. Null replaces an item that could not be read, and does not count. */
export function areDistinct(items: readonly Value[], { kind }: Type): boolean {
  const keyOf = KEYS[kind] ?? ((item: Value) => item);
  const keys = items.filter((item) => item !== null).map(keyOf);
  return new Set(keys).size === keys.length;
}

/** The keys that are the same for equal values, where the values themselves are not. */
const KEYS: Readonly<Partial<Record<Type['kind'], (item: Value) => Value>>> = {
  decimal: (item) => withoutZeros(String(item)),
  json: jsonText,
  any: jsonText,
};
