/** From what Postgres prints to values. Chosen once for a type, then called for every value of a row. */
import type { Type } from '../../compiler/definition/expression.ts';
import { KINDS } from './kinds.ts';
import type { Value } from './value.ts';

export function parserOf({ kind, many }: Type): (text: string | null) => Value {
  const parse = many ? listParser(kind) : KINDS[kind].parse;
  return (text) => (text === null ? null : parse(text));
}

/** A list is printed as a JSON array, in which decimals and moments are texts. */
function listParser(kind: Type['kind']): (text: string) => Value {
  const { json, parse } = KINDS[kind];
  if (json !== 'moment') return KINDS.json.parse;
  return (text) => (JSON.parse(text) as (string | null)[]).map((item) => item && parse(item));
}
