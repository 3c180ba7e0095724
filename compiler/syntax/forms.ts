/**
 * The forms of the language: for each place of a Kiln file those that fit there, with the words about them for authors.
 * Places and shapes are those of the grammar; a form that it has and this file lacks does not compile.
 *
 *   word            the word itself, which is a keyword only here
 *   NAME            a name                          PATH        names joined by dots
 *   STRING          a text in quotes                INTEGER     a whole number
 *   EXPRESSION      a value                         RECORD      a path, or one that begins with `@auth`
 *   TYPE            a type: a name, one with its digits, or either in brackets
 *   SHAPE           a name that begins with a capital letter
 *   UNITS           names joined by `and`
 *   @auth           the caller
 *   [ a ]           a, or nothing                   ( a | b )   one of them
 *   { place }       a block of forms of that place  { EXPRESSION }, { }   a block of one value, of nothing
 */
import { PLACES, SHAPES } from './grammar-forms.ts';

export type PlaceName = keyof typeof PLACES;
export type FormName = keyof typeof SHAPES;

interface FormWords {
  /** The author's name for it. */
  readonly noun: string;
  /** One line that could be in a file. */
  readonly example: string;
  /** The purpose of the form, in sentences that editors show. */
  readonly means: string;
  /**
   * The text that editors show instead of an example that says too little: a declaration, or a part of a model or an
   * entrypoint.
   */
  readonly shown?: string;
  /** The words by which other languages know it. */
  readonly alsoCalled?: readonly string[];
  /** The same with another of its first words, which replaces `…`. */
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
  /** Completes “`x` is not …”, for a place where “something that a model can have” does not sound right. */
  readonly holds?: string;
  /** Words that belong in a similar place, with the advice for this place. */
  readonly saidElsewhere?: Readonly<Record<string, string>>;
}

export interface Place extends PlaceWords {
  readonly forms: readonly Form[];
}

/** The words of a form, and those that are different in one of its places. */
type Words = FormWords & { readonly within?: Readonly<Partial<Record<PlaceName, Partial<FormWords>>>> };

// biome-ignore format: a row for each form
const WORDS: Readonly<Record<FormName, Words>> = {
  // ── Models ────────────────────────────────────────────────────────────────────────────────────────────────────────
  model: { noun: 'a model', example: 'model Post { field title { type string } }', means: 'Declares a table and the records in it. Each record has an `id`.', shown: 'model Book { field title { type string } }', alsoCalled: ['table', 'class', 'entity', 'struct', 'interface', 'record', 'type', 'schema', 'collection'] },
  was: { noun: 'a former name', example: 'was subject', means: 'The name in the last release. The data is kept under the new name.', shown: 'field heading { type string, was subject }' },
  drop_model: { noun: 'a dropped model', example: 'drop model Article', means: 'Deletes a model of the last release, with all its records.' },
  drop_job: { noun: 'a dropped job', example: 'drop job SendReceipt', means: 'Removes a job of the last release. A migration does not end while jobs of it wait, unless `{ discard }` deletes them.', shown: 'drop job SendReceipt { discard }' },
  discard: { noun: 'discarding', example: 'discard', means: 'Deletes the jobs that wait.', shown: 'drop job SendReceipt { discard }' },
  drop_member: { noun: 'a dropped member', example: 'drop subtitle', means: 'Deletes a field or reference of the last release, with its values.', alsoCalled: ['remove', 'delete'] },
  enum: { noun: 'an enum', example: 'enum Status { draft, published }', means: 'Declares a type with a fixed list of values. A value is written as a string.', shown: 'enum Size { small, large }' },
  enum_value: { noun: 'a value', example: 'draft', means: 'A value of the enum.', shown: 'enum Size { small, large was big }' },
  drop_value: { noun: 'a dropped value', example: 'drop archived', means: 'Deletes a value of the last release. The migration stops while a record has it.', shown: 'enum Size { small, drop large }' },
  field: { noun: 'a field', example: 'field title { type string }', means: 'Declares a column of the table.', shown: 'field subtitle { type string, nullable }', block: '{ type string }', alsoCalled: ['column', 'property', 'prop', 'attribute', 'attr', 'var', 'let', 'const'] },
  type: { noun: 'a type', example: 'type string', means: 'The type of the value. `[string]` is a list of strings.', shown: 'field tags { type [string], default [] }' },
  'flag unique': { noun: 'uniqueness', example: 'unique', means: 'No two records have the same value.', shown: 'field code { type string, unique }' },
  'flag nullable': { noun: 'nullability', example: 'nullable', means: 'The value may be null. Clients may leave it out.', shown: 'field subtitle { type string, nullable }', alsoCalled: ['optional', 'null'] },
  'flag index': { noun: 'an index', example: 'index', means: 'Adds a database index, so that filters and orders by this field are fast.', shown: 'field rating { type integer, default 0, index }', alsoCalled: ['indexed'] },
  'flag internal': { noun: 'a field that clients do not set', example: 'internal', means: 'Clients do not set the field, unless an `input` names it.', shown: 'field rank { type integer, default 0, internal }', alsoCalled: ['readonly', 'protected'] },
  'flag secret': { noun: 'secrecy', example: 'secret', means: 'The field is never in a response, a filter, a log or an error. Expressions on the server can read it.', shown: 'field token { type string, secret }', alsoCalled: ['hidden', 'private'] },
  'flag required': { noun: 'a requirement', example: 'required', means: 'The client must send this input, even if the field has a default.', shown: 'create endpoint { action { create { input { title, likes { required } } } } }' },
  default: { noun: 'a default', example: 'default false', means: 'The value of a new record, where none is given.', shown: 'field rating { type integer, default 0 }', within: { field: { alsoCalled: ['initial', 'value'] }, setting: { means: 'The value where the variable is not set.', shown: 'setting UPLOAD_LIMIT { type integer, default 20 }' } } },
  on_update: { noun: 'a value for updates', example: 'on update now()', means: 'The value that each update stores, unless the update sets the field itself.', shown: 'field changed_at { type timestamp, default now(), on update now() }', alsoCalled: ['onUpdate', 'on_update'] },
  normalise: { noun: 'a normalisation', example: 'normalise { trim, lower }', means: 'Changes each text from outside before it is validated, stored or compared.', shown: 'field code { type string, normalise { trim, lower } }', alsoCalled: ['normalize', 'transform'] },
  'normaliser trim': { noun: 'trimming', example: 'trim', means: 'Removes white space at both ends.', shown: 'field code { type string, normalise { trim } }' },
  'normaliser lower': { noun: 'lower case', example: 'lower', means: 'Makes all letters lower case.', shown: 'field code { type string, normalise { lower } }', alsoCalled: ['lowercase', 'downcase'] },
  accept: { noun: 'the types of a file', example: 'accept { "image/png" }', means: 'The media types that the file may have. `"image/*"` is every image. Its first bytes are checked too.', shown: 'field photo { type file, nullable, accept { "image/png", "image/jpeg" } }', alsoCalled: ['types', 'mimes', 'mimetypes'] },
  media_type: { noun: 'a media type', example: '"image/png"', means: 'A media type, or all of one kind: `"image/*"`.', shown: 'field photo { type file, nullable, accept { "image/*" } }' },
  file_max: { noun: 'the largest size of a file', example: 'max "5mb"', means: 'The largest size of the file. It is 10mb unless you say otherwise.', shown: 'field photo { type file, nullable, max "5mb" }', alsoCalled: ['maxSize', 'size'] },
  backfill: { noun: 'a backfill', example: 'backfill 0', means: 'The value of a new required field for the records that exist. An expression over the record.', shown: 'field heading { type string, backfill title }', within: { reference: { example: 'backfill editor' } } },
  reference: { noun: 'a reference', example: 'reference author { to Author }', means: 'Refers to a record of another model by a foreign key. Adds the field `<name>_id`.', shown: 'reference editor { to Author, nullable }', block: '{ to … }', alsoCalled: ['ref', 'belongsTo', 'belongs_to', 'foreign', 'foreignKey'] },
  to: { noun: 'a target', example: 'to Author', means: 'The model that the reference refers to.', shown: 'reference editor { to Author, nullable }', alsoCalled: ['references', 'model', 'type'] },
  on_delete: { noun: 'a rule for deletion', example: 'on delete cascade', means: 'What happens when the other record is deleted: `cascade` deletes this one, `set null` clears the reference, `restrict` refuses.', shown: 'reference editor { to Author, nullable, on delete set null }', alsoCalled: ['onDelete', 'on_delete'] },
  relation: { noun: 'a relation', example: 'relation posts { from Post, through author }', means: 'The records of another model that refer to this one.', shown: 'relation remarks { from Comment, through post }', block: '{ from …, through … }', alsoCalled: ['hasMany', 'has_many', 'hasOne', 'has_one', 'relationship'] },
  from: { noun: 'a source of records', example: 'from memberships.user', means: 'Where the records come from: a model, or a path of relations, references and queries.', shown: 'query latest { from comments as comment, order by { comment.id desc } }', within: { relation: { example: 'from Post', alsoCalled: ['to', 'of'] } } },
  recursive: { noun: 'a query that is recursive', example: 'recursive', means: 'Follows `from` again from each record that it finds, to the end. Each record is found once.', shown: 'query tree { from children, recursive }', alsoCalled: ['recurse', 'transitive', 'descendants', 'ancestors'] },
  through: { noun: 'a way through', example: 'through author', means: 'The reference or field that leads to the record.', shown: 'relation remarks { from Comment, through post }', alsoCalled: ['via', 'by'] },
  computed: { noun: 'a computed property', example: 'computed post_count { count(posts) }', means: 'A value that the database computes when it is read. It is not stored.', shown: 'computed comment_count { count(comments) }', alsoCalled: ['compute', 'derived', 'virtual', 'getter'] },
  query: { noun: 'a query', example: 'query newest { from posts, order by { id desc }, first }', means: 'A named selection of records.', shown: 'query latest { from comments as comment, order by { comment.id desc }, limit 3 }' },
  filter: { noun: 'a filter', example: 'filter { published is true }', means: 'Only records for which the condition is true.', shown: 'list endpoint { filter { published is true } }', alsoCalled: ['where', 'having', 'when', 'if'] },
  order_by: { noun: 'an order', example: 'order by { title asc, id desc }', means: 'The order of the records. Records that are equal in it are ordered by `id`.', shown: 'list endpoint { order by { title asc, id desc } }', alsoCalled: ['sort', 'orderBy', 'order_by', 'sortBy'] },
  order_item: { noun: 'an order', example: 'id desc', means: 'A value to order by: `asc` for the smallest first, `desc` for the largest first.', shown: 'list endpoint { order by { title asc, id desc } }' },
  limit: { noun: 'a limit', example: 'limit 10', means: 'At most so many records.', shown: 'query latest { from comments as comment, limit 3 }', alsoCalled: ['take', 'top'] },
  offset: { noun: 'an offset', example: 'offset 20', means: 'Leaves out so many records at the beginning.', shown: 'query others { from comments as comment, order by { comment.id asc }, offset 1 }', alsoCalled: ['skip'] },
  'cardinality first': { noun: 'the first record', example: 'first', means: 'The first record, or null.', shown: 'query latest { from comments as comment, order by { comment.id desc }, first }' },
  'cardinality one': { noun: 'the one record', example: 'one', means: 'The only record. It is an error at run time if there is none.', shown: 'query writer { from author, one }', alsoCalled: ['single', 'only'] },
  'cardinality count': { noun: 'the number of records', example: 'count', means: 'How many records there are, in place of the records.', shown: 'query remarks { from comments, count }' },
  hook: { noun: 'a hook', example: 'hook summary { arg text body  source summarise from "text.ts" }', means: 'A property that your own code computes when it is selected.', shown: 'hook summary { arg text body  source summarise from "text.ts" }' },
  arg: { noun: 'an argument', example: 'arg text body', means: 'A value that is passed to the code.', shown: 'hook summary { arg text body  source summarise from "text.ts" }', alsoCalled: ['argument', 'param', 'args', 'parameter'] },
  source: { noun: 'a source', example: 'source summarise from "text.ts"', means: 'The function to call, and its file.', shown: 'hook summary { arg text body  source summarise from "text.ts" }', alsoCalled: ['import'] },
  inline: { noun: 'inline code', example: 'inline "text.length"', means: 'One JavaScript expression over the arguments.', shown: 'hook size { arg text body  inline "text.length"  returns integer }', alsoCalled: ['code', 'js'] },
  hook_runtime: { noun: 'a runtime', example: 'runtime jobs', means: 'The runtime whose folder has the file.', shown: 'hook summary { arg text body  source summarise from "text.ts"  runtime jobs }' },
  returns: { noun: 'the type of the result', example: 'returns { email: string, ids: [integer] }', means: 'The type of the result. It is checked when the result arrives.', shown: 'hook size { arg text body  inline "text.length"  returns integer }', alsoCalled: ['return', 'result', 'output', 'type'] },
  result_member: { noun: 'a member of the result', example: 'email: string nullable', means: 'A member of the result, with its type.', shown: 'hook info { arg text body  inline "({ size: text.length })"  returns { size: integer nullable } }' },
  unique_over: { noun: 'a unique key', example: 'unique { author, slug }', means: 'No two records have the same values in all of these.', shown: 'unique { author, title }' },
  index_over: { noun: 'an index', example: 'index { author, id desc }', means: 'Adds a database index over several fields.', shown: 'index { author, created_at desc }' },
  key_part: { noun: 'a part of a key', example: 'id desc', means: 'A field or reference of the key. `desc` stores it in descending order.', shown: 'index { author, created_at desc }' },
  hook_block: { noun: 'a hook', example: 'hook { source notify from "notify.ts" }', means: 'Runs your own code as an action or a value.', shown: 'POST one "notify" { action { execute { hook { arg title post.title  source notify from "text.ts" } } } }' },

  // ── Validators ────────────────────────────────────────────────────────────────────────────────────────────────────
  validate: { noun: 'a validation', example: 'validate { minLength(4) }', means: 'Rules that each value must meet. Join them by `and`, `or` and `not`.', shown: 'field code { type string, validate { minLength(4) and alphanumeric() } }', alsoCalled: ['validates', 'check', 'constraint'] },
  validator: { noun: 'a validator', example: 'validator even { arg value { type integer }  assert { value % 2 is 0 } }', means: 'Declares a rule of your own. The first argument is the value. `validator Name { minLength(1) and maxLength(30) }` names a combination.', shown: 'validator even { arg value { type integer }  assert { value % 2 is 0 }  error { code "odd" } }' },
  validator_arg: { noun: 'an argument', example: 'arg value { type string }', means: 'An argument of the validator. The first one is the value that is validated.', shown: 'validator atLeast { arg value { type integer }  arg least { type integer }  assert { value >= least }  error { code "too-small" } }', alsoCalled: ['argument', 'param'] },
  assert: { noun: 'an assertion', example: 'assert { length(value) > 3 }', means: 'The condition that a valid value meets.', shown: 'validator even { arg value { type integer }  assert { value % 2 is 0 }  error { code "odd" } }', alsoCalled: ['check', 'test'] },
  error: { noun: 'an error', example: 'error { code "too-short", message "use at least 3 letters" }', means: 'What the client is told about an invalid value.', shown: 'validator even { arg value { type integer }  assert { value % 2 is 0 }  error { code "odd", message "use an even number" } }' },
  code: { noun: 'a code', example: 'code "too-short"', means: 'The code of the error, for programs.', shown: 'validator even { arg value { type integer }  assert { value % 2 is 0 }  error { code "odd" } }' },
  message: { noun: 'a message', example: 'message "use at least 3 letters"', means: 'The message of the error, for people.', shown: 'validator even { arg value { type integer }  assert { value % 2 is 0 }  error { code "odd", message "use an even number" } }', alsoCalled: ['text', 'detail'] },

  // ── The API ───────────────────────────────────────────────────────────────────────────────────────────────────────
  api: { noun: 'an api', example: 'api { entrypoint Post { list endpoint {} } }', means: 'Declares routes below `/api`, or below `/api/<name>` for an API with a name.', shown: 'api Admin { entrypoint Post as post { list endpoint {} } }', alsoCalled: ['server', 'service', 'routes', 'rest'] },
  entrypoint: { noun: 'an entrypoint', example: 'entrypoint Post as post { list endpoint {} }', means: 'The routes of one model, or of a relation or reference of the entrypoint around it. The alias is the record.', shown: 'entrypoint comments as comment { list endpoint {}  create endpoint {} }', alsoCalled: ['resource', 'route', 'router', 'controller'] },
  identify: { noun: 'an identifier', example: 'identify { through slug }', means: 'The field in the URL that finds a record. `id` where nothing is said.', shown: 'identify { through slug }', alsoCalled: ['id', 'key'] },
  authorize: { noun: 'an authorization', example: 'authorize { author is @auth }', means: 'Who may call: the condition must be true. On an entrypoint it holds for all endpoints below it.', shown: 'update endpoint { authorize { post.author is @auth } }', alsoCalled: ['authorise', 'auth', 'permission', 'allow', 'policy', 'guard', 'can'] },
  segment: { noun: 'a path', example: 'path "posts"', means: 'The segment of the URL, in place of the name.', shown: 'path "articles"', alsoCalled: ['url'] },
  response: { noun: 'a response', example: 'response { title, author { name } }', means: 'What is in the response. All fields of the record where nothing is said.', shown: 'response { title, author { name } }', alsoCalled: ['returns', 'return', 'fields'] },
  only: { noun: 'a scope', example: 'only { post.published }', means: 'Records for which this is false do not exist below the entrypoint: not in lists, not by identifier, not as parents.', shown: 'only { post.published }', alsoCalled: ['scope', 'where'] },
  rule: { noun: 'a rule', example: 'rule may_edit(note of Note) { note.owner is @auth }', means: 'A condition with a name, for `authorize`, `filter`, `only` and `refuse`. It is read as if it were written out.', shown: 'rule is_long(post of Post) { length(post.body) > 1000 }', alsoCalled: ['policy', 'permission', 'ability'] },
  setting: { noun: 'a setting', example: 'setting PAGE_TITLE { default "Notes" }', means: 'Declares a variable of the environment. `setting(NAME)` reads it. The server does not start without it, unless it has a default.', shown: 'setting UPLOAD_LIMIT { type integer, default 20 }', alsoCalled: ['env', 'environment', 'config', 'variable', 'secret'] },
  setting_secret: { noun: 'secrecy', example: 'secret', means: 'The value is never in a response, a log or an error. Only `set`, `authorize` and the code of hooks read it.', shown: 'setting MAIL_KEY { secret }', alsoCalled: ['hidden', 'private'] },
  shape: { noun: 'a shape', example: 'shape Card of Post { title, author { name } }', means: 'Names a selection, so that several responses can use it. It is one type in the clients.', shown: 'shape Card of Post { title, author { name } }', alsoCalled: ['fragment', 'view', 'projection', 'dto', 'serializer'] },
  spread: { noun: 'the contents of a shape', example: '...Card', means: 'Everything that the shape selects.', shown: 'response { ...Teaser, body }' },
  selected: { noun: 'a selected name', example: 'byline: author.name', means: 'A member of the record, or a value with a name of its own.', shown: 'response { title, byline: author.name }' },
  custom_endpoint: { noun: 'a custom endpoint', example: 'POST one "publish" { action { update post { set published true } } }', means: 'A route of its own: `one` for a record, `many` for the collection.', shown: 'POST one "publish" { action { update post { set published true } } }' },
  endpoint: { noun: 'an endpoint', example: 'list endpoint { paginable }', means: 'A route: `list` and `get` read, `create`, `update` and `delete` write.', shown: 'list endpoint { paginable }', exampleOfOther: '… endpoint {}' },
  method: { noun: 'a method', example: 'method POST', means: 'The HTTP method of a custom endpoint, or of an update: `PUT` in place of `PATCH`, or both.', shown: 'update endpoint { method PUT, PATCH }' },
  versioned: { noun: 'versions', example: 'versioned', means: 'Single records have an `ETag`. A change with `If-Match` is refused if the record was changed meanwhile.', shown: 'versioned, get endpoint {}', alsoCalled: ['etag', 'version', 'optimistic'] },
  inputs_under: { noun: 'a key for the inputs', example: 'inputs under "post"', means: 'The inputs of the body are in an object under this key: `{ "post": { "title": … } }`.', shown: 'inputs under "post", create endpoint {}', alsoCalled: ['wrap', 'envelope', 'root'] },
  signed_by: { noun: 'a signature', example: 'signed by stripe { secret STRIPE_SECRET }', means: 'Only requests that another service has signed are done, each once: `standard`, `stripe` or `github`. What rules of the entrypoint say about the caller does not apply.', shown: 'POST many "stripe" { signed by stripe { secret STRIPE_SECRET }  action { query { from Post, delete } } }', block: '{ secret … }', alsoCalled: ['webhook', 'signature', 'verify', 'hmac'] },
  signing_secret: { noun: 'a secret', example: 'secret STRIPE_SECRET', means: 'The secret setting that the signature is checked with.', shown: 'POST many "stripe" { signed by stripe { secret STRIPE_SECRET }  action { query { from Post, delete } } }', alsoCalled: ['key', 'token'] },
  answer_status: { noun: 'a status', example: 'status 202', means: 'The status of the response. A response with 204 has no body.', shown: 'update endpoint { status 204 }', alsoCalled: ['httpStatus', 'statusCode'] },
  answer_headers: { noun: 'headers', example: 'headers { "cache-control" "no-cache" }', means: 'Headers of the response, which stays as it is. A list repeats the header, null removes it.', shown: 'get endpoint { headers { "x-title" post.title } }', alsoCalled: ['header', 'httpHeaders'] },
  endpoint_cardinality_property: { noun: 'a cardinality', example: 'cardinality many', means: 'Whether the endpoint is for a record (`one`) or for the collection (`many`).', shown: 'custom endpoint { method POST, cardinality one, path "publish", action { update post { set published true } } }' },
  live: { noun: 'a live list', example: 'live', means: 'Clients may follow the list: with `Accept: text/event-stream` they get it, and then its changes.', shown: 'list endpoint { live }', alsoCalled: ['realtime', 'subscribe', 'subscription', 'stream', 'watch'] },
  stale: { noun: 'a staleness', example: 'stale seconds(5)', means: 'How old the data may be, so that a replica of the database may answer.', shown: 'list endpoint { stale seconds(5) }', alsoCalled: ['replica', 'cached', 'cache', 'maxAge', 'staleness'] },
  paginable: { noun: 'paging', example: 'paginable { pageSize 20 }', means: 'The list comes in pages: `?page=2&pageSize=50`.', shown: 'list endpoint { paginable { pageSize 20, max 100 } }', alsoCalled: ['paginate', 'paginated'] },
  filterable: { noun: 'filtering by clients', example: 'filterable { status, author.name }', means: 'Clients may filter by these fields: `?status=draft`.', shown: 'list endpoint { filterable { status, author.name } }', alsoCalled: ['filters', 'filtering'] },
  sortable: { noun: 'sorting', example: 'sortable { created_at, title }', means: 'Clients may sort by these fields: `?sort=-created_at,title`.', shown: 'list endpoint { sortable { created_at, title } }', alsoCalled: ['sorts', 'sorting', 'orderable'] },
  searchable: { noun: 'full-text search', example: 'searchable { title, body }', means: 'Clients may search for words in these fields: `?q=words`.', shown: 'list endpoint { searchable { title, body } }', alsoCalled: ['search', 'fulltext'] },
  list_field: { noun: 'a field', example: 'author.name', means: 'A field or computed member, or a path to one through references.', shown: 'list endpoint { filterable { status, author.name } }' },
  search_language: { noun: 'a language of the search', example: 'language "english"', means: 'The search compares stems of this language: `bakes` finds `baking`.', shown: 'list endpoint { searchable { title, language "english" } }', alsoCalled: ['stem', 'stems', 'config'] },
  prefix: { noun: 'a search by beginnings', example: 'prefix', means: 'The last word of a search may be the beginning of a word.', shown: 'list endpoint { searchable { title, prefix } }', alsoCalled: ['autocomplete'] },
  page_size: { noun: 'a page size', example: 'pageSize 20', means: 'How many records a page has, unless the client says otherwise.', shown: 'list endpoint { paginable { pageSize 20 } }', alsoCalled: ['size', 'limit'] },
  page_max: { noun: 'a largest page size', example: 'max 100', means: 'The largest page that a client may ask for.', shown: 'list endpoint { paginable { max 100 } }', alsoCalled: ['maxSize', 'maximum'] },
  page_number_name: { noun: 'a name for `page`', example: 'page as "p"', means: 'What clients call the number of the page: `?p=2`.', shown: 'list endpoint { paginable { page as "p", pageSize as "per_page" } }' },
  page_size_name: { noun: 'a name for `pageSize`', example: 'pageSize as "per_page"', means: 'What clients call the size of a page: `?per_page=50`.', shown: 'list endpoint { paginable { page as "p", pageSize as "per_page" } }' },
  page_after_name: { noun: 'a name for `after`', example: 'after as "cursor"', means: 'What clients call the cursor: `?cursor=…`.', shown: 'list endpoint { paginable { by cursor, after as "cursor" } }' },
  page_response: { noun: 'the members of a page', example: 'response { items: data, total: totalCount }', means: 'What a page has in it, and under which names.', shown: 'list endpoint { paginable { response { items: data, total: totalCount } } }', alsoCalled: ['envelope'] },
  page_member: { noun: 'a member of a page', example: 'items: data', means: 'A name, and what is under it: `data`, `page`, `pageSize`, `totalPages`, `totalCount` or `next`.', shown: 'list endpoint { paginable { response { items: data, total: totalCount } } }' },
  page_cursor: { noun: 'paging by cursor', example: 'by cursor', means: 'Pages by a cursor: `?after=…`. Late pages are as fast as the first.', shown: 'list endpoint { paginable { by cursor } }', alsoCalled: ['cursor', 'keyset'] },
  page_total: { noun: 'a total', example: 'total off', means: 'How a page says how many records there are: `total off` leaves it out, `total estimated` gives an estimate. Both count nothing, which is faster.', shown: 'list endpoint { paginable { total estimated } }', alsoCalled: ['count', 'totalCount', 'totals'] },
  extra_inputs: { noun: 'extra inputs', example: 'extra inputs { field note { type string } }', means: 'Inputs that are not fields of the record.', shown: 'list endpoint { extra inputs { field least { type integer, default 0 } }  filter { likes >= least } }' },
  record_input: { noun: 'a reference', example: 'reference label { to Label, through slug }', means: 'The client names a record: by its id, or by the field behind `through`. In actions the name is the record.', shown: 'POST one "move" { extra inputs { reference owner { to Author } }  action { update post { set author owner } } }' },
  list_input: { noun: 'a list', example: 'list lines { field quantity { type integer } }', means: 'A list of objects. Each is checked like a body.', shown: 'POST many "import" { extra inputs { list rows { maxItems 100, field name { type string } } }  action { for row in rows { create Tag or keep { set name row.name } } } }' },
  nullable_input: { noun: 'nullability', example: 'nullable', means: 'The value may be null. Clients may leave it out.', shown: 'POST one "move" { extra inputs { reference like { to Post, nullable } }  action { update post { set title coalesce(like.title, "") } } }', alsoCalled: ['optional', 'null'] },
  min_items: { noun: 'a least number of items', example: 'minItems 1', means: 'The list has at least so many items.', shown: 'POST many "import" { extra inputs { list rows { minItems 1, field name { type string } } }  action { for row in rows { create Tag or keep { set name row.name } } } }', alsoCalled: ['min', 'minLength'] },
  max_items: { noun: 'a largest number of items', example: 'maxItems 100', means: 'The list has at most so many items: 1,000 where nothing is said.', shown: 'POST many "import" { extra inputs { list rows { maxItems 100, field name { type string } } }  action { for row in rows { create Tag or keep { set name row.name } } } }', alsoCalled: ['max', 'maxLength'] },

  // ── Actions ───────────────────────────────────────────────────────────────────────────────────────────────────────
  action: { noun: 'an action', example: 'action { update post { set published true } }', means: 'What the endpoint does, step by step, in one transaction.', shown: 'POST one "publish" { action { update post { set published true } } }', alsoCalled: ['actions', 'do'] },
  create_action: { noun: 'a create', example: 'create Comment as comment { set text "Hello" }', means: 'Makes a record. `or keep` and `or update` say what to do if one with the same unique key exists.', shown: 'POST one "comment" { action { create post.comments as comment { set text "Hello" } } }', alsoCalled: ['insert', 'add', 'upsert'] },
  update_action: { noun: 'an update', example: 'update post { set published true }', means: 'Changes a record.', shown: 'POST one "publish" { action { update post { set published true } } }' },
  delete_action: { noun: 'a delete', example: 'delete post {}', means: 'Deletes a record, or all records of a collection.', shown: 'POST one "clear" { action { delete post.comments {} } }', alsoCalled: ['remove', 'destroy'] },
  set: { noun: 'a `set`', example: 'set published true', means: 'Stores a value in a field. With `when`, only if the condition is true.', shown: 'POST one "publish" { action { update post { set published true } } }' },
  input: { noun: 'inputs', example: 'input { title, slug { required } }', means: 'The fields that the client sends. Nothing else is taken, except required fields that are not set.', shown: 'update endpoint { action { update { input { title, body } } } }', alsoCalled: ['inputs'], within: { auth_register: { example: 'input { nickname }' } } },
  input_field: { noun: 'an input', example: 'slug { required }', means: 'A field that the client sends. `as` gives it another name.', shown: 'update endpoint { action { update { input { title as headline, body { required } } } } }' },
  input_all: { noun: 'all inputs', example: 'input * except { slug }', means: 'All fields are inputs, except those that are named.', shown: 'update endpoint { action { update { input * except { slug } } } }' },
  reference_input: { noun: 'a reference', example: 'reference author through email', means: 'The client names the other record by one of its fields, here `author_email`.', shown: 'create endpoint { action { create { reference author through email } } }' },
  lookup: { noun: 'a way through', example: 'through name or create', means: 'The field that finds the record. `or create` makes it if there is none.', shown: 'create endpoint { action { create { reference author { through email } } } }', alsoCalled: ['via', 'by'] },
  query_action: { noun: 'a query', example: 'query as drafts { from post.drafts, select { title } }', means: 'Reads, changes or deletes records.', shown: 'GET one "others" { action { query as others { from post.author.posts as other, select { title } }  respond { body others } } }' },
  for_action: { noun: 'a `for`', example: 'for tag in tags { create Tag or keep { set name tag } }', means: 'Does the actions once for each item of a list.', shown: 'POST many "tags" { extra inputs { field names { type [string] } }  action { for each in names { create Tag or keep { set name each } } } }', alsoCalled: ['foreach', 'each', 'loop', 'repeat'] },
  group_by: { noun: 'groups', example: 'group by { status }', means: 'Groups the records. `select` can then use `count()`, `sum(…)`, `avg(…)`, `min(…)` and `max(…)`.', shown: 'GET many "counts" { action { query as rows { from Post, group by { status }, select { status, posts: count() } }  respond { body rows } } }', alsoCalled: ['groupBy', 'group_by'] },
  limit_by: { noun: 'a limit', example: 'limit most', means: 'At most so many records. The number may be an input.', shown: 'GET many "some" { action { query as rows { from Post, limit 10, select { title } }  respond { body rows } } }', alsoCalled: ['take', 'top'] },
  offset_by: { noun: 'an offset', example: 'offset skipped', means: 'Leaves out so many records at the beginning. The number may be an input.', shown: 'GET many "rest" { action { query as rows { from Post, order by { id asc }, limit 10, offset 10, select { title } }  respond { body rows } } }', alsoCalled: ['skip'] },
  select: { noun: 'a selection', example: 'select { name, email }', means: 'What is read of each record.', shown: 'GET many "titles" { action { query as rows { from Post, select { title } }  respond { body rows } } }' },
  query_update: { noun: 'an update', example: 'update { set published false }', means: 'Changes all records of the query.', shown: 'POST many "hide" { action { query { from Post as each, filter { each.likes < 1 }, update { set published false } } } }' },
  query_delete: { noun: 'a delete', example: 'delete', means: 'Deletes all records of the query.', shown: 'POST many "tidy" { action { query { from Post as each, filter { each.likes < 1 }, delete } } }' },
  execute_action: { noun: 'an execute', example: 'execute as sent { hook { source notify from "notify.ts" } }', means: 'Runs your own code. The alias is its result.', shown: 'POST one "notify" { action { execute { hook { arg title post.title  source notify from "text.ts" } } } }' },
  call_action: { noun: 'a call', example: 'call as payment { hook { source charge from "payments.ts" } }', means: 'Runs code that calls another service, between two transactions. What stands before it is committed first. The alias is its result.', shown: 'POST one "notify" { action { call { hook { arg title post.title  source notify from "text.ts" } } update post { set published true } } }' },
  call_failure: { noun: 'an `on failure`', within: { job: { means: 'What is done after the last try has failed, in a transaction of its own.', shown: 'job Publish { input post { to Post }  action { update post { set published true } }  on failure { update post { set published false } } }' } }, example: 'on failure { update order { set status "open" } }', means: 'What is done if the code throws or takes too long, in a transaction of its own. The error of the code is the response.', shown: 'POST one "notify" { action { call { hook { arg title post.title  source notify from "text.ts" } on failure { update post { set published false } } } } }', alsoCalled: ['catch', 'rescue', 'compensate', 'onFailure', 'on_failure', 'onError', 'failed'] },
  call_timeout: { noun: 'a timeout', within: { job: { means: 'How long one try may take. It is `seconds(30)` if nothing is said.', shown: 'job Publish { input post { to Post }  timeout minutes(2)  action { update post { set published true } } }' } }, example: 'timeout seconds(10)', means: 'How long the code may take. It is `seconds(30)` if nothing is said.', shown: 'POST one "notify" { action { call { hook { arg title post.title  source notify from "text.ts" } timeout seconds(10) } } }' },
  run_action: { noun: 'a `run`', example: 'run SendReceipt { order: order }', means: 'Stores a job together with what the transaction writes. It is done soon after the commit; with `after`, not before that time has passed. With `once per`, nothing is stored while a job with the same key waits.', shown: 'POST one "publish" { action { update post { set published true } run Announce { post: post } after minutes(5) once per post } }', alsoCalled: ['enqueue', 'perform', 'dispatch', 'background', 'queue', 'schedule', 'defer', 'spawn', 'trigger'] },
  run_argument: { noun: 'an input of the job', example: 'order: order', means: 'The value of an input of the job. A record is handed over by its id.', shown: 'POST one "publish" { action { run Announce { post: post, silent: true } } }' },
  responds: { noun: 'responding', example: 'responds', means: 'The code answers the request itself.', shown: 'GET one "file" { action { execute { hook { arg title post.title  source notify from "text.ts" } responds } } }' },
  respond_action: { noun: 'a respond', example: 'respond { httpStatus 202 }', means: 'Answers the request with a body, a status and headers.', shown: 'POST one "ping" { action { respond { body "done", httpStatus 202 } } }', alsoCalled: ['return', 'reply'] },
  respond_body: { noun: 'a body', example: 'body "done"', means: 'The body of the response.', shown: 'POST one "ping" { action { respond { body { title: post.title } } } }' },
  http_status: { noun: 'a status', example: 'httpStatus 202', means: 'The status of the response.', shown: 'POST one "ping" { action { respond { httpStatus 202 } } }', alsoCalled: ['status', 'code'] },
  http_headers: { noun: 'headers', example: 'httpHeaders { "x-total" total }', means: 'Headers of the response. A list repeats the header, null removes it.', shown: 'POST one "ping" { action { respond { body "done", httpHeaders { "x-title" post.title } } } }', alsoCalled: ['headers', 'header'] },
  http_header: { noun: 'a header', example: '"x-total" total', means: 'The name and the value of a header.', shown: 'POST one "ping" { action { respond { body "done", httpHeaders { "x-title" post.title } } } }' },
  validate_action: { noun: 'a validation', example: 'validate with key "age" { min(age, 18) }', means: 'The request is invalid unless the condition is true. The key is the input that the error names.', shown: 'POST many "join" { extra inputs { field age { type integer } }  action { validate with key "age" { min(age, 18) }  respond { httpStatus 202 } } }' },
  refuse_action: { noun: 'a `refuse`', example: 'refuse "sold-out" when left < 1 { status 409 }', means: 'Ends the request with an error of your own if the condition is true. Everything is rolled back.', shown: 'POST one "publish" { action { refuse "too-short" when length(post.body) < 10 { message "Write more first", status 409 }  update post { set published true } } }', alsoCalled: ['throw', 'raise', 'reject', 'abort', 'fail'] },
  refuse_message: { noun: 'a message', example: 'message "Only " + left + " are left"', means: 'What the client is told. The value may be an expression.', shown: 'POST one "publish" { action { refuse "too-short" when length(post.body) < 10 { message "Write more first" }  update post { set published true } } }', alsoCalled: ['detail', 'error', 'text'] },
  refuse_status: { noun: 'a status', example: 'status 409', means: 'The status of the response, from 400 to 499. It is 422 if nothing is said.', shown: 'POST one "publish" { action { refuse "too-short" when length(post.body) < 10 { status 409 }  update post { set published true } } }', alsoCalled: ['httpStatus', 'code'] },
  refuse_key: { noun: 'a key', example: 'key quantity', means: 'The input that the error is about. It is the `path` of an entry in `errors`.', shown: 'POST many "join" { extra inputs { field age { type integer } }  action { refuse "too-young" when age < 18 { key age }  respond { httpStatus 202 } } }', alsoCalled: ['field', 'path', 'input'] },

  // ── Jobs and reactions ────────────────────────────────────────────────────────────────────────────────────────────
  job: { noun: 'a job', example: 'job SendReceipt { input order { to Order }  action { update order { set receipt_sent true } } }', means: 'Work beside requests. `run` stores it, and a server does it. Jobs have no route and no caller.', shown: 'job Publish { input post { to Post }  action { update post { set published true } } }', block: '{ action { … } }', alsoCalled: ['worker', 'task', 'queue', 'background', 'actor'] },
  job_input: { noun: 'an input', example: 'input order { to Order }', means: 'A record or a value that each `run` hands over. `to` is for a record, `type` for a value.', shown: 'job Publish { input post { to Post }  input silent { type boolean, default false }  action { update post { set published silent } } }', block: '{ to … }', alsoCalled: ['arg', 'argument', 'param', 'field', 'reference', 'inputs'] },
  retry: { noun: 'a number of retries', example: 'retry 8', means: 'How often the job is tried again after it has failed, from 0 to 50. It is 8 if nothing is said.', shown: 'job Publish { input post { to Post }  retry 3  action { update post { set published true } } }', alsoCalled: ['retries', 'attempts', 'tries'] },
  line: { noun: 'a line', example: 'one at a time per order.customer', means: 'Jobs with the same value are done one after the other, in the order in which they were stored.', shown: 'job Publish { input post { to Post }  one at a time per post.author  action { update post { set published true } } }', alsoCalled: ['concurrency', 'serial', 'sequential', 'exclusive'] },
  reaction: { noun: 'a reaction', example: 'on update of Order as order when order.status is "paid" and before.status is not "paid" { run SendReceipt { order: order } }', means: 'Runs jobs whenever a record is created, updated or deleted, whoever does it. In an update, `before` is the record as it was.', shown: 'on create of Post as post { run Announce { post: post } }', alsoCalled: ['trigger', 'after', 'when', 'observe', 'watch', 'listen'] },

  // ── Schedules ─────────────────────────────────────────────────────────────────────────────────────────────────────
  schedule: { noun: 'a schedule', example: 'schedule Digest every weekday at "07:30" in "Europe/Berlin" { run SendDigests {} }', means: 'Runs jobs at fixed times, once for each time, however many servers there are: `every 15 minutes`, `every day at "07:30"`, `every monday and friday at "07:30"`, `every month on 1 at "07:30"` or `cron "30 7 * * 1-5"`. Times are in UTC, unless `in` names a time zone.', shown: 'schedule Tidy every weekday at "07:30" in "Europe/Berlin" { run RemoveDrafts {} }', block: '{ run … {} }', alsoCalled: ['every', 'cron', 'interval', 'timer', 'periodic', 'recurring', 'scheduled'] },
  catch_up: { noun: 'a rule for missed times', example: 'catch up last', means: 'What is done after an outage: `last` runs the jobs once, if the last missed time was within a day, `all` runs them for each missed time, `none` for no missed time. It is `last` if nothing is said.', shown: 'schedule Tidy every day at "07:30" { catch up none  run RemoveDrafts {} }', alsoCalled: ['catchup', 'catchUp', 'missed', 'misfire', 'backfill'] },
  mail: { noun: 'a mail', example: 'mail Receipt { input order { to Order }  to order.customer.email  subject "Order " + order.number  body "receipt.html" }', means: 'A mail that `send` stores together with what the transaction writes, and that a server hands over soon after. `body` names a file in the folder `mails`.', shown: 'mail Welcome { input author { to Author }  to author.email  subject "Welcome"  body "welcome.html" }', block: '{ to … subject … body … }', alsoCalled: ['email', 'mailer', 'template', 'message'] },
  mail_to: { noun: 'an address', example: 'to order.customer.email', means: 'The address that the mail is sent to.', shown: 'mail Welcome { input author { to Author }  to author.email  subject "Welcome"  body "welcome.html" }', alsoCalled: ['recipient', 'address', 'cc', 'bcc'] },
  mail_subject: { noun: 'a subject', example: 'subject "Order " + order.number', means: 'The subject of the mail.', shown: 'mail Welcome { input author { to Author }  to author.email  subject "Welcome"  body "welcome.html" }', alsoCalled: ['title'] },
  mail_file: { noun: 'a body', example: 'body "receipt.html"', means: 'A file in the folder `mails`: HTML with expressions in `{{ }}`, which are escaped. A file of the same name that ends in `.txt` is the plain text; without it, that is derived.', shown: 'mail Welcome { input author { to Author }  to author.email  subject "Welcome"  body "welcome.html" }', alsoCalled: ['template', 'html', 'text', 'content'] },
  webhook: { noun: 'a webhook', example: 'webhook "order.paid" { on update of Order as order when order.paid  to Hook as hook { url hook.url, secret hook.secret }  body OrderCard }', means: 'Tells other servers about a change of a record, by the specification Standard Webhooks. It is stored with the change and repeated until it arrives, for three days.', shown: 'webhook "post.created" { on create of Post as post  to { url setting(PARTNER_URL), secret setting(PARTNER_SECRET) }  body { id, title } }', block: '{ on … to … body … }', alsoCalled: ['hook', 'callback', 'event', 'notify', 'subscription'] },
  webhook_event: { noun: 'an event', example: 'on create of Order as order', means: 'The change that is told. In an update, `before` is the record as it was.', shown: 'webhook "post.created" { on create of Post as post  to { url setting(PARTNER_URL), secret setting(PARTNER_SECRET) }  body { id, title } }', alsoCalled: ['event', 'when', 'after'] },
  webhook_receivers: { noun: 'the receivers', example: 'to order.shop.hooks as hook { url hook.url, secret hook.secret }', means: 'The records that name the receivers, or one receiver without records.', shown: 'webhook "post.created" { on create of Post as post  to { url setting(PARTNER_URL), secret setting(PARTNER_SECRET) }  body { id, title } }', alsoCalled: ['receivers', 'endpoints', 'subscribers'] },
  receiver_url: { noun: 'a URL', example: 'url hook.url', means: 'Where it is sent: a URL with https.', shown: 'webhook "post.created" { on create of Post as post  to { url setting(PARTNER_URL), secret setting(PARTNER_SECRET) }  body { id, title } }', alsoCalled: ['endpoint', 'address', 'uri'] },
  receiver_secret: { noun: 'a secret', example: 'secret hook.secret', means: 'What it is signed with: `whsec_` and 24 to 64 bytes in Base64. It may stand twice while one secret is replaced.', shown: 'webhook "post.created" { on create of Post as post  to { url setting(PARTNER_URL), secret setting(PARTNER_SECRET) }  body { id, title } }', alsoCalled: ['key', 'token', 'signature'] },
  receiver_when: { noun: 'a condition', example: 'when hook.active', means: 'The receivers that are told.', shown: 'webhook "post.created" { on create of Post as post  to { url setting(PARTNER_URL), secret setting(PARTNER_SECRET), when post.published }  body { id, title } }', alsoCalled: ['if', 'filter', 'only'] },
  webhook_payload: { noun: 'a body', example: 'body OrderCard', means: 'What is told of the record, as in a response.', shown: 'webhook "post.created" { on create of Post as post  to { url setting(PARTNER_URL), secret setting(PARTNER_SECRET) }  body { id, title } }', alsoCalled: ['payload', 'data', 'response', 'select'] },
  webhook_gone: { noun: 'a `gone`', example: 'gone { update hook { set active false } }', means: 'What is done if the receiver answers 410: it wants no more of them.', shown: 'webhook "post.created" { on create of Post as post  to { url setting(PARTNER_URL), secret setting(PARTNER_SECRET) }  body { id, title }  gone { update post { set published false } } }', alsoCalled: ['unsubscribed', 'on failure'] },

  // ── Authentication, runtimes, generators, populators ──────────────────────────────────────────────────────────────
  auth: { noun: 'an authentication', example: 'auth { model User }', means: 'Says which model has the accounts. `@auth` is the record of the caller.', shown: 'auth { model Author, login email, password password_hash }', alsoCalled: ['authentication'] },
  auth_model: { noun: 'a model', example: 'model User', means: 'The model of the accounts.', shown: 'auth { model Author }' },
  auth_login: { noun: 'a login', example: 'login email', means: 'The unique field that callers sign in with.', shown: 'auth { model Author, login email, password password_hash }', alsoCalled: ['username', 'user'] },
  auth_password: { noun: 'a password', example: 'password password_hash', means: 'The secret field that stores the hash of the password.', shown: 'auth { model Author, login email, password password_hash }' },
  auth_subject: { noun: 'a subject', example: 'subject external_id', means: 'The unique field that is compared with `sub` in the token of another provider.', shown: 'auth { model Author, subject email }', alsoCalled: ['sub'] },
  auth_register: { noun: 'a registration', example: 'register { input { nickname } }', means: 'More fields that `register` takes. `register off` removes the route.', shown: 'auth { model Author, login email, password password_hash, register { input { nickname } } }', alsoCalled: ['signup', 'registration'] },
  auth_verify: { noun: 'a mail to verify addresses', example: 'verify with ConfirmAddress', means: 'Accounts can be used when their address is verified: registration sends this mail, and `POST /api/auth/verify` takes its token.', shown: 'auth { model Author, login email, password password_hash, verify with ConfirmAddress }', alsoCalled: ['confirm', 'confirmation', 'activation'] },
  auth_reset: { noun: 'a mail to reset passwords', example: 'reset with NewPassword', means: '`POST /api/auth/forgot` sends this mail, and `POST /api/auth/reset` takes its token and a new password.', shown: 'auth { model Author, login email, password password_hash, reset with NewPassword }', alsoCalled: ['forgot', 'recover', 'recovery'] },
  auth_invite: { noun: 'a mail to invite people', example: 'invite with Invitation', means: '`docker run IMAGE invite ada@example.com` makes an account and sends this mail, and `POST /api/auth/accept` takes its token and a password.', shown: 'auth { model Author, login email, password password_hash, invite with Invitation }', alsoCalled: ['invitation'] },
  runtime: { noun: 'a runtime', example: 'runtime jobs { source path "jobs" }', means: 'A folder with code for hooks.', shown: 'runtime tasks { source path "tasks" }' },
  runtime_default: { noun: 'the default', example: 'default', means: 'Hooks that name no runtime use this one.', shown: 'runtime tasks { default, source path "tasks" }' },
  source_path: { noun: 'a folder', example: 'source path "jobs"', means: 'The folder of the code.', shown: 'runtime tasks { source path "tasks" }' },
  generator: { noun: 'a generator', example: 'generator client { target ts, output "client" }', means: 'Writes a client for the API (`client`), or moves the console (`apidocs`).', shown: 'generator client { target ts, output "client" }' },
  target_language: { noun: 'a target', example: 'target ts', means: 'The language of the client: `ts` or `js`.', shown: 'generator client { target ts, output "client" }', alsoCalled: ['language', 'lang'] },
  output: { noun: 'an output', example: 'output "client"', means: 'The folder of the client.', shown: 'generator client { target ts, output "client" }', alsoCalled: ['out', 'dir'] },
  base_path: { noun: 'a base path', example: 'basePath "/docs"', means: 'The URL of the console.', shown: 'generator apidocs { basePath "/reference" }' },
  populator: { noun: 'a populator', example: 'populator Dev { populate Author { repeat 20 } }', means: 'Makes records for development and tests: `kiln db populate`.', shown: 'populator Demo { populate Tag { repeat as i 3  set name "tag" + i.current } }', alsoCalled: ['seed', 'seeder', 'fixture', 'fixtures'] },
  populate: { noun: 'a populate', example: 'populate Author as author { repeat 20 }', means: 'Makes records of a model, or of a relation of the record around it. What is not set is made up.', shown: 'populator Demo { populate Author { repeat 3  populate posts { repeat 2 } } }', alsoCalled: ['seed', 'fill'] },
  repeat: { noun: 'a repeat', example: 'repeat as i 20', means: 'How many records are made. The alias counts them: `i.current`, `i.total`.', shown: 'populator Demo { populate Tag { repeat as i 3  set name "tag" + i.current } }', alsoCalled: ['times', 'for', 'loop'] },
  range_start: { noun: 'a start', example: 'start 1', means: 'The first number that the alias counts.', shown: 'populator Demo { populate Tag { repeat as i { start 5, end 9 }  set name "tag" + i.current } }', alsoCalled: ['begin', 'from', 'min'] },
  range_end: { noun: 'an end', example: 'end 20', means: 'The last number that the alias counts.', shown: 'populator Demo { populate Tag { repeat as i { start 5, end 9 }  set name "tag" + i.current } }', alsoCalled: ['stop', 'to', 'max'] },
  identifier: { noun: 'a name', example: 'slug', means: 'The name of a field.', shown: 'update endpoint { action { update { input * except { slug } } } }' },
};

/** Those of places, beside or in place of the noun of the form with the same name. */
const PLACE_WORDS: Readonly<Partial<Record<PlaceName, Partial<PlaceWords>>>> = {
  file: { noun: 'a file', holds: 'something that a file can declare' },
  drop_job: { holds: '`discard`' },
  enum: { holds: 'a value of an enum' },
  normalise: { holds: '`trim` or `lower`' },
  accept: { holds: 'a media type, such as `"image/png"`' },
  query: {
    noun: 'the query of a model',
    saidElsewhere: { select: 'what is shown of its records is for the `response` to say' },
  },
  order_by: { holds: 'a value to order by' },
  result: { noun: 'a result', holds: 'a member of the result, such as `email: string`' },
  arg_query: { noun: 'the query of an argument' },
  unique_over: { noun: 'a key', holds: 'a part of a key' },

  // ── Validators ────────────────────────────────────────────────────────────────────────────────────────────────────

  // ── The API ───────────────────────────────────────────────────────────────────────────────────────────────────────

  selection: { noun: 'a selection', holds: 'a name to select' },
  paginable: { holds: 'a setting of paging' },
  page_response: { noun: 'a page', holds: 'a member of a page, such as `items: data`' },
  filterable: { noun: 'fields that clients may use', holds: 'the name of a field' },
  searchable: { holds: 'the name of a field, `language` or `prefix`' },
  extra_inputs: { noun: 'an endpoint’s extra inputs', holds: 'an extra input' },
  record_input: { noun: 'a reference of extra inputs' },
  list_input: { noun: 'a list of extra inputs' },

  // ── Actions ───────────────────────────────────────────────────────────────────────────────────────────────────────

  action: { holds: 'an action' },
  write: { noun: 'a create or an update', holds: 'something that a create or an update can have' },
  input: { holds: 'an input' },
  input_all: { noun: 'names', holds: 'a name' },
  reference_input: { holds: 'a way to find the record' },
  query_action: { noun: 'the query of an action' },
  query_update: { noun: 'the update of a query' },
  signed_by: { holds: '`secret`' },
  run: { noun: 'a `run`', holds: 'an input of the job, such as `order: order`' },
  http_headers: { holds: 'the name of a header in quotes' },

  // ── Jobs and reactions ────────────────────────────────────────────────────────────────────────────────────────────

  job: {
    saidElsewhere: {
      response: 'nobody waits for a response: store what others should see',
      authorize: 'nobody calls a job: check before `run`, or `refuse` in its action',
    },
  },
  reaction: { holds: 'a `run`' },
  schedule: { holds: '`catch up` or a `run`' },
  webhook_receiver: { noun: 'a receiver' },

  // ── Authentication, runtimes, generators, populators ──────────────────────────────────────────────────────────────

  repeat_range: { noun: 'a range' },
};

export const places = Object.fromEntries(
  (Object.keys(PLACES) as PlaceName[]).map((name): [PlaceName, Place] => {
    const { noun } = { ...WORDS[name as FormName], ...PLACE_WORDS[name] };
    return [name, { ...PLACE_WORDS[name], noun, forms: PLACES[name].map((form) => formFrom(form, name)) }];
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
