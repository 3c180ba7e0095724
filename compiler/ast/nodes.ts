/** The parts that all nodes are made of, and the nodes that contain expressions, which may contain them. */
import type { Span } from '../source/source-file.ts';
import type { PlaceName } from '../syntax/forms.ts';
import type { PropertiesBy } from './property-types.ts';

/** The place of a flag. `withComma` is its end including the comma behind it, so that it can be removed. */
export interface Flag extends Span {
  readonly withComma: number;
}

/** A flag that has no meaning at its place. */
export interface MisplacedFlag {
  readonly text: string;
  readonly span: Flag;
}

export interface Name extends Node {
  readonly text: string;
}

/** The name of a type; `list` is the span of the whole `[name]`, `size` what is in parentheses behind the name. */
export interface TypeName extends Name {
  readonly list: Span | undefined;
  readonly size?: { readonly digits: WholeNumber; readonly places: WholeNumber; readonly span: Span };
}

/** The text of a string or raw string, with its escapes resolved. */
export interface Text extends Node {
  readonly value: string;
}

export interface Node {
  readonly span: Span;
}

export interface WholeNumber extends Node {
  readonly value: number;
}

/** A node of a union, told apart by its kind. */
export interface NodeOf<Kind extends string> extends Node {
  readonly kind: Kind;
}

export interface Documented extends Node {
  readonly doc: string | null;
}

interface Declared<Kind extends string> extends Documented, NodeOf<Kind> {
  readonly name: Name;
}

// ── Properties ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The values that may follow the keywords of a property, in the notation of the forms. */
export interface PropertyValues {
  '': Flag;
  '[{ }]': Span;
  NAME: Name;
  TYPE: TypeName;
  PATH: Path;
  'PATH [as NAME]': From;
  INTEGER: WholeNumber;
  STRING: Text;
  EXPRESSION: Expression;
  '{ EXPRESSION }': Expression;
  '({ selection } | NAME)': Selection;
  '{ selection }': Selection;
  '{ order_by }': OrderBy;
  '{ normalise }': Normalise;
  '{ accept }': Accept;
  '{ filterable }': ListFields;
  '{ searchable }': SearchedFields;
  '{ http_headers }': HttpHeaders;
  '{ page_response }': PageResponse;
  '{ identify }': Identify;
  '{ hook }': Hook;
  '({ result } | TYPE) [nullable]': Returns;
}

/** The properties of a place that properties.ts reads, by their keywords: `order by { order_by }` is an `orderBy`. */
export type Properties<Place extends PlaceName> = PropertiesBy<Place, PropertyValues>;

// ── Queries, hooks, selections ──────────────────────────────────────────────────────────────────────────────────────

export interface From extends Node {
  readonly path: Path;
  readonly alias?: Name | undefined;
}

/** A query. Some places of queries have no `select` and no `delete`; limits are values only in an action. */
export interface Query extends Node, Omit<Properties<'query_action'>, 'limit' | 'offset'> {
  readonly limit?: WholeNumber | Expression | undefined;
  readonly offset?: WholeNumber | Expression | undefined;
}

export interface OrderBy extends Node {
  readonly items: readonly OrderItem[];
}

export interface OrderItem extends Node {
  readonly value: Expression;
  readonly descending: boolean;
}

export interface Hook extends Node, Properties<'hook'> {
  readonly args: readonly HookArg[];
  readonly source?: HookSource | undefined;
}

/** The result of a hook: a value, or an object with these members. */
export interface Returns extends Node {
  readonly type?: TypeName | undefined;
  readonly members?: readonly ResultMember[] | undefined;
  readonly nullable: boolean;
}

interface ResultMember extends Documented {
  readonly name: Name;
  readonly type: TypeName;
  readonly nullable: boolean;
}

export interface HookArg extends Documented {
  readonly name: Name;
  readonly value: Expression | { readonly kind: 'query'; readonly query: Query; readonly span: Span };
}

export interface HookSource extends Node {
  readonly export: Name;
  readonly file: Text;
  /** Present where the compiler has written it: it is Kiln's own code. */
  readonly isOwn?: true;
}

/** A selection. If the name of a shape is written in place of the braces, the only item is its spread. */
export interface Selection extends Node {
  readonly items: readonly (Selected | Spread)[];
}

/** `...Card`: selects what the shape selects. */
export interface Spread extends NodeOf<'spread'> {
  readonly shape: Name;
}

export interface Selected extends Declared<'selected'> {
  /** `undefined` where the name itself says what is selected. */
  readonly value?: Expression | undefined;
  readonly selection?: Selection | undefined;
}

// ── Values of properties ────────────────────────────────────────────────────────────────────────────────────────────────

export type Normaliser = 'trim' | 'lower';

/** @public The types of nodes are inferred, and name it. */
export interface Normalise extends Node {
  readonly normalisers: readonly Normaliser[];
}

/** @public The types of nodes are inferred, and name it. */
export interface Accept extends Node {
  readonly types: readonly Text[];
}

/** @public The types of nodes are inferred, and name it. */
export interface Identify extends Node, Properties<'identify'> {}

/** The fields that a list opens to its clients. */
export interface ListFields extends Node {
  readonly paths: readonly Path[];
}

/** The strings that clients may search, and how. */
export interface SearchedFields extends ListFields, Properties<'searchable'> {}

/** `response { items: data }` */
export interface PageResponse extends Node {
  readonly members: readonly { readonly name: Name; readonly value: Name }[];
}

export interface HttpHeaders extends Node {
  readonly headers: readonly HttpHeader[];
}

export interface HttpHeader extends Node {
  readonly name: Text;
  readonly value: Expression;
}

// ── Expressions ─────────────────────────────────────────────────────────────────────────────────────────────────────

type Comparison = 'is' | 'is not' | 'in' | 'not in' | '<' | '<=' | '>' | '>=';
export type BinaryOperator = 'or' | 'and' | Comparison | '+' | '-' | '*' | '/' | '%';

export type Expression =
  | Literal
  | List
  | ObjectOf
  | Path
  | AuthPath
  | InputPath
  | RequestPath
  | Call
  | Binary
  | Unary
  | HookExpression;

export type Literal =
  | { readonly kind: 'integer' | 'float'; readonly value: number; readonly text: string; readonly span: Span }
  | { readonly kind: 'string'; readonly value: string; readonly span: Span }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly span: Span }
  | { readonly kind: 'null'; readonly span: Span };

export interface List extends NodeOf<'list'> {
  readonly items: readonly Expression[];
}

/** `{ name: e, … }` */
export interface ObjectOf extends NodeOf<'object'> {
  readonly members: readonly ObjectMember[];
}

export interface ObjectMember extends Documented {
  /** A quoted name may be any text. */
  readonly name: Name;
  readonly value: Expression;
}

export interface Path extends NodeOf<'path'> {
  readonly steps: readonly [Name, ...Name[]];
}

/** `@auth` and what is read from it. */
export interface AuthPath extends NodeOf<'auth'> {
  readonly steps: readonly Name[];
}

/** `@input` and the name of an input behind it. */
export interface InputPath extends NodeOf<'input'>, Pick<AuthPath, 'steps'> {}

/** `@request.header("x-tenant")` and `@claims.tenant`. Every other call of a word with an `@` is one, too. */
export interface RequestPath extends NodeOf<'request'>, Pick<AuthPath, 'steps'> {
  readonly root: string;
  /** The arguments; undefined if it is not called. */
  readonly arguments: readonly Expression[] | undefined;
}

export interface Call extends NodeOf<'call'> {
  readonly function: Path;
  readonly arguments: readonly Expression[];
}

export interface Binary extends NodeOf<'binary'> {
  readonly operator: BinaryOperator;
  readonly operatorSpan: Span;
  readonly left: Expression;
  readonly right: Expression;
}

export interface Unary extends NodeOf<'unary'> {
  readonly operator: 'not' | '-';
  readonly operand: Expression;
}

export interface HookExpression extends NodeOf<'hook'> {
  readonly hook: Hook;
}
