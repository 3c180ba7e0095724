import type { Type } from '../../compiler/definition/expression.ts';
import { isList, isSameJson, isSameList } from './json.ts';
import { KINDS } from './kinds.ts';
import type { Value } from './value.ts';

/** Two nulls are equal. Decimals are compared by value, JSON without regard to the order of keys. */
export function equal(a: Value, b: Value, type?: Type): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  const isSame = type ? KINDS[type.kind].isSame : isSameJson;
  return type?.many && isList(a) && isList(b) ? isSameList(a, b, isSame) : isSame(a, b);
}
