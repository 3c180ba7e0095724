/** What can be done with the values of a type. All checks ask here. */
import { SCALARS, type Trait } from '../definition/scalars.ts';
import type { Base, Type } from './program.ts';

function has(trait: Trait, { kind }: Base): boolean {
  switch (kind) {
    case 'enum':
      return trait === 'sortable';
    case 'record':
    case 'null':
      return false;
    case 'any':
      return true;
    default:
      return SCALARS[kind].traits.includes(trait);
  }
}

export const isNumber = ({ base }: Type): boolean => has('number', base);
export const isOrdered = ({ base }: Type): boolean => has('ordered', base);
export const isSortable = ({ base, many }: Type): boolean => !many && has('sortable', base);
export const isJoinable = ({ base, many }: Type): boolean => !many && has('joinable', base);
