/** The answers of the console's data API. The browser's side reads these types too. */
import type { Endpoint } from '../../../compiler/definition/endpoint.ts';
import type { Digits, Type } from '../../../compiler/definition/expression.ts';
import type { StoredFile } from '../../../compiler/definition/files.ts';
import type { ActionProgress } from '../api/console-options.ts';

/** A value of a column. Lists and JSON are sent as the text of their JSON. */
export type Cell = string | number | boolean | null | Cut | FileCell;

/** The beginning of a text that is too long to be sent. */
interface Cut {
  readonly cut: string;
  /** The length of the whole text, in characters. */
  readonly length: number;
}

/** A file. Its bytes are at `/_console/data/<Model>/<id>/<column>`. */
export type FileCell = Omit<StoredFile, 'id'>;

/** The text for every secret value that is not null. The value itself is never sent. */
export const HIDDEN = '•••';

export const OPERATORS = ['is', 'contains', 'greater', 'less', 'null', 'not-null'] as const;

export type Operator = (typeof OPERATORS)[number];

/** How many records there are. `isExact` is false for an estimate, and where counting stopped at a limit. */
export interface Count {
  readonly count: number;
  readonly isExact: boolean;
}

/** A column. Properties that are false, empty or unknown are left out: an application may have thousands of columns. */
export interface DataColumn {
  readonly name: string;
  readonly type: Type['kind'];
  readonly digits?: Digits;
  readonly doc?: string;
  readonly isList?: true;
  readonly isNullable?: true;
  readonly isUnique?: true;
  readonly isSecret?: true;
  /** Whether a value that is written is a password, which is stored as a hash. */
  readonly isPassword?: true;
  /** Whether the database fills it in where a new record has no value for it. */
  readonly hasDefault?: true;
  /** The values of an enum, in their order. */
  readonly values?: readonly string[];
  /** Whether it is a computed member, which is never written. */
  readonly isComputed?: true;
  /** The reference whose key this is, and the model that it leads to. */
  readonly reference?: { readonly name: string; readonly to: string };
}

/** Whether records can be in the order of the column. The order of secrets would give them away. */
export function isSortable({ type, isList, isSecret }: DataColumn): boolean {
  return !isSecret && !isList && type !== 'json' && type !== 'file';
}

const OF_ALL = ['null', 'not-null'] as const;
const UNORDERED: readonly DataColumn['type'][] = ['uuid', 'enum'];

/** The operators to filter a column with. A secret cannot be compared, because comparing could reveal it. */
export function operatorsOf({ type, isList, isSecret }: DataColumn): readonly Operator[] {
  if (isSecret) return OF_ALL;
  if (isList || type === 'json' || type === 'file') return ['contains', ...OF_ALL];
  if (type === 'boolean') return ['is', ...OF_ALL];
  if (UNORDERED.includes(type)) return ['is', 'contains', ...OF_ALL];
  return ['is', 'contains', 'greater', 'less', ...OF_ALL];
}

export interface DataModel {
  readonly name: string;
  readonly doc: string | null;
  readonly rows: Count;
  readonly columns: readonly DataColumn[];
  /** The column that tells people which record it is. */
  readonly label: string | null;
  /** Endpoints that create a record and need no other one for it. */
  readonly creates: readonly RecordOperation[];
}

/** The answer of `GET /_console/data`. */
export interface DataOverview {
  readonly models: readonly DataModel[];
  /** Empty where populators cannot be run from here. */
  readonly populators: readonly { readonly name: string; readonly doc: string | null }[];
  readonly canReset: boolean;
}

/** The names of records, by the column that refers to them and by their ids. */
type Labels = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** `GET /_console/data/<Model>`. Cells are in the order of the model's columns. */
export interface DataPage {
  readonly rows: readonly (readonly Cell[])[];
  readonly labels: Labels;
  readonly page: number;
  readonly pageSize: number;
  readonly hasMore: boolean;
  /** The last page that can be asked for, however many records there are. */
  readonly lastPage: number;
  /** Null where counting took too long. */
  readonly total: Count | null;
  /** The columns that were not read: their cells are null. */
  readonly hidden: readonly string[];
  /** Those of them that were to be read, and took too long. */
  readonly slow?: readonly string[];
}

/** Records of another model that refer to one. */
export interface Referrers {
  readonly model: string;
  readonly column: string;
  readonly reference: string;
  readonly total: Count;
  readonly records: readonly { readonly id: string; readonly label: string | null }[];
}

/** An endpoint of the API that creates a record, or that works on one. */
export interface RecordOperation {
  readonly kind: Exclude<Endpoint['kind'], 'list'>;
  readonly method: string;
  /** The path as OpenAPI writes it: `/api/post/{post_slug}`. */
  readonly path: string;
  /** The values by the names of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The answer of `GET /_console/data/<Model>/<id>`. */
export interface DataRecord {
  readonly id: string;
  readonly label: string | null;
  readonly values: readonly Cell[];
  readonly labels: Labels;
  readonly referredBy: readonly Referrers[];
  readonly operations: readonly RecordOperation[];
  /** The computed members that were not read, because it took too long: their cells are null. */
  readonly slow?: readonly string[];
}

/** The answer of `GET /_console/accounts`. */
export interface DataAccounts {
  readonly model: string;
  readonly accounts: readonly {
    readonly id: string;
    readonly login: string;
    readonly label: string | null;
    /** The value of its first field that is an enum. */
    readonly role: string | null;
  }[];
  readonly hasMore: boolean;
}

/** The answer of `POST /_console/sign-in`, which is that of a login. */
export interface SignedIn {
  readonly token: string;
  readonly expiresAt: string;
}

/** `GET /_console/action`: what populate or reset does at the moment. */
export interface ActionState {
  readonly running: string | null;
  /** Null where that is not known. */
  readonly progress: ActionProgress | null;
}
