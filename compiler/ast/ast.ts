/**
 * The abstract syntax: what the author wrote, without white space, commas and braces. Names are still words; nothing is
 * resolved. A property that is left out is `undefined`; a flag is the span at which it stands.
 */
import type { Span } from '../source/source-file.ts';
import type { PlaceName } from '../syntax/forms.ts';
import type { PLACES } from '../syntax/grammar-forms.ts';
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

interface Node {
  readonly span: Span;
}

export interface WholeNumber extends Node {
  readonly value: number;
}

/** A node of a union, told apart by its kind. */
interface NodeOf<Kind extends string> extends Node {
  readonly kind: Kind;
}

interface Documented extends Node {
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

// ── Declarations ────────────────────────────────────────────────────────────────────────────────────────────────────

export type Declaration =
  | ModelDeclaration
  | EnumDeclaration
  | DropModelDeclaration
  | ValidatorDeclaration
  | ShapeDeclaration
  | RuleDeclaration
  | SettingDeclaration
  | JobDeclaration
  | DropJobDeclaration
  | ReactionDeclaration
  | ScheduleDeclaration
  | MailDeclaration
  | WebhookDeclaration
  | ApiDeclaration
  | AuthDeclaration
  | RuntimeDeclaration
  | PopulatorDeclaration
  | GeneratorDeclaration;

export interface Ast {
  readonly declarations: readonly Declaration[];
}

// ── Models ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ModelDeclaration extends Declared<'model'> {
  readonly was: Name | undefined;
  readonly members: readonly ModelMember[];
}

export type ModelMember =
  | FieldDeclaration
  | ReferenceDeclaration
  | RelationDeclaration
  | ComputedDeclaration
  | QueryDeclaration
  | HookDeclaration
  | KeyDeclaration
  | DropDeclaration;

export interface FieldDeclaration extends Declared<'field'>, Properties<'field'> {}

export type Normaliser = 'trim' | 'lower';

export interface Normalise extends Node {
  readonly normalisers: readonly Normaliser[];
}

export interface ReferenceDeclaration extends Declared<'reference'>, Properties<'reference'> {}

export interface RelationDeclaration extends Declared<'relation'>, Properties<'relation'> {}

export interface ComputedDeclaration extends Declared<'computed'> {
  readonly value: Expression;
}

export interface QueryDeclaration extends Declared<'query'> {
  readonly query: Query;
}

interface HookDeclaration extends Declared<'hook'> {
  readonly hook: Hook;
}

export interface KeyDeclaration extends NodeOf<'unique' | 'index'> {
  readonly parts: readonly KeyPart[];
}

export interface KeyPart extends Node {
  readonly name: Name;
  readonly direction: { readonly order: 'asc' | 'desc'; readonly span: Span } | undefined;
}

interface DropDeclaration extends NodeOf<'drop'> {
  readonly name: Name;
}

export interface DropModelDeclaration extends NodeOf<'drop-model'> {
  readonly name: Name;
}

export interface EnumDeclaration extends Declared<'enum'> {
  readonly was: Name | undefined;
  readonly values: readonly EnumValueDeclaration[];
  readonly drops: readonly Name[];
}

interface EnumValueDeclaration extends Documented {
  readonly name: Name;
  readonly was: Name | undefined;
}

// ── Queries, hooks, selections ──────────────────────────────────────────────────────────────────────────────────────

export interface From extends Node {
  readonly path: Path;
  readonly alias: Name | undefined;
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
  readonly source: HookSource | undefined;
}

/** The result of a hook: a value, or an object with these members. */
export interface Returns extends Node {
  readonly type: TypeName | undefined;
  readonly members: readonly ResultMember[];
  readonly nullable: boolean;
}

export interface ResultMember extends Documented {
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

/** `shape Card of Article { … }`: a selection with a name. */
export interface ShapeDeclaration extends Declared<'shape'> {
  readonly model: Name;
  readonly selection: Selection;
}

/** `rule may_edit(note of Note) { … }`: a condition with a name. */
export interface RuleDeclaration extends Declared<'rule'> {
  readonly parameters: readonly RuleParameter[];
  readonly value: Expression;
}

/** `setting STRIPE_SECRET { secret }`: a variable of the environment. */
export interface SettingDeclaration extends Declared<'setting'>, Properties<'setting'> {}

interface RuleParameter extends Node {
  readonly name: Name;
  readonly model: Name;
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
  readonly value: Expression | undefined;
  readonly selection: Selection | undefined;
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

// ── Validators ──────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ValidatorDeclaration extends Declared<'validator'>, Properties<'validator'>, Properties<'error'> {
  readonly args: readonly ValidatorArg[];
  /** The combination of other validators that this one names; a validator with a rule has nothing else. */
  readonly rule: Expression | undefined;
}

export interface ValidatorArg extends Node, Properties<'validator_arg'> {
  readonly name: Name;
  readonly misplaced: readonly MisplacedFlag[];
}

// ── The API ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ApiDeclaration extends Documented, NodeOf<'api'> {
  readonly name: Name | undefined;
  readonly entrypoints: readonly EntrypointDeclaration[];
}

export interface EntrypointDeclaration extends Documented, NodeOf<'entrypoint'>, Properties<'entrypoint'> {
  readonly resource: Name;
  /** Whether the resource is `@auth`. */
  readonly isCaller: boolean;
  readonly alias: Name | undefined;
  readonly endpoints: readonly EndpointDeclaration[];
  readonly entrypoints: readonly EntrypointDeclaration[];
}

export interface Identify extends Node, Properties<'identify'> {}

export type EndpointKind = 'list' | 'get' | 'create' | 'update' | 'delete' | 'custom';

export interface EndpointDeclaration extends Documented, NodeOf<'endpoint'>, Properties<'endpoint'> {
  readonly endpoint: EndpointKind;
  /** The words that open it, `list endpoint` or `POST one "publish"`. Diagnostics underline them. */
  readonly head: Span;
  readonly alias: Name | undefined;
  readonly method: Method | undefined;
  readonly extraInputs: ExtraInputs | undefined;
  readonly action: ActionBlock | undefined;
  readonly paginable: Paginable | undefined;
  readonly signed?: Signed | undefined;
  /** All properties as written, also those that do not fit the kind. */
  readonly properties: readonly WrittenProperty[];
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Method extends Node {
  readonly value: HttpMethod;
  /** `method PUT, PATCH` */
  readonly other?: Method | undefined;
}

export type EndpointProperty = (typeof PLACES)['endpoint'][number];

/** A property with its keywords, of which the first is at `span`. */
export interface WrittenProperty extends Name {
  readonly property: EndpointProperty;
}

/** The fields that a list opens to its clients. */
export interface ListFields extends Node {
  readonly paths: readonly Path[];
}

/** The strings that clients may search, and how. */
export interface SearchedFields extends ListFields, Properties<'searchable'> {}

export interface Paginable extends Node, Properties<'paginable'> {}

/** `signed by stripe { secret STRIPE_SECRET }` */
export interface Signed extends Node, Properties<'signed_by'> {
  readonly scheme: Name;
}

/** `response { items: data }` */
export interface PageResponse extends Node {
  readonly members: readonly { readonly name: Name; readonly value: Name }[];
}

export interface ExtraInputs extends Node {
  readonly fields: readonly ExtraInput[];
}

export type ExtraInput = FieldDeclaration | RecordInput | ListInput;

/** `reference label { to Label, through slug }`: the client names a record. */
export interface RecordInput extends Declared<'record'>, Properties<'record_input'> {}

/** `list lines { … }`: a list of objects. */
export interface ListInput extends Declared<'list'>, Properties<'list_input'> {
  readonly members: readonly (FieldDeclaration | RecordInput)[];
}

// ── Actions ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ActionBlock extends Node {
  readonly actions: readonly Action[];
}

export type Action =
  | WriteAction
  | DeleteAction
  | QueryAction
  | ForAction
  | ExecuteAction
  | CallAction
  | RunAction
  | RespondAction
  | ValidateAction
  | RefuseAction;

/** `head` is its first word. */
interface ActionNode<Kind extends string> extends NodeOf<Kind> {
  readonly head: Span;
}

export interface WriteAction extends ActionNode<'create' | 'update'> {
  readonly target: Path | AuthPath | undefined;
  /** The `or keep` or `or update` of a create. */
  readonly onConflict: OnConflict | undefined;
  readonly alias: Name | undefined;
  readonly items: readonly WriteItem[];
}

/** `or keep`, `or update by { a, b }`. */
export interface OnConflict extends Node {
  readonly does: 'keep' | 'update';
  readonly key: { readonly parts: readonly KeyPart[]; readonly span: Span } | undefined;
}

export type WriteItem = SetItem | InputItem | InputAllItem | ReferenceItem;

export interface SetItem extends NodeOf<'set'> {
  readonly name: Name;
  readonly value: Expression;
  /** The condition behind `when`. */
  readonly when: Expression | undefined;
}

export interface InputItem extends NodeOf<'input'> {
  readonly fields: readonly InputField[];
}

export interface InputField extends Node, Properties<'input_field'> {
  readonly name: Name;
  /** The name that clients use, if it is not the name of the field. */
  readonly alias: Name | undefined;
  readonly misplaced: readonly MisplacedFlag[];
}

export interface InputAllItem extends NodeOf<'input-all'> {
  readonly except: readonly Name[];
}

export interface ReferenceItem extends NodeOf<'reference'> {
  readonly name: Name;
  readonly through: Path | undefined;
  /** The words `or create`. */
  readonly orCreate: Span | undefined;
}

export interface DeleteAction extends ActionNode<'delete'> {
  readonly target: Path | AuthPath | undefined;
}

export interface QueryAction extends ActionNode<'query'> {
  readonly alias: Name | undefined;
  readonly query: Query;
  readonly update?: { readonly sets: readonly SetItem[]; readonly span: Span } | undefined;
}

/** `for x in list { … }`. */
export interface ForAction extends ActionNode<'for'> {
  readonly name: Name;
  readonly list: Expression;
  readonly actions: readonly Action[];
}

export interface ExecuteAction extends ActionNode<'execute'>, Properties<'execute_action'> {
  readonly alias: Name | undefined;
}

/** `call as x { hook { … } on failure { … } timeout seconds(10) }`. */
export interface CallAction extends ActionNode<'call'>, Properties<'call_action'> {
  readonly alias?: Name | undefined;
  readonly onFailure?: ActionBlock | undefined;
}

/** `run SendReceipt { order: order } after days(3) once per order`; `send` for a mail. */
export interface RunAction extends ActionNode<'run'> {
  readonly verb: 'run' | 'send';
  readonly job: Name;
  readonly arguments: readonly { readonly name: Name; readonly value: Expression }[];
  readonly after?: Expression | undefined;
  readonly once?: Expression | undefined;
}

export interface RespondAction extends ActionNode<'respond'>, Properties<'respond_action'> {}

export interface HttpHeaders extends Node {
  readonly headers: readonly HttpHeader[];
}

export interface HttpHeader extends Node {
  readonly name: Text;
  readonly value: Expression;
}

export interface ValidateAction extends ActionNode<'validate'> {
  readonly key: Text;
  readonly value: Expression;
}

/** `refuse "sold-out" when e { … }`. */
export interface RefuseAction extends ActionNode<'refuse'>, Properties<'refuse_action'> {
  readonly code: Text;
  readonly when: Expression | undefined;
}

// ── Jobs and reactions ──────────────────────────────────────────────────────────────────────────────────────────────

export interface JobDeclaration extends Declared<'job'>, Properties<'job'> {
  readonly was?: Name | undefined;
  readonly inputs: readonly JobInput[];
  readonly action: ActionBlock | undefined;
  readonly onFailure?: ActionBlock | undefined;
}

/** A record with `to`, a value without it. */
export interface JobInput extends Declared<'input'>, Properties<'job_input'> {}

export interface DropJobDeclaration extends NodeOf<'drop-job'>, Properties<'drop_job'> {
  readonly name: Name;
}

/** `on update of Order as order when … { run … }`. */
export interface ReactionDeclaration extends NodeOf<'reaction'> {
  readonly event: 'create' | 'update' | 'delete';
  readonly model: Name;
  readonly alias: Name;
  readonly when: Expression | undefined;
  readonly runs: readonly RunAction[];
  /** The words before the model. */
  readonly head: Span;
}

export interface ScheduleDeclaration extends Declared<'schedule'>, Properties<'schedule'> {
  readonly times: Every | Cron;
  readonly zone: Text | undefined;
  readonly runs: readonly RunAction[];
}

/** `every monday and friday at "07:30"`. */
export interface Every extends NodeOf<'every'> {
  readonly count: WholeNumber | undefined;
  readonly units: readonly Name[];
  readonly day: WholeNumber | undefined;
  readonly time: Text | undefined;
}

interface Cron extends NodeOf<'cron'> {
  readonly pattern: Text;
}

// ── Mail and webhooks ───────────────────────────────────────────────────────────────────────────────────────────────

export interface MailDeclaration extends Declared<'mail'>, Properties<'mail'> {
  readonly was: Name | undefined;
  readonly inputs: readonly JobInput[];
}

export interface WebhookDeclaration extends Declared<'webhook'>, Properties<'webhook'> {
  /** Its `runs` are empty. */
  readonly event: ReactionDeclaration | undefined;
  readonly receivers: WebhookReceivers | undefined;
  readonly gone: ActionBlock | undefined;
}

/** `to order.shop.hooks as hook { … }`, or `to { … }`. */
export interface WebhookReceivers extends Node, Omit<Properties<'webhook_receiver'>, 'secret'> {
  readonly list: Path | undefined;
  readonly alias: Name | undefined;
  readonly secrets: readonly Expression[];
}

// ── Authentication, runtimes, populators, generators ────────────────────────────────────────────────────────────────

export interface AuthDeclaration extends NodeOf<'auth'>, Properties<'auth'> {
  readonly register: Register | undefined;
}

export interface Register extends Node {
  readonly off: boolean;
  readonly inputs: readonly InputItem[];
}

export interface RuntimeDeclaration extends NodeOf<'runtime'>, Properties<'runtime'> {
  readonly name: Name;
}

export interface PopulatorDeclaration extends Declared<'populator'> {
  readonly populates: readonly Populate[];
}

export interface Populate extends Node {
  readonly resource: Name;
  readonly alias: Name | undefined;
  readonly repeat: Repeat | undefined;
  readonly sets: readonly SetItem[];
  readonly populates: readonly Populate[];
}

export interface Repeat extends Node, Properties<'repeat_range'> {
  readonly alias: Name | undefined;
  readonly count: WholeNumber | undefined;
}

export interface GeneratorDeclaration extends NodeOf<'generator'>, Properties<'generator'> {
  readonly generator: 'client' | 'apidocs';
  readonly kindSpan: Span;
}
