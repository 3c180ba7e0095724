import type { Call } from './expression.ts';

/** Whether it looks for a part of a text that is not written in the source. Its result is out of range for a long part. */
export function isSearch({ function: name, arguments: [, part] }: Pick<Call, 'function' | 'arguments'>): boolean {
  return SEARCHES.includes(name) && part?.kind !== 'literal';
}

const SEARCHES: readonly Call['function'][] = ['contains', 'startsWith', 'endsWith'];
