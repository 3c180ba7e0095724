import type * as ast from '../ast/ast.ts';
import { snakeCase } from '../program/snake-case.ts';
import type { Context } from './context.ts';
import { checkText } from './texts.ts';

/** The segment of a path: what the author wrote, else the snake_case of the resource as written. */
export function segmentOf(context: Context, written: ast.Text | undefined, resource: string): string {
  return written ? writtenSegment(context, written) : snakeCase(resource);
}

/** One segment: outer slashes are dropped, the rest is encoded, `/` too. */
export function writtenSegment(context: Context, text: ast.Text): string {
  const { value, span } = text;
  checkText(text, context.report);
  const inner = value.replace(/^\/+|\/+$/g, '');
  if (inner === '' || inner === '.' || inner === '..') context.report('empty-path', span, { path: value });
  if (/[/:]/.test(inner))
    context.report('path-of-several', span, { path: inner, encoded: encodeURIComponent(inner.toWellFormed()) });
  return encodeURIComponent(inner.isWellFormed() ? inner : inner.toWellFormed());
}
