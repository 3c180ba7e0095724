/** From what Postgres prints to values. Chosen once for a type, then called for every value of a row. */
import type { Type } from '../../compiler/definition/definition.ts';
import { timestampFromPostgres } from './timestamp.ts';
import type { Value } from './value.ts';

type Parser = (text: string | null) => Value;

/** A type of many is printed as a JSON array, in which decimals are strings. */
export function parserOf(type: Type): Parser {
  const parse = type.many ? listParserOf(type) : PARSERS[type.kind];
  return (text) => (text === null ? null : parse(text));
}

const same = (text: string): Value => text;
const json = (text: string): Value => JSON.parse(text) as Value;

const PARSERS: Readonly<Record<Type['kind'], (text: string) => Value>> = {
  string: same,
  integer: Number,
  float: Number,
  boolean: (text) => text === 't' || text === 'true',
  decimal: same,
  timestamp: timestampFromPostgres,
  date: same,
  uuid: same,
  enum: same,
  json,
  record: json,
  any: json,
};

function listParserOf({ kind }: Type): (text: string) => Value {
  if (kind !== 'timestamp') return json;
  return (text) => (JSON.parse(text) as (string | null)[]).map((item) => item && timestampFromPostgres(item));
}
