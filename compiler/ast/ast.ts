/**
 * The abstract syntax: what the author wrote, without white space, commas and braces. Names are still words; nothing is
 * resolved. A property that is left out is `undefined`; a flag is the span at which it stands.
 */
import type { Declaration } from './declarations.ts';

// All of the abstract syntax is imported from this file.
export type * from './actions.ts';
export type * from './api.ts';
export type * from './declarations.ts';
export type * from './models.ts';
export type * from './nodes.ts';
export type * from './work.ts';

export interface Ast {
  readonly declarations: readonly Declaration[];
}
