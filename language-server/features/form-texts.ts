/**
 * What each form of the language is for, in a sentence, and an example that compiles. How it is written is for the table
 * of forms to say; an example is here where the line of that table says too little by itself.
 */
import type { FormName } from '../../compiler/syntax/forms.ts';

export interface FormText {
  readonly means: string;
  /** A declaration, a member of a model, or something that an entrypoint can have. */
  readonly example?: string;
}

const text = (means: string, example?: string): FormText => ({ means, ...(example === undefined ? {} : { example }) });

export const FORM_TEXTS: Readonly<Record<FormName, FormText>> = {
  // ── Models ────────────────────────────────────────────────────────────────────────────────────────────────────────

  model: text(
    'Declares a table and the records in it. Each record has an `id`.',
    'model Book { field title { type string } }',
  ),
  was: text(
    'The name in the last release. The data is kept under the new name.',
    'field heading { type string, was subject }',
  ),
  drop_model: text('Deletes a model of the last release, with all its records.'),
  drop_member: text('Deletes a field or reference of the last release, with its values.'),
  enum: text(
    'Declares a type with a fixed list of values. A value is written as a string.',
    'enum Size { small, large }',
  ),
  enum_value: text('A value of the enum.', 'enum Size { small, large was big }'),
  drop_value: text(
    'Deletes a value of the last release. The migration stops while a record has it.',
    'enum Size { small, drop large }',
  ),
  field: text('Declares a column of the table.', 'field subtitle { type string, nullable }'),
  type: text('The type of the value. `[string]` is a list of strings.', 'field tags { type [string], default [] }'),
  'flag unique': text('No two records have the same value.', 'field code { type string, unique }'),
  'flag nullable': text('The value may be null. Clients may leave it out.', 'field subtitle { type string, nullable }'),
  'flag index': text(
    'Adds a database index, so that filters and orders by this field are fast.',
    'field rating { type integer, default 0, index }',
  ),
  'flag internal': text(
    'Clients do not set the field, unless an `input` names it.',
    'field rank { type integer, default 0, internal }',
  ),
  'flag secret': text(
    'The field is never in a response, a filter, a log or an error. Expressions on the server can read it.',
    'field token { type string, secret }',
  ),
  'flag required': text(
    'The client must send this input, even if the field has a default.',
    'create endpoint { action { create { input { title, likes { required } } } } }',
  ),
  default: text('The value of a new record, where none is given.', 'field rating { type integer, default 0 }'),
  on_update: text(
    'The value that each update stores, unless the update sets the field itself.',
    'field changed_at { type timestamp, default now(), on update now() }',
  ),
  normalise: text(
    'Changes each text from outside before it is validated, stored or compared.',
    'field code { type string, normalise { trim, lower } }',
  ),
  'normaliser trim': text('Removes white space at both ends.', 'field code { type string, normalise { trim } }'),
  'normaliser lower': text('Makes all letters lower case.', 'field code { type string, normalise { lower } }'),
  backfill: text(
    'The value of a new required field for the records that exist. An expression over the record.',
    'field heading { type string, backfill title }',
  ),
  reference: text(
    'Refers to a record of another model by a foreign key. Adds the field `<name>_id`.',
    'reference editor { to Author, nullable }',
  ),
  to: text('The model that the reference refers to.', 'reference editor { to Author, nullable }'),
  on_delete: text(
    'What happens when the other record is deleted: `cascade` deletes this one, `set null` clears the reference, `restrict` refuses.',
    'reference editor { to Author, nullable, on delete set null }',
  ),
  relation: text(
    'The records of another model that refer to this one.',
    'relation remarks { from Comment, through post }',
  ),
  from: text(
    'Where the records come from: a model, or a path of relations, references and queries.',
    'query latest { from comments as comment, order by { comment.id desc } }',
  ),
  through: text('The reference or field that leads to the record.', 'relation remarks { from Comment, through post }'),
  computed: text(
    'A value that the database computes when it is read. It is not stored.',
    'computed comment_count { count(comments) }',
  ),
  query: text(
    'A named selection of records.',
    'query latest { from comments as comment, order by { comment.id desc }, limit 3 }',
  ),
  filter: text('Only records for which the condition is true.', 'list endpoint { filter { published is true } }'),
  order_by: text(
    'The order of the records. Records that are equal in it are ordered by `id`.',
    'list endpoint { order by { title asc, id desc } }',
  ),
  order_item: text(
    'A value to order by: `asc` for the smallest first, `desc` for the largest first.',
    'list endpoint { order by { title asc, id desc } }',
  ),
  limit: text('At most so many records.', 'query latest { from comments as comment, limit 3 }'),
  offset: text(
    'Leaves out so many records at the beginning.',
    'query others { from comments as comment, order by { comment.id asc }, offset 1 }',
  ),
  'cardinality first': text(
    'The first record, or null.',
    'query latest { from comments as comment, order by { comment.id desc }, first }',
  ),
  'cardinality one': text(
    'The only record. It is an error at run time if there is none.',
    'query writer { from author, one }',
  ),
  'cardinality count': text(
    'How many records there are, in place of the records.',
    'query remarks { from comments, count }',
  ),
  hook: text(
    'A property that your own code computes when it is selected.',
    'hook summary { arg text body  source summarise from "text.ts" }',
  ),
  arg: text('A value that is passed to the code.', 'hook summary { arg text body  source summarise from "text.ts" }'),
  source: text(
    'The function to call, and its file.',
    'hook summary { arg text body  source summarise from "text.ts" }',
  ),
  inline: text(
    'One JavaScript expression over the arguments.',
    'hook size { arg text body  inline "text.length"  returns integer }',
  ),
  hook_runtime: text(
    'The runtime whose folder has the file.',
    'hook summary { arg text body  source summarise from "text.ts"  runtime jobs }',
  ),
  returns: text(
    'The type of the result. It is checked when the result arrives.',
    'hook size { arg text body  inline "text.length"  returns integer }',
  ),
  result_member: text(
    'A member of the result, with its type.',
    'hook info { arg text body  inline "({ size: text.length })"  returns { size: integer nullable } }',
  ),
  unique_over: text('No two records have the same values in all of these.', 'unique { author, title }'),
  index_over: text('Adds a database index over several fields.', 'index { author, created_at desc }'),
  key_part: text(
    'A field or reference of the key. `desc` stores it in descending order.',
    'index { author, created_at desc }',
  ),
  hook_block: text(
    'Runs your own code as an action or a value.',
    'POST one "notify" { action { execute { hook { arg title post.title  source notify from "text.ts" } } } }',
  ),

  // ── Validators ────────────────────────────────────────────────────────────────────────────────────────────────────

  validate: text(
    'Rules that each value must meet. Join them by `and`, `or` and `not`.',
    'field code { type string, validate { minLength(4) and alphanumeric() } }',
  ),
  validator: text(
    'Declares a rule of your own. The first argument is the value.',
    'validator even { arg value { type integer }  assert { value % 2 is 0 }  error { code "odd" } }',
  ),
  validator_arg: text(
    'An argument of the validator. The first one is the value that is validated.',
    'validator atLeast { arg value { type integer }  arg least { type integer }  assert { value >= least }  error { code "too-small" } }',
  ),
  assert: text(
    'The condition that a valid value meets.',
    'validator even { arg value { type integer }  assert { value % 2 is 0 }  error { code "odd" } }',
  ),
  error: text(
    'What the client is told about an invalid value.',
    'validator even { arg value { type integer }  assert { value % 2 is 0 }  error { code "odd", message "use an even number" } }',
  ),
  code: text(
    'The code of the error, for programs.',
    'validator even { arg value { type integer }  assert { value % 2 is 0 }  error { code "odd" } }',
  ),
  message: text(
    'The message of the error, for people.',
    'validator even { arg value { type integer }  assert { value % 2 is 0 }  error { code "odd", message "use an even number" } }',
  ),

  // ── The API ───────────────────────────────────────────────────────────────────────────────────────────────────────

  api: text(
    'Declares routes below `/api`, or below `/api/<name>` for an API with a name.',
    'api Admin { entrypoint Post as post { list endpoint {} } }',
  ),
  entrypoint: text(
    'The routes of one model, or of a relation or reference of the entrypoint around it. The alias is the record.',
    'entrypoint comments as comment { list endpoint {}  create endpoint {} }',
  ),
  identify: text('The field in the URL that finds a record. `id` where nothing is said.', 'identify { through slug }'),
  authorize: text(
    'Who may call: the condition must be true. On an entrypoint it holds for all endpoints below it.',
    'update endpoint { authorize { post.author is @auth } }',
  ),
  segment: text('The segment of the URL, in place of the name.', 'path "articles"'),
  response: text(
    'What is in the response. All fields of the record where nothing is said.',
    'response { title, author { name } }',
  ),
  shape: text(
    'Names a selection, so that several responses can use it. It is one type in the clients.',
    'shape Card of Post { title, author { name } }',
  ),
  spread: text('Everything that the shape selects.', 'response { ...Teaser, body }'),
  selected: text(
    'A member of the record, or a value with a name of its own.',
    'response { title, byline: author.name }',
  ),
  custom_endpoint: text(
    'A route of its own: `one` for a record, `many` for the collection.',
    'POST one "publish" { action { update post { set published true } } }',
  ),
  endpoint: text(
    'A route: `list` and `get` read, `create`, `update` and `delete` write.',
    'list endpoint { paginable }',
  ),
  method: text(
    'The HTTP method of a custom endpoint, or `PUT` in place of `PATCH` for an update.',
    'update endpoint { method PUT }',
  ),
  endpoint_cardinality_property: text(
    'Whether the endpoint is for a record (`one`) or for the collection (`many`).',
    'custom endpoint { method POST, cardinality one, path "publish", action { update post { set published true } } }',
  ),
  paginable: text(
    'The list comes in pages: `?page=2&pageSize=50`.',
    'list endpoint { paginable { pageSize 20, max 100 } }',
  ),
  filterable: text(
    'Clients may filter by these fields: `?status=draft`.',
    'list endpoint { filterable { status, author.name } }',
  ),
  sortable: text(
    'Clients may sort by these fields: `?sort=-created_at,title`.',
    'list endpoint { sortable { created_at, title } }',
  ),
  searchable: text(
    'Clients may search for words in these fields: `?q=words`.',
    'list endpoint { searchable { title, body } }',
  ),
  list_field: text(
    'A field, or a path to one through references.',
    'list endpoint { filterable { status, author.name } }',
  ),
  page_size: text(
    'How many records a page has, unless the client says otherwise.',
    'list endpoint { paginable { pageSize 20 } }',
  ),
  page_max: text('The largest page that a client may ask for.', 'list endpoint { paginable { max 100 } }'),
  page_total: text(
    'How a page says how many records there are: `total off` leaves it out, `total estimated` gives an estimate. Both count nothing, which is faster.',
    'list endpoint { paginable { total estimated } }',
  ),
  page_cursor: text(
    'Pages by a cursor: `?after=…`. Late pages are as fast as the first.',
    'list endpoint { paginable { by cursor } }',
  ),
  extra_inputs: text(
    'Inputs that are not fields of the record.',
    'list endpoint { extra inputs { field least { type integer, default 0 } }  filter { likes >= least } }',
  ),

  // ── Actions ───────────────────────────────────────────────────────────────────────────────────────────────────────

  action: text(
    'What the endpoint does, step by step, in one transaction.',
    'POST one "publish" { action { update post { set published true } } }',
  ),
  create_action: text(
    'Makes a record. `or keep` and `or update` say what to do if one with the same unique key exists.',
    'POST one "comment" { action { create post.comments as comment { set text "Hello" } } }',
  ),
  update_action: text('Changes a record.', 'POST one "publish" { action { update post { set published true } } }'),
  delete_action: text(
    'Deletes a record, or all records of a collection.',
    'POST one "clear" { action { delete post.comments {} } }',
  ),
  set: text(
    'Stores a value in a field. With `when`, only if the condition is true.',
    'POST one "publish" { action { update post { set published true } } }',
  ),
  input: text(
    'The fields that the client sends. Nothing else is taken, except required fields that are not set.',
    'update endpoint { action { update { input { title, body } } } }',
  ),
  input_field: text(
    'A field that the client sends.',
    'update endpoint { action { update { input { title, body { required } } } } }',
  ),
  input_all: text(
    'All fields are inputs, except those that are named.',
    'update endpoint { action { update { input * except { slug } } } }',
  ),
  reference_input: text(
    'The client names the other record by one of its fields, here `author_email`.',
    'create endpoint { action { create { reference author through email } } }',
  ),
  lookup: text(
    'The field that finds the record. `or create` makes it if there is none.',
    'create endpoint { action { create { reference author { through email } } } }',
  ),
  query_action: text(
    'Reads, changes or deletes records.',
    'GET one "others" { action { query as others { from post.author.posts as other, select { title } }  respond { body others } } }',
  ),
  group_by: text(
    'Groups the records. `select` can then use `count()`, `sum(…)`, `avg(…)`, `min(…)` and `max(…)`.',
    'GET many "counts" { action { query as rows { from Post, group by { status }, select { status, posts: count() } }  respond { body rows } } }',
  ),
  limit_by: text(
    'At most so many records. The number may be an input.',
    'GET many "some" { action { query as rows { from Post, limit 10, select { title } }  respond { body rows } } }',
  ),
  offset_by: text(
    'Leaves out so many records at the beginning. The number may be an input.',
    'GET many "rest" { action { query as rows { from Post, order by { id asc }, limit 10, offset 10, select { title } }  respond { body rows } } }',
  ),
  select: text(
    'What is read of each record.',
    'GET many "titles" { action { query as rows { from Post, select { title } }  respond { body rows } } }',
  ),
  query_update: text(
    'Changes all records of the query.',
    'POST many "hide" { action { query { from Post as each, filter { each.likes < 1 }, update { set published false } } } }',
  ),
  query_delete: text(
    'Deletes all records of the query.',
    'POST many "tidy" { action { query { from Post as each, filter { each.likes < 1 }, delete } } }',
  ),
  for_action: text(
    'Does the actions once for each item of a list.',
    'POST many "tags" { extra inputs { field names { type [string] } }  action { for each in names { create Tag or keep { set name each } } } }',
  ),
  execute_action: text(
    'Runs your own code. The alias is its result.',
    'POST one "notify" { action { execute { hook { arg title post.title  source notify from "text.ts" } } } }',
  ),
  responds: text(
    'The code answers the request itself.',
    'GET one "file" { action { execute { hook { arg title post.title  source notify from "text.ts" } responds } } }',
  ),
  respond_action: text(
    'Answers the request with a body, a status and headers.',
    'POST one "ping" { action { respond { body "done", httpStatus 202 } } }',
  ),
  respond_body: text(
    'The body of the response.',
    'POST one "ping" { action { respond { body { title: post.title } } } }',
  ),
  http_status: text('The status of the response.', 'POST one "ping" { action { respond { httpStatus 202 } } }'),
  http_headers: text(
    'Headers of the response. A list repeats the header, null removes it.',
    'POST one "ping" { action { respond { body "done", httpHeaders { "x-title" post.title } } } }',
  ),
  http_header: text(
    'The name and the value of a header.',
    'POST one "ping" { action { respond { body "done", httpHeaders { "x-title" post.title } } } }',
  ),
  validate_action: text(
    'The request is invalid unless the condition is true. The key is the input that the error names.',
    'POST many "join" { extra inputs { field age { type integer } }  action { validate with key "age" { min(age, 18) }  respond { httpStatus 202 } } }',
  ),

  // ── Authentication, runtimes, generators, populators ──────────────────────────────────────────────────────────────

  auth: text(
    'Says which model has the accounts. `@auth` is the record of the caller.',
    'auth { model Author, login email, password password_hash }',
  ),
  auth_model: text('The model of the accounts.', 'auth { model Author }'),
  auth_login: text(
    'The unique field that callers sign in with.',
    'auth { model Author, login email, password password_hash }',
  ),
  auth_password: text(
    'The secret field that stores the hash of the password.',
    'auth { model Author, login email, password password_hash }',
  ),
  auth_subject: text(
    'The unique field that is compared with `sub` in the token of another provider.',
    'auth { model Author, subject email }',
  ),
  auth_register: text(
    'More fields that `register` takes. `register off` removes the route.',
    'auth { model Author, login email, password password_hash, register { input { nickname } } }',
  ),
  runtime: text('A folder with code for hooks.', 'runtime tasks { source path "tasks" }'),
  runtime_default: text('Hooks that name no runtime use this one.', 'runtime tasks { default, source path "tasks" }'),
  source_path: text('The folder of the code.', 'runtime tasks { source path "tasks" }'),
  generator: text(
    'Writes a client for the API (`client`), or moves the console (`apidocs`).',
    'generator client { target ts, output "client" }',
  ),
  target_language: text('The language of the client: `ts` or `js`.', 'generator client { target ts, output "client" }'),
  output: text('The folder of the client.', 'generator client { target ts, output "client" }'),
  base_path: text('The URL of the console.', 'generator apidocs { basePath "/reference" }'),
  populator: text(
    'Makes records for development and tests: `kiln db populate`.',
    'populator Demo { populate Tag { repeat as i 3  set name "tag" + i.current } }',
  ),
  populate: text(
    'Makes records of a model, or of a relation of the record around it. What is not set is made up.',
    'populator Demo { populate Author { repeat 3  populate posts { repeat 2 } } }',
  ),
  repeat: text(
    'How many records are made. The alias counts them: `i.current`, `i.total`.',
    'populator Demo { populate Tag { repeat as i 3  set name "tag" + i.current } }',
  ),
  range_start: text(
    'The first number that the alias counts.',
    'populator Demo { populate Tag { repeat as i { start 5, end 9 }  set name "tag" + i.current } }',
  ),
  range_end: text(
    'The last number that the alias counts.',
    'populator Demo { populate Tag { repeat as i { start 5, end 9 }  set name "tag" + i.current } }',
  ),
  identifier: text('The name of a field.', 'update endpoint { action { update { input * except { slug } } } }'),
};

/** By the node of the grammar: words of expressions, which are no form. */
export const WORD_TEXTS: Readonly<Record<string, Required<FormText>>> = {
  is: {
    means:
      'Whether two values are equal. Null equals null, and two records are compared by `id`. When nobody is signed in, `x is @auth` is false.',
    example: 'computed is_draft { status is "draft" }',
  },
  is_not: {
    means: 'Whether two values differ. `x is not null` also tells the compiler that `x` is not null in what follows.',
    example: 'computed is_out { status is not "draft" }',
  },
  in: {
    means: 'Whether a list or a collection has the value.',
    example: 'computed is_known { status in ["draft", "published"] }',
  },
  not_in: {
    means: 'Whether a list or a collection does not have the value.',
    example: 'computed is_new { status not in ["draft", "published"] }',
  },
  and: {
    means: 'True if both sides are true. Null counts as false.',
    example: 'computed is_liked { published and likes > 3 }',
  },
  or: {
    means: 'True if one of the sides is true. Null counts as false.',
    example: 'computed is_seen { published or likes > 0 }',
  },
  not: { means: 'True if the value is false or null.', example: 'computed is_hidden { not published }' },
  true: {
    means: 'The boolean value true. `authorize { true }` says that anyone may call.',
    example: 'update endpoint { authorize { true } }',
  },
  false: { means: 'The boolean value false.', example: 'field archived { type boolean, default false }' },
  null: {
    means: 'No value. Only what is `nullable` can be null.',
    example: 'query unnamed { from Author as author, filter { author.nickname is null }, count }',
  },
  at_word: {
    means: 'An input that the client sends, also where a member has the same name.',
    example: 'list endpoint { extra inputs { field title { type string } }  filter { title is @input.title } }',
  },
};
