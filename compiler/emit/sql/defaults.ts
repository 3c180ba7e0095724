/**
 * The defaults that the database knows too, for rows that others insert. The server applies every default by itself,
 * so one that Postgres cannot express, or cannot store, is simply not among them.
 */
import type { Call, Expression, Field, Scalar } from '../../definition/definition.ts';
import type { ColumnDefault } from './schema.ts';

export function columnDefault({ default: value, type }: Field): ColumnDefault | null {
  if (value === null) return null;
  if (value.kind === 'call') return clock(value, type.kind);
  const constant = constantOf(value);
  if (constant === undefined || constant === null) return null;
  const text = TEXTS[type.kind as Scalar | 'enum'](constant);
  return text === null ? null : { kind: 'value', text };
}

function clock({ function: name }: Call, column: string): ColumnDefault | null {
  if (name === 'now' && (column === 'timestamp' || column === 'integer')) return { kind: 'now' };
  return name === 'today' && column === 'date' ? { kind: 'today' } : null;
}

type Constant = string | number | boolean | null | readonly Constant[];

function constantOf(expression: Expression): Constant | undefined {
  if (expression.kind === 'literal') return isStorable(expression.value) ? expression.value : undefined;
  if (expression.kind !== 'list') return undefined;
  const items = expression.items.map(constantOf);
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** No text of Postgres holds the character zero or half a surrogate pair. */
function isStorable(value: Constant): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'string' || (!value.includes('\0') && value.isWellFormed());
}

/** One text for each value, so that two ways to write a value are no difference between two schemas. */
const TEXTS: Readonly<Record<Scalar | 'enum', (value: Constant) => string | null>> = {
  string: String,
  integer: String,
  float: String,
  boolean: String,
  decimal: String,
  enum: String,
  uuid: (value) => String(value).toLowerCase(),
  json: (value) => JSON.stringify(value),
  date: (value) => inCalendar(String(value)),
  timestamp: (value) => inUtc(String(value)),
};

function inUtc(timestamp: string): string | null {
  const fraction = /\.\d+/.exec(timestamp)?.[0] ?? '';
  const moment = new Date(timestamp.replace(fraction, '')).toISOString();
  return inCalendar(moment.replace('.000Z', `${fraction.replace(/\.?0+$/, '')}Z`));
}

/** Years from 1 to 9999: what four digits say to Postgres, which has no year 0. */
function inCalendar(text: string): string | null {
  return /^(?!0000)\d{4}-/.test(text) ? text : null;
}
