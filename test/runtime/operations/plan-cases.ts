/** Lists and actions over the same models, each with the index that it lacks. One endpoint each of one program. */

const MODELS = `enum Status { draft, open, closed }
model Author {
  field name { type string }
  field email { type string, unique }
  field city { type string, nullable }
  relation posts { from Post, through author }
}
model Post {
  reference author { to Author }
  reference editor { to Author, nullable }
  field title { type string }
  field status { type Status, default "draft" }
  field published { type boolean, default false }
  field score { type integer, default 0 }
  field rank { type integer, nullable, index }
  field created_at { type timestamp, default now() }
  relation comments { from Comment, through post }
  computed comment_count { count(comments) }
  query kin { from author.posts, recursive }
  computed has_fifth { 5 in comments.id }
  computed recent { created_at > now() - days(7) }
  unique { title, author }
}
model Comment {
  reference post { to Post }
  field body { type string }
  field approved { type boolean, default false }
  field created_at { type timestamp, default now() }
}
`;

/** What is written in `GET many "<name>" { … }`, and the advice for it. */
const LISTS: Readonly<Record<string, readonly [list: string, ...advice: string[]]>> = {
  all: ['paginable'],
  by_id: ['order by { id desc }, paginable'],
  boolean: ['filter { published is true }, paginable', 'add `index { published, id }` to `model Post`'],
  estimated: [
    'filter { published is true }, paginable { total estimated }',
    'add `index { published, id }` to `model Post`',
  ],
  negated: [
    'filter { not published }, order by { published, created_at desc }, paginable { total off }',
    'add `index { published, created_at desc }` to `model Post`',
  ],
  unique_first: ['filter { title is "x" }'],
  unique_second: ['filter { author_id is 1 }, order by { title }, paginable'],
  of_another: ['filter { author.name is "Ada" }, paginable', 'add `index` to `field name` of `model Author`'],
  of_another_indexed: ['filter { author.email is "Ada" }, paginable'],
  two_tables: [
    'filter { editor.city is "Rome" and status is "closed" }, order by { created_at desc }, paginable',
    'add `index { status, created_at desc }` to `model Post`',
  ],
  without_value: [
    'filter { editor is null }, order by { created_at desc }, paginable',
    'add `index` to `field created_at` of `model Post`',
  ],
  range: ['filter { score > 3 }', 'add `index { score, title desc }` to `model Post`'],
  range_and_order: [
    'filter { score > 3 and title is not "x" }, order by { score, title desc }, paginable { by cursor }',
    'add `index { score, title desc }` to `model Post`',
  ],
  value_and_range: [
    'filter { recent and status is "open" }, order by { created_at desc }, paginable',
    'add `index { status, created_at desc }` to `model Post`',
  ],
  computed: ['filter { recent }', 'add `index` to `field created_at` of `model Post`'],
  several_values: [
    'filter { status is "open" or status is "closed" }',
    'add `index { status, created_at desc }` to `model Post`',
  ],
  one_of: ['filter { status in ["open", "closed"] }', 'add `index { status, created_at desc }` to `model Post`'],
  one_of_page: [
    'extra inputs { field scores { type [integer] } }, filter { score in scores }, paginable',
    'add `index { score, title desc }` to `model Post`',
  ],
  one_of_another: ['filter { author.name in ["Ada", "Bo"] }', 'add `index` to `field name` of `model Author`'],
  one_of_nullable: ['filter { rank in [1, 2] }'],
  one_of_unique: ['filter { title in ["x", "y"] and score > 3 }'],
  order: ['order by { created_at }, paginable { by cursor }', 'add `index` to `field created_at` of `model Post`'],
  indexed_order: ['order by { rank desc, title }, paginable { by cursor }'],
  whole_order: ['order by { created_at }', 'add `index` to `field created_at` of `model Post`'],
  chosen: [
    'filterable { author.name, score, rank, title, editor_id }, sortable { created_at, rank }, paginable',
    'add `index` to `field name` of `model Author`',
    'add `index { score, title desc }` to `model Post`',
    'add `index` to `field created_at` of `model Post`',
  ],
  searched: ['searchable { title }, paginable'],
  // No index can serve these.
  counted: ['filter { comment_count > 3 }, paginable'],
  some: ['filter { exists(comments) }, paginable'],
  other_order: ['order by { author.name }, paginable'],
  counted_order: ['order by { comment_count desc }, paginable'],
  perhaps: ['extra inputs { field s { type integer, nullable } }, filter { s is null or score is s }'],
  nullable: ['extra inputs { field s { type integer, nullable } }, filter { rank is s }'],
  text_range: ['filter { title > "m" }'],
  text_part: ['filter { contains(title, "m") }'],
  called: ['filter { lower(title) is "m" }'],
  not_one_of: ['filter { status not in ["open"] }'],
  perhaps_null: ['extra inputs { field s { type integer, nullable } }, filter { rank in [1, s] }'],
  of_two_fields: ['filter { score in [1, rank] }'],
  differs: ['filter { status is not "open" }'],
  recursive: ['paginable, response { kin { title } }'],
  member: ['filter { 5 in comments.id }, order by { created_at desc }'],
  member_page: [
    'filter { 5 in comments.id }, order by { created_at desc }, paginable',
    'add `index` to `field created_at` of `model Post`',
  ],
  member_record: ['filter { 5 in editor.posts.author.id }, order by { created_at desc }'],
  member_perhaps: [
    'extra inputs { field s { type integer, nullable } }, filter { s in comments.id }, order by { created_at desc }',
  ],
  member_computed: ['filter { has_fifth }, order by { created_at desc }'],
};

/** The same of actions, in `POST many "<name>" { action { … } }`. */
const ACTIONS: typeof LISTS = {
  update: [
    'query { from Post as x, filter { x.status is "open" and x.score < 3 }, update { set status "closed" } }',
    'add `index { status, created_at desc }` to `model Post`',
  ],
  remove: [
    'query { from Comment as x, filter { x.body is "" }, delete }',
    'add `index` to `field body` of `model Comment`',
  ],
  count: ['query as n { from Post as x, filter { x.rank is 1 }, count }, respond { body n }'],
  first: [
    'query as one { from Post as x, order by { x.score desc }, first, select { title } }, respond { body one }',
    'add `index { score, title desc }` to `model Post`',
  ],
};

/** Lists of the comments of one post. */
const NESTED: typeof LISTS = {
  page: [
    'filter { approved is true }, order by { created_at }, paginable',
    'add `index { post, approved, created_at }` to `model Comment`',
  ],
  // All of them are read anyway.
  whole: ['order by { created_at }'],
};

export function planCases(): string {
  const endpoints = (cases: typeof LISTS, write: (name: string, body: string) => string) =>
    Object.entries(cases).map(([name, [body]]) => `    ${write(name, body)}`);
  const list = (name: string, body: string) => `GET many "${name}" { ${body} }`;
  return [
    `${MODELS}api {`,
    '  entrypoint Post as post {',
    ...endpoints(LISTS, list),
    ...endpoints(ACTIONS, (name, body) => `POST many "${name}" { action { ${body} } }`),
    '    entrypoint comments {',
    ...endpoints(NESTED, list),
    '    }',
    '  }',
    '}',
    '',
  ].join('\n');
}

/** `GET /api/post/boolean: add …`, as it is said of the cases. */
export function expectedAdvice(): readonly string[] {
  const said = (cases: typeof LISTS, path: string) =>
    Object.entries(cases).flatMap(([name, [, ...advice]]) => advice.map((one) => `${path}/${name}: ${one}`));
  return [
    ...said(LISTS, 'GET /api/post'),
    ...said(ACTIONS, 'POST /api/post'),
    ...said(NESTED, 'GET /api/post/:post_id/comments'),
  ];
}

/** A source with the indexes of this advice, as its reader would add them. */
export function withIndexes(source: string, advice: readonly string[]): string {
  return [...new Set(advice)].reduce(withIndex, source);
}

function withIndex(source: string, advice: string): string {
  const [, what = '', field, model = ''] = /^add `(.+?)` to (?:`field (\w+)` of )?`model (\w+)`$/.exec(advice) ?? [];
  const begin = source.indexOf(`model ${model} {\n`);
  if (begin < 0) throw new Error(`no model takes: ${advice}`);
  const [before, body] = [source.slice(0, begin), source.slice(begin)];
  if (field !== undefined) return `${before}${body.replace(`field ${field} { `, `field ${field} { ${what}, `)}`;
  return `${before}${body.replace('{\n', `{\n  ${what}\n`)}`;
}
