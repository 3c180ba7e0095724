/**
 * What may stand where: for each place of a Kiln file the forms that fit there, in a notation that people can read too.
 * It says the same as grammar.js in other words, and a test holds the two against each other.
 *
 *   word            the word itself, which is a keyword only here
 *   NAME            a name                          PATH        names joined by dots
 *   STRING          a text in quotes                INTEGER     a whole number
 *   EXPRESSION      a value
 *   [ a ]           a, or nothing                   ( a | b )   one of them
 *   { place }       a block of forms of that place  { EXPRESSION }, { }   a block of one value, of nothing
 */
import { Cursor } from './tokens.ts';

export interface Form {
  readonly shape: string;
  /** What the author would call it. */
  readonly noun: string;
  /** One line that could stand in a file. */
  readonly example: string;
  /** The words by which other languages know it. */
  readonly alsoCalled?: readonly string[];
}

export interface Place {
  readonly noun: string;
  /** Completes “`x` is not …”; says what a place holds, where “something that a model can have” does not sound right. */
  readonly holds?: string;
  readonly forms: readonly Form[];
}

// ── Forms that stand in several places ────────────────────────────────────────────────────────────────────────────────

const was: Form = { shape: 'was NAME', noun: 'a former name', example: 'was subject' };

const flags: readonly Form[] = [
  { shape: 'unique', noun: 'uniqueness', example: 'unique' },
  { shape: 'nullable', noun: 'nullability', example: 'nullable', alsoCalled: ['optional', 'null'] },
  { shape: 'index', noun: 'an index', example: 'index', alsoCalled: ['indexed'] },
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

const queryProperties: readonly Form[] = [
  from,
  filter,
  orderBy,
  { shape: 'limit INTEGER', noun: 'a limit', example: 'limit 10', alsoCalled: ['take', 'top'] },
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
        alsoCalled: ['ref', 'belongsTo', 'belongs_to', 'foreign', 'foreignKey'],
      },
      {
        shape: 'relation NAME { relation }',
        noun: 'a relation',
        example: 'relation posts { from Post, through author }',
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
      { shape: 'backfill EXPRESSION', noun: 'a backfill', example: 'backfill 0' },
      was,
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
      was,
    ],
  },
  relation: { noun: 'a relation', forms: [from, through] },
  key: {
    noun: 'a key',
    holds: 'a part of a key',
    forms: [{ shape: 'NAME [asc | desc]', noun: 'a part of a key', example: 'id desc' }],
  },
  query: { noun: 'a query', forms: queryProperties },
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
  'argument-query': { noun: 'a query', forms: [...queryProperties, select] },

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
      { shape: 'update [PATH] [as NAME] { write }', noun: 'an update', example: 'update post { set published true }' },
      { shape: 'delete [PATH] { }', noun: 'a delete', example: 'delete post {}', alsoCalled: ['remove', 'destroy'] },
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
      {
        shape: 'input { inputs }',
        noun: 'inputs',
        example: 'input { title, slug { required } }',
        alsoCalled: ['inputs'],
      },
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
    noun: 'a query',
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
    ],
  },
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

// ── Words and signs of values ─────────────────────────────────────────────────────────────────────────────────────────

/** The words that are never a name. The grammar reads some of them as names, so they are looked for on their own. */
export const RESERVED: ReadonlySet<string> = new Set('null true false and or not is in'.split(' '));

export const OPERATOR_SIGNS: ReadonlySet<string> = new Set('< <= > >= + - * / %'.split(' '));
export const OPERATOR_WORDS: ReadonlySet<string> = new Set('and or is in'.split(' '));

// ── Habits of other languages ─────────────────────────────────────────────────────────────────────────────────────────

export const FOREIGN_OPERATORS: Readonly<Record<string, { readonly instead?: string; readonly help?: string }>> = {
  '=': { instead: 'is' },
  '==': { instead: 'is' },
  '===': { instead: 'is' },
  '!=': { instead: 'is not' },
  '!==': { instead: 'is not' },
  '<>': { instead: 'is not' },
  '&&': { instead: 'and' },
  '&': { instead: 'and' },
  '||': { instead: 'or' },
  '|': { instead: 'or' },
  '->': { instead: '.' },
  '::': { instead: '.' },
  '?.': { instead: '.', help: 'a path through something that is null is null' },
  '??': { help: 'the first value that is not null is written `coalesce(a, b)`' },
  '**': { help: 'a power is written as a product: `x * x`' },
  '=>': { help: 'a rule of your own is a `validator`, and code of your own is a `hook`' },
  '?': { help: 'where a value may be null, `coalesce(a, b)` chooses; any other choice is made in a `hook`' },
};

/** Signs that other languages put between a property and its value. */
export const JOINING_SIGNS: ReadonlySet<string> = new Set([':', '?:', '=', '=>', '->', ':=', '==']);

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'string str text varchar char',
  integer: 'integer int bigint number long',
  float: 'float double real',
  boolean: 'boolean bool',
  decimal: 'decimal numeric money',
  timestamp: 'timestamp datetime',
  date: 'date',
  uuid: 'uuid',
  json: 'json jsonb',
};

/** What people write for a type, and the type of Kiln that it is. */
export const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPE_NAMES).flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
);

// ── The notation, read ────────────────────────────────────────────────────────────────────────────────────────────────

export type Shape =
  | { readonly kind: 'word' | 'sign'; readonly text: string }
  | { readonly kind: 'name' | 'path' | 'text' | 'number' | 'value' | 'value-block' | 'empty-block' }
  | { readonly kind: 'block'; readonly place: PlaceName }
  | { readonly kind: 'choice'; readonly choices: readonly (readonly Shape[])[] };

export interface ReadForm extends Form {
  readonly shapes: readonly Shape[];
}

const PLACEHOLDERS: Readonly<Record<string, Shape>> = {
  NAME: { kind: 'name' },
  PATH: { kind: 'path' },
  STRING: { kind: 'text' },
  INTEGER: { kind: 'number' },
  EXPRESSION: { kind: 'value' },
};

export function shapesFrom(notation: string): readonly Shape[] {
  const parts = notation.match(/[\w-]+|\S/g) ?? [];
  const [shapes] = alternatives();
  if (parts.length > 0) throw new Error(`form: \`${notation}\` goes on after its end`);
  return shapes as readonly Shape[];

  function alternatives(): Shape[][] {
    const found = [sequence()];
    while (parts[0] === '|') {
      parts.shift();
      found.push(sequence());
    }
    return found;
  }

  function sequence(): Shape[] {
    const shapes: Shape[] = [];
    while (parts[0] && !'|])'.includes(parts[0])) shapes.push(shapeFrom(parts.shift() as string));
    return shapes;
  }

  function shapeFrom(part: string): Shape {
    if (part === '(') return { kind: 'choice', choices: closed(alternatives(), ')') };
    if (part === '[') return { kind: 'choice', choices: [...closed(alternatives(), ']'), []] };
    if (part === '{') return blockFrom();
    return PLACEHOLDERS[part] ?? { kind: /\w/.test(part) ? 'word' : 'sign', text: part };
  }

  function blockFrom(): Shape {
    const place = parts.shift();
    if (place === '}') return { kind: 'empty-block' };
    if (place === 'EXPRESSION') return closed({ kind: 'value-block' }, '}');
    if (!place || !(place in places)) throw new Error(`form: \`${notation}\` names no place`);
    return closed({ kind: 'block', place: place as PlaceName }, '}');
  }

  function closed<T>(read: T, sign: string): T {
    if (parts.shift() !== sign) throw new Error(`form: \`${notation}\` lacks its \`${sign}\``);
    return read;
  }
}

const readForms = new Map<string, readonly ReadForm[]>(
  Object.entries(places).map(([name, place]: [string, Place]) => [name, place.forms.map(readForm)]),
);

function readForm(form: Form): ReadForm {
  return { ...form, shapes: shapesFrom(form.shape) };
}

export function formsOf(place: PlaceName): readonly ReadForm[] {
  return readForms.get(place) ?? [];
}

/** Completes “`x` is not …”. */
export function whatFits(name: PlaceName): string {
  const place: Place = places[name];
  return place.holds ?? `something that ${place.noun} can have`;
}

/** The shapes of which one stands next. */
export function firstShapes(shapes: readonly Shape[]): readonly Shape[] {
  const [first, ...rest] = shapes;
  if (first?.kind !== 'choice') return first ? [first] : [];
  return first.choices.flatMap((choice) => firstShapes(choice.length > 0 ? choice : rest));
}

/** The same as the author would write them, as far as they are words: `set null` rather than `set`. */
export function firstPhrases(shapes: readonly Shape[]): readonly string[] {
  const [first, ...rest] = shapes;
  if (first?.kind === 'choice') {
    return first.choices.flatMap((choice) => firstPhrases(choice.length > 0 ? choice : rest));
  }
  const end = shapes.findIndex((shape) => shape.kind !== 'word');
  const words = shapes.slice(0, end < 0 ? undefined : end).flatMap((shape) => ('text' in shape ? [shape.text] : []));
  return words.length > 0 ? [words.join(' ')] : [];
}

/** The words that begin a form: what an editor can offer. */
export function firstWords(form: ReadForm): readonly string[] {
  return firstShapes(form.shapes).flatMap((shape) => (shape.kind === 'word' ? [shape.text] : []));
}

const placesByWord = new Map<string, PlaceName[]>();
for (const name of Object.keys(places) as PlaceName[]) {
  for (const word of new Set(formsOf(name).flatMap(firstWords))) {
    placesByWord.set(word, [...(placesByWord.get(word) ?? []), name]);
  }
}

/** The places in which a form begins with this word. */
export function placesOf(word: string): readonly PlaceName[] {
  return placesByWord.get(word) ?? [];
}

export function isBlock(shape: Shape): boolean {
  return shape.kind === 'block' || shape.kind === 'value-block' || shape.kind === 'empty-block';
}

function isOptional(shape: Shape): boolean {
  return shape.kind === 'choice' && shape.choices.some((choice) => choice.length === 0);
}

// ── Forms and what is written ─────────────────────────────────────────────────────────────────────────────────────────

/** How far a form fits, looking ahead up to its first block or value. */
export interface Reach {
  readonly at: number;
  readonly fits: boolean;
}

/** Tells which forms fit what is written, without going there. */
export abstract class FormMatcher extends Cursor {
  /** The place that is being read; nothing within the braces of a value. */
  protected abstract get place(): PlaceName | undefined;

  /** The form that goes furthest, if any of them begins here. */
  protected formAt(place: PlaceName, at = this.at): ReadForm | undefined {
    let best: ReadForm | undefined;
    let furthest: Reach = { at, fits: false };
    for (const form of formsOf(place)) {
      const reach = this.reach(form.shapes, at);
      if (reach.at > at && (!best || isBetter(reach, furthest))) {
        best = form;
        furthest = reach;
      }
    }
    return best;
  }

  protected fitsForm(place: PlaceName, at = this.at): boolean {
    return formsOf(place).some((form) => this.fits(form.shapes, at) && this.reach(form.shapes, at).at > at);
  }

  protected fits(shapes: readonly Shape[], at = this.at): boolean {
    return this.reach(shapes, at).fits;
  }

  protected reach(shapes: readonly Shape[], at: number, from = at): Reach {
    const [shape, ...rest] = shapes;
    if (!shape) return { at, fits: at > from || this.mayFollow(at) };
    if (shape.kind === 'choice') {
      return shape.choices.map((choice) => this.reach([...choice, ...rest], at, from)).reduce(better);
    }
    const end = this.over(shape, at);
    if (end === undefined) return { at, fits: false };
    return shape.kind === 'value' || isBlock(shape) ? { at: end, fits: true } : this.reach(rest, end, from);
  }

  /** Takes the alternatives at the beginning that go furthest with what is written. */
  protected resolved(shapes: readonly Shape[]): readonly Shape[] {
    const [first, ...rest] = shapes;
    if (first?.kind !== 'choice') return shapes;
    const candidates = first.choices.map((choice) => [...choice, ...rest]);
    const reaches = candidates.map((candidate) => this.reach(candidate, this.at));
    const furthest = reaches.reduce(better);
    const isStuck = !furthest.fits && furthest.at === this.at;
    return this.resolved((isStuck ? simplest(candidates) : candidates[reaches.indexOf(furthest)]) ?? rest);
  }

  /** Where a shape ends that begins at `at`; of a block or a value only the beginning is looked at. */
  protected over(shape: Exclude<Shape, { kind: 'choice' }>, at: number): number | undefined {
    switch (shape.kind) {
      case 'word':
        return this.wordAt(at) === shape.text ? at + 1 : undefined;
      case 'sign':
        return this.isAt(shape.text, at) ? at + 1 : undefined;
      case 'name':
        return this.tokenAt(at).kind === 'word' ? at + 1 : undefined;
      case 'path':
        return this.#overPath(at);
      case 'text':
        return this.tokenAt(at).kind === 'text' ? at + 1 : undefined;
      case 'number':
        return this.tokenAt(at).kind === 'integer' ? at + 1 : undefined;
      case 'value':
        return this.beginsValue(at) ? at + 1 : undefined;
      case 'block':
      case 'value-block':
      case 'empty-block':
        return this.isAt('{', at) ? at + 1 : undefined;
    }
  }

  #overPath(at: number): number | undefined {
    if (this.tokenAt(at).kind !== 'word') return undefined;
    let end = at + 1;
    while (this.isAt('.', end)) end += this.tokenAt(end + 1).kind === 'word' ? 2 : 1;
    return end;
  }

  protected beginsValue(at = this.at): boolean {
    const { kind, text } = this.tokenAt(at);
    return kind === 'sign' ? text === '(' || text === '[' || text === '-' || text === '!' : kind !== 'end';
  }

  /** Whether a member can have ended before this. */
  protected mayFollow(at = this.at): boolean {
    const { place } = this;
    if (this.tokenAt(at).kind === 'end' || this.isAt('}', at)) return true;
    if (!place) return false;
    return (place !== 'file' && this.isAt(',', at)) || formsOf(place).some((form) => this.#begins(form, at));
  }

  #begins(form: ReadForm, at: number): boolean {
    return firstShapes(form.shapes).some((shape) => shape.kind !== 'choice' && this.over(shape, at) !== undefined);
  }
}

function isBetter(reach: Reach, than: Reach): boolean {
  return reach.fits === than.fits ? reach.at > than.at : reach.fits;
}

function better(best: Reach, reach: Reach): Reach {
  return isBetter(reach, best) ? reach : best;
}

/** Of alternatives none of which fits, the one that asks for the least: nothing more, or just the block. */
function simplest(candidates: readonly (readonly Shape[])[]): readonly Shape[] | undefined {
  return (
    candidates.find((candidate) => candidate.every(isOptional)) ??
    candidates.find((candidate) => firstShapes(candidate).some(isBlock)) ??
    candidates[0]
  );
}
