/**
 * The checked program: every name is a link, every expression has a type, every rule of the language holds. Later
 * phases need no further checks and report nothing.
 */
import type { ListOptions } from '../definition/contract/list-parameters.ts';
import type { Segment } from '../definition/contract/routes.ts';
import type * as definition from '../definition/definition.ts';
import type { Span } from '../source/source-file.ts';
import type {
  Computed,
  Enum,
  Expression,
  Field,
  Input,
  Model,
  OrderItem,
  Path,
  Query,
  Reference,
  Relation,
  Selected,
  Setting,
  Shape,
  Type,
  Unlowered,
  Validation,
  Validator,
  Variable,
} from './model.ts';

// All of the program is imported from this file.
export { FUNCTIONS, type FunctionName } from '../definition/contract/functions.ts';
export type { Generator, Scalar } from '../definition/definition.ts';
export type { Normaliser } from '../definition/expression.ts';
export * from './model.ts';

export interface Program {
  readonly enums: readonly Enum[];
  readonly models: readonly Model[];
  readonly droppedModels: readonly { readonly name: string; readonly span: Span }[];
  readonly validators: readonly Validator[];
  readonly shapes: readonly Shape[];
  readonly settings: readonly Setting[];
  readonly auth: Auth | undefined;
  readonly apis: readonly Api[];
  readonly endpoints: readonly Endpoint[];
  readonly jobs: readonly Job[];
  readonly reactions: readonly Reaction[];
  readonly schedules: readonly Schedule[];
  readonly webhooks: readonly Webhook[];
  readonly droppedJobs: readonly definition.DroppedJob[];
  readonly populators: readonly Populator[];
  readonly generators: readonly definition.Generator[];
  /** The files that hooks name, each once. */
  readonly hookFiles: readonly string[];
}

export interface Api extends definition.Api {
  readonly span: Span;
}

export interface Auth {
  readonly span: Span;
  readonly model: Model;
  readonly password:
    | {
        readonly login: Field;
        readonly hash: Field;
        /** The inputs of registration; undefined if there is none. */
        readonly registerInputs: readonly Input[] | undefined;
        /** What a new password changes. */
        readonly changed: readonly Assignment[];
        /** The account that an invitation makes. */
        readonly invited: readonly Assignment[];
        readonly mails: readonly AccountMail[];
      }
    | undefined;
  readonly subject: Field | undefined;
}

/** A mail with a token for an account. */
export interface AccountMail extends definition.AccountMail {
  readonly purpose: 'verify' | 'reset' | 'invite';
}

export interface Populator extends Pick<definition.Populator, 'name' | 'doc'> {
  readonly populates: readonly Populate[];
}

export interface Populate {
  readonly model: Model;
  /** The relation of the parent record through which these are made; undefined at the top. */
  readonly through: Relation | undefined;
  readonly variable: Variable;
  readonly repeat: definition.Populate['repeat'];
  readonly values: readonly SetValue[];
  readonly populates: readonly Populate[];
}

// ── The API ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A step of the URL below which endpoints live, with the record that it finds. */
export interface Entrypoint extends Pick<definition.Entrypoint, 'api' | 'doc'> {
  readonly segment: string;
  readonly model: Model;
  /** The member that leads to the records from the parent's; undefined at the top. */
  readonly through?: Reference | Relation | undefined;
  readonly parent?: Entrypoint | undefined;
  /** The one record of the entrypoint, whether or not the author named it. */
  readonly variable: Variable;
  /** The identifier; undefined for a single entrypoint, which needs none. */
  readonly identify?: Identify | undefined;
  /** `entrypoint @auth`: its record is the caller's own. */
  readonly isCaller: boolean;
  /** The condition without which records are not found. It reads the record through `variable`. */
  readonly only?: Expression | undefined;
  /** A single entrypoint may have no record: over a nullable reference or a unique relation. */
  readonly optional: boolean;
  /** The span of the name of its resource. */
  readonly span: Span;
}

export interface Identify {
  readonly parameter: string;
  readonly steps: readonly (Reference | Relation)[];
  readonly field: Field;
}

export type EndpointKind = definition.Endpoint['kind'];
export type HttpMethod = definition.Endpoint['method'];

export interface Endpoint extends Pick<definition.Endpoint, 'kind' | 'method' | 'cardinality' | 'doc'> {
  readonly signed: definition.Endpoint['signed'];
  readonly entrypoint: Entrypoint;
  /** A second method that it answers in the same way. */
  readonly otherMethod: HttpMethod | undefined;
  /** The path of a custom endpoint behind that of the record or the collection. */
  readonly path: readonly Segment[] | undefined;
  /** The rules from the outermost entrypoint inwards, the endpoint's own last. */
  readonly authorize: readonly Expression[];
  readonly inputs: readonly Input[];
  readonly inputsFrom: definition.Request['from'];
  readonly inputsUnder: string | undefined;
  readonly actions: readonly Action[];
  readonly list: List | undefined;
  /** The shape of the record(s) in the answer; undefined if the answer has none. */
  readonly response: readonly Selected[] | undefined;
  /** The shape that `response` is, if it has a name. */
  readonly shape: Shape | undefined;
  /** The record that the response is read from. */
  readonly answer: Variable | undefined;
  readonly head: Unlowered<definition.AnswerHead> | undefined;
  /** Whether it responds with, or changes, a record of an entrypoint that is `versioned`. */
  readonly versioned: boolean;
  /** How old its data may be. */
  readonly stale: { readonly seconds: number; readonly span: Span } | undefined;
  readonly span: Span;
}

export interface List {
  readonly filter: Expression | undefined;
  readonly orderBy: readonly OrderItem[];
  readonly options: ListOptions<ListField>;
  /** The largest number of records; undefined if the server decides. Never beside a page. */
  readonly limit: number | undefined;
  /** The place of `live`, if clients may follow the list. */
  readonly live: Span | undefined;
}

/** A field that a list opens to its clients. */
export interface ListField {
  /** The path as written, which is also its name for clients. */
  readonly name: string;
  readonly member: Field | Computed;
  /** Its value in each record of the list. */
  readonly value: Path;
}

export type Action = (
  | Create
  | Update
  | Delete
  | QueryAction
  | Headed<definition.Execute>
  | Headed<definition.ServiceCall>
  | Run
  | Unlowered<definition.Respond>
  | { readonly kind: 'validate'; readonly key: string; readonly validation: Validation }
  | Refuse
) & {
  /** The `for` around it. */
  readonly each?: Each;
  /** Whether it stands in the `on failure` of the call before it. */
  readonly onFailure?: true;
  /** The runs of the jobs that do it, the outermost first, where jobs are written out. */
  readonly within?: readonly (Run & Action)[];
};

/** An action on one record. It may be the endpoint's own. */
interface Write<Kind extends string> {
  readonly kind: Kind;
  readonly each?: Each;
  readonly own: boolean;
  readonly model: Model;
}

export interface Create extends Write<'create'> {
  readonly variable: Variable;
  readonly values: readonly Assignment[];
  readonly onConflict: OnConflict | undefined;
  /** The input without which nothing is created: if it is left out or null. */
  readonly onlyWith?: Input | undefined;
  readonly link: Link | undefined;
}

export interface Each {
  /** The item. */
  readonly variable: Variable;
  readonly list: Expression;
  /** The records of the item: those that it is or names, and those that were made or changed for it before. */
  readonly made: readonly Variable[];
}

/** The action if a record with the same unique key exists. */
export interface OnConflict {
  readonly does: 'keep' | 'update';
  readonly key: readonly Field[];
}

/** The link of a single entrypoint over a reference: the parent holds the key of the record. */
export interface Link {
  readonly parent: Variable;
  readonly reference: Reference;
}

interface Update extends Write<'update'> {
  /** The record to change: a path to one record. */
  readonly target: Expression;
  /** The record after the change. */
  readonly variable: Variable;
  readonly values: readonly Assignment[];
}

/** A value that the author gives to a field. */
export interface SetValue {
  readonly field: Field;
  readonly value: Expression;
  /** The condition of the assignment. */
  readonly when?: Expression | undefined;
}

export interface Assignment extends SetValue {
  /** The input that the value is or depends on: an update without it leaves the field unchanged. */
  readonly sentWith?: Input;
  /** Whether the input is stored as it is. */
  readonly isAsSent?: true;
}

export interface Delete extends Write<'delete'> {
  readonly target: Expression;
  readonly link: Link | undefined;
}

export interface QueryAction {
  readonly kind: 'query';
  readonly query: Query;
  readonly variable: Variable | undefined;
  readonly does:
    | { readonly kind: 'select'; readonly select: readonly Selected[]; readonly shape: Shape | undefined }
    | FindRecords
    | ({ readonly kind: 'group' } & Grouping)
    | { readonly kind: 'update'; readonly values: readonly SetValue[] }
    | { readonly kind: 'delete' }
    | { readonly kind: 'count' };
}

/** Reads the records with these ids, in their order. */
interface FindRecords {
  readonly kind: 'find';
  readonly ids: Expression;
  /** The input that names them. */
  readonly input: Input | undefined;
}

export type Grouping = Unlowered<definition.Grouping>;

/** An action with the place of its first word. */
type Headed<T> = Unlowered<T> & { readonly head: Span };

export interface Run extends Pick<Unlowered<definition.Run>, 'kind' | 'due' | 'once' | 'line'> {
  readonly job: Job;
  readonly values: readonly { readonly input: JobInput; readonly value: Expression }[];
  /** The name of the job. */
  readonly span: Span;
}

export type Refuse = Unlowered<Omit<definition.Refuse, 'each'>>;

// ── Jobs and reactions ──────────────────────────────────────────────────────────────────────────────────────────────────

/** A job. Each `run` sees its inputs; its actions are known only after all endpoints have been checked. */
export interface Job extends Pick<definition.Job, 'name' | 'was' | 'doc' | 'retry' | 'timeout' | 'delivers'> {
  readonly inputs: readonly JobInput[];
  /** The value behind `one at a time per`, as a text over the inputs. */
  readonly line: Expression | undefined;
  readonly actions: readonly Action[];
  readonly onFailure: readonly Action[];
  readonly span: Span;
}

export interface JobInput {
  readonly name: string;
  /** What a `run` has to give: the value, or the record whose id is stored. */
  readonly type: Type;
  readonly input: Input;
  readonly span: Span;
}

export interface Reaction extends Pick<definition.Reaction, 'event'> {
  readonly model: Model;
  readonly record: Variable;
  /** The record before an update. */
  readonly before: Variable;
  readonly when: Expression | undefined;
  readonly runs: readonly Run[];
  readonly span: Span;
}

export interface Webhook extends Shape {
  readonly shape: Shape | undefined;
}

export interface Schedule extends Omit<definition.Schedule, 'runs'> {
  readonly runs: readonly Run[];
  readonly span: Span;
}
