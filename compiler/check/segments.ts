import type * as ast from '../ast/ast.ts';
import { snakeCase } from '../program/snake-case.ts';
import type { Context } from './context.ts';

/** The segment of a path: what the author wrote, else the snake_case of the resource as written. */
export function segmentOf(context: Context, written: ast.Text | undefined, resource: string): string {
  return written ? writtenSegment(context, written) : snakeCase(resource);
}

/** One segment: outer slashes are dropped, the rest is encoded, `/` too. */
export function writtenSegment(context: Context, { value, span }: ast.Text): string {
  const inner = value.replace(/^\/+|\/+$/g, '');
  if (inner === '' || inner === '.' || inner === '..') context.report('empty-path', span, { path: value });
  return encodeURIComponent(inner.isWellFormed() ? inner : inner.toWellFormed());
}
