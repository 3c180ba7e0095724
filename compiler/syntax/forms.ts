/**
 * What may stand where: for each place of a Kiln file the forms that fit there, in a notation that people can read too.
 * It says the same as grammar.js in other words, and a test holds the two against each other.
 *
 *   word            the word itself, which is a keyword only here
 *   NAME            a name                          PATH        names joined by dots
 *   STRING          a text in quotes                INTEGER     a whole number
 *   EXPRESSION      a value                         RECORD      a path, or one that begins with `@auth`
 *   [ a ]           a, or nothing                   ( a | b )   one of them
 *   { place }       a block of forms of that place  { EXPRESSION }, { }   a block of one value, of nothing
 */
export interface Form {
  readonly shape: string;
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

export interface Place {
  readonly noun: string;
  /** Completes “`x` is not …”; says what a place holds, where “something that a model can have” does not sound right. */
  readonly holds?: string;
  /** Words that mean something in a similar place, and where that is said of this one. */
  readonly saidElsewhere?: Readonly<Record<string, string>>;
  readonly forms: readonly Form[];
}

// ── Forms that stand in several places ────────────────────────────────────────────────────────────────────────────────

const was: Form = { shape: 'was NAME', noun: 'a former name', example: 'was subject' };

const flags: readonly Form[] = [
  { shape: 'unique', noun: 'uniqueness', example: 'unique' },
  { shape: 'nullable', noun: 'nullability', example: 'nullable', alsoCalled: ['optional', 'null'] },
  { shape: 'index', noun: 'an index', example: 'index', alsoCalled: ['indexed'] },
  {
    shape: 'internal',
    noun: 'a field that clients do not set',
    example: 'internal',
    alsoCalled: ['readonly', 'protected'],
  },
  { shape: 'secret', noun: 'secrecy', example: 'secret', alsoCalled: ['hidden', 'private'] },
  { shape: 'required', noun: 'a requirement', example: 'required' },
];

const type: Form = { shape: 'type NAME', noun: 'a type', example: 'type string' };
const byDefault: Form = { shape: 'default EXPRESSION', noun: 'a default', example: 'default false' };
const from: Form = { shape: 'from PATH [as NAME]', noun: 'a source of records', example: 'from memberships.user' };
const through: Form = {
  shape: 'through PATH',
  noun: 'a way through',
  example: 'through author',
  alsoCalled: ['via', 'by'],
};
const field: Form = {
  shape: 'field NAME { field }',
  noun: 'a field',
  example: 'field title { type string }',
  block: '{ type string }',
  alsoCalled: ['column', 'property', 'prop', 'attribute', 'attr', 'var', 'let', 'const'],
};
const filter: Form = {
  shape: 'filter { EXPRESSION }',
  noun: 'a filter',
  example: 'filter { published is true }',
  alsoCalled: ['where', 'having', 'when', 'if'],
};
const orderBy: Form = {
  shape: 'order by { order }',
  noun: 'an order',
  example: 'order by { title asc, id desc }',
  alsoCalled: ['sort', 'orderBy', 'order_by', 'sortBy'],
};
const response: Form = {
  shape: 'response { selection }',
  noun: 'a response',
  example: 'response { title, author { name } }',
  alsoCalled: ['returns', 'return', 'fields'],
};
const authorize: Form = {
  shape: 'authorize { EXPRESSION }',
  noun: 'an authorization',
  example: 'authorize { author is @auth }',
  alsoCalled: ['authorise', 'auth', 'permission', 'allow', 'policy', 'guard', 'can'],
};
const segment: Form = { shape: 'path STRING', noun: 'a path', example: 'path "posts"', alsoCalled: ['url'] };
const entrypoint: Form = {
  shape: 'entrypoint NAME [as NAME] { entrypoint }',
  noun: 'an entrypoint',
  example: 'entrypoint Post as post { list endpoint {} }',
  alsoCalled: ['resource', 'route', 'router', 'controller'],
};
const input: Form = {
  shape: 'input { inputs }',
  noun: 'inputs',
  example: 'input { title, slug { required } }',
  alsoCalled: ['inputs'],
};
const set: Form = { shape: 'set NAME EXPRESSION', noun: 'a `set`', example: 'set published true' };
const select: Form = { shape: 'select { selection }', noun: 'a selection', example: 'select { name, email }' };
const populate: Form = {
  shape: 'populate NAME [as NAME] { populate }',
  noun: 'a populate',
  example: 'populate Author as author { repeat 20 }',
  alsoCalled: ['seed', 'fill'],
};
const hookCall: Form = {
  shape: 'hook { hook }',
  noun: 'a hook',
  example: 'hook { source notify from "notify.ts" }',
};

const limit: Form = { shape: 'limit INTEGER', noun: 'a limit', example: 'limit 10', alsoCalled: ['take', 'top'] };

const queryProperties: readonly Form[] = [
  from,
  filter,
  orderBy,
  limit,
  { shape: 'offset INTEGER', noun: 'an offset', example: 'offset 20', alsoCalled: ['skip'] },
  { shape: 'first', noun: 'the first record', example: 'first' },
  { shape: 'one', noun: 'the one record', example: 'one', alsoCalled: ['single', 'only'] },
  { shape: 'count', noun: 'the number of records', example: 'count' },
];

// ── Places ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const places = {
  file: {
    noun: 'a file',
    holds: 'something that a file can declare',
    forms: [
      {
        shape: 'model NAME [was NAME] { model }',
        noun: 'a model',
        example: 'model Post { field title { type string } }',
        alsoCalled: ['table', 'class', 'entity', 'struct', 'interface', 'record', 'type', 'schema', 'collection'],
      },
      { shape: 'enum NAME [was NAME] { enum }', noun: 'an enum', example: 'enum Status { draft, published }' },
      { shape: 'drop model NAME', noun: 'a dropped model', example: 'drop model Article' },
      {
        shape: 'validator NAME { validator }',
        noun: 'a validator',
        example: 'validator even { arg value { type integer }  assert { value % 2 is 0 } }',
      },
      {
        shape: 'api [NAME] { api }',
        noun: 'an api',
        example: 'api { entrypoint Post { list endpoint {} } }',
        alsoCalled: ['server', 'service', 'routes', 'rest'],
      },
      {
        shape: 'auth { auth }',
        noun: 'an authentication',
        example: 'auth { model User }',
        alsoCalled: ['authentication'],
      },
      { shape: 'runtime NAME { runtime }', noun: 'a runtime', example: 'runtime jobs { source path "jobs" }' },
      {
        shape: 'populator NAME { populator }',
        noun: 'a populator',
        example: 'populator Dev { populate Author { repeat 20 } }',
        alsoCalled: ['seed', 'seeder', 'fixture', 'fixtures'],
      },
      {
        shape: '(generator | generate) (client | apidocs) { generator }',
        noun: 'a generator',
        example: 'generator client { target ts, output "client" }',
      },
    ],
  },
  model: {
    noun: 'a model',
    forms: [
      field,
      {
        shape: 'reference NAME { reference }',
        noun: 'a reference',
        example: 'reference author { to Author }',
        block: '{ to … }',
        alsoCalled: ['ref', 'belongsTo', 'belongs_to', 'foreign', 'foreignKey'],
      },
      {
        shape: 'relation NAME { relation }',
        noun: 'a relation',
        example: 'relation posts { from Post, through author }',
        block: '{ from …, through … }',
        alsoCalled: ['hasMany', 'has_many', 'hasOne', 'has_one', 'relationship'],
      },
      {
        shape: 'computed NAME { EXPRESSION }',
        noun: 'a computed property',
        example: 'computed post_count { count(posts) }',
        alsoCalled: ['compute', 'derived', 'virtual', 'getter'],
      },
      {
        shape: 'query NAME { query }',
        noun: 'a query',
        example: 'query newest { from posts, order by { id desc }, first }',
      },
      {
        shape: 'hook NAME { hook }',
        noun: 'a hook',
        example: 'hook summary { arg text body  source summarise from "text.ts" }',
      },
      { shape: 'unique { key }', noun: 'a unique key', example: 'unique { author, slug }' },
      { shape: 'index { key }', noun: 'an index', example: 'index { author, id desc }' },
      { shape: 'drop NAME', noun: 'a dropped member', example: 'drop subtitle', alsoCalled: ['remove', 'delete'] },
    ],
  },
  enum: {
    noun: 'an enum',
    holds: 'a value of an enum',
    forms: [
      { shape: 'drop NAME', noun: 'a dropped value', example: 'drop archived' },
      { shape: 'NAME [was NAME]', noun: 'a value', example: 'draft' },
    ],
  },
  field: {
    noun: 'a field',
    forms: [
      type,
      ...flags,
      { ...byDefault, alsoCalled: ['initial', 'value'] },
      {
        shape: 'validate { EXPRESSION }',
        noun: 'a validation',
        example: 'validate { minLength(4) }',
        alsoCalled: ['validates', 'check', 'constraint'],
      },
      {
        shape: 'normalise { normalise }',
        noun: 'a normalisation',
        example: 'normalise { trim, lower }',
        alsoCalled: ['normalize', 'transform'],
      },
      { shape: 'backfill EXPRESSION', noun: 'a backfill', example: 'backfill 0' },
      was,
    ],
  },
  normalise: {
    noun: 'a normalisation',
    holds: '`trim` or `lower`',
    forms: [
      { shape: 'trim', noun: 'trimming', example: 'trim' },
      { shape: 'lower', noun: 'lower case', example: 'lower', alsoCalled: ['lowercase', 'downcase'] },
    ],
  },
  reference: {
    noun: 'a reference',
    forms: [
      { shape: 'to NAME', noun: 'a target', example: 'to Author', alsoCalled: ['references', 'model', 'type'] },
      ...flags,
      {
        shape: 'on delete (cascade | set null | restrict)',
        noun: 'a rule for deletion',
        example: 'on delete cascade',
        alsoCalled: ['onDelete', 'on_delete'],
      },
      { shape: 'backfill EXPRESSION', noun: 'a backfill', example: 'backfill editor' },
      was,
    ],
  },
  relation: { noun: 'a relation', forms: [from, through] },
  key: {
    noun: 'a key',
    holds: 'a part of a key',
    forms: [{ shape: 'NAME [asc | desc]', noun: 'a part of a key', example: 'id desc' }],
  },
  query: {
    noun: 'the query of a model',
    saidElsewhere: { select: 'what is shown of its records is for the `response` to say' },
    forms: queryProperties,
  },
  order: {
    noun: 'an order',
    holds: 'a value to order by',
    forms: [{ shape: 'EXPRESSION [asc | desc]', noun: 'an order', example: 'id desc' }],
  },
  hook: {
    noun: 'a hook',
    forms: [
      {
        shape: 'arg NAME (query { argument-query } | EXPRESSION)',
        noun: 'an argument',
        example: 'arg text body',
        alsoCalled: ['argument', 'param', 'args', 'parameter'],
      },
      {
        shape: 'source NAME from STRING',
        noun: 'a source',
        example: 'source summarise from "text.ts"',
        alsoCalled: ['import'],
      },
      { shape: 'inline STRING', noun: 'inline code', example: 'inline "text.length"', alsoCalled: ['code', 'js'] },
      { shape: 'runtime NAME', noun: 'a runtime', example: 'runtime jobs' },
    ],
  },
  'argument-query': { noun: 'the query of an argument', forms: [...queryProperties, select] },

  // ── Validators ────────────────────────────────────────────────────────────────────────────────────────────────────

  validator: {
    noun: 'a validator',
    forms: [
      {
        shape: 'arg NAME { argument }',
        noun: 'an argument',
        example: 'arg value { type string }',
        alsoCalled: ['argument', 'param'],
      },
      {
        shape: 'assert { EXPRESSION }',
        noun: 'an assertion',
        example: 'assert { length(value) > 3 }',
        alsoCalled: ['check', 'test'],
      },
      { shape: 'error { error }', noun: 'an error', example: 'error { code "too-short" }' },
    ],
  },
  argument: { noun: 'an argument', forms: [type, ...flags] },
  error: {
    noun: 'an error',
    forms: [{ shape: 'code STRING', noun: 'a code', example: 'code "too-short"', alsoCalled: ['message'] }],
  },

  // ── The API ───────────────────────────────────────────────────────────────────────────────────────────────────────

  api: { noun: 'an api', forms: [entrypoint] },
  entrypoint: {
    noun: 'an entrypoint',
    forms: [
      {
        shape: 'identify { identify }',
        noun: 'an identifier',
        example: 'identify { through slug }',
        alsoCalled: ['id', 'key'],
      },
      response,
      authorize,
      segment,
      {
        shape: '(list | get | create | update | delete | custom) endpoint [as NAME] { endpoint }',
        noun: 'an endpoint',
        example: 'list endpoint { paginable }',
        exampleOfOther: '… endpoint {}',
      },
      {
        shape: '(GET | POST | PUT | PATCH | DELETE) (one | many) STRING { endpoint }',
        noun: 'a custom endpoint',
        example: 'POST one "publish" { action { update post { set published true } } }',
      },
      entrypoint,
    ],
  },
  identify: { noun: 'an identifier', forms: [through] },
  selection: {
    noun: 'a selection',
    holds: 'a name to select',
    forms: [{ shape: 'NAME [: EXPRESSION] [{ selection }]', noun: 'a selected name', example: 'byline: author.name' }],
  },
  endpoint: {
    noun: 'an endpoint',
    forms: [
      response,
      authorize,
      {
        shape: 'extra inputs { inputs-extra }',
        noun: 'extra inputs',
        example: 'extra inputs { field note { type string } }',
      },
      {
        shape: 'action { action }',
        noun: 'an action',
        example: 'action { update post { set published true } }',
        alsoCalled: ['actions', 'do'],
      },
      filter,
      orderBy,
      {
        shape: '(paginable | pageable) [{ paging }]',
        noun: 'paging',
        example: 'paginable { pageSize 20 }',
        alsoCalled: ['paginate', 'paginated'],
      },
      limit,
      { shape: 'method (GET | POST | PUT | PATCH | DELETE)', noun: 'a method', example: 'method POST' },
      { shape: 'cardinality (one | many)', noun: 'a cardinality', example: 'cardinality many' },
      segment,
    ],
  },
  paging: {
    noun: 'paging',
    holds: 'a setting of paging',
    forms: [
      { shape: 'pageSize INTEGER', noun: 'a page size', example: 'pageSize 20', alsoCalled: ['size', 'limit'] },
      { shape: 'max INTEGER', noun: 'a largest page size', example: 'max 100', alsoCalled: ['maxSize', 'maximum'] },
    ],
  },
  'inputs-extra': { noun: 'an endpoint’s extra inputs', holds: 'an extra input', forms: [field] },

  // ── Actions ───────────────────────────────────────────────────────────────────────────────────────────────────────

  action: {
    noun: 'an action',
    holds: 'an action',
    forms: [
      {
        shape: 'create [PATH] [as NAME] { write }',
        noun: 'a create',
        example: 'create Comment as comment { set text "Hello" }',
        alsoCalled: ['insert', 'add'],
      },
      {
        shape: 'update [RECORD] [as NAME] { write }',
        noun: 'an update',
        example: 'update post { set published true }',
      },
      { shape: 'delete [RECORD] { }', noun: 'a delete', example: 'delete post {}', alsoCalled: ['remove', 'destroy'] },
      {
        shape: 'query [as NAME] { query-action }',
        noun: 'a query',
        example: 'query as drafts { from post.drafts, select { title } }',
      },
      {
        shape: 'execute [as NAME] { execute }',
        noun: 'an execute',
        example: 'execute as sent { hook { source notify from "notify.ts" } }',
        alsoCalled: ['run', 'call'],
      },
      {
        shape: 'respond { respond }',
        noun: 'a respond',
        example: 'respond { httpStatus 202 }',
        alsoCalled: ['return', 'reply'],
      },
      {
        shape: 'validate with key STRING { EXPRESSION }',
        noun: 'a validation',
        example: 'validate with key "age" { age >= 18 }',
      },
    ],
  },
  write: {
    noun: 'a create or an update',
    holds: 'something that a create or an update can have',
    forms: [
      set,
      input,
      { shape: 'input * [except { names }]', noun: 'all inputs', example: 'input * except { slug }' },
      {
        shape: 'reference NAME ({ identify } | through PATH)',
        noun: 'a reference',
        example: 'reference author through email',
      },
    ],
  },
  inputs: {
    noun: 'inputs',
    holds: 'an input',
    forms: [{ shape: 'NAME [{ input }]', noun: 'an input', example: 'slug { required }' }],
  },
  input: { noun: 'an input', forms: [...flags, byDefault] },
  names: { noun: 'names', holds: 'a name', forms: [{ shape: 'NAME', noun: 'a name', example: 'slug' }] },
  'query-action': {
    noun: 'the query of an action',
    forms: [
      ...queryProperties,
      select,
      { shape: 'update { query-update }', noun: 'an update', example: 'update { set published false }' },
      { shape: 'delete [{ }]', noun: 'a delete', example: 'delete' },
    ],
  },
  'query-update': { noun: 'the update of a query', forms: [set] },
  execute: { noun: 'an execute', forms: [hookCall, { shape: 'responds', noun: 'responding', example: 'responds' }] },
  respond: {
    noun: 'a respond',
    forms: [
      { shape: 'body EXPRESSION', noun: 'a body', example: 'body "done"' },
      { shape: 'httpStatus EXPRESSION', noun: 'a status', example: 'httpStatus 202', alsoCalled: ['status', 'code'] },
      {
        shape: 'httpHeaders { headers }',
        noun: 'headers',
        example: 'httpHeaders { "x-total" total }',
        alsoCalled: ['headers', 'header'],
      },
    ],
  },
  headers: {
    noun: 'headers',
    holds: 'the name of a header in quotes',
    forms: [{ shape: 'STRING EXPRESSION', noun: 'a header', example: '"x-total" total' }],
  },

  // ── Authentication, runtimes, generators, populators ──────────────────────────────────────────────────────────────

  auth: {
    noun: 'an authentication',
    forms: [
      { shape: 'model NAME', noun: 'a model', example: 'model User' },
      { shape: 'login NAME', noun: 'a login', example: 'login email', alsoCalled: ['username', 'user'] },
      { shape: 'password NAME', noun: 'a password', example: 'password password_hash' },
      { shape: 'subject NAME', noun: 'a subject', example: 'subject external_id', alsoCalled: ['sub'] },
      {
        shape: 'register (off | { register })',
        noun: 'a registration',
        example: 'register { input { nickname } }',
        alsoCalled: ['signup', 'registration'],
      },
    ],
  },
  register: { noun: 'a registration', forms: [{ ...input, example: 'input { nickname }' }] },
  runtime: {
    noun: 'a runtime',
    forms: [
      { shape: 'default', noun: 'the default', example: 'default' },
      { shape: 'source path STRING', noun: 'a folder', example: 'source path "jobs"' },
    ],
  },
  generator: {
    noun: 'a generator',
    forms: [
      { shape: 'target NAME', noun: 'a target', example: 'target ts', alsoCalled: ['language', 'lang'] },
      { shape: 'output STRING', noun: 'an output', example: 'output "client"', alsoCalled: ['out', 'dir'] },
      { shape: 'basePath STRING', noun: 'a base path', example: 'basePath "/docs"' },
    ],
  },
  populator: { noun: 'a populator', forms: [populate] },
  populate: {
    noun: 'a populate',
    forms: [
      {
        shape: 'repeat [as NAME] (INTEGER | { range })',
        noun: 'a repeat',
        example: 'repeat as i 20',
        alsoCalled: ['times', 'for', 'loop'],
      },
      set,
      populate,
    ],
  },
  range: {
    noun: 'a range',
    forms: [
      { shape: 'start INTEGER', noun: 'a start', example: 'start 1', alsoCalled: ['begin', 'from', 'min'] },
      { shape: 'end INTEGER', noun: 'an end', example: 'end 20', alsoCalled: ['stop', 'to', 'max'] },
    ],
  },
} satisfies Record<string, Place>;

export type PlaceName = keyof typeof places;

/** Completes “`x` is not …”. */
export function whatFits(name: PlaceName): string {
  const place: Place = places[name];
  return place.holds ?? `something that ${place.noun} can have`;
}
