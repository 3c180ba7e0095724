/**
 * What the database of an application looks like: plain data, in one order only, with every name as Postgres stores it.
 * `schema.sql` is written from it, and two of them can be compared.
 */
import type { SearchLanguage } from './contract/list-parameters.ts';
import type { CATALOG_NAMES } from './scalars.ts';

export interface Schema {
  /** By name. */
  readonly enums: readonly EnumType[];
  /** By name. */
  readonly tables: readonly Table[];
}

export interface EnumType {
  readonly name: string;
  /** In the order in which they sort. */
  readonly values: readonly string[];
}

/**
 * How the values of an enum begin that were added and then withdrawn, for Postgres removes none. A number follows. No
 * value of an author is written so.
 */
export const WITHDRAWN_VALUE = 'kiln: withdrawn ';

export interface Table {
  readonly name: string;
  /** As they were written. This is their order in a new table; otherwise a column is known by its name. */
  readonly columns: readonly Column[];
  readonly primaryKey: Key;
  /** By name. */
  readonly uniques: readonly Key[];
  /** By name. */
  readonly foreignKeys: readonly ForeignKey[];
  /** By name. Those of the primary key and of the uniques are not among them. */
  readonly indexes: readonly Index[];
}

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly default: ColumnDefault | null;
  /** Of a column whose values the database counts up. */
  readonly identity: Identity | null;
}

type BuiltInType = keyof typeof CATALOG_NAMES | `numeric(${number},${number})`;

/** The column of a list is an array. */
export type ColumnType = BuiltInType | `${BuiltInType}[]` | { readonly enum: string; readonly many?: true };

/** The type of the items of an array; nothing where it is none. */
export function itemTypeOf(type: ColumnType): ColumnType | undefined {
  if (typeof type === 'string') return type.endsWith('[]') ? (type.slice(0, -2) as BuiltInType) : undefined;
  return type.many ? { enum: type.enum } : undefined;
}

export type ColumnDefault =
  /** What Postgres reads as a value of the column's type. Of an array: a JSON list of what it reads as its items. */
  | { readonly kind: 'value'; readonly text: string }
  /** Milliseconds since 1970 where the column is a number. */
  | { readonly kind: 'now' }
  /** The day in UTC. */
  | { readonly kind: 'today' };

export interface Identity {
  readonly sequence: string;
}

export interface Key {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface ForeignKey {
  readonly name: string;
  readonly column: string;
  readonly to: { readonly table: string; readonly column: string };
  readonly onDelete: 'cascade' | 'set null' | 'restrict';
}

export interface Index {
  readonly name: string;
  readonly columns: readonly IndexColumn[];
  /** Of an index over the words of its columns, which are in the order of their names. */
  readonly search?: true;
  /** Whose stems it has instead of the words. */
  readonly language?: SearchLanguage;
}

export interface IndexColumn {
  readonly name: string;
  readonly descending: boolean;
}
