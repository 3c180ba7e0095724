/** The actions of endpoints and jobs. */
import type { Expression, Hook, OrderItem, Query, Read, Selected, Validation } from './expression.ts';

export type Action = Create | Update | Delete | QueryAction | Execute | ServiceCall | Run | Respond | Validate | Refuse;

interface MayHandleFailure {
  /** Present where it is done only if the call before it fails. Such actions stand right behind the call. */
  readonly onFailure?: true;
}

export interface Create extends MayHandleFailure {
  readonly kind: 'create';
  readonly record: string;
  readonly model: string;
  readonly values: readonly Assignment[];
  readonly onConflict?: OnConflict;
  /** The path of an input; nothing is created if it is left out or null. */
  readonly onlyWith?: readonly string[];
  readonly each?: Each;
  /** The reference of an outer record that is to hold the new record's id. */
  readonly link: Link | null;
  readonly reads: readonly Read[];
}

/**
 * The `for` around an action: it is done for each item of a list. Actions in a row with the same item are one `for`. The
 * list has ids where the items are records.
 */
export interface Each {
  /** The name of the item, which is a result as it is. */
  readonly item: string;
  readonly list: Expression;
  /** The names of the records of each item: those that it is or names, and those that were made or changed for it before. */
  readonly made: readonly string[];
}

/** The action if a record with the same unique key exists: that record takes the place of a new one. */
export interface OnConflict {
  /** The fields of the key. */
  readonly key: readonly string[];
  /** The changes of the record; empty if it stays as it is. */
  readonly changes: readonly ConflictChange[];
  /** The condition over records that may be found; the key of another one is taken. */
  readonly only?: Expression;
}

export interface ConflictChange {
  readonly field: string;
  /** When the value of the create counts: if the client sent the input of this path, always, or never. */
  readonly given: readonly string[] | 'always' | 'never';
  /** The condition under which the value of the create counts. Absent if it always counts. */
  readonly condition?: Expression;
  /** The value if that of the create does not count; null if the field stays as it is. */
  readonly otherwise: Expression | null;
}

export interface Link {
  readonly record: string;
  readonly model: string;
  readonly field: string;
}

export interface Update extends MayHandleFailure {
  readonly kind: 'update';
  /** The record after the change. */
  readonly record: string;
  readonly model: string;
  readonly id: Expression;
  readonly values: readonly Assignment[];
  readonly each?: Each;
  readonly reads: readonly Read[];
}

export interface Assignment {
  readonly field: string;
  readonly value: Expression;
  /** The path of an input; the value is assigned only if the client sent it. */
  readonly when: readonly string[] | null;
  /** The condition of the assignment, in updates only. The value is evaluated only if it holds. */
  readonly condition?: Expression;
}

export interface Delete extends MayHandleFailure {
  readonly kind: 'delete';
  readonly model: string;
  /** One record by its id, or all the records of a query. */
  readonly target: { readonly kind: 'id'; readonly id: Expression } | { readonly kind: 'query'; readonly query: Query };
  readonly each?: Each;
  readonly link: Link | null;
}

export interface QueryAction extends MayHandleFailure {
  readonly kind: 'query';
  /** The name of the result; null if nothing uses it. */
  readonly record: string | null;
  readonly query: Query;
  readonly each?: Each;
  readonly does:
    | {
        readonly kind: 'select';
        readonly select: readonly Selected[];
        readonly shape?: string;
        readonly reads: readonly Read[];
      }
    | FindRecords
    | ({ readonly kind: 'group' } & Grouping)
    | { readonly kind: 'update'; readonly values: readonly { readonly field: string; readonly value: Expression }[] }
    | { readonly kind: 'delete' }
    | { readonly kind: 'count' };
}

/** Reads the records of the model with these ids: one record, or a list in the order of the ids. */
export interface FindRecords {
  readonly kind: 'find';
  readonly ids: Expression;
  /** The path of the input that names them. */
  readonly input: readonly string[] | null;
  readonly reads: readonly Read[];
}

/** One row of plain values for all records that have the same values under the keys. */
export interface Grouping {
  /** The keys, over each record. Without keys, all records are one group, even if there are none. */
  readonly keys: readonly { readonly name: string; readonly value: Expression }[];
  /** The selected values, over the groups, like the order. */
  readonly select: readonly Extract<Selected, { readonly kind: 'value' }>[];
  readonly orderBy: readonly OrderItem[];
}

export interface Execute {
  readonly kind: 'execute';
  readonly record: string | null;
  readonly hook: Hook;
  /** The hook writes the response itself. */
  readonly responds: boolean;
}

/** Code that calls another service: what stands before is committed, and what follows reads its records again. */
export interface ServiceCall {
  readonly kind: 'service-call';
  readonly record: string | null;
  readonly hook: Hook;
  /** In seconds. */
  readonly timeout: number;
}

/** Stores a job together with what the transaction writes. */
export interface Run extends MayHandleFailure {
  readonly kind: 'run';
  readonly job: string;
  /** The inputs that are given, by name. Others have a default or are null. */
  readonly values: readonly { readonly input: string; readonly value: Expression }[];
  /** The earliest moment, as a timestamp; null for at once. */
  readonly due: Expression | null;
  /** The key, as a string: while a job with it waits, no second one is stored. */
  readonly once: Expression | null;
  /** The line that it stands in, as a string; null if the job has no lines. */
  readonly line: Expression | null;
  readonly each?: Each;
}

export interface Respond {
  readonly kind: 'respond';
  readonly body: Expression | null;
  readonly httpStatus: Expression | null;
  readonly httpHeaders: readonly AnswerHeader[];
}

export interface Validate {
  readonly kind: 'validate';
  readonly key: string;
  readonly validation: Validation;
  readonly each?: Each;
}

/** Ends the request with a problem of the author's own. Everything is rolled back. */
export interface Refuse {
  readonly kind: 'refuse';
  readonly code: string;
  readonly status: number;
  /** The condition; null if it always refuses. */
  readonly when: Expression | null;
  readonly message: Expression | null;
  /** The input that it is about, `author.email`; `tags[]` for the item of the loop. */
  readonly key: string | null;
  readonly each?: Each;
}

/** A list repeats the header, null removes it. */
export interface AnswerHeader {
  readonly name: string;
  readonly value: Expression;
}
