/**
 * The differences between two schemas. Tables, columns and types go by the names that they have after all renames. A
 * dropped thing goes by its own name, or by the name that it was given to free its own.
 */
import type { Expression } from '../definition/expression.ts';
import type {
  Column,
  ColumnType,
  EnumType,
  ForeignKey,
  Index,
  Key,
  ReactionTrigger,
  Table,
} from '../definition/schema.ts';

export type Change =
  | Rename
  | { readonly kind: 'add-enum'; readonly enum: EnumType }
  | AddValue
  | { readonly kind: 'add-table'; readonly table: Table }
  | AddColumn
  | Retirement
  | ChangeNullability
  | {
      readonly kind: 'change-default';
      readonly table: string;
      readonly column: Column;
      readonly was: Column['default'];
    }
  | NormaliseValues
  | { readonly kind: 'add-unique'; readonly table: Table; readonly key: Key }
  | DropUnique
  | { readonly kind: 'add-index'; readonly table: Table; readonly index: Index }
  | { readonly kind: 'drop-index'; readonly table: string; readonly index: Index }
  | AddForeignKey
  | ChangeForeignKey
  /** It goes first, so the table and the key have their former names. */
  | { readonly kind: 'drop-foreign-key'; readonly table: string; readonly key: ForeignKey }
  | AddReaction
  /** Stored jobs get the new name of their job. */
  | { readonly kind: 'rename-jobs'; readonly from: string; readonly to: string }
  | DropJobs;

export type ChangeKind = Change['kind'];
export type ChangeOf<K extends ChangeKind> = Extract<Change, { kind: K }>;

/** A rename. A thing is also renamed to free its name, if it is dropped at the end. */
export type Rename = RenameRelation | RenameInTable;

interface RenameOf<K> {
  readonly kind: 'rename';
  readonly of: K;
  readonly from: string;
  readonly to: string;
  /**
   * The table of the column or foreign key. For a relation, the table that waits for the rename, by its name in the
   * previous release.
   */
  readonly table: string;
}

/** Tables, indexes and sequences share one name space. */
export type RenameRelation = RenameOf<'table' | 'primary-key' | 'unique' | 'index' | 'sequence'>;
export type RenameInTable = RenameOf<'column' | 'foreign-key'>;

export interface ValuePlace {
  readonly kind: 'before' | 'after';
  readonly value: string;
}

interface AddValue {
  readonly kind: 'add-value';
  readonly enum: string;
  readonly value: string;
  readonly place: ValuePlace | null;
  /** The tables that already have columns of the enum. */
  readonly tables: readonly string[];
}

export interface AddColumn {
  readonly kind: 'add-column';
  readonly table: Table;
  readonly column: Column;
  /** The column that already has the values; null if there is none. */
  readonly copiedFrom: CopiedColumn | null;
  /** The value of rows that have none after the copy. */
  readonly fill: Fill | null;
  /**
   * Present if the column is required only when the previous release, whose rows have no computable value, is no longer
   * served.
   */
  readonly isLater?: true;
}

/** The values of a column that now has another type. They stay where they are, in a column that is renamed. */
export interface CopiedColumn {
  /** The current name of the column with the old values. */
  readonly column: string;
  readonly from: ColumnType;
  /** The values of an enum that have changed. */
  readonly values: readonly ChangedValue[];
  /** The table that the column refers to in the previous release. */
  readonly refersTo: TableNow | null;
}

export interface ChangedValue {
  readonly from: string;
  /** Its new name. For a dropped value, the value that replaces it, or null; a list then loses the item. */
  readonly to: string | null;
  readonly isDropped: boolean;
}

/** The values that existing rows get, if the default in the database is not enough. */
export interface Fill {
  readonly model: string;
  readonly field: string;
  readonly value: Expression;
}

export interface ChangeNullability {
  readonly kind: 'change-nullability';
  readonly table: Table;
  readonly column: Column;
  /** The value that replaces null when the column is no longer nullable. */
  readonly fill: Fill | null;
  /**
   * Present if the column is required only when the previous release, which may write null without a value to replace
   * it, is no longer served.
   */
  readonly isLater?: true;
}

/** Normalises values of the previous release like those of requests now. */
export interface NormaliseValues {
  readonly kind: 'normalise-values';
  readonly table: Table;
  readonly column: Column;
  readonly isUnique: boolean;
  /** The normalised value of each row. */
  readonly fill: Fill;
}

export interface AddForeignKey {
  readonly kind: 'add-foreign-key';
  readonly table: Table;
  readonly key: ForeignKey;
  /** Whether the rows that exist have values in the column. */
  readonly isOverValues: boolean;
}

interface DropUnique {
  readonly kind: 'drop-unique';
  readonly table: string;
  readonly name: string;
  /**
   * The columns by their names while the previous release is served. Columns that only the previous release has are
   * shadow columns.
   */
  readonly columns: readonly string[];
}

interface ChangeForeignKey {
  readonly kind: 'change-foreign-key';
  readonly table: Table;
  readonly key: ForeignKey;
  readonly was: ForeignKey['onDelete'];
}

export interface AddReaction {
  readonly kind: 'add-reaction';
  readonly reaction: ReactionTrigger;
  /** Whether the previous release writes to the table too. Its writes are not for this reaction. */
  readonly isShared: boolean;
}

/** Jobs that this release does not know: nobody works on them once the previous release is gone. */
export interface DropJobs {
  readonly kind: 'drop-jobs';
  readonly jobs: readonly string[];
  /** Whether those that wait are removed. Otherwise there must be none. */
  readonly isDiscarded: boolean;
  /** The table of jobs. */
  readonly of: TableNow;
}

// ── What the previous release still needs ─────────────────────────────────────────────────────────────────────────────

/** A thing that is gone or has changed, retained for the previous release in a separate schema while it is served. */
type Retirement =
  | KeepView
  | CheckValues
  /**
   * The column, by the names of the previous release, gets a type that cannot have its values, so no row may be there. Only
   * a release that withdraws another may do so.
   */
  | { readonly kind: 'check-empty'; readonly table: string; readonly column: string }
  | { readonly kind: 'retire-table'; readonly table: Table; readonly what: string; readonly files?: readonly string[] }
  | RetireColumn
  | { readonly kind: 'retire-enum'; readonly enum: string }
  | DetachReference
  | RetireReaction;

/**
 * Shows a table as the previous release knows it. It comes first: whatever then happens to the table, the view follows.
 */
export interface KeepView {
  readonly kind: 'keep-view';
  readonly table: Table;
  /** The columns with another default now. */
  readonly defaults: readonly Column[];
}

/** Checks that no row has a dropped value. */
export interface CheckValues {
  readonly kind: 'check-values';
  readonly dropped: readonly string[];
  /** The columns with the enum, by the names of the previous release. */
  readonly uses: readonly { readonly table: string; readonly column: string; readonly type: ColumnType }[];
}

export interface RetireColumn {
  readonly kind: 'retire-column';
  readonly table: string;
  /** The current name of the column. */
  readonly column: string;
  readonly wasNullable: boolean;
  readonly what: string;
  /** Whether another column has the values now, so that none are lost. */
  readonly isCopied: boolean;
  /** Present where the values are files, whose bytes go with them. */
  readonly isFile?: true;
}

/**
 * Detaches rows of the previous release from records that this release may delete, because it does not know the
 * reference.
 */
export interface DetachReference {
  readonly kind: 'detach-reference';
  /** The table whose rows are deleted. */
  readonly of: TableNow;
  /** The table with the reference. */
  readonly table: TableNow;
  readonly column: string;
  readonly key: string;
  /** The effect on the referring row; `nothing` if the foreign key already does what is needed. */
  readonly act: 'set null' | 'delete' | 'nothing';
}

/** A reaction that this release does not have, or has in another form. It stays for the writes of the previous release. */
export interface RetireReaction {
  readonly kind: 'retire-reaction';
  readonly reaction: ReactionTrigger;
  readonly of: TableNow;
  /** The statements of its function after columns of the row are renamed; null if they are as they were. */
  readonly bodyNow: string | null;
}

export interface TableNow {
  readonly name: string;
  readonly isRetired: boolean;
}
