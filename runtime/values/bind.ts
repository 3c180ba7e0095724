/** From values to what Postgres reads as their types. Chosen once for a type. */
import type { Type } from '../../compiler/definition/definition.ts';
import type { Value } from './value.ts';

/** What is bound: a text as Postgres reads it, or a list of such texts for an array parameter. */
export type Bound = string | null | readonly (string | null)[];

type Binder = (value: Value) => Bound;

export function binderOf(type: Type): Binder {
  const text = TEXTS[type.kind];
  const one = (value: Value) => (value === null ? null : text(value));
  return type.many ? (value) => (value === null ? null : (value as readonly Value[]).map(one)) : one;
}

const json = (value: Value) => JSON.stringify(value);

const TEXTS: Readonly<Record<Type['kind'], (value: Value) => string>> = {
  string: String,
  integer: String,
  float: (value) => (Object.is(value, -0) ? '-0' : String(value)),
  boolean: String,
  decimal: String,
  timestamp: String,
  date: String,
  uuid: String,
  enum: String,
  json,
  record: json,
  any: json,
};
