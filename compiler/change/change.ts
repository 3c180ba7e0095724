/**
 * What is different between two schemas, one thing each. Tables, columns and types go by the names that they have
 * once all renames are done; what is dropped goes by its own, or by the one that it was given to free its own.
 */
import type { Expression } from '../definition/expression.ts';
import type { Column, ColumnType, EnumType, ForeignKey, Index, Key, Table } from '../definition/schema.ts';

export type Change =
  | Rename
  | { readonly kind: 'add-enum'; readonly enum: EnumType }
  | AddValue
  | { readonly kind: 'add-table'; readonly table: Table }
  | AddColumn
  | Retirement
  | ChangeNullability
  | ChangeDefault
  | NormaliseValues
  | { readonly kind: 'add-unique'; readonly table: Table; readonly key: Key }
  | DropUnique
  | { readonly kind: 'add-index'; readonly table: Table; readonly index: Index }
  | { readonly kind: 'drop-index'; readonly table: string; readonly index: Index }
  | AddForeignKey
  | ChangeForeignKey
  | DropForeignKey;

export type ChangeKind = Change['kind'];
export type ChangeOf<K extends ChangeKind> = Extract<Change, { kind: K }>;

/** A thing is also renamed to be out of the way: its name is needed, and it is dropped at the end. */
export type Rename = RenameRelation | RenameInTable;

interface RenameOf<K> {
  readonly kind: 'rename';
  readonly of: K;
  readonly from: string;
  readonly to: string;
  /** Of a relation, the table that waits, under the name of the previous release. */
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
  /** That have columns of the enum already. */
  readonly tables: readonly string[];
}

export interface AddColumn {
  readonly kind: 'add-column';
  readonly table: Table;
  readonly column: Column;
  /** Where the values come from that another column has; null where there is none. */
  readonly copiedFrom: CopiedColumn | null;
  /** For rows that have no value then. */
  readonly fill: Fill | null;
  /** Required only when the previous release, from whose rows no value can be computed, is no longer served. */
  readonly isLater?: true;
}

/** The values of a column that now has another type. They stay where they are, in a column that is renamed. */
export interface CopiedColumn {
  /** What the column with the old values is called now. */
  readonly column: string;
  readonly from: ColumnType;
  /** Of an enum: its values that are not what they were. */
  readonly values: readonly ChangedValue[];
  /** Where the column refers to for the previous release. */
  readonly refersTo: TableNow | null;
}

export interface ChangedValue {
  readonly from: string;
  /** Its new name; of a value that is dropped what takes its place, which may be null. An item of a list is left out then. */
  readonly to: string | null;
  readonly isDropped: boolean;
}

/** What the rows that exist get, where it is more than the default that the database knows. */
export interface Fill {
  readonly model: string;
  readonly field: string;
  readonly value: Expression;
}

export interface ChangeNullability {
  readonly kind: 'change-nullability';
  readonly table: Table;
  readonly column: Column;
  /** Where it is no longer nullable: what takes the place of null. */
  readonly fill: Fill | null;
  /** Required only when the previous release, which may write null and nothing to fill it from, is no longer served. */
  readonly isLater?: true;
}

/** Values of the previous release are brought into the form in which requests now come. */
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

interface ChangeDefault {
  readonly kind: 'change-default';
  readonly table: string;
  readonly column: Column;
  readonly was: Column['default'];
}

interface DropUnique {
  readonly kind: 'drop-unique';
  readonly table: string;
  readonly name: string;
  /** By the names that they have while the previous release is served: those that it alone knows are shadow columns. */
  readonly columns: readonly string[];
}

interface ChangeForeignKey {
  readonly kind: 'change-foreign-key';
  readonly table: Table;
  readonly key: ForeignKey;
  readonly was: ForeignKey['onDelete'];
}

/** Goes first, so the table and the key are called as they were. */
export interface DropForeignKey {
  readonly kind: 'drop-foreign-key';
  readonly table: string;
  readonly key: ForeignKey;
}

// ── What the previous release still needs ─────────────────────────────────────────────────────────────────────────────

/** What is gone, or has changed, but is kept for the previous release, in a schema of its own, for as long as it is served. */
type Retirement =
  | KeepView
  | CheckValues
  | CheckEmpty
  | { readonly kind: 'retire-table'; readonly table: Table; readonly what: string }
  | RetireColumn
  | { readonly kind: 'retire-enum'; readonly enum: string }
  | DetachReference;

/** Shows a table as the previous release knows it. Comes first: whatever then happens to the table, the view follows. */
export interface KeepView {
  readonly kind: 'keep-view';
  readonly table: Table;
  /** Its columns whose default is another one now. */
  readonly defaults: readonly Column[];
}

/** No row may have a value that is dropped. */
export interface CheckValues {
  readonly kind: 'check-values';
  readonly dropped: readonly string[];
  /** By the names of the previous release. */
  readonly uses: readonly { readonly table: string; readonly column: string; readonly type: ColumnType }[];
}

/** The column gets a type that cannot have its values, so no row may be there. Only a release that withdraws another may do so. */
export interface CheckEmpty {
  readonly kind: 'check-empty';
  /** By the names of the previous release. */
  readonly table: string;
  readonly column: string;
}

export interface RetireColumn {
  readonly kind: 'retire-column';
  readonly table: string;
  /** What it is called now. */
  readonly column: string;
  readonly wasNullable: boolean;
  readonly what: string;
  /** Whether another column has its values now, so that none is lost with it. */
  readonly isCopied: boolean;
}

/** Rows of the previous release refer to others that this release may delete, for it knows nothing of the reference. */
export interface DetachReference {
  readonly kind: 'detach-reference';
  /** Whose rows are deleted. */
  readonly of: TableNow;
  /** Where the reference is. */
  readonly table: TableNow;
  readonly column: string;
  readonly key: string;
  /** What becomes of the row that refers; nothing where the foreign key itself does what is needed. */
  readonly act: 'set null' | 'delete' | 'nothing';
}

export interface TableNow {
  readonly name: string;
  readonly isRetired: boolean;
}
