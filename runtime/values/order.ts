import type { Type } from '../../compiler/definition/definition.ts';
import { compareDates } from './date.ts';
import { compareDecimals, decimalFromNumber } from './decimal.ts';
import { compareTexts } from './text.ts';
import { compareTimestamps } from './timestamp.ts';
import type { Value } from './value.ts';

type Comparator = (a: Value, b: Value) => number;

/** How values of a type are ordered, as in the database; neither may be null. */
export function comparatorOf(type: Type, enumValues: (name: string) => readonly string[]): Comparator {
  if (type.kind !== 'enum') return COMPARATORS[type.kind];
  const values = enumValues(type.enum ?? '');
  return (a, b) => values.indexOf(a as string) - values.indexOf(b as string);
}

const byText = (compare: (a: string, b: string) => number): Comparator => compare as Comparator;

/** Numbers and the texts of decimals, in any mixture. */
export function compareNumbers(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return compareDecimals(decimalOf(a), decimalOf(b));
}

function decimalOf(value: Value): string {
  return typeof value === 'number' ? decimalFromNumber(value) : String(value);
}

/** Of what custom code gives, numbers and texts have an order. */
function compareAny(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  throw new Error(`${typeof a} and ${typeof b} cannot be compared`);
}

const COMPARATORS: Readonly<Record<Exclude<Type['kind'], 'enum'>, Comparator>> = {
  string: byText(compareTexts),
  integer: compareNumbers,
  float: compareNumbers,
  decimal: compareNumbers,
  boolean: (a, b) => Number(a) - Number(b),
  timestamp: byText(compareTimestamps),
  date: byText(compareDates),
  uuid: byText(compareTexts),
  json: compareAny,
  record: compareAny,
  any: compareAny,
};
