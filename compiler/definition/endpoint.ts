/** The API of a definition: endpoints with their requests and responses; accounts; work beside requests. */
import type { Action, AnswerHeader, Assignment, Run } from './action.ts';
import type { ListOptions } from './contract/list-parameters.ts';
import type { Segment } from './contract/routes.ts';
import type {
  ComputedValue,
  Expression,
  FieldValue,
  Normaliser,
  Origin,
  Query,
  Read,
  Selected,
  Snapshot,
  Step,
  Type,
  Validation,
} from './expression.ts';

export type * from './action.ts';

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

/** Does nothing, for anybody. What only looks like an endpoint, such as a job, is made of it. */
export const PLAIN_ENDPOINT: Endpoint = {
  id: '',
  kind: 'custom',
  api: null,
  doc: null,
  method: 'POST',
  path: [],
  cardinality: 'many',
  model: '',
  authReads: [],
  records: [],
  authorize: [],
  request: { from: 'body', inputs: [] },
  actions: [],
  response: { kind: 'nothing' },
};

export interface AnswerHead {
  readonly status?: number;
  readonly headers?: readonly AnswerHeader[];
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

/** A value that has to be sent, and of which nothing else is asked. */
export function plainInput(name: string, type: Type = { kind: 'string' }, doc: string | null = null): ValueInput {
  return { kind: 'value', name, doc, type, required: true, default: null, validate: null, stores: null, finds: null };
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
