/** Models, and the expressions, queries, selections, hooks and validators that are linked to them. */

import type { FunctionName } from '../definition/contract/functions.ts';
import type { BuiltInValidator } from '../definition/contract/validators.ts';
import type * as definition from '../definition/definition.ts';
import type { Span } from '../source/source-file.ts';

// ── Types ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The base of a type. `any` is the result of custom code, and of an expression that has been reported: it fits
 * everywhere.
 */
export type Base =
  | { readonly kind: definition.Scalar; readonly digits?: definition.Digits }
  | { readonly kind: 'enum'; readonly enum: Enum }
  | { readonly kind: 'record'; readonly model: Model }
  /** Values by their names, in JSON an object. */
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, MemberType> }
  | { readonly kind: 'null' }
  | { readonly kind: 'any' };

export interface Type {
  readonly base: Base;
  readonly nullable: boolean;
  /** A collection of such values: through a relation, or a list. */
  readonly many: boolean;
  /** Present if an item of the collection may be null. */
  readonly nullItems?: true;
}

/** A member of an object, and its place in the source. */
export interface MemberType {
  readonly type: Type;
  readonly span: Span;
  readonly doc?: string | null;
  /** The records that clients name in the items of a list: paths begin there. */
  readonly variable?: Variable;
}

// ── Models ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** An enum as in a definition, apart from its name in the database. */
export interface Enum extends Omit<definition.Enum, 'type'> {
  readonly span: Span;
}

/**
 * A checked model. Members are found by name in `members`; `fields` has the columns in order: `id`, then fields and
 * references as they were written.
 */
export interface Model extends Pick<definition.Model, 'name' | 'was' | 'doc' | 'drops'> {
  readonly span: Span;
  readonly members: ReadonlyMap<string, Member>;
  readonly fields: readonly Field[];
  readonly keys: readonly Key[];
}

export type Member = Field | Reference | Relation | Computed | ModelQuery | ModelHook;

interface MemberBase extends Pick<definition.Field, 'name' | 'doc'> {
  readonly model: Model;
  readonly span: Span;
}

export interface Field extends MemberBase, Pick<definition.Field, 'unique' | 'index' | 'secret' | 'was' | 'file'> {
  readonly kind: 'field';
  /** `id` and the key of a reference are fields that nobody wrote. */
  readonly origin: 'written' | 'id' | 'reference';
  readonly type: Type;
  /** The place of its type in the source; undefined for fields that nobody wrote. */
  readonly typeSpan?: Span | undefined;
  /** Whether clients set it only if an `input` names it. */
  readonly internal: boolean;
  /** The normalisers for a value from outside, before it is validated, stored or compared. */
  readonly normalise: readonly definition.Normaliser[];
  readonly default?: Expression | undefined;
  /** The value at every update that does not set the field. */
  readonly onUpdate?: Expression | undefined;
  readonly validate?: Validation | undefined;
  readonly backfill?: Expression | undefined;
  /** The reference whose key this is. */
  readonly reference?: Reference | undefined;
}

export interface Reference extends MemberBase, Omit<definition.Reference, 'to' | 'field'> {
  readonly kind: 'reference';
  readonly to: Model;
  readonly field: Field;
}

export interface Relation extends MemberBase {
  readonly kind: 'relation';
  readonly from: Model;
  readonly through: Reference;
}

export interface Computed extends MemberBase {
  readonly kind: 'computed';
  readonly value: Expression;
}

export interface ModelQuery extends MemberBase {
  readonly kind: 'query';
  readonly query: Query;
}

export interface ModelHook extends MemberBase {
  readonly kind: 'hook';
  readonly call: HookCall;
}

/** `unique { a, b }` or `index { a, b desc }`. */
export interface Key {
  readonly kind: 'unique' | 'index';
  readonly parts: readonly { readonly field: Field; readonly descending: boolean }[];
  readonly span: Span;
}

// ── Expressions ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A typed expression. Every name in it is a link. */
export type Expression =
  | Literal
  | Same<definition.List>
  | Same<definition.ObjectOf>
  | Same<definition.MemberOf>
  | Fold
  | Same<definition.Faker>
  | Path
  | Operation
  | Call
  | HookValue;

interface Placed {
  readonly span: Span;
}

interface Typed extends Placed {
  readonly type: Type;
}

/** A part of a definition in which expressions, types and hooks are still those of the program. */
export type Unlowered<T> = T extends definition.Expression
  ? Expression
  : T extends definition.Hook
    ? HookCall
    : T extends definition.Type
      ? Type
      : T extends readonly (infer Item)[]
        ? readonly Unlowered<Item>[]
        : T extends object
          ? UnloweredParts<T>
          : T;

type UnloweredParts<T> = { readonly [Key in keyof T]: Unlowered<T[Key]> };

/** An expression that a definition has too. */
type Same<T extends definition.Expression> = Placed & UnloweredParts<T>;

export type Literal = Same<definition.Literal>;
export type Fold = Same<definition.Fold>;

/** A member that a path can walk through or end in. */
export type Step = Member;

export interface Path extends Typed {
  readonly kind: 'path';
  readonly root: Root;
  readonly steps: readonly Step[];
}

export type Root =
  /** The current row, in the database. */
  | { readonly kind: 'row'; readonly model: Model }
  /** A record that an entrypoint or an action has given a name. */
  | { readonly kind: 'variable'; readonly variable: Variable }
  /** `known` is true if somebody is certainly signed in. */
  | { readonly kind: 'auth'; readonly model: Model; readonly known: boolean }
  | { readonly kind: 'input'; readonly input: Input }
  | Pick<definition.RequestValue, 'kind' | 'from' | 'path'>
  | Pick<definition.SettingValue, 'kind' | 'name'>
  | { readonly kind: 'argument'; readonly name: string }
  /** A key of the groups: a value that the records of a group share. */
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'iterator'; readonly name: string; readonly value: 'current' | 'total' };

/** A name bound in an endpoint or a populator. */
export interface Variable {
  readonly name: string;
  readonly type: Type;
  /**
   * A record that is read when it is found, the result of an action, the row of a query, or the authenticated record,
   * whatever its name. A deleted record is gone, and so may be those that it was deleted with.
   */
  readonly holds: 'record' | 'deleted' | 'result' | 'row' | 'caller';
  /** The secret that the item of a loop is a value of. */
  readonly secret?: Secret | undefined;
  /** The extra input that names the record. */
  readonly input?: Input;
}

/** A value that the client sends. `path` is its place in the body. */
export interface Input extends Pick<definition.ValueInput, 'doc' | 'required'> {
  readonly path: readonly [string] | readonly [string, string];
  readonly type: Type;
  readonly default?: Expression | undefined;
  /** The field, if it is secret and the default reads another secret. */
  readonly secret?: Secret | undefined;
  readonly validate?: Validation | undefined;
  /** True if the client may leave it out and nothing takes its place. */
  readonly mayBeAbsent: boolean;
  /** Whether the author lists it, rather than a rule. */
  readonly named: boolean;
  readonly normalise: readonly definition.Normaliser[];
  /** The field that the value is for; undefined for extra inputs. */
  readonly field?: Field;
  /** The declaration of an extra input. */
  readonly span?: Span;
  /** Where an `as` gives it its name. */
  readonly renamedAt?: Span | undefined;
  /** The inputs of each object in a list of objects. */
  readonly items?: { readonly inputs: readonly Input[] } & Pick<definition.ListInput, 'minItems' | 'maxItems'>;
  /** `reference author { through email }`: the value finds the record whose id is stored. */
  readonly lookup?:
    | { readonly to: Model; readonly steps: readonly (Reference | Relation)[]; readonly field: Field }
    | undefined;
}

export type Operator = definition.Operation['operator'] | 'is not' | 'not in';

export interface Operation extends Typed {
  readonly kind: 'operation';
  readonly operator: Operator;
  readonly operands: readonly Expression[];
}

export interface Call extends Typed {
  readonly kind: 'call';
  readonly function: FunctionName;
  readonly arguments: readonly Expression[];
}

interface HookValue extends Typed {
  readonly kind: 'hook';
  readonly call: HookCall;
}

// ── Queries and selections ──────────────────────────────────────────────────────────────────────────────────────────────

/** Records of `model`, found by walking from `root`; no root means all the records of the model. */
export interface Query {
  readonly root: Root | undefined;
  readonly steps: readonly Step[];
  readonly model: Model;
  readonly filter: Expression | undefined;
  readonly orderBy: readonly OrderItem[];
  /** The largest number of records: a number, or a value of the request. Null means all of them. */
  readonly limit: number | Expression | undefined;
  readonly offset: number | Expression | undefined;
  readonly cardinality: 'many' | 'first' | 'one' | 'count';
  /** Whether the steps are followed again from each record that is found. They lead from `model` to itself. */
  readonly recursive?: boolean | undefined;
}

export type OrderItem = Unlowered<definition.OrderItem>;

/** A selection with a name. */
export interface Shape extends Pick<definition.Shape, 'name' | 'doc'> {
  readonly model: Model;
  readonly select: readonly Selected[];
  readonly span: Span;
}

/** A condition with a name. A use is read as if it were written out, so nothing behind the checks knows of it. */
export interface Rule {
  readonly name: string;
  readonly doc: string | null;
  readonly parameters: readonly Variable[];
  /** The condition; undefined while it is checked, and if it depends on itself. */
  readonly value: Expression | undefined;
  readonly span: Span;
}

/** A variable of the environment. */
export interface Setting extends Unlowered<definition.Setting>, Placed {
  /** The whole declaration. */
  readonly whole: Span;
}

/** What is declared `secret`. */
export type Secret = Field | Setting;

/** One property of a response. */
export type Selected = SelectedValue | SelectedRecords | SelectedHook;

export type SelectedValue = Unlowered<SelectedAs<'value'>>;

type SelectedAs<Kind> = Extract<definition.Selected, { readonly kind: Kind }>;

/** A record or a collection of records, reached from the one around it or from a named one. */
interface SelectedRecords
  extends Pick<SelectedAs<'records'>, 'kind' | 'name' | 'doc' | 'nullable' | 'many'>,
    Pick<Path, 'root' | 'steps'> {
  readonly model: Model;
  readonly select: readonly Selected[];
  /** The shape that `select` is, if it has a name. */
  readonly shape: Shape | undefined;
}

interface SelectedHook extends Omit<SelectedAs<'hook'>, 'hook'> {
  readonly hook: ModelHook;
}

// ── Hooks and validators ────────────────────────────────────────────────────────────────────────────────────────────────

export interface HookCall {
  readonly arguments: readonly HookArgument[];
  readonly code: HookCode;
  /** The declared type of the result. */
  readonly returns: Type | undefined;
}

export type HookCode = definition.Hook['code'];

export type HookArgument = Pick<definition.HookArgument, 'name' | 'doc'> &
  ({ readonly value: Expression } | { readonly query: Query; readonly select: readonly Selected[] });

export type Validation =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Validation[] }
  | { readonly kind: 'not'; readonly part: Validation }
  | Check;

/** One call of a validator. In a field the value is the field's; in an action it is the first argument. */
export interface Check {
  readonly kind: 'check';
  readonly validator: { readonly kind: 'built-in'; readonly name: BuiltInValidator } | Validator;
  readonly value: Expression | undefined;
  readonly arguments: readonly Expression[];
}

export interface Validator extends Unlowered<definition.Validator> {
  readonly kind: 'validator';
}
