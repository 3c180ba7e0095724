/**
 * What can be done with the values of a type. All checks ask here, so that a new type answers every question once, and
 * cannot be forgotten by one of them.
 */
import type { Base, Type } from './program.ts';

interface Traits {
  /** Takes part in `+ - * / %`, `sum` and `avg`. */
  readonly isNumber: boolean;
  /** Takes part in `< <= > >=`, `min` and `max`. */
  readonly isOrdered: boolean;
  /** `order by` takes it. */
  readonly isSortable: boolean;
  /** `+` and `concat` join it to a text. */
  readonly isJoinable: boolean;
}

const traits = (...names: readonly (keyof Traits)[]): Traits => ({
  isNumber: names.includes('isNumber'),
  isOrdered: names.includes('isOrdered'),
  isSortable: names.includes('isSortable'),
  isJoinable: names.includes('isJoinable'),
});

const TRAITS: Readonly<Record<Base['kind'], Traits>> = {
  string: traits('isOrdered', 'isSortable', 'isJoinable'),
  integer: traits('isNumber', 'isOrdered', 'isSortable', 'isJoinable'),
  float: traits('isNumber', 'isOrdered', 'isSortable', 'isJoinable'),
  boolean: traits('isSortable', 'isJoinable'),
  decimal: traits('isNumber', 'isOrdered', 'isSortable'),
  timestamp: traits('isOrdered', 'isSortable', 'isJoinable'),
  date: traits('isOrdered', 'isSortable', 'isJoinable'),
  uuid: traits('isSortable', 'isJoinable'),
  json: traits(),
  enum: traits('isSortable'),
  record: traits(),
  null: traits(),
  any: traits('isNumber', 'isOrdered', 'isSortable', 'isJoinable'),
};

export const isNumber = ({ base }: Type): boolean => TRAITS[base.kind].isNumber;
export const isOrdered = ({ base }: Type): boolean => TRAITS[base.kind].isOrdered;
export const isSortable = ({ base, many }: Type): boolean => !many && TRAITS[base.kind].isSortable;
export const isJoinable = ({ base, many }: Type): boolean => !many && TRAITS[base.kind].isJoinable;
