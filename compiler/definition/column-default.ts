/**
 * The defaults that the database knows too, for rows that others insert. The server applies every default by itself,
 * so one that Postgres cannot express is simply not among them.
 */
import type { Field } from './definition.ts';
import type { Call, Expression, Type } from './expression.ts';
import { isScalar, SCALARS } from './scalars.ts';
import type { ColumnDefault } from './schema.ts';

export function columnDefault({ default: value, type }: Field): ColumnDefault | null {
  if (value === null) return null;
  if (value.kind === 'call') return clock(value, type.kind);
  const constant = constantOf(value);
  if (constant === undefined || constant === null) return null;
  return { kind: 'value', text: type.many ? listText(constant, type.kind) : textOf(constant, type.kind) };
}

/** A JSON list of the texts of the items. */
function listText(items: Constant, kind: Type['kind']): string {
  return JSON.stringify((items as readonly Constant[]).map((item) => textOf(item, kind)));
}

function clock({ function: name }: Call, column: string): ColumnDefault | null {
  if (name === 'now' && (column === 'timestamp' || column === 'integer')) return { kind: 'now' };
  return name === 'today' && column === 'date' ? { kind: 'today' } : null;
}

type Constant = string | number | boolean | null | readonly Constant[];

/** The constant value; undefined if it is known only when a request comes. */
export function constantOf(expression: Expression): Constant | undefined {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind !== 'list') return undefined;
  const items = expression.items.map(constantOf);
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** One text for each value, so that two ways to write a value are no difference between two schemas. */
function textOf(constant: Constant, kind: Type['kind']): string {
  if (kind === 'json') return JSON.stringify(constant);
  const canonical = isScalar(kind) ? SCALARS[kind].form?.canonical : undefined;
  return canonical ? canonical(String(constant)) : String(constant);
}
