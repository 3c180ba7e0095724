import type { Expression } from '../program/program.ts';
import { ANY } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';

/** What has been reported already: it fits everywhere, so that nothing follows from it. */
export function reported(span: Span): Expression {
  return { kind: 'literal', value: null, type: ANY, span };
}

export function isReported({ kind, type }: Expression): boolean {
  return kind === 'literal' && type.base.kind === 'any';
}
