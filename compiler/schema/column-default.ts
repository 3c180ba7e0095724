/**
 * The defaults that the database knows too, for rows that others insert. The server applies every default by itself,
 * so one that Postgres cannot express is simply not among them.
 */
import type { Call, Expression, Field, Scalar } from '../definition/definition.ts';
import type { ColumnDefault } from '../definition/schema.ts';

export function columnDefault({ default: value, type }: Field): ColumnDefault | null {
  if (value === null) return null;
  if (value.kind === 'call') return clock(value, type.kind);
  const constant = constantOf(value);
  if (constant === undefined || constant === null) return null;
  return { kind: 'value', text: TEXTS[type.kind as Scalar | 'enum'](constant) };
}

function clock({ function: name }: Call, column: string): ColumnDefault | null {
  if (name === 'now' && (column === 'timestamp' || column === 'integer')) return { kind: 'now' };
  return name === 'today' && column === 'date' ? { kind: 'today' } : null;
}

type Constant = string | number | boolean | null | readonly Constant[];

function constantOf(expression: Expression): Constant | undefined {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind !== 'list') return undefined;
  const items = expression.items.map(constantOf);
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** One text for each value, so that two ways to write a value are no difference between two schemas. */
const TEXTS: Readonly<Record<Scalar | 'enum', (value: Constant) => string>> = {
  string: String,
  integer: String,
  float: String,
  boolean: String,
  decimal: String,
  enum: String,
  uuid: (value) => String(value).toLowerCase(),
  json: (value) => JSON.stringify(value),
  date: String,
  timestamp: (value) => inUtc(String(value)),
};

function inUtc(timestamp: string): string {
  const fraction = /\.\d+/.exec(timestamp)?.[0] ?? '';
  const moment = new Date(timestamp.replace(fraction, '')).toISOString();
  return moment.replace('.000Z', `${fraction.replace(/\.?0+$/, '')}Z`);
}
