/**
 * Edits of `base.kiln`, one for each thing that can happen to an API. What Kiln says of each, and what the outside judge says
 * of the two OpenAPI documents, is side by side in `verdicts.json`.
 */
/** Why the two judges may differ. Each of them is argued in docs/compatibility.md. */
export type Exception = 'tokens' | 'words' | 'lists' | 'texts' | 'any text' | 'dates in queries' | 'alternatives';

export interface Edit {
  /** What has changed. */
  readonly name: string;
  /** What takes the place of texts of the base. */
  readonly replace: readonly Replacement[];
  /** How the base is edited before that, where the base itself is not what the edit begins with. */
  readonly before?: readonly Replacement[];
}

/** A text that occurs once, and what takes its place. */
export type Replacement = readonly [string, string];

export const CORPUS: readonly Edit[] = [
  // ── Endpoints ─────────────────────────────────────────────────────────────────────────────────────────────────────
  edit('nothing', ['enum Status', 'enum Status']),
  edit('a documentation', ['model Author {', '/// Somebody who writes.\nmodel Author {']),
  edit('an endpoint is removed', ['    delete endpoint {}\n', '']),
  edit('an endpoint is added', ['    POST one "rate"', '    GET one "mark" {}\n    POST one "rate"']),
  edit('a nested entrypoint is removed', [
    `    entrypoint comments as comment {
      list endpoint {}
      get endpoint {}
      create endpoint {}
    }
`,
    '',
  ]),
  edit('a path is given another segment', ['entrypoint Author {', 'entrypoint Author { path "authors"']),
  edit(
    'a model is renamed',
    ['model Author {', 'model Writer was Author {'],
    ['to Author', 'to Writer'],
    ['entrypoint Author', 'entrypoint Writer'],
  ),
  later(
    'a model that was renamed is changed',
    [
      ['model Author {', 'model Writer was Author {'],
      ['to Author', 'to Writer'],
      ['entrypoint Author', 'entrypoint Writer'],
    ],
    ['field pen_name { type string, nullable }', 'field pen_name { type string, nullable, validate { maxLength(9) } }'],
    ['code { type string,', 'code { type string, nullable,'],
  ),
  edit('an API gets a name', ['api {', 'api Blog {']),
  edit('an alias is renamed', ['Post as post', 'Post as article'], ['update post', 'update article']),
  edit('PUT takes the place of PATCH', ['update endpoint {}', 'update endpoint { method PUT }']),
  edit('a custom endpoint is renamed', ['"rate"', '"grade"']),
  edit('registering is switched off', ['password password_hash }', 'password password_hash, register off }']),
  edit('registering takes another field', [
    'password password_hash }',
    'password password_hash, register { input { nickname } } }',
  ]),
  edit('accounts are removed', [', login email, password password_hash', '']),

  // ── Tokens ────────────────────────────────────────────────────────────────────────────────────────────────────────
  edit('an endpoint needs a token', ['update endpoint {}', 'update endpoint { authorize { @auth.id is not null } }']),
  edit('an endpoint needs more than a token', [
    'update endpoint {}',
    'update endpoint { authorize { @auth.nickname is "root" } }',
  ]),
  edit('an endpoint needs no token any more', [
    'delete endpoint { authorize { @auth.id is not null } }',
    'delete endpoint {}',
  ]),

  // ── Inputs: there or not ──────────────────────────────────────────────────────────────────────────────────────────
  edit('a required field is added', [
    'field subtitle {',
    'field kicker { type string, backfill "" }\n  field subtitle {',
  ]),
  edit('an optional field is added', [
    'field subtitle {',
    'field kicker { type string, default "" }\n  field subtitle {',
  ]),
  edit('a nullable field is added', ['field subtitle {', 'field kicker { type string, nullable }\n  field subtitle {']),
  edit('an input is removed', ['field code { type string,', 'field code { type string, internal,']),
  edit('an extra input is removed', [', field b { type integer, default 2 }', ''], ['a + b', 'a + a']),
  edit(
    'a required extra input is added',
    ['field a { type integer }', 'field a { type integer }, field c { type integer }'],
    ['a + b', 'a + b + c'],
  ),
  edit(
    'an optional extra input is added',
    ['field a { type integer }', 'field a { type integer }, field c { type integer, default 1 }'],
    ['a + b', 'a + b + c'],
  ),
  edit('an input becomes required', [
    'field status { type Status, default "draft" }',
    'field status { type Status, backfill "draft" }',
  ]),
  edit('an input becomes optional', ['field slug { type string,', 'field slug { type string, default "none",']),
  edit('an input is required by its endpoint', [
    'create endpoint {}\n    update',
    'create endpoint { action { create { input { subtitle { required } }, input * } } }\n    update',
  ]),
  edit('a query parameter becomes optional', ['field since { type date }', 'field since { type date, nullable }']),
  edit('a query parameter becomes required', ['field least { type integer, default 1,', 'field least { type integer,']),
  edit(
    'a required query parameter is added',
    ['field since { type date }', 'field since { type date }, field till { type date }'],
    ['since is not null', 'since is not null and till is not null'],
  ),
  edit(
    'an optional query parameter is added',
    ['field since { type date }', 'field since { type date }, field till { type date, nullable }'],
    ['since is not null', '(since is not null or till is not null)'],
  ),
  edit(
    'a query parameter is removed',
    ['        field least { type integer, default 1, validate { min(0) } }\n', ''],
    ['rating >= least and ', ''],
  ),

  // ── Inputs: types ─────────────────────────────────────────────────────────────────────────────────────────────────
  edit(
    'an input takes any number',
    ['field stars { type integer }', 'field stars { type float }'],
    ['set rating stars', 'set rating 1'],
  ),
  edit(
    'an input is a UUID in place of a number',
    ['field a { type integer }', 'field a { type uuid }'],
    ['total: a + b, parts: a', 'total: b'],
  ),
  edit('an input is a moment', ['field since { type date }', 'field since { type timestamp }']),
  edit(
    'an input is a text in place of a number',
    ['field a { type integer }', 'field a { type string }'],
    ['total: a + b', 'total: b'],
  ),
  edit('an input is a date in place of a text', [
    'field body { type string }',
    'field body { type date, backfill "2026-01-01" }',
  ]),
  edit('an input is any text in place of a date', ['field day { type date }', 'field day { type string }']),
  edit('an input is a list', ['field a { type integer }', 'field a { type [integer] }'], ['total: a + b', 'total: b']),
  edit('an input may be null', ['field body { type string }', 'field body { type string, nullable }']),
  edit('an input may not be null', [
    'field subtitle { type string, nullable }',
    'field subtitle { type string, default "", backfill "" }',
  ]),
  edit('JSON may not be null', [
    'field data { type json, nullable }',
    'field data { type json, default { }, backfill "{}" }',
  ]),

  later(
    'an input of an action is any text in place of a date',
    [
      ['field stars { type integer }', 'field stars { type date }'],
      ['set rating stars', 'set rating 1'],
    ],
    ['field stars { type date }', 'field stars { type string }'],
  ),
  later(
    'an input takes whole numbers only',
    [
      ['field stars { type integer }', 'field stars { type float }'],
      ['set rating stars', 'set rating 1'],
    ],
    ['field stars { type float }', 'field stars { type integer }'],
  ),

  // ── Inputs: values ────────────────────────────────────────────────────────────────────────────────────────────────
  edit('an enum has a new value', ['published, archived', 'published, archived, hidden']),
  edit('a value of an enum is removed', ['published, archived }', 'published, drop archived }']),
  edit('a value of an enum is renamed', ['published, archived', 'published, retired was archived']),
  edit('an enum is renamed', ['enum Status', 'enum State was Status'], ['type Status', 'type State']),
  edit('an allowed value is removed', ['oneOf("red", "green")', 'oneOf("red")']),
  edit('an allowed value is added', ['oneOf("red", "green")', 'oneOf("red", "green", "blue")']),
  edit('only some texts are allowed', [
    'field pen_name { type string, nullable }',
    'field pen_name { type string, nullable, validate { oneOf("a", "b") } }',
  ]),
  edit('any text is allowed', [
    'field color { type string, default "red", validate { oneOf("red", "green") } }',
    'field color { type string, default "red" }',
  ]),

  // ── Inputs: validators ────────────────────────────────────────────────────────────────────────────────────────────
  edit('a text must be longer', ['minLength(3)', 'minLength(5)']),
  edit('a text may be shorter', ['minLength(3)', 'minLength(1)']),
  edit('a text must be shorter', ['maxLength(80)', 'maxLength(40)']),
  edit('a text may be longer', ['maxLength(80)', 'maxLength(200)']),
  edit('a text has no greatest length any more', ['minLength(3) and maxLength(80)', 'minLength(3)']),
  edit('a text gets a greatest length', [
    'field pen_name { type string, nullable }',
    'field pen_name { type string, nullable, validate { maxLength(9) } }',
  ]),
  edit('a text gets a least length', [
    'field pen_name { type string, nullable }',
    'field pen_name { type string, nullable, validate { minLength(2) } }',
  ]),
  edit('a number must be greater', ['min(0) and max(5)', 'min(1) and max(5)']),
  edit('a number may be greater', ['min(0) and max(5)', 'min(0) and max(9)']),
  edit('a number must be less', ['min(0) and max(5)', 'min(0) and max(3)']),
  edit('a number has no bounds any more', [
    'field rating { type integer, default 0, validate { min(0) and max(5) } }',
    'field rating { type integer, default 0 }',
  ]),
  edit('a number gets bounds', [
    'field stars { type integer }',
    'field stars { type integer, validate { min(1) and max(5) } }',
  ]),
  edit('bounds get an alternative', ['min(0) and max(5)', '(min(1) and max(5)) or isEqual(9)']),
  edit('a pattern changes', ['pattern("^[A-Z]+$")', 'pattern("^[A-Z0-9]+$")']),
  edit('a pattern is removed', [', validate { pattern("^[A-Z]+$") }', '']),
  edit('a pattern is added', [
    'field pen_name { type string, nullable }',
    'field pen_name { type string, nullable, validate { pattern("^[a-z]+$") } }',
  ]),
  edit('a text must be an email address', [
    'field pen_name { type string, nullable }',
    'field pen_name { type string, nullable, validate { isEmail() } }',
  ]),
  edit('a list must be shorter', ['maxItems(10)', 'maxItems(5)']),
  edit('a list may be longer', ['maxItems(10)', 'maxItems(20)']),
  edit('a list must not be empty', ['minItems(0)', 'minItems(1)']),
  edit('a list must be distinct', ['maxItems(10)', 'maxItems(10) and distinct()']),
  edit('items of a list must be longer', ['maxItems(10)', 'maxItems(10) and minLength(2)']),
  edit('an own validator is added', [
    'field pen_name { type string, nullable }',
    'field pen_name { type string, nullable, validate { slugLike() } }',
  ]),
  edit('an own validator is removed', [', validate { slugLike() }', '']),
  edit('an own validator asks for something else', ['length(value) > 2', 'length(value) > 5']),
  edit('an own validator has another code', ['"not-a-slug"', '"no-slug"']),
  edit('a check of an action is added', [
    'action { update post { set rating stars } }',
    'action { validate with key "stars" { max(5, stars) } update post { set rating stars } }',
  ]),

  // ── Inputs: the rest ──────────────────────────────────────────────────────────────────────────────────────────────
  edit('a default changes', ['default "draft"', 'default "published"']),
  edit('a default of a query parameter changes', ['default 1, validate', 'default 2, validate']),
  edit('a text is normalised', [
    'field pen_name { type string, nullable }',
    'field pen_name { type string, nullable, normalise { trim } }',
  ]),
  edit('a text is not normalised any more', ['normalise { trim, lower }', 'normalise { trim }']),
  edit('a field becomes unique', ['field name { type string }', 'field name { type string, unique }']),
  edit(
    'a field need not be unique',
    ['field slug { type string, unique,', 'field slug { type string,'],
    ['    identify { through slug }\n', ''],
  ),
  edit('a reference is named by another field', ...namesAuthor('through name')),

  later('a record that an input names is created if it is missing', namesAuthor('through name'), [
    'through name',
    'through name or create',
  ]),
  later('a record that an input names is no longer created', namesAuthor('through name or create'), [
    'through name or create',
    'through name',
  ]),

  edit(
    'a reference is to another model',
    ['reference author { to Author, on delete cascade }', 'reference author { to User, on delete cascade }'],
    ['  relation posts { from Post, through author }\n', ''],
    ['words, author { name } }', 'words, author { name: nickname } }'],
    ['title, author { name } }', 'title, author { name: nickname } }'],
  ),
  edit('a field becomes secret', [
    'field pen_name { type string, nullable }',
    'field pen_name { type string, nullable, secret }',
  ]),
  edit('inputs are read from the query', ['POST many "sum"', 'GET many "sum"']),

  // ── Lists ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  edit('a filter is removed', ['filterable { status, rating, price }', 'filterable { status, rating }']),
  edit('a filter is added', ['filterable { status, rating, price }', 'filterable { status, rating, price, title }']),
  edit('a filter cannot ask for null', [
    'field price { type decimal, nullable }',
    'field price { type decimal, default 0, backfill 0 }',
  ]),
  edit('a list cannot be ordered by a field', ['sortable { created_at, title }', 'sortable { created_at }']),
  edit('a list can be ordered by another field', [
    'sortable { created_at, title }',
    'sortable { created_at, title, rating }',
  ]),
  edit('a list cannot be ordered', ['      sortable { created_at, title }\n', '']),
  edit('a list cannot be searched', ['      searchable { title }\n', '']),
  edit('a list is searched in more', ['searchable { title }', 'searchable { title, subtitle }']),
  edit('a list is searched by stems', ['searchable { title }', 'searchable { title, language "english" }']),
  edit('a list is searched by beginnings', ['searchable { title }', 'searchable { title, prefix }']),
  edit('a page is smaller at most', ['max 50', 'max 20']),
  edit('a page is larger at most', ['max 50', 'max 90']),
  edit('a page is larger where nothing is said', ['pageSize 10', 'pageSize 20']),
  edit('a list is in pages', ['list endpoint { limit 100 }', 'list endpoint { paginable }']),
  edit('a list is not in pages any more', ['      paginable { pageSize 10, max 50 }\n', '']),
  edit('pages have cursors', ['pageSize 10, max 50', 'by cursor, pageSize 10, max 50']),
  edit('pages have no total', ['pageSize 10, max 50', 'total off, pageSize 10, max 50']),
  edit('a list has another order', [
    'list endpoint { limit 100 }',
    'list endpoint { limit 100, order by { name desc } }',
  ]),
  edit('a computed value is computed in another way', ['rating * 10', 'rating * 20']),
  edit('a list has fewer records', ['limit 100', 'limit 50']),
  edit('a list has more records', ['limit 100', 'limit 500']),

  // ── Paths ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  edit('a record is named by its id', ['    identify { through slug }\n', '']),
  edit(
    'a record is named by a unique text',
    ['field name { type string }', 'field name { type string, unique }'],
    ['entrypoint Author {', 'entrypoint Author { identify { through name }'],
  ),
  edit('ids become UUIDs', ['model Comment {', 'model Comment {\n  field id { type uuid }']),

  edit(
    'the field that names a record is renamed',
    ['field slug { type string,', 'field handle { type string, was slug,'],
    ['identify { through slug }', 'identify { through handle }'],
    ['response { slug, title,', 'response { slug: handle, title,'],
    ['Post { slug, title,', 'Post { slug: handle, title,'],
  ),
  edit('a list is written as a custom endpoint', ['      list endpoint {}\n', '      GET many {}\n']),

  // ── Responses ─────────────────────────────────────────────────────────────────────────────────────────────────────
  edit('a property is removed', ['response { slug, title, subtitle,', 'response { slug, title,']),
  edit('a property is added', ['response { slug, title, subtitle,', 'response { slug, title, subtitle, code,']),
  edit('a property is renamed', ['response { slug, title, subtitle,', 'response { slug, title, sub: subtitle,']),
  edit('a nested property is removed', ['words, author { name } }', 'words, author { id } }']),
  edit('a nested property is added', ['words, author { name } }', 'words, author { id, name } }']),
  edit('a property may be null', ['reference author { to Author,', 'reference author { to Author, nullable,']),
  edit('a property is never null', [
    'field pen_name { type string, nullable }',
    'field pen_name { type string, default "", backfill "" }',
  ]),
  edit('a calculated property is any number', ['rating * 10', 'rating / 10']),
  edit('a calculated property is a whole number', ['rating / 5', 'rating * 5']),
  edit('a property of code is of another type', ['returns integer', 'returns string']),
  edit('a property of code is of any type', [', returns integer', '']),
  edit('one record takes the place of its name', ['words, author { name } }', 'words, author: author.name }']),
  edit('a collection is selected', ['words, author { name } }', 'words, author { name }, comments { body } }']),
  edit('a shape has another property', [
    'shape Card of Post { slug, title, author { name } }',
    'shape Card of Post { slug, title, rating, author { name } }',
  ]),
  edit('a shape loses a property', [
    'shape Card of Post { slug, title, author { name } }',
    'shape Card of Post { slug, author { name } }',
  ]),
  edit('a shape is renamed', ['shape Card of', 'shape Tile of'], ['response Card', 'response Tile']),
  edit('an object of an action has another member', ['parts: a', 'parts: a, more: b']),
  edit('an object of an action loses a member', [', parts: a', '']),
  edit('an action answers with another status', ['respond { body {', 'respond { httpStatus 202, body {']),
  edit('an action answers with a header', ['respond { body {', 'respond { httpHeaders { "x-total" "1" }, body {']),
  later(
    'an action answers with a header at times',
    [['respond { body {', 'respond { httpHeaders { "x-total" "1" }, body {']],
    ['"x-total" "1"', '"x-total" if(a > 1, "1", null)'],
  ),
  later(
    'an action always answers with a header',
    [['respond { body {', 'respond { httpHeaders { "x-total" if(a > 1, "1", null) }, body {']],
    ['if(a > 1, "1", null)', '"1"'],
  ),
  edit('an action answers with text', [
    'respond { body {',
    'respond { httpHeaders { "content-type" "text/plain" }, body {',
  ]),
  edit('an action answers with nothing', ['respond { body { total: a + b, parts: a } }', 'respond { httpStatus 204 }']),
  edit('an action answers with another media type', [
    'respond { body {',
    'respond { httpHeaders { "content-type" "application/ld+json" }, body {',
  ]),
  edit('a custom endpoint answers with a record', [
    'action { update post { set rating stars } }',
    'action { update post { set rating stars } respond { body stars } }',
  ]),
  edit('a create may find the record', [
    'create endpoint {}\n    update',
    'create endpoint { action { create or update { input * } } }\n    update',
  ]),
  edit('a get endpoint is removed', [
    '    get endpoint {}\n    create endpoint {}\n    update',
    '    create endpoint {}\n    update',
  ]),
  edit('code runs in an endpoint', [
    'set rating stars',
    'set rating hook { arg s stars, inline "s", returns integer }',
  ]),
];

function edit(name: string, ...replace: readonly Replacement[]): Edit {
  return { name, replace };
}

function later(name: string, before: readonly Replacement[], ...replace: readonly Replacement[]): Edit {
  return { name, before, replace };
}

/** Posts are created with an author that is named so. */
function namesAuthor(through: string): readonly Replacement[] {
  return [
    [
      'create endpoint {}\n    update',
      `create endpoint { action { create { reference author { ${through} }, input * } } }\n    update`,
    ],
    ['field name { type string }', 'field name { type string, unique }'],
  ];
}

/** The edits of which the outside judge says something else. */
export const EXCEPTIONS: Readonly<Record<Exception, readonly string[]>> = {
  tokens: ['an endpoint needs a token', 'an endpoint needs more than a token'],
  words: [
    'an own validator is added',
    'an own validator asks for something else',
    'an own validator has another code',
    'a check of an action is added',
    'a text is not normalised any more',
    'a field becomes unique',
    'a reference is named by another field',
    'a record is named by a unique text',
    'a record that an input names is no longer created',
    'a computed value is computed in another way',
  ],
  lists: [
    'a list must be shorter',
    'a list must be distinct',
    'a filter cannot ask for null',
    'a list cannot be ordered by a field',
    'a list has fewer records',
    'a list has another order',
  ],
  texts: ['an input is a date in place of a text', 'an input of an action is any text in place of a date'],
  'any text': ['any text is allowed'],
  'dates in queries': ['an input is a moment'],
  alternatives: ['bounds get an alternative'],
};
