import type * as ast from '../ast/ast.ts';

/** A path as its author wrote it. */
export function pathText(expression: ast.Expression | undefined): string | undefined {
  if (expression?.kind !== 'path' && expression?.kind !== 'auth' && expression?.kind !== 'input') return undefined;
  const start = expression.kind === 'path' ? [] : [`@${expression.kind}`];
  return [...start, ...expression.steps.map(({ text }) => text)].join('.');
}
