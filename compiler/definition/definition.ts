/**
 * The definition: all that the rest of Kiln knows of an application. Plain JSON without source text or positions,
 * so that two sources that mean the same give the same bytes. Every name in it is a key that exists: of a model, a
 * member, a parameter, an input or a record. Nothing that reads a definition resolves names or checks types.
 */
import type { ListOptions } from './contract/list-parameters.ts';
import type { Segment } from './contract/routes.ts';
import type { BuiltInValidator } from './contract/validators.ts';
import type { Scalar } from './scalars.ts';

/** Raised whenever an older reader could misunderstand a newer definition. */
export const DEFINITION_VERSION = 1;

export interface Definition {
  readonly version: 1;
  /** By name. */
  readonly enums: readonly Enum[];
  /** By name. */
  readonly models: readonly Model[];
  /** Models of the release before that are to be dropped with their data. */
  readonly droppedModels: readonly string[];
  /** By name. */
  readonly validators: readonly Validator[];
  /** By name. Absent where there are none. */
  readonly shapes?: readonly Shape[];
  readonly auth: Auth | null;
  /** By name, the one without a name first. */
  readonly apis: readonly Api[];
  /** By id. */
  readonly entrypoints: readonly Entrypoint[];
  /** By path, then by method. */
  readonly endpoints: readonly Endpoint[];
  /** By the ids of their endpoints. Absent in a definition of an earlier Kiln. */
  readonly serializable?: readonly Serializable[];
  /** By name. */
  readonly populators: readonly Populator[];
  readonly generators: readonly Generator[];
}

// ── Types ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export type { Scalar };

/** `any` is what custom code gives: known only when it runs. */
export interface Type {
  readonly kind: Scalar | 'enum' | 'record' | 'any';
  /** The enum, where `kind` is `enum`. */
  readonly enum?: string;
  /** The model, where `kind` is `record`: the value is a record as JSON. */
  readonly model?: string;
  /** Present where the value may be null. */
  readonly nullable?: true;
  /** Present where the value is a list of such values. */
  readonly many?: true;
}

export interface Enum {
  readonly name: string;
  /** Its name in the database, final as those of tables are. */
  readonly type: string;
  readonly was: string | null;
  readonly doc: string | null;
  /** In the order of the source, which is the order in which they sort. */
  readonly values: readonly EnumValue[];
  readonly drops: readonly string[];
}

export interface EnumValue {
  readonly name: string;
  readonly was: string | null;
  readonly doc: string | null;
}

// ── Models ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Model {
  readonly name: string;
  /** Its name in the database: at most 63 bytes, and of no other table or type. */
  readonly table: string;
  readonly was: string | null;
  readonly doc: string | null;
  /** The columns: `id` first, then fields and keys of references as they were written. */
  readonly fields: readonly Field[];
  readonly references: readonly Reference[];
  readonly relations: readonly Relation[];
  readonly computed: readonly Computed[];
  readonly queries: readonly ModelQuery[];
  readonly hooks: readonly ModelHook[];
  readonly uniques: readonly (readonly string[])[];
  readonly indexes: readonly (readonly IndexPart[])[];
  /** Members of the release before that are to be dropped with their data. */
  readonly drops: readonly string[];
}

export interface Field {
  readonly name: string;
  /** Its name in the database: at most 63 bytes, and of no other column of the table. */
  readonly column: string;
  readonly doc: string | null;
  readonly type: Type;
  readonly unique: boolean;
  readonly index: boolean;
  readonly secret: boolean;
  readonly normalise?: readonly Normaliser[];
  /** Evaluated in the server when a record is made without a value for the field. */
  readonly default: Expression | null;
  readonly validate: Validation | null;
  /** Over the record, in the database; for the rows that exist. Of the key of a reference: the id of a record. */
  readonly backfill: Expression | null;
  readonly was: string | null;
  /** The reference whose key this is. */
  readonly reference: string | null;
}

/** Done, in order, to a text from outside before it is validated, stored or compared. */
export type Normaliser = 'trim' | 'lower';

export interface Reference {
  readonly name: string;
  readonly doc: string | null;
  /** The field that holds the key. */
  readonly field: string;
  readonly to: string;
  readonly unique: boolean;
  readonly nullable: boolean;
  readonly onDelete: 'cascade' | 'set null' | 'restrict';
  readonly was: string | null;
}

export interface Relation {
  readonly name: string;
  readonly doc: string | null;
  readonly from: string;
  /** The reference of `from` whose reverse side this is. */
  readonly through: string;
  readonly many: boolean;
}

export interface Computed {
  readonly name: string;
  readonly doc: string | null;
  readonly value: Expression;
}

export interface ModelQuery {
  readonly name: string;
  readonly doc: string | null;
  readonly query: Query;
}

export interface ModelHook {
  readonly name: string;
  readonly doc: string | null;
  readonly hook: Hook;
}

export interface IndexPart {
  readonly field: string;
  readonly descending: boolean;
}

// ── Expressions ─────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A typed expression in which every conversion is written out: an integer that widens is a `convert`, a boolean that
 * may be null and is asked for true or false is a `truth`, a comparison with `@auth` asks first whether there is one.
 * `field`, `computed`, `collect` and `aggregate` read the database; the others are values of the server.
 */
export type Expression =
  | Literal
  | List
  | ObjectOf
  | MemberOf
  | GroupKey
  | Fold
  | FieldValue
  | ComputedValue
  | Collect
  | Aggregate
  | Snapshot
  | InputValue
  | Argument
  | Iterator
  | Authenticated
  | Operation
  | Truth
  | Convert
  | Call
  | HookValue
  | Faker;

/** Decimals, dates, timestamps and UUIDs are strings. */
export interface Literal {
  readonly kind: 'literal';
  readonly type: Type;
  readonly value: string | number | boolean | null;
}

export interface List {
  readonly kind: 'list';
  readonly items: readonly Expression[];
  readonly type: Type;
}

export interface ObjectOf {
  readonly kind: 'object';
  readonly members: readonly { readonly name: string; readonly doc: string | null; readonly value: Expression }[];
  readonly type: Type;
}

/** What a JSON object has under a name: null where it is no object, or has nothing of its own there. Of a list, of each. */
export interface MemberOf {
  readonly kind: 'member';
  readonly of: Expression;
  readonly name: string;
  readonly type: Type;
}

/** What the records of a group have in common, by its name among the keys. */
export interface GroupKey {
  readonly kind: 'key';
  readonly name: string;
  readonly type: Type;
}

/** Over the records of a group. Null for `value` where the records themselves are counted. */
export interface Fold {
  readonly kind: 'fold';
  readonly function: 'count' | 'sum' | 'avg' | 'min' | 'max';
  readonly value: Expression | null;
  readonly type: Type;
}

/** A column of the row at hand, or of the one record at the end of `path`; null where the path ends early. */
export interface FieldValue {
  readonly kind: 'field';
  readonly path: readonly Step[];
  readonly model: string;
  readonly field: string;
  readonly type: Type;
}

export interface ComputedValue {
  readonly kind: 'computed';
  readonly path: readonly Step[];
  readonly model: string;
  readonly computed: string;
  readonly type: Type;
}

/** One value for each record at the end of a path through collections. */
export interface Collect {
  readonly kind: 'collect';
  readonly path: readonly Step[];
  /** Over the record at the end of the path. */
  readonly value: Expression;
  readonly type: Type;
}

/** Over the records at the end of `path`, each once, or over a value of each of them. */
export interface Aggregate {
  readonly kind: 'aggregate';
  readonly function: 'count' | 'exists' | 'sum' | 'avg' | 'min' | 'max';
  readonly path: readonly Step[];
  /** Null where the records themselves are counted. */
  readonly value: Expression | null;
  readonly type: Type;
}

/**
 * A value that was read when the record `record` was found, under the name `read` in its `reads`. Where there is no
 * record it is null, or an empty list where it is many. Of several records the lists are joined to one. In a populator
 * `read` is a field of the record that is being made.
 */
export interface Snapshot {
  readonly kind: 'snapshot';
  /** The name of a record or of a result; `@auth` for the authenticated record. */
  readonly record: string;
  /** Null for a result of an action as it is. */
  readonly read: string | null;
  readonly type: Type;
}

/** A checked value of the request; null where the client may leave it out and did. */
export interface InputValue {
  readonly kind: 'input';
  readonly path: readonly string[];
  readonly type: Type;
}

/** An argument of the validator around. */
export interface Argument {
  readonly kind: 'argument';
  readonly name: string;
  readonly type: Type;
}

export interface Iterator {
  readonly kind: 'iterator';
  readonly name: string;
  readonly value: 'current' | 'total';
  readonly type: Type;
}

/** Whether anybody is authenticated. */
export interface Authenticated {
  readonly kind: 'authenticated';
  readonly type: Type;
}

/** `is` takes two nulls for equal. `in` compares as `is` does. `join` joins strings. */
export interface Operation {
  readonly kind: 'operation';
  readonly operator:
    | 'or'
    | 'and'
    | 'not'
    | 'is'
    | 'in'
    | '<'
    | '<='
    | '>'
    | '>='
    | '+'
    | '-'
    | '*'
    | '/'
    | '%'
    | 'join'
    | 'negate';
  readonly operands: readonly Expression[];
  readonly type: Type;
}

/** True where the value is true; false where it is false or null. */
export interface Truth {
  readonly kind: 'truth';
  readonly value: Expression;
  readonly type: Type;
}

/**
 * To float: from integer or decimal. To decimal: from integer. To string: the text of the value as in JSON, without quotes.
 * Null stays null. `checked` is for what custom code gives: it must be a value of the type, or the request fails.
 */
export interface Convert {
  readonly kind: 'convert';
  readonly value: Expression;
  readonly type: Type;
  readonly checked?: true;
}

/** `years` to `seconds` move their first argument, a date or a timestamp, by as many as the second one says. */
export interface Call {
  readonly kind: 'call';
  readonly function:
    | 'length'
    | 'lower'
    | 'upper'
    | 'trim'
    | 'slugify'
    | 'contains'
    | 'startsWith'
    | 'endsWith'
    | 'stringify'
    | 'now'
    | 'today'
    | 'years'
    | 'months'
    | 'weeks'
    | 'days'
    | 'hours'
    | 'minutes'
    | 'seconds'
    | 'secondsBetween'
    | 'daysBetween'
    | 'startOf'
    | 'concat'
    | 'coalesce'
    | 'if'
    | 'round'
    | 'abs'
    | 'cryptoHash'
    | 'cryptoCompare'
    | 'cryptoToken';
  readonly arguments: readonly Expression[];
  readonly type: Type;
}

export interface HookValue {
  readonly kind: 'hook';
  readonly hook: Hook;
  readonly type: Type;
}

/** What faker gives, made into `type`: a number or its text into a decimal, a moment into a date. */
export interface Faker {
  readonly kind: 'faker';
  readonly module: string;
  readonly method: string;
  readonly arguments: readonly Expression[];
  readonly type: Type;
}

// ── Paths, queries, selections ──────────────────────────────────────────────────────────────────────────────────────

/** From one record to the next. `model` is where the step leads. */
export type Step =
  /** The record whose id is in `field` of this one. */
  | {
      readonly kind: 'reference';
      readonly name: string;
      readonly field: string;
      readonly model: string;
      readonly nullable: boolean;
    }
  /** The records of `model` that hold this one's id in `field`. */
  | {
      readonly kind: 'relation';
      readonly name: string;
      readonly field: string;
      readonly model: string;
      readonly many: boolean;
    }
  /** The records of the query `name` of the model `of`. */
  | {
      readonly kind: 'query';
      readonly name: string;
      readonly of: string;
      readonly model: string;
      readonly many: boolean;
      readonly nullable: boolean;
    };

/** Where a path begins. */
export type Origin =
  /** The row at hand. */
  | { readonly kind: 'row' }
  /** A record that was found or made before; its id is the snapshot. */
  | { readonly kind: 'record'; readonly id: Snapshot }
  /** All the records of a model. */
  | { readonly kind: 'model' };

export interface Query {
  readonly origin: Origin;
  readonly path: readonly Step[];
  readonly model: string;
  readonly filter: Expression | null;
  /** Complete: the id breaks every tie. Empty for a count. */
  readonly orderBy: readonly OrderItem[];
  /** Of an action it may be a value of the server. Then null means all of them. */
  readonly limit: number | Expression | null;
  readonly offset: number | Expression | null;
  readonly cardinality: 'many' | 'first' | 'one' | 'count';
}

export interface OrderItem {
  readonly value: Expression;
  readonly descending: boolean;
}

/** A selection with a name. Wherever it is used, what it selects is written out, beside its name. */
export interface Shape {
  readonly name: string;
  readonly doc: string | null;
  readonly model: string;
  readonly select: readonly Selected[];
}

/** One property of an object that is read from a record. */
export type Selected =
  | { readonly kind: 'value'; readonly name: string; readonly doc: string | null; readonly value: Expression }
  | {
      readonly kind: 'records';
      readonly name: string;
      readonly doc: string | null;
      readonly origin: Origin;
      readonly path: readonly Step[];
      readonly model: string;
      readonly nullable: boolean;
      readonly many: boolean;
      readonly select: readonly Selected[];
      /** The shape that `select` is. */
      readonly shape?: string;
    }
  /** The hook `hook` of the model around. */
  | { readonly kind: 'hook'; readonly name: string; readonly doc: string | null; readonly hook: string };

/** What is read of a record when it is found, for the expressions that need it later. */
export type Read =
  | { readonly name: string; readonly kind: 'value'; readonly value: Expression }
  /** The record, or the records at the end of `path`, as JSON. */
  | {
      readonly name: string;
      readonly kind: 'records';
      readonly path: readonly Step[];
      readonly model: string;
      readonly nullable: boolean;
      readonly many: boolean;
      readonly select: readonly Selected[];
    };

// ── Hooks and validators ────────────────────────────────────────────────────────────────────────────────────────────

export interface Hook {
  readonly arguments: readonly HookArgument[];
  readonly code:
    | { readonly kind: 'inline'; readonly expression: string }
    /** `file` is relative to the project's folder. */
    | { readonly kind: 'source'; readonly file: string; readonly export: string };
  /** What it must give. Absent where it may give anything, and in a definition of an earlier Kiln. */
  readonly returns?: HookResult;
}

/** `members` where the result is an object: no other member of it is passed on. */
export interface HookResult {
  readonly type: Type;
  readonly members?: readonly { readonly name: string; readonly doc: string | null; readonly type: Type }[];
}

export type HookArgument =
  | { readonly kind: 'value'; readonly name: string; readonly doc: string | null; readonly value: Expression }
  | {
      readonly kind: 'query';
      readonly name: string;
      readonly doc: string | null;
      readonly query: Query;
      readonly select: readonly Selected[];
    };

export type Validation =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Validation[] }
  | { readonly kind: 'not'; readonly part: Validation }
  | {
      readonly kind: 'check';
      /** What the client is told. */
      readonly code: string;
      readonly validator: BuiltInValidator | { readonly own: string };
      /** What is looked at; null for the value of the field or input itself. */
      readonly value: Expression | null;
      readonly arguments: readonly Expression[];
    };

export interface Validator {
  readonly name: string;
  readonly doc: string | null;
  readonly arguments: readonly { readonly name: string; readonly type: Type }[];
  readonly assert: Expression;
  readonly code: string;
  /** What the client reads when it does not hold. */
  readonly message?: string;
}

// ── The API ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Api {
  readonly name: string | null;
  readonly doc: string | null;
}

/** What the documents of an API group endpoints by. */
export interface Entrypoint {
  /** What the ids of its endpoints begin with: `post.comments`. */
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
  /** Of a custom endpoint: its path is that of the record or the collection. */
  readonly atResource?: true;
  readonly model: string;
  /** What is read of the authenticated record, if there is one. */
  readonly authReads: readonly Read[];
  /** The records that the path names, from the outside in; each must be there. */
  readonly records: readonly PathRecord[];
  /** All must hold, in order. */
  readonly authorize: readonly Expression[];
  readonly request: Request;
  /** In order, in one transaction. What a built-in endpoint does by itself is written out. */
  readonly actions: readonly Action[];
  readonly response: Response;
}

/** An endpoint whose requests must run as if one came after the other, see `serializable.ts`. */
export interface Serializable {
  /** Its id; also that of an endpoint of accounts, such as `auth.register`. */
  readonly endpoint: string;
  /** Whether something that is read of the caller may be changed by another request: then it is read again. */
  readonly rereadsCaller: boolean;
}

export interface PathRecord {
  /** The name under which snapshots refer to it. */
  readonly record: string;
  readonly model: string;
  /** Null at the top; else the step from the record before, or from `origin`. */
  readonly through: Step | null;
  /** The authenticated record, where the step begins at it. */
  readonly origin?: Extract<Origin, { kind: 'record' }>;
  /** Null for a single entrypoint, whose record the step alone finds. */
  readonly identify: Identify | null;
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
}

export type Input = ValueInput | GroupInput;

export interface ValueInput {
  readonly kind: 'value';
  readonly name: string;
  readonly doc: string | null;
  readonly type: Type;
  readonly required: boolean;
  readonly normalise?: readonly Normaliser[];
  /** Takes the place of a value that is left out. */
  readonly default: Expression | null;
  readonly validate: Validation | null;
  /** The most bytes that a text may have in UTF-8. A longer one is refused before anything else is done with it. */
  readonly maxBytes?: number;
  /** The field that the value is stored in, which may have to be unique. */
  readonly stores: {
    readonly model: string;
    readonly field: string;
    /** Present where a record that has the same value takes the place of a new one. */
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

/** Inputs of one action, under its alias. Required where any of them is. */
export interface GroupInput {
  readonly kind: 'group';
  readonly name: string;
  readonly required: boolean;
  readonly inputs: readonly ValueInput[];
}

export type Action = Create | Update | Delete | QueryAction | Execute | Respond | Validate;

export interface Create {
  readonly kind: 'create';
  readonly record: string;
  readonly model: string;
  readonly values: readonly Assignment[];
  readonly onConflict?: OnConflict;
  /** Nothing is made where the input of this path is left out or null. */
  readonly onlyWith?: readonly string[];
  readonly each?: Each;
  /** The reference of an outer record that is to hold the new record's id. */
  readonly link: Link | null;
  readonly reads: readonly Read[];
}

/** One record is made for each item of a list, by one statement for all of them. */
export interface Each {
  /** The name of the item, which is a result as it is. */
  readonly item: string;
  readonly list: Expression;
  /** The names of the records that were made for the same items before. */
  readonly made: readonly string[];
}

/** What is done where a record with the same unique key is there: it takes the place of a new one. */
export interface OnConflict {
  /** The fields of the key. */
  readonly key: readonly string[];
  /** How the record is changed. None where it stays as it is. */
  readonly changes: readonly ConflictChange[];
}

export interface ConflictChange {
  readonly field: string;
  /** When the value of the create counts: where the client sent the input of this path, or always, or never. */
  readonly given: readonly string[] | 'always' | 'never';
  /** Where it does not hold, the value of the create does not count. Missing: it always holds. */
  readonly condition?: Expression;
  /** The value where it does not count; null where the field stays as it is. */
  readonly otherwise: Expression | null;
}

export interface Link {
  readonly record: string;
  readonly model: string;
  readonly field: string;
}

export interface Update {
  readonly kind: 'update';
  /** The record after the change. */
  readonly record: string;
  readonly model: string;
  readonly id: Expression;
  readonly values: readonly Assignment[];
  readonly reads: readonly Read[];
}

export interface Assignment {
  readonly field: string;
  readonly value: Expression;
  /** Only where the client sent the input of this path. */
  readonly when: readonly string[] | null;
  /** Only where this holds, and then only the value is evaluated. Of an update alone. */
  readonly condition?: Expression;
}

export interface Delete {
  readonly kind: 'delete';
  readonly model: string;
  /** One record by its id, or all the records of a query. */
  readonly target: { readonly kind: 'id'; readonly id: Expression } | { readonly kind: 'query'; readonly query: Query };
  readonly link: Link | null;
}

export interface QueryAction {
  readonly kind: 'query';
  /** The name of the result; null where nothing uses it. */
  readonly record: string | null;
  readonly query: Query;
  readonly does:
    | {
        readonly kind: 'select';
        readonly select: readonly Selected[];
        readonly shape?: string;
        readonly reads: readonly Read[];
      }
    | ({ readonly kind: 'group' } & Grouping)
    | { readonly kind: 'update'; readonly values: readonly { readonly field: string; readonly value: Expression }[] }
    | { readonly kind: 'delete' }
    | { readonly kind: 'count' };
}

/** One row of plain values for all records that have the same values under the keys. */
export interface Grouping {
  /** Over each record. Without keys, all records are one group, also where there are none. */
  readonly keys: readonly { readonly name: string; readonly value: Expression }[];
  /** Over the groups, as the order is. */
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

export interface Respond {
  readonly kind: 'respond';
  readonly body: Expression | null;
  readonly httpStatus: Expression | null;
  readonly httpHeaders: readonly { readonly name: string; readonly value: Expression }[];
}

export interface Validate {
  readonly kind: 'validate';
  readonly key: string;
  readonly validation: Validation;
}

export type Response =
  /** 204. */
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
  | ListResponse;

export interface ListResponse extends ListOptions<ListField> {
  readonly kind: 'list';
  readonly query: Query;
  readonly select: readonly Selected[];
  readonly shape?: string;
}

/** A field that clients may use in the query string of a list. */
export interface ListField {
  /** The path as the author wrote it: `author.name`. */
  readonly name: string;
  readonly value: FieldValue;
  /** What is done to a value that it is compared with. */
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
    /** Which form Kiln's own tables of sessions have. A release that does not say it has the first. */
    readonly sessionTables?: 2;
    /** Null where strangers cannot make an account. */
    readonly register: { readonly inputs: readonly ValueInput[]; readonly values: readonly Assignment[] } | null;
    readonly me: readonly Selected[];
  } | null;
}

// ── Populators and generators ───────────────────────────────────────────────────────────────────────────────────────

export interface Populator {
  readonly name: string;
  readonly doc: string | null;
  readonly populates: readonly Populate[];
}

export interface Populate {
  readonly record: string;
  readonly model: string;
  /** The field that takes the parent's id; null at the top. */
  readonly parent: string | null;
  /** `current` goes from `start` to `end`. */
  readonly repeat: { readonly name: string | null; readonly start: number; readonly end: number };
  readonly values: readonly { readonly field: string; readonly value: Expression }[];
  readonly populates: readonly Populate[];
}

export type Generator =
  | { readonly kind: 'client'; readonly target: 'ts' | 'js'; readonly output: string }
  | { readonly kind: 'apidocs'; readonly basePath: string };
