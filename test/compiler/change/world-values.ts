/** Values for the rows of a world, and what they become when their type is widened. */

import type { Scalar } from '../../../compiler/definition/definition.ts';
import { floatText } from '../../../runtime/values/float.ts';
import type { Random } from './random.ts';
import { isEnumValue, type WorldCell, type WorldDefault, type WorldField } from './world.ts';

/** Of the types whose values can all be different, the value number `n`. */
export function distinctValue(type: Scalar, n: number): WorldCell {
  switch (type) {
    case 'integer':
      return 9007199254740991 - n;
    case 'float':
      return n + 0.1;
    case 'decimal':
      return `${n}.10`;
    case 'string':
      return `it's \\ ${n}`;
    case 'uuid':
      return `018f4e6a-7c1b-7d2e-9a3f-${n.toString(16).padStart(12, '0')}`;
    case 'date':
      return new Date(n * 86_400_000).toISOString().slice(0, 10);
    case 'timestamp':
      return new Date(n * 1000).toISOString().replace('.000Z', '.12Z');
    case 'json':
    case 'file':
      return `json ${n}`;
    case 'boolean':
      return n % 2 === 0;
  }
}

/** Of those that are also lists here: what is read of them needs no form of its own. */
export const LIST_TYPES: readonly Scalar[] = ['integer', 'decimal', 'string', 'boolean'];

export const DISTINCT_TYPES: readonly Scalar[] = ['integer', 'float', 'decimal', 'string', 'uuid', 'date', 'timestamp'];

type OfField = Pick<WorldField, 'type' | 'isList'>;

export function randomDefault({ type, isList }: OfField, random: Random): WorldDefault {
  if (!isList) return oneDefault(type, random);
  const items = Array.from({ length: random.below(3) }, () => oneDefault(type, random));
  const source = typeof type === 'string' ? `[${items.map((item) => item.source).join(', ')}]` : '';
  return { source, value: items.map(({ value }) => value) };
}

function oneDefault(type: WorldField['type'], random: Random): WorldDefault {
  if (typeof type !== 'string') return { source: '', value: random.pick(type.values) };
  const value = distinctValue(type, 100_000 + random.below(50));
  return { source: type === 'decimal' ? String(value) : JSON.stringify(value), value };
}

const WIDER: Readonly<Partial<Record<Scalar, readonly Scalar[]>>> = {
  integer: ['float', 'decimal', 'string', 'json'],
  float: ['string', 'json'],
  decimal: ['string', 'json'],
  boolean: ['string', 'json'],
  uuid: ['string', 'json'],
  date: ['timestamp', 'string', 'json'],
  timestamp: ['string', 'json'],
  string: ['json'],
};

export function widerTypes(type: WorldField['type']): readonly Scalar[] {
  return typeof type === 'string' ? (WIDER[type] ?? []) : ['string', 'json'];
}

export function widened(value: WorldCell, from: WorldField['type'], to: Scalar): WorldCell {
  if (value === null) return null;
  if (Array.isArray(value)) throw new Error('a list has no wider type');
  if (isEnumValue(value)) return value.name;
  if (to === 'float' || to === 'json') return value;
  if (from === 'date' && to === 'timestamp') return `${value}T00:00:00Z`;
  // Both the server and Postgres print a float with an exponent from 1e15.
  return from === 'float' ? floatText(value as number) : String(value);
}

/** What is read from the database to be compared with a cell. */
export function cellSql(column: string, type: WorldField['type'] | 'key', isList: boolean): string {
  if (isList) return type === 'decimal' ? `to_jsonb(${column}::text[])` : `to_jsonb(${column})`;
  if (type === 'decimal') return `${column}::text`;
  if (type !== 'timestamp') return `to_jsonb(${column})`;
  return `rtrim(rtrim(to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z'`;
}
