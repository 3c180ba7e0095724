import type { Type } from '../../compiler/definition/expression.ts';
import { KINDS } from './kinds.ts';
import type { Value } from './value.ts';

/** How values of a type are ordered, as in the database; neither may be null. */
export function comparatorOf(
  { kind, enum: name }: Type,
  enumValues: (name: string) => readonly string[],
): (a: Value, b: Value) => number {
  const { compare } = KINDS[kind];
  const values = name === undefined ? [] : enumValues(name);
  return (a, b) => compare(a, b, values);
}
