/** What can be done with the values of a type. All checks ask here. */
import { hasTrait } from '../definition/scalars.ts';
import type { Type } from './program.ts';

/** What custom code gives can be anything. */
const has = (trait: Parameters<typeof hasTrait>[1], { base }: Type) =>
  base.kind === 'any' || hasTrait(base.kind, trait);

export const isNumber = (type: Type): boolean => has('number', type);
export const isOrdered = (type: Type): boolean => has('ordered', type);
export const isSortable = (type: Type): boolean => !type.many && (type.base.kind === 'enum' || has('sortable', type));
export const isJoinable = (type: Type): boolean => !type.many && has('joinable', type);
