import type { Type } from '../../compiler/definition/expression.ts';
import { jsonText } from './json.ts';
import type { Value } from './value.ts';

/** Whether no two items are equal. In place of an item that could not be read stands null, which is no item. */
export function areDistinct(items: readonly Value[], { kind }: Type): boolean {
  const keyOf = KEYS[kind] ?? ((item: Value) => item);
  const keys = items.filter((item) => item !== null).map(keyOf);
  return new Set(keys).size === keys.length;
}

/** What is the same of equal values, where the values themselves are not. */
const KEYS: Readonly<Partial<Record<Type['kind'], (item: Value) => Value>>> = {
  decimal: (item) => withoutZeros(String(item)),
  json: jsonText,
  any: jsonText,
};

function withoutZeros(decimal: string): string {
  let end = decimal.length;
  if (decimal.includes('.')) while (decimal[end - 1] === '0') end--;
  const short = decimal.slice(0, decimal[end - 1] === '.' ? end - 1 : end);
  return short === '-0' ? '0' : short;
}
