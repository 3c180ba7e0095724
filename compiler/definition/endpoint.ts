/** The API of a definition: endpoints with their requests, actions and responses; accounts. */
import type { ListOptions } from './contract/list-parameters.ts';
import type { Segment } from './contract/routes.ts';
import type {
  ComputedValue,
  Expression,
  FieldValue,
  Hook,
  Normaliser,
  OrderItem,
  Origin,
  Query,
  Read,
  Selected,
  Snapshot,
  Step,
  Type,
  Validation,
} from './expression.ts';

export interface Api {
  readonly name: string | null;
  readonly doc: string | null;
}

/** A group of endpoints in the documents of an API. */
export interface Entrypoint {
  /** The prefix of the ids of its endpoints: `post.comments`. */
  readonly id: string;
  readonly api: string | null;
  readonly model: string;
  readonly doc: string | null;
}

export interface Endpoint {
  /** Unique and stable: `post.list`, `post.comments.create`, `post.publish`. */
  readonly id: string;
  readonly kind: 'list' | 'get' | 'create' | 'update' | 'delete' | 'custom';
  readonly api: string | null;
  readonly doc: string | null;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: readonly Segment[];
  readonly cardinality: 'one' | 'many';
  /** Present if a custom endpoint has the path of the record or the collection. */
  readonly atResource?: true;
  readonly model: string;
  /** The reads of the authenticated record, if there is one. */
  readonly authReads: readonly Read[];
  /** The records that the path names, from the outside in; each must be there. */
  readonly records: readonly PathRecord[];
  /** The conditions. All must hold, in order. */
  readonly authorize: readonly Expression[];
  readonly request: Request;
  /** In order, in one transaction; a call ends one, and what follows it is another. What a built-in endpoint does by itself is written out. */
  readonly actions: readonly Action[];
  readonly response: Response;
  /** Whether the record in the response, or the changed record, has versions. */
  readonly versioned?: true;
  /** How many seconds its data may be old, so that a replica may answer. */
  readonly stale?: number;
  /** The status and headers that replace or extend the usual ones of its responses. */
  readonly head?: AnswerHead;
  /** Present where only requests are done that another service has signed, each once. It stands for `authorize`. */
  readonly signed?: { readonly by: 'standard' | 'stripe' | 'github'; readonly secret: string };
}

export interface AnswerHead {
  readonly status?: number;
  readonly headers?: readonly AnswerHeader[];
}

/** A list repeats the header, null removes it. */
export interface AnswerHeader {
  readonly name: string;
  readonly value: Expression;
}

/** An endpoint whose requests must run as if one came after the other, see `serializable.ts`. */
export interface Serializable {
  /** Its id; also that of an endpoint of accounts, such as `auth.register`. */
  readonly endpoint: string;
  /** Whether another request may change something that is read of the caller: it is read again then. */
  readonly rereadsCaller: boolean;
}

/** The records that an endpoint locks before it reads anything else, see `record-locks.ts`. */
export interface EndpointLocks {
  readonly endpoint: string;
  readonly locks: readonly RecordLock[];
}

export interface RecordLock {
  readonly model: string;
  /** A record of the path. */
  readonly record: string;
  /** The reference of it that names the record to lock; null where it is the record itself. */
  readonly field: string | null;
}

export interface PathRecord {
  /** The name under which snapshots refer to it. */
  readonly record: string;
  readonly model: string;
  /** The step from the record before, or from `origin`; null at the top. */
  readonly through: Step | null;
  /** The authenticated record, where the step begins at it. */
  readonly origin?: Extract<Origin, { kind: 'record' }>;
  /** The identifier; null for a single entrypoint, whose record the step alone finds. */
  readonly identify: Identify | null;
  /** The condition over the record. If it does not hold, the record is not found. */
  readonly only?: Expression;
  readonly reads: readonly Read[];
}

/** The record whose `field`, at the end of `path`, is the value of the parameter. */
export interface Identify {
  readonly parameter: string;
  readonly path: readonly Step[];
  readonly model: string;
  readonly field: string;
  readonly type: Type;
  readonly normalise?: readonly Normaliser[];
}

export interface Request {
  readonly from: 'body' | 'query';
  readonly inputs: readonly Input[];
  /** The values of parameters that the path has behind those of its records. */
  readonly inPath?: readonly ValueInput[];
  /** The key of the body that holds the inputs, where they are not at its root. */
  readonly under?: string;
}

export type Input = ValueInput | GroupInput | ListInput;

export interface ValueInput {
  readonly kind: 'value';
  readonly name: string;
  readonly doc: string | null;
  readonly type: Type;
  readonly required: boolean;
  readonly normalise?: readonly Normaliser[];
  /** The value that replaces a missing one. */
  readonly default: Expression | null;
  readonly validate: Validation | null;
  /** The most bytes that a text may have in UTF-8. A longer one is refused before anything else is done with it. */
  readonly maxBytes?: number;
  /** The field that the value is stored in, which may have to be unique. */
  readonly stores: {
    readonly model: string;
    readonly field: string;
    /** Present if an existing record with the same value takes the place of a new one. */
    readonly isKey?: true;
  } | null;
  /** The model whose record must exist with this value as its id, or at the end of a path; the id is what is stored. */
  readonly finds: {
    readonly model: string;
    readonly path: readonly Step[];
    readonly end: string;
    readonly field: string;
  } | null;
}

/** The inputs of one action, under its alias. The group is required if any of them is. */
export interface GroupInput {
  readonly kind: 'group';
  readonly name: string;
  readonly required: boolean;
  readonly inputs: readonly ValueInput[];
}

/** A list of objects. Each is checked like a body. */
export interface ListInput {
  readonly kind: 'list';
  readonly name: string;
  readonly doc: string | null;
  readonly required: boolean;
  readonly nullable?: true;
  readonly minItems: number;
  readonly maxItems: number;
  readonly inputs: readonly ValueInput[];
}

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

export type Response =
  /** No body: status 204. */
  | { readonly kind: 'nothing' }
  /** An action answers. */
  | { readonly kind: 'action' }
  | {
      readonly kind: 'record';
      readonly status: 200 | 201;
      readonly record: string;
      readonly select: readonly Selected[];
      readonly shape?: string;
      /** The get endpoint that the `Location` header of a create names. */
      readonly location: string | null;
    }
  /** The bytes of a stored file, or a redirect to them. */
  | { readonly kind: 'file'; readonly file: Snapshot }
  /** Where and how to send the bytes of a file for this field. */
  | { readonly kind: 'upload'; readonly model: string; readonly field: string }
  | ListResponse;

export interface ListResponse extends ListOptions<ListField, SearchedField> {
  readonly kind: 'list';
  readonly query: Query;
  readonly select: readonly Selected[];
  readonly shape?: string;
  /** Present where clients may follow the list: they get its changes as events. */
  readonly live?: true;
}

/** A string of the records themselves, in which clients may search. */
export interface SearchedField {
  readonly name: string;
  readonly value: FieldValue;
}

/** A field or computed member that clients may use in the query string of a list. */
export interface ListField {
  /** The path as the author wrote it: `author.name`. */
  readonly name: string;
  readonly value: FieldValue | ComputedValue;
  /** The normalisers for a value that is compared with the field. */
  readonly normalise?: readonly Normaliser[];
}

export interface Auth {
  readonly model: string;
  /** The field that the `sub` of an outside token is matched against. */
  readonly subject: string | null;
  readonly password: {
    readonly login: string;
    /** The field that holds the hash; the input `password` is hashed into it. */
    readonly hash: string;
    /** The registration; null if visitors cannot create an account. */
    readonly register: AccountWrite | null;
    readonly me: readonly Selected[];
    /** The mails that hand out tokens; each has an input for the account, and one named `token`. */
    readonly verify?: AccountMail;
    readonly reset?: AccountMail;
    /** With the account that an invitation makes. */
    readonly invite?: AccountMail & AccountWrite;
    /** The change to a new password. Present with `reset` or `invite`. */
    readonly change?: AccountWrite;
  } | null;
}

export interface AccountWrite {
  readonly inputs: readonly ValueInput[];
  readonly values: readonly Assignment[];
}

export interface AccountMail {
  /** The job that sends it. */
  readonly mail: string;
  /** The input that is the id of the account. */
  readonly account: string;
}

// ── Jobs and reactions ──────────────────────────────────────────────────────────────────────────────────────────────

export interface Job {
  readonly name: string;
  readonly was: string | null;
  readonly doc: string | null;
  /** The inputs. That of a record is its id, under the name of its key: `order_id`. */
  readonly inputs: readonly ValueInput[];
  /** How often it is tried again after it has failed. */
  readonly retry: number;
  /** In seconds. */
  readonly timeout: number;
  /** Present if each `run` of it names a line, in which one is done after the other. */
  readonly inLines?: true;
  /** Present where it hands a mail or a webhook to another server, or removes a file, by a call of Kiln's own code. */
  readonly delivers?: 'mail' | 'webhook' | 'file';
  readonly actions: readonly Action[];
  /** Done after the last try has failed, in a transaction of their own. */
  readonly onFailure: readonly Action[];
}

/** A job of the previous release that is gone. Those that wait are removed where it says so; else they keep `migrate` from contracting. */
export interface DroppedJob {
  readonly name: string;
  readonly discard: boolean;
}

/** The jobs that a change of a record starts, whoever makes the change. A trigger of the database. */
export interface Reaction {
  readonly event: 'create' | 'update' | 'delete';
  readonly model: string;
  /** The name of the record; of an update, as it is after it. */
  readonly record: string;
  readonly reads: readonly Read[];
  /** The reads of the record before an update, under the name `before`. */
  readonly before: readonly Read[];
  readonly when: Expression | null;
  readonly runs: readonly Run[];
}

/**
 * What other servers are told of. A reaction runs the job `webhook <name>`, which makes the body and runs the job
 * `deliver <name>` for each receiver.
 */
export interface Webhook {
  /** The type of the event: `order.paid`. */
  readonly name: string;
  readonly doc: string | null;
  readonly model: string;
  readonly select: readonly Selected[];
  readonly shape?: string;
}

/** Jobs that are run at fixed times, once for each, however many servers there are. */
export interface Schedule {
  readonly name: string;
  readonly doc: string | null;
  /** The times, as a cron pattern of five parts. */
  readonly cron: string;
  /** The time zone in which the pattern is read. */
  readonly zone: string;
  /** The times of an outage for which the jobs are run after it: the last one, if it is within a day, all or none. */
  readonly catchUp: 'last' | 'all' | 'none';
  readonly runs: readonly Run[];
}
