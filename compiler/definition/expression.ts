/** The expressions, queries and selections of a definition, and the hooks and validators that take them. */
import type { FunctionName } from './contract/functions.ts';
import type { BuiltInValidator } from './contract/validators.ts';
import type { Scalar } from './scalars.ts';

// ── Types ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `any` is the type of a value of custom code: it is known only at run time. */
export interface Type {
  readonly kind: Scalar | 'enum' | 'record' | 'any';
  /** The enum, where `kind` is `enum`. */
  readonly enum?: string;
  /** The digits of a decimal that limits them. */
  readonly digits?: Digits;
  /** The model, where `kind` is `record`: the value is a record as JSON. */
  readonly model?: string;
  /** Present if the value may be null. */
  readonly nullable?: true;
  /** Present if the value is a list of such values. */
  readonly many?: true;
  /** Present if an item of the list may be null. */
  readonly nullItems?: true;
}

/** The limit of a decimal: at most `all` digits, `places` of them after the point. */
export interface Digits {
  readonly all: number;
  readonly places: number;
}

/** Applied in order to a text from outside before it is validated, stored or compared. */
export type Normaliser = 'trim' | 'lower';

// ── Expressions ─────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A typed expression in which every conversion is explicit: an integer that widens is a `convert`, a nullable boolean
 * in a condition is a `truth`, and a comparison with `@auth` first checks that somebody is signed in. `field`,
 * `computed`, `collect` and `aggregate` read the database; the others are values of the server.
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
  | RequestValue
  | SettingValue
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

/**
 * The member of a JSON object under a name; null if the value is not an object or has no own member of that name. A
 * list gives the member of each item.
 */
export interface MemberOf {
  readonly kind: 'member';
  readonly of: Expression;
  readonly name: string;
  readonly type: Type;
}

/** The value of a key that the records of a group share, by the name of the key. */
export interface GroupKey {
  readonly kind: 'key';
  readonly name: string;
  readonly type: Type;
}

/** An aggregate over the records of a group. `value` is null if the records themselves are counted. */
export interface Fold {
  readonly kind: 'fold';
  readonly function: 'count' | 'sum' | 'avg' | 'min' | 'max';
  readonly value: Expression | null;
  readonly type: Type;
}

/** A column of the row, or of the one record at the end of `path`; null if the path ends early. */
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
  /** The value, over the record at the end of the path. */
  readonly value: Expression;
  readonly type: Type;
}

/** An aggregate over the distinct records at the end of `path`, or over a value of each of them. */
export interface Aggregate {
  readonly kind: 'aggregate';
  readonly function: 'count' | 'exists' | 'sum' | 'avg' | 'min' | 'max';
  readonly path: readonly Step[];
  /** The value; null if the records themselves are counted. */
  readonly value: Expression | null;
  readonly type: Type;
}

/**
 * A value that was read when the record `record` was found, under the name `read` in its `reads`. Where there is no
 * record it is null, or an empty list where it is many and not nullable. Of several records the lists are joined to one.
 * In a populator `read` is a field of the record that is being made, or the ids of a relation: those that were made before.
 */
export interface Snapshot {
  readonly kind: 'snapshot';
  /** The name of a record or of a result; `@auth` for the authenticated record. */
  readonly record: string;
  /** The name of the read; null for a whole result of an action. */
  readonly read: string | null;
  readonly type: Type;
}

/** A checked value of the request; null if the client may leave it out and did. */
export interface InputValue {
  readonly kind: 'input';
  readonly path: readonly string[];
  readonly type: Type;
}

/** A text that the request brings beside its inputs; null where it does not. */
export interface RequestValue {
  readonly kind: 'request';
  /** A claim is one of the caller's token, if an outside provider has issued it. */
  readonly from: 'header' | 'claim';
  /** The name of the header, in lower case, or where the claim is. */
  readonly path: readonly string[];
  readonly type: Type;
}

/** The value of a setting, which the server has had since it was started. */
export interface SettingValue {
  readonly kind: 'setting';
  readonly name: string;
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

/** Whether anybody is signed in. */
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

/** True if the value is true; false if it is false or null. */
export interface Truth {
  readonly kind: 'truth';
  readonly value: Expression;
  readonly type: Type;
}

/**
 * A conversion. To float: from integer or decimal. To decimal: from integer. To string: the text of the value as in
 * JSON, without quotes. Null stays null. `checked` marks a value of custom code: it must be a value of the type, or the
 * request fails.
 */
export interface Convert {
  readonly kind: 'convert';
  readonly value: Expression;
  readonly type: Type;
  readonly checked?: true;
}

/**
 * `years` to `seconds` move their first argument, a date or a timestamp, by as many as the second one says. `file` is a
 * stored file as clients see it; the other arguments are the parts of its address, of which texts are encoded that are no
 * literals.
 */
export interface Call {
  readonly kind: 'call';
  /** `file` is what the compiler writes where a response shows a file. */
  readonly function: Exclude<FunctionName, Aggregate['function']> | 'file';
  readonly arguments: readonly Expression[];
  readonly type: Type;
}

export interface HookValue {
  readonly kind: 'hook';
  readonly hook: Hook;
  readonly type: Type;
}

/** A value of faker, converted to `type`: a number or its text into a decimal, a moment into a date. */
export interface Faker {
  readonly kind: 'faker';
  readonly module: string;
  readonly method: string;
  readonly arguments: readonly Expression[];
  readonly type: Type;
}

// ── Paths, queries, selections ──────────────────────────────────────────────────────────────────────────────────────

/** A step from one record to the next. `model` is the model that it leads to. */
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

/** The beginning of a path. */
export type Origin =
  /** The current row. */
  | { readonly kind: 'row' }
  /** A record that was found or made before; its id is the snapshot. */
  | { readonly kind: 'record'; readonly id: Snapshot }
  /** All the records of a model. */
  | { readonly kind: 'model' };

export interface Query {
  readonly origin: Origin;
  readonly path: readonly Step[];
  /** Follows the path again from each record that is found, until it finds no new one. It leads from `model` to itself. */
  readonly recursive?: true;
  readonly model: string;
  /** Of what is found in the end. It does not stop a recursive query. */
  readonly filter: Expression | null;
  /** The complete order: the id breaks every tie. Empty for a count. */
  readonly orderBy: readonly OrderItem[];
  /** The limit. In an action it may be a value of the server; null then means all records. */
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

/** A value that is read from a record when it is found, for expressions that need it later. */
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
    /** `file` is relative to the project's folder; `OWN_CODE` is Kiln's own. */
    | { readonly kind: 'source'; readonly file: string; readonly export: string };
  /** The declared result. Absent if the hook may return anything, and in a definition of an earlier Kiln. */
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
      /** The code of the error that the client gets. */
      readonly code: string;
      readonly validator: BuiltInValidator | { readonly own: string };
      /** The validated value; null for the value of the field or input itself. */
      readonly value: Expression | null;
      readonly arguments: readonly Expression[];
    };

export interface Validator {
  readonly name: string;
  readonly doc: string | null;
  readonly arguments: readonly { readonly name: string; readonly type: Type }[];
  readonly assert: Expression;
  readonly code: string;
  /** The message of the error that the client gets. */
  readonly message?: string;
}
