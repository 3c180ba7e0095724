/**
 * The database of an application: plain data in one fixed order, with every name as Postgres stores it. `schema.sql` is
 * written from it, and two schemas can be compared.
 */
import type { SearchLanguage } from './contract/list-parameters.ts';
import type { CATALOG_NAMES } from './scalars.ts';

export interface Schema {
  /** The enums, sorted by name. */
  readonly enums: readonly EnumType[];
  /** The tables, sorted by name. */
  readonly tables: readonly Table[];
  /** The triggers of reactions and of live lists, sorted by name. Absent where there are none. */
  readonly reactions?: readonly ReactionTrigger[];
}

/** A trigger that stores jobs when a row changes. */
export interface ReactionTrigger {
  /**
   * The name of the trigger and of its function. It is made of what the reaction says and not of the SQL, so that another
   * build of Kiln finds the same.
   */
  readonly name: string;
  readonly table: string;
  readonly event: 'insert' | 'update' | 'delete' | 'truncate';
  /** Present where it runs once for each statement, of whichever release: its function reads `kiln_old` and `kiln_new`. */
  readonly ofStatement?: true;
  /** The condition over `NEW` and `OLD`, as SQL; null where there is none, or where the function has it. */
  readonly when: string | null;
  /** The statements of its function. */
  readonly body: string;
  /** All tables that it reads, sorted. */
  readonly reads: readonly string[];
}

export interface EnumType {
  readonly name: string;
  /** The values in their sort order. */
  readonly values: readonly string[];
}

/**
 * The prefix of enum values that were added and then withdrawn, because Postgres removes none. A number follows. No
 * value of an author begins like this.
 */
export const WITHDRAWN_VALUE = 'kiln: withdrawn ';

export interface Table {
  readonly name: string;
  /**
   * The columns in the order of the source. This is their order in a new table; otherwise a column is known by its
   * name.
   */
  readonly columns: readonly Column[];
  readonly primaryKey: Key;
  /** The unique keys, sorted by name. */
  readonly uniques: readonly Key[];
  /** The foreign keys, sorted by name. */
  readonly foreignKeys: readonly ForeignKey[];
  /** The indexes, sorted by name, without those of the primary key and of the unique keys. */
  readonly indexes: readonly Index[];
  /** Present where a crash of Postgres may empty it, which makes writes cheaper. */
  readonly unlogged?: true;
}

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly default: ColumnDefault | null;
  /** The identity of a column whose values the database generates. */
  readonly identity: Identity | null;
}

type BuiltInType = keyof typeof CATALOG_NAMES | `numeric(${number},${number})`;

/** The column of a list is an array. */
export type ColumnType = BuiltInType | `${BuiltInType}[]` | { readonly enum: string; readonly many?: true };

/** The type of the items of an array; undefined if it is none. */
export function itemTypeOf(type: ColumnType): ColumnType | undefined {
  if (typeof type === 'string') return type.endsWith('[]') ? (type.slice(0, -2) as BuiltInType) : undefined;
  return type.many ? { enum: type.enum } : undefined;
}

export type ColumnDefault =
  /** A text that Postgres reads as a value of the column's type. For an array it is a JSON list of such texts. */
  | { readonly kind: 'value'; readonly text: string }
  /** The current time; milliseconds since 1970 if the column is a number. */
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
  /** Present if it indexes the words of its columns, which are sorted by name. */
  readonly search?: true;
  /** The language whose word stems it has instead of the words. */
  readonly language?: SearchLanguage;
}

export interface IndexColumn {
  readonly name: string;
  readonly descending: boolean;
}
