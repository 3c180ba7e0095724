import type { Type } from '../../compiler/definition/definition.ts';
import { isList, isSameJson, isSameList } from './json.ts';
import { compareNumbers } from './order.ts';
import type { Value } from './value.ts';

/** Two nulls are equal. Decimals are compared by value, JSON without regard to the order of keys. */
export function equal(a: Value, b: Value, type?: Type): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  if (type?.kind !== 'decimal') return typeof a === 'object' && isSameJson(a, b);
  if (type.many && isList(a) && isList(b)) return isSameList(a, b, isSameDecimal);
  return isSameDecimal(a, b);
}

function isSameDecimal(a: Value, b: Value): boolean {
  return a === b || (isNumeric(a) && isNumeric(b) && compareNumbers(a, b) === 0);
}

function isNumeric(value: Value): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
}
