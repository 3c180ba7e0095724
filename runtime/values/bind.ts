/** From values to what Postgres reads as their types. Chosen once for a type. */
import type { Type } from '../../compiler/definition/expression.ts';
import { KINDS } from './kinds.ts';
import type { Value } from './value.ts';

/** What is bound: a text as Postgres reads it, or a list of such texts for an array parameter. */
export type Bound = string | null | readonly (string | null)[];

export function binderOf({ kind, many }: Type): (value: Value) => Bound {
  const { bind } = KINDS[kind];
  const one = (value: Value) => (value === null ? null : bind(value));
  return many ? (value) => (value === null ? null : (value as readonly Value[]).map(one)) : one;
}

/** A list becomes an array literal. Every element is quoted, so that `NULL`, braces and empty texts stay what they are. */
export function textFromBound(bound: Bound): string | null {
  return bound === null || typeof bound === 'string' ? bound : `{${bound.map(elementText).join(',')}}`;
}

function elementText(element: string | null): string {
  return element === null ? 'NULL' : `"${element.replace(/[\\"]/g, '\\$&')}"`;
}
