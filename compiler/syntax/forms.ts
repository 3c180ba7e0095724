/**
 * What may stand where: for each place of a Kiln file the forms that fit there, with the words in which authors are told
 * about them. Places and shapes are those of the grammar; a form that it has and this file lacks does not compile.
 *
 *   word            the word itself, which is a keyword only here
 *   NAME            a name                          PATH        names joined by dots
 *   STRING          a text in quotes                INTEGER     a whole number
 *   EXPRESSION      a value                         RECORD      a path, or one that begins with `@auth`
 *   TYPE            a type: a name, or one in brackets
 *   SHAPE           a name that begins with a capital letter
 *   @auth           the caller
 *   [ a ]           a, or nothing                   ( a | b )   one of them
 *   { place }       a block of forms of that place  { EXPRESSION }, { }   a block of one value, of nothing
 */
import { PLACES, SHAPES } from './grammar-forms.ts';

export type PlaceName = keyof typeof PLACES;
export type FormName = keyof typeof SHAPES;

interface FormWords {
  /** What the author would call it. */
  readonly noun: string;
  /** One line that could stand in a file. */
  readonly example: string;
  /** The words by which other languages know it. */
  readonly alsoCalled?: readonly string[];
  /** The same with another of the words that may begin it, which stands for `…`. */
  readonly exampleOfOther?: string;
  /** The least that its block must hold, where `{}` does not do. */
  readonly block?: string;
}

export interface Form extends FormWords {
  /** The rule of the grammar; of a rule that is a choice of words, the rule and the word. */
  readonly name: FormName;
  readonly shape: string;
}

interface PlaceWords {
  readonly noun: string;
  /** Completes “`x` is not …”; says what a place holds, where “something that a model can have” does not sound right. */
  readonly holds?: string;
  /** Words that mean something in a similar place, and where that is said of this one. */
  readonly saidElsewhere?: Readonly<Record<string, string>>;
}

export interface Place extends PlaceWords {
  readonly forms: readonly Form[];
}

/** The words of a form, and those that are different in one of its places. */
type Words = FormWords & { readonly within?: Readonly<Partial<Record<PlaceName, Partial<FormWords>>>> };

const WORDS: Readonly<Record<FormName, Words>> = {
  // ── Models ────────────────────────────────────────────────────────────────────────────────────────────────────────

  model: {
    noun: 'a model',
    example: 'model Post { field title { type string } }',
    alsoCalled: ['table', 'class', 'entity', 'struct', 'interface', 'record', 'type', 'schema', 'collection'],
  },
  was: { noun: 'a former name', example: 'was subject' },
  drop_model: { noun: 'a dropped model', example: 'drop model Article' },
  drop_member: { noun: 'a dropped member', example: 'drop subtitle', alsoCalled: ['remove', 'delete'] },
  enum: { noun: 'an enum', example: 'enum Status { draft, published }' },
  enum_value: { noun: 'a value', example: 'draft' },
  drop_value: { noun: 'a dropped value', example: 'drop archived' },
  field: {
    noun: 'a field',
    example: 'field title { type string }',
    block: '{ type string }',
    alsoCalled: ['column', 'property', 'prop', 'attribute', 'attr', 'var', 'let', 'const'],
  },
  type: { noun: 'a type', example: 'type string' },
  'flag unique': { noun: 'uniqueness', example: 'unique' },
  'flag nullable': { noun: 'nullability', example: 'nullable', alsoCalled: ['optional', 'null'] },
  'flag index': { noun: 'an index', example: 'index', alsoCalled: ['indexed'] },
  'flag internal': {
    noun: 'a field that clients do not set',
    example: 'internal',
    alsoCalled: ['readonly', 'protected'],
  },
  'flag secret': { noun: 'secrecy', example: 'secret', alsoCalled: ['hidden', 'private'] },
  'flag required': { noun: 'a requirement', example: 'required' },
  default: { noun: 'a default', example: 'default false', within: { field: { alsoCalled: ['initial', 'value'] } } },
  on_update: { noun: 'a value for updates', example: 'on update now()', alsoCalled: ['onUpdate', 'on_update'] },
  normalise: { noun: 'a normalisation', example: 'normalise { trim, lower }', alsoCalled: ['normalize', 'transform'] },
  'normaliser trim': { noun: 'trimming', example: 'trim' },
  'normaliser lower': { noun: 'lower case', example: 'lower', alsoCalled: ['lowercase', 'downcase'] },
  backfill: { noun: 'a backfill', example: 'backfill 0', within: { reference: { example: 'backfill editor' } } },
  reference: {
    noun: 'a reference',
    example: 'reference author { to Author }',
    block: '{ to … }',
    alsoCalled: ['ref', 'belongsTo', 'belongs_to', 'foreign', 'foreignKey'],
  },
  to: { noun: 'a target', example: 'to Author', alsoCalled: ['references', 'model', 'type'] },
  on_delete: { noun: 'a rule for deletion', example: 'on delete cascade', alsoCalled: ['onDelete', 'on_delete'] },
  relation: {
    noun: 'a relation',
    example: 'relation posts { from Post, through author }',
    block: '{ from …, through … }',
    alsoCalled: ['hasMany', 'has_many', 'hasOne', 'has_one', 'relationship'],
  },
  from: { noun: 'a source of records', example: 'from memberships.user' },
  through: { noun: 'a way through', example: 'through author', alsoCalled: ['via', 'by'] },
  computed: {
    noun: 'a computed property',
    example: 'computed post_count { count(posts) }',
    alsoCalled: ['compute', 'derived', 'virtual', 'getter'],
  },
  query: { noun: 'a query', example: 'query newest { from posts, order by { id desc }, first }' },
  filter: { noun: 'a filter', example: 'filter { published is true }', alsoCalled: ['where', 'having', 'when', 'if'] },
  order_by: {
    noun: 'an order',
    example: 'order by { title asc, id desc }',
    alsoCalled: ['sort', 'orderBy', 'order_by', 'sortBy'],
  },
  order_item: { noun: 'an order', example: 'id desc' },
  limit: { noun: 'a limit', example: 'limit 10', alsoCalled: ['take', 'top'] },
  offset: { noun: 'an offset', example: 'offset 20', alsoCalled: ['skip'] },
  'cardinality first': { noun: 'the first record', example: 'first' },
  'cardinality one': { noun: 'the one record', example: 'one', alsoCalled: ['single', 'only'] },
  'cardinality count': { noun: 'the number of records', example: 'count' },
  hook: { noun: 'a hook', example: 'hook summary { arg text body  source summarise from "text.ts" }' },
  arg: { noun: 'an argument', example: 'arg text body', alsoCalled: ['argument', 'param', 'args', 'parameter'] },
  source: { noun: 'a source', example: 'source summarise from "text.ts"', alsoCalled: ['import'] },
  inline: { noun: 'inline code', example: 'inline "text.length"', alsoCalled: ['code', 'js'] },
  hook_runtime: { noun: 'a runtime', example: 'runtime jobs' },
  returns: {
    noun: 'the type of the result',
    example: 'returns { email: string, ids: [integer] }',
    alsoCalled: ['return', 'result', 'output', 'type'],
  },
  result_member: { noun: 'a member of the result', example: 'email: string nullable' },
  unique_over: { noun: 'a unique key', example: 'unique { author, slug }' },
  index_over: { noun: 'an index', example: 'index { author, id desc }' },
  key_part: { noun: 'a part of a key', example: 'id desc' },
  hook_block: { noun: 'a hook', example: 'hook { source notify from "notify.ts" }' },

  // ── Validators ────────────────────────────────────────────────────────────────────────────────────────────────────

  validate: {
    noun: 'a validation',
    example: 'validate { minLength(4) }',
    alsoCalled: ['validates', 'check', 'constraint'],
  },
  validator: {
    noun: 'a validator',
    example: 'validator even { arg value { type integer }  assert { value % 2 is 0 } }',
  },
  validator_arg: { noun: 'an argument', example: 'arg value { type string }', alsoCalled: ['argument', 'param'] },
  assert: { noun: 'an assertion', example: 'assert { length(value) > 3 }', alsoCalled: ['check', 'test'] },
  error: { noun: 'an error', example: 'error { code "too-short", message "use at least 3 letters" }' },
  code: { noun: 'a code', example: 'code "too-short"' },
  message: { noun: 'a message', example: 'message "use at least 3 letters"', alsoCalled: ['text', 'detail'] },

  // ── The API ───────────────────────────────────────────────────────────────────────────────────────────────────────

  api: {
    noun: 'an api',
    example: 'api { entrypoint Post { list endpoint {} } }',
    alsoCalled: ['server', 'service', 'routes', 'rest'],
  },
  entrypoint: {
    noun: 'an entrypoint',
    example: 'entrypoint Post as post { list endpoint {} }',
    alsoCalled: ['resource', 'route', 'router', 'controller'],
  },
  identify: { noun: 'an identifier', example: 'identify { through slug }', alsoCalled: ['id', 'key'] },
  authorize: {
    noun: 'an authorization',
    example: 'authorize { author is @auth }',
    alsoCalled: ['authorise', 'auth', 'permission', 'allow', 'policy', 'guard', 'can'],
  },
  segment: { noun: 'a path', example: 'path "posts"', alsoCalled: ['url'] },
  response: {
    noun: 'a response',
    example: 'response { title, author { name } }',
    alsoCalled: ['returns', 'return', 'fields'],
  },
  shape: {
    noun: 'a shape',
    example: 'shape Card of Post { title, author { name } }',
    alsoCalled: ['fragment', 'view', 'projection', 'dto', 'serializer'],
  },
  spread: { noun: 'the contents of a shape', example: '...Card' },
  selected: { noun: 'a selected name', example: 'byline: author.name' },
  custom_endpoint: {
    noun: 'a custom endpoint',
    example: 'POST one "publish" { action { update post { set published true } } }',
  },
  endpoint: { noun: 'an endpoint', example: 'list endpoint { paginable }', exampleOfOther: '… endpoint {}' },
  method: { noun: 'a method', example: 'method POST' },
  endpoint_cardinality_property: { noun: 'a cardinality', example: 'cardinality many' },
  paginable: { noun: 'paging', example: 'paginable { pageSize 20 }', alsoCalled: ['paginate', 'paginated'] },
  filterable: {
    noun: 'filtering by clients',
    example: 'filterable { status, author.name }',
    alsoCalled: ['filters', 'filtering'],
  },
  sortable: {
    noun: 'sorting',
    example: 'sortable { created_at, title }',
    alsoCalled: ['sorts', 'sorting', 'orderable'],
  },
  searchable: { noun: 'full-text search', example: 'searchable { title, body }', alsoCalled: ['search', 'fulltext'] },
  list_field: { noun: 'a field', example: 'author.name' },
  page_size: { noun: 'a page size', example: 'pageSize 20', alsoCalled: ['size', 'limit'] },
  page_max: { noun: 'a largest page size', example: 'max 100', alsoCalled: ['maxSize', 'maximum'] },
  page_cursor: { noun: 'paging by cursor', example: 'by cursor', alsoCalled: ['cursor', 'keyset'] },
  page_total: { noun: 'a total', example: 'total off', alsoCalled: ['count', 'totalCount', 'totals'] },
  extra_inputs: { noun: 'extra inputs', example: 'extra inputs { field note { type string } }' },

  // ── Actions ───────────────────────────────────────────────────────────────────────────────────────────────────────

  action: {
    noun: 'an action',
    example: 'action { update post { set published true } }',
    alsoCalled: ['actions', 'do'],
  },
  create_action: {
    noun: 'a create',
    example: 'create Comment as comment { set text "Hello" }',
    alsoCalled: ['insert', 'add', 'upsert'],
  },
  update_action: { noun: 'an update', example: 'update post { set published true }' },
  delete_action: { noun: 'a delete', example: 'delete post {}', alsoCalled: ['remove', 'destroy'] },
  set: { noun: 'a `set`', example: 'set published true' },
  input: {
    noun: 'inputs',
    example: 'input { title, slug { required } }',
    alsoCalled: ['inputs'],
    within: { auth_register: { example: 'input { nickname }' } },
  },
  input_field: { noun: 'an input', example: 'slug { required }' },
  input_all: { noun: 'all inputs', example: 'input * except { slug }' },
  reference_input: { noun: 'a reference', example: 'reference author through email' },
  lookup: { noun: 'a way through', example: 'through name or create', alsoCalled: ['via', 'by'] },
  query_action: { noun: 'a query', example: 'query as drafts { from post.drafts, select { title } }' },
  for_action: {
    noun: 'a `for`',
    example: 'for tag in tags { create Tag or keep { set name tag } }',
    alsoCalled: ['foreach', 'each', 'loop', 'repeat'],
  },
  group_by: { noun: 'groups', example: 'group by { status }', alsoCalled: ['groupBy', 'group_by'] },
  limit_by: { noun: 'a limit', example: 'limit most', alsoCalled: ['take', 'top'] },
  offset_by: { noun: 'an offset', example: 'offset skipped', alsoCalled: ['skip'] },
  select: { noun: 'a selection', example: 'select { name, email }' },
  query_update: { noun: 'an update', example: 'update { set published false }' },
  query_delete: { noun: 'a delete', example: 'delete' },
  execute_action: {
    noun: 'an execute',
    example: 'execute as sent { hook { source notify from "notify.ts" } }',
    alsoCalled: ['run', 'call'],
  },
  responds: { noun: 'responding', example: 'responds' },
  respond_action: { noun: 'a respond', example: 'respond { httpStatus 202 }', alsoCalled: ['return', 'reply'] },
  respond_body: { noun: 'a body', example: 'body "done"' },
  http_status: { noun: 'a status', example: 'httpStatus 202', alsoCalled: ['status', 'code'] },
  http_headers: { noun: 'headers', example: 'httpHeaders { "x-total" total }', alsoCalled: ['headers', 'header'] },
  http_header: { noun: 'a header', example: '"x-total" total' },
  validate_action: { noun: 'a validation', example: 'validate with key "age" { min(age, 18) }' },

  // ── Authentication, runtimes, generators, populators ──────────────────────────────────────────────────────────────

  auth: { noun: 'an authentication', example: 'auth { model User }', alsoCalled: ['authentication'] },
  auth_model: { noun: 'a model', example: 'model User' },
  auth_login: { noun: 'a login', example: 'login email', alsoCalled: ['username', 'user'] },
  auth_password: { noun: 'a password', example: 'password password_hash' },
  auth_subject: { noun: 'a subject', example: 'subject external_id', alsoCalled: ['sub'] },
  auth_register: {
    noun: 'a registration',
    example: 'register { input { nickname } }',
    alsoCalled: ['signup', 'registration'],
  },
  runtime: { noun: 'a runtime', example: 'runtime jobs { source path "jobs" }' },
  runtime_default: { noun: 'the default', example: 'default' },
  source_path: { noun: 'a folder', example: 'source path "jobs"' },
  generator: { noun: 'a generator', example: 'generator client { target ts, output "client" }' },
  target_language: { noun: 'a target', example: 'target ts', alsoCalled: ['language', 'lang'] },
  output: { noun: 'an output', example: 'output "client"', alsoCalled: ['out', 'dir'] },
  base_path: { noun: 'a base path', example: 'basePath "/docs"' },
  populator: {
    noun: 'a populator',
    example: 'populator Dev { populate Author { repeat 20 } }',
    alsoCalled: ['seed', 'seeder', 'fixture', 'fixtures'],
  },
  populate: { noun: 'a populate', example: 'populate Author as author { repeat 20 }', alsoCalled: ['seed', 'fill'] },
  repeat: { noun: 'a repeat', example: 'repeat as i 20', alsoCalled: ['times', 'for', 'loop'] },
  range_start: { noun: 'a start', example: 'start 1', alsoCalled: ['begin', 'from', 'min'] },
  range_end: { noun: 'an end', example: 'end 20', alsoCalled: ['stop', 'to', 'max'] },
  identifier: { noun: 'a name', example: 'slug' },
};

const PLACE_WORDS: Readonly<Record<PlaceName, PlaceWords>> = {
  file: { noun: 'a file', holds: 'something that a file can declare' },
  model: { noun: 'a model' },
  enum: { noun: 'an enum', holds: 'a value of an enum' },
  field: { noun: 'a field' },
  normalise: { noun: 'a normalisation', holds: '`trim` or `lower`' },
  reference: { noun: 'a reference' },
  relation: { noun: 'a relation' },
  query: {
    noun: 'the query of a model',
    saidElsewhere: { select: 'what is shown of its records is for the `response` to say' },
  },
  order_by: { noun: 'an order', holds: 'a value to order by' },
  hook: { noun: 'a hook' },
  result: { noun: 'a result', holds: 'a member of the result, such as `email: string`' },
  arg_query: { noun: 'the query of an argument' },
  unique_over: { noun: 'a key', holds: 'a part of a key' },

  // ── Validators ────────────────────────────────────────────────────────────────────────────────────────────────────

  validator: { noun: 'a validator' },
  validator_arg: { noun: 'an argument' },
  error: { noun: 'an error' },

  // ── The API ───────────────────────────────────────────────────────────────────────────────────────────────────────

  api: { noun: 'an api' },
  entrypoint: { noun: 'an entrypoint' },
  identify: { noun: 'an identifier' },
  selection: { noun: 'a selection', holds: 'a name to select' },
  endpoint: { noun: 'an endpoint' },
  paginable: { noun: 'paging', holds: 'a setting of paging' },
  filterable: { noun: 'fields that clients may use', holds: 'the name of a field' },
  extra_inputs: { noun: 'an endpoint’s extra inputs', holds: 'an extra input' },

  // ── Actions ───────────────────────────────────────────────────────────────────────────────────────────────────────

  action: { noun: 'an action', holds: 'an action' },
  write: { noun: 'a create or an update', holds: 'something that a create or an update can have' },
  input: { noun: 'inputs', holds: 'an input' },
  input_field: { noun: 'an input' },
  input_all: { noun: 'names', holds: 'a name' },
  reference_input: { noun: 'a reference', holds: 'a way to find the record' },
  query_action: { noun: 'the query of an action' },
  query_update: { noun: 'the update of a query' },
  execute_action: { noun: 'an execute' },
  respond_action: { noun: 'a respond' },
  http_headers: { noun: 'headers', holds: 'the name of a header in quotes' },

  // ── Authentication, runtimes, generators, populators ──────────────────────────────────────────────────────────────

  auth: { noun: 'an authentication' },
  auth_register: { noun: 'a registration' },
  runtime: { noun: 'a runtime' },
  generator: { noun: 'a generator' },
  populator: { noun: 'a populator' },
  populate: { noun: 'a populate' },
  repeat_range: { noun: 'a range' },
};

export const places = Object.fromEntries(
  (Object.keys(PLACES) as PlaceName[]).map((name): [PlaceName, Place] => {
    return [name, { ...PLACE_WORDS[name], forms: PLACES[name].map((form) => formFrom(form, name)) }];
  }),
) as Readonly<Record<PlaceName, Place>>;

function formFrom(name: FormName, place?: PlaceName): Form {
  const { within, ...words } = WORDS[name];
  return { name, shape: SHAPES[name], ...words, ...(place && within?.[place]) };
}

/** The form of a rule of the grammar, if it is one. */
export function formNamed(rule: string): Form | undefined {
  return Object.hasOwn(SHAPES, rule) ? formFrom(rule as FormName) : undefined;
}

/** Completes “`x` is not …”. */
export function whatFits(name: PlaceName): string {
  const place = places[name];
  return place.holds ?? `something that ${place.noun} can have`;
}
