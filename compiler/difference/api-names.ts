/** How the endpoints, the types and the values of a change are called. */
import { pathTemplate } from '../definition/contract/routes.ts';
import type { Endpoint } from '../definition/endpoint.ts';
import type { Expression, Type } from '../definition/expression.ts';

/** `GET /api/post/{post_slug}`. */
export function labelOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${pathTemplate(path)}`;
}

export function quoted(name: string): string {
  return `\`${name}\``;
}

/** Such as `integer`, `Status` or `[string]`. */
export function typeName({ kind, enum: name, many }: Type): string {
  const one = kind === 'enum' ? (name ?? kind) : kind;
  return many ? `[${one}]` : one;
}

/** What a program writes for the value. Null where it is known only when a request comes. */
export function literalText(expression: Expression | null): string | null {
  if (expression === null) return null;
  if (expression.kind === 'literal') return JSON.stringify(expression.value);
  if (expression.kind !== 'list') return null;
  const items = expression.items.map(literalText);
  return items.includes(null) ? null : `[${items.join(', ')}]`;
}
