/** The functions of the language, in SQL. Each gives what its counterpart in the server gives. */
import type { Call, Type } from '../../definition/definition.ts';

export function callSql({ function: name, arguments: args, type }: Call, values: readonly string[]): string {
  const [value = '', digits] = values;
  const from = args[0]?.type ?? type;
  switch (name) {
    case 'now':
      return type.kind === 'integer' ? 'floor(extract(epoch FROM now()) * 1000)::bigint' : 'now()';
    case 'today':
      return "(now() AT TIME ZONE 'UTC')::date";
    case 'length':
      return `char_length(${value})::bigint`;
    case 'lower':
    case 'upper':
      return `${name}(${value} COLLATE "und-x-icu")`;
    case 'trim':
      return `btrim(${value}, ${WHITE_SPACE})`;
    case 'stringify':
      return from.nullable ? `coalesce(${textSql(value, from)}, 'null')` : textSql(value, from);
    case 'concat':
    case 'coalesce':
      return `${name}(${values.join(', ')})`;
    case 'abs':
      return `abs(${value})`;
    case 'round':
      return roundSql(value, digits, from, type);
    case 'cryptoHash':
    case 'cryptoCompare':
    case 'cryptoToken':
      throw new Error(`\`${name}\` is nothing that the database knows`);
  }
}

/** Halves go away from zero, which Postgres does for numeric only. */
function roundSql(value: string, digits: string | undefined, from: Type, type: Type): string {
  if (from.kind === 'integer') {
    return digits === undefined ? value : `round(${value}::numeric, ${digits}::integer)::bigint`;
  }
  if (from.kind === 'decimal') return `round(${value}, ${digits ?? '0'}::integer)`;
  const scale = digits === undefined ? '1' : `('1e' || ${digits})::double precision`;
  const rounded = `(sign(${value}) * floor(abs(${value}) * ${scale} + 0.5) / ${scale})`;
  return type.kind === 'integer' ? `${rounded}::bigint` : rounded;
}

/** A value as it is in JSON, without quotes. */
export function textSql(value: string, { kind, many }: Type): string {
  if (many) return `(${value})::text`;
  switch (kind) {
    case 'string':
    case 'any':
      return value;
    case 'timestamp':
      return timestampText(value);
    case 'integer':
    case 'float':
    case 'boolean':
    case 'decimal':
    case 'date':
    case 'uuid':
    case 'json':
    case 'enum':
    case 'record':
      return `(${value})::text`;
  }
}

/** `2026-11-15T04:56:40.12Z`, with no zeros at the end of the fraction. */
function timestampText(value: string): string {
  const micros = `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
  return `(rtrim(rtrim(${micros}, '0'), '.') || 'Z')`;
}

/** All that JavaScript counts as white space, with the letters' numbers. */
const WHITE_SPACE =
  "E'\\u0009\\u000a\\u000b\\u000c\\u000d\\u0020\\u00a0\\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005\\u2006\\u2007" +
  "\\u2008\\u2009\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'";
