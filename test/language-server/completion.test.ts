import { expect } from 'chai';
import type { CompletionItem, TextEdit } from 'vscode-languageserver/node';
import { Editor } from './editor.ts';

const MODELS = `enum Status { draft, live }

model Author {
  field email { type string, unique }
  field name { type string }
  relation posts { from Post, through author }
}

model Post {
  reference author { to Author }
  field slug { type string, unique }
  field status { type Status, default "draft" }
  query fresh { from author.posts, order by { id desc } }
}

validator shouted {
  arg value { type string }
  assert { value is upper(value) }
  error { code "quiet" }
}

runtime jobs { source path "jobs" }

auth { model Author }

shape Person of Author { name }
shape Card of Post { slug, author Person }

rule own(post of Post) { post.author is @auth }

setting SITE_URL {}

mail Greeting { input author { to Author } to author.name subject "Hello" body "hello.html" }

job Announce {
  input post { to Post }
  input loud { type boolean, default false }
  action { update post { set slug stringify(loud) } }
}
`;

const inPost = (text: string) => `api {\n  entrypoint Post as post {\n    ${text}\n  }\n}\n`;

/** Where the cursor is, what is offered among others, and what is not. */
const CASES: readonly (readonly [title: string, source: string, has: string, hasNot: string])[] = [
  ['declarations in a file', '|', 'model enum validator api auth runtime populator generator', 'field is'],
  ['declarations by their first letters', 'mod|', 'model', 'field'],
  [
    'members in a model',
    'model A {\n  |\n}',
    'field reference relation computed query hook unique index drop',
    'model type',
  ],
  ['properties of a field', 'model A { field x { | } }', 'type unique nullable default validate backfill', 'field to'],
  ['receivers of a webhook', 'webhook "a" {\n  on create of Post as post\n  to |\n}', 'post Author', 'before slug'],
  [
    'receivers behind a record',
    'webhook "a" {\n  on create of Author as author\n  to author.|\n}',
    'posts',
    'post slug',
  ],
  [
    'values of a receiver',
    'webhook "a" {\n  on create of Post as post\n  to Author as to_author { url | }\n  body { slug }\n}',
    'post to_author setting',
    'event_body# event_time# receivers# event_body',
  ],
  ['properties behind another', 'model A { field x { type string, | } }', 'unique default', 'field'],
  ['properties behind a name that is wrong', 'model A { field first-name { | } }', 'type unique', 'field'],
  ['types', 'model A { field x { type | } }', 'string integer json Status', 'Post unique'],
  ['types of items', 'model A { field x { type [|] } }', 'string integer json Status', 'Post unique'],
  ['types of items that break off', 'model A { field x { type [|', 'string integer json Status', 'Post unique'],
  ['properties behind a list type', 'model A { field x { type [string], | } }', 'unique default', 'field'],
  ['what a hook declares', 'model A { hook x { | } }', 'arg source inline returns', 'type nullable'],
  ['types of a result', 'model A { hook x { returns | } }', 'string json Status', 'Post unique'],
  ['types of a result that breaks off', 'model A { hook x { returns |', 'string json Status', 'Post unique'],
  ['types of members of a result', 'model A { hook x { returns { a: | } } }', 'string json Status', 'Post'],
  ['types of items of a result', 'model A { hook x { returns { a: [|] } } }', 'string json Status', 'Post'],
  ['what may be null behind a result', 'model A { hook x { returns string | } }', 'nullable inline', 'string'],
  ['what may be null behind a member', 'model A { hook x { returns { a: string | } } }', 'nullable', 'string'],
  [
    'members of a declared result',
    inPost(
      'GET one "x" { action { execute as made { hook { inline "1", returns { mail: string } } }, respond { body made.| } } }',
    ),
    'mail',
    'slug made',
  ],
  ['models and the caller for an entrypoint', 'api { entrypoint | }', 'Author Post @auth', 'Status'],
  ['members for a nested entrypoint', inPost('entrypoint |'), 'author', '@auth Author'],
  ['models for a shape', 'shape X of |', 'Author Post', 'Status Card'],
  ['members in a shape', 'shape X of Post { | }', 'slug author', 'name Card'],
  ['shapes for a response', inPost('response |'), 'Card', 'Person slug'],
  ['shapes behind dots', inPost('response { slug, ...| }'), 'Card', 'Person slug'],
  ['shapes and names behind records', inPost('response { author | }'), 'Person slug', 'Card'],
  ['shapes behind the path of an alias', inPost('response { by: author P| }'), 'Person', 'Card'],
  ['names alone behind a value', inPost('response { slug | }'), 'author', 'Person Card'],
  [
    'shapes for what a query selects',
    inPost('POST many "x" { action { query as q { from Post, select | } } }'),
    'Card',
    'Person',
  ],
  ['models for a reference', 'model A { reference x { to | } }', 'Author Post', 'Status'],
  ['models for a relation', 'model A { relation x { from | } }', 'Author Post', 'Status'],
  ['references for a relation', 'model Author { relation x { from Post, through | } }', 'author', 'slug status'],
  ['properties of a list', inPost('list endpoint { | }'), 'filterable sortable searchable paginable', 'type'],
  ['fields to sort by', inPost('list endpoint { sortable { | } }'), 'slug status author_id author', 'sortable Author'],
  ['fields to filter by', inPost('list endpoint { filterable { slug, author.| } }'), 'id name', 'slug posts'],
  ['properties of a reference', 'model A { reference x { to Post, | } }', 'nullable backfill was', 'default type'],
  [
    'names for the backfill of a reference',
    'model A { reference y { to Post }  reference x { to Post, backfill | } }',
    'y coalesce',
    'nullable Status',
  ],
  [
    'what a create does to a record that is there',
    inPost('create endpoint { action { create or | } }'),
    'keep update',
    'slug as',
  ],
  ['the key behind it', inPost('create endpoint { action { create or keep | } }'), 'by as', 'slug'],
  [
    'parts of the key',
    inPost('create endpoint { action { create or keep by { | } {} } }'),
    'slug author status',
    'fresh Post',
  ],
  [
    'lists for a loop',
    inPost('create endpoint { extra inputs { field tags { type [string] } } action { create {} for tag in | {} } }'),
    'tags',
    'for',
  ],
  ['rules for deletion', 'model A { reference x { to Post, on delete | } }', 'cascade restrict', 'nullable'],
  ['settings', inPost('get endpoint { authorize { post.slug is setting(|) } }'), 'SITE_URL', 'own post slug'],
  [
    'services that sign',
    inPost('POST many "a" { signed by | { secret SITE_URL } }'),
    'standard stripe github',
    'SITE_URL',
  ],
  ['secrets of a signature', inPost('POST many "a" { signed by stripe { secret | } }'), 'SITE_URL', 'own post slug'],
  ['the call of a setting', inPost('get endpoint { authorize { post.slug is | } }'), 'setting', 'SITE_URL'],
  ['no setting in a default', 'model A { field x { type string, default | } }', 'now', 'setting'],
  ['what a job declares', 'job A { | }', 'input retry timeout action', 'field response'],
  ['properties of an input of a job', 'job A { input b { | } }', 'to type default nullable', 'through'],
  ['the inputs of a job in it', 'job A { input one { to Post } action { update | {} } }', 'one', 'Announce loud'],
  ['jobs', inPost('POST one "x" { action { run | } }'), 'Announce', 'post loud'],
  ['mails', inPost('POST one "x" { action { send | } }'), 'Greeting', 'Announce'],
  ['jobs, not mails', inPost('POST one "x" { action { run | } }'), 'Announce', 'Greeting'],
  ['what a mail declares', 'mail A { | }', 'input to subject body', 'action retry'],
  ['the inputs of a mail in it', 'mail A { input one { to Post } to | }', 'one', 'slug'],
  ['the inputs of a job that is run', inPost('POST one "x" { action { run Announce { | } } }'), 'post loud', 'slug'],
  ['the record of a reaction', 'on update of Post as it when | { run Announce { post: it } }', 'it before', 'slug'],
  ['models to react to', 'on create of | as it {}', 'Post Author', 'Status'],
  ['rules with a name', inPost('get endpoint { authorize { | } }'), 'own post', 'shouted'],
  ['validators', 'model A { field x { type string, validate { | } } }', 'minLength isEmail shouted', 'upper'],
  [
    'validators behind another',
    'model A { field x { type string, validate { isEmail() and | } } }',
    'minLength',
    'upper',
  ],
  ['values of an enum in quotes', 'model A { field x { type Status, default "|" } }', 'draft live', 'now'],
  ['values of an enum behind a single quote', 'model A { field x { type Status, default "|\n} }', 'draft live', 'now'],
  [
    'values of an enum beside a mistake further down',
    'model A { field x { type Status, default "|" }\n  feild y {',
    'draft live',
    'now',
  ],
  [
    'values of an enum that are picked',
    'populator P { populate Post { set status faker.helpers.arrayElement(["|"]) } }',
    'draft live',
    'now',
  ],
  ['values of an enum without', 'model A { field x { type Status, default | } }', '"draft" "live"', ''],
  [
    'names of a computed value',
    'model A { field x { type string }  computed y { | } }',
    'x id upper count true not',
    'field',
  ],
  ['operators behind a value', 'model A { field x { type string }  computed y { x | } }', 'is and or', 'x upper'],
  [
    'members behind a dot',
    inPost('get endpoint { authorize { post.| } }'),
    'slug status author author_id fresh id',
    'email post is',
  ],
  ['members along a path', inPost('get endpoint { authorize { post.author.| } }'), 'email name posts', 'slug'],
  ['members by their first letters', inPost('get endpoint { authorize { post.sl| } }'), 'slug', 'email'],
  ['members of who asks', inPost('get endpoint { authorize { @auth.| } }'), 'email name', 'slug'],
  ['who asks', inPost('get endpoint { authorize { @| } }'), '@auth @request', '@input @claims'],
  [
    'inputs by their sign',
    inPost('list endpoint { extra inputs { field part { type string } }, filter { slug is @input.| } }'),
    'part',
    'slug upper',
  ],
  [
    'the sign of inputs',
    inPost('list endpoint { extra inputs { field part { type string } }, filter { slug is @| } }'),
    '@input @auth part',
    '',
  ],
  ['names that an authorize sees', inPost('get endpoint { authorize { | } }'), 'post @auth', 'slug'],
  ['rows in a filter', inPost('list endpoint { filter { | } }'), 'slug status', 'post'],
  ['what an entrypoint can have', inPost('|'), 'identify response list get create entrypoint', 'filter'],
  ['what an endpoint can have', inPost('list endpoint { | }'), 'filter paginable response', 'identify'],
  ['identifiers', inPost('identify { through | }'), 'slug id', 'email author status'],
  ['what can be selected', inPost('response { slug, | }'), 'status author fresh', 'email'],
  ['what can be selected of another', inPost('response { slug, author { | } }'), 'email name', 'slug'],
  ['nested resources', 'api { entrypoint Author as a { entrypoint | { } } }', 'posts', 'email Post'],
  ['models for an entrypoint', 'api { entrypoint | { } }', 'Author Post', 'posts'],
  ['actions', inPost('create endpoint { action { | } }'), 'create update respond', 'set'],
  ['fields to set', inPost('create endpoint { action { create { set | } } }'), 'slug status author', 'id fresh'],
  ['values to set', inPost('create endpoint { action { create { set slug | } } }'), 'upper now', ''],
  ['inputs', inPost('update endpoint { action { update { input { | } } } }'), 'slug status', 'fresh'],
  ['sources of a query', 'model A { query q { from | } }', 'Author Post', ''],
  [
    'sources along a path',
    'model Post { reference author { to Author } query q { from author.| } }',
    'posts',
    'Author',
  ],
  [
    'parts of a key',
    'model Post { reference author { to Author } field slug { type string } unique { slug, | } }',
    'author',
    'fresh',
  ],
  [
    'members to group by',
    inPost('GET many "x" { action { query as rows { from Post, group by { | } } } }'),
    'slug status',
    'count is',
  ],
  [
    'what a group has',
    inPost('GET many "x" { action { query as rows { from Post, group by { by: status }, select { n: | } } } }'),
    'by count',
    'slug',
  ],
  [
    'what a row of groups has',
    inPost('GET many "x" { action { query as rows { from Post, group by { by: status } }, respond { body rows.| } } }'),
    'by',
    'slug',
  ],
  ['names in an object', inPost('GET one "x" { action { respond { body { a: | } } } }'), 'post @auth', 'httpStatus'],
  ['modules of faker', 'populator P { populate Author { set name faker.| } }', 'person internet', 'name'],
  ['methods of faker', 'populator P { populate Author { set name faker.person.| } }', 'fullName firstName', 'person'],
  ['models for a create', inPost('create endpoint { action { create | } }'), 'Author Post', ''],
  ['models for a populate', 'populator P { populate | }', 'Author Post', ''],
  ['faker itself', 'populator P { populate Author { set name | } }', 'faker upper oneOf', '@auth'],
  [
    'relations to pick a record from',
    'populator P { populate Author as a { populate posts { set author oneOf(a.|) } } }',
    'posts',
    'fresh',
  ],
  ['functions outside of populators', inPost('create endpoint { action { create { set slug | } } }'), 'upper', 'oneOf'],
  ['runtimes', 'model A { hook h { source x from "x.ts", runtime | } }', 'jobs', ''],
  ['iterators', 'populator P { populate Author { repeat as i 3, set name i.| } }', 'current total', 'name'],
  ['steps of what is created', inPost('POST one "x" { action { create post.| } }'), 'author', 'fresh slug'],
  [
    'members behind a relation of the same model',
    'model Author { relation posts { from Post, through author } query q { from posts as p, filter { p.| } } }',
    'slug status',
    'name',
  ],
  ['parts of a key of a model that is new', 'model New { field fresh_one { type string } unique { |', 'fresh_one', ''],
  ['nothing in the code of a hook', 'model A { hook h { inline """\n  const x = |\n""" } }', '', 'arg inline'],
  ['nothing in a comment of several lines', 'model A {\n  /* a\n  | */\n}', '', 'field'],
  ['nothing in a comment', 'model A {\n  // fie|\n}', '', 'field'],
  ['nothing for a new name', 'model A { field | }', '', 'field string Post'],
  [
    'members in a text that breaks off',
    'api {\n  entrypoint Post as post {\n    get endpoint {\n      authorize { post.|',
    'slug author',
    '',
  ],
  [
    'members beside a mistake further down',
    inPost('get endpoint { authorize { post.| } }\n    lsit endpoint {'),
    'slug',
    '',
  ],
  ['words beside a mistake', 'model A {\n  feild x { type string }\n  |\n}', 'field reference', ''],
];

describe('language server: completion', () => {
  let editor: Editor;

  before(async () => {
    editor = new Editor();
    await editor.start({ 'models.kiln': MODELS, 'hooks/x.ts': 'export const x = 1;' });
  });

  after(() => editor.stop());

  const offered = async (source: string) => {
    const cursor = await editor.open('now.kiln', source);
    return editor.ask<CompletionItem[]>('completion', cursor);
  };

  for (const [title, source, has, hasNot] of CASES) {
    it(`offers ${title}`, async () => {
      const labels = (await offered(source)).map(({ label }) => label);
      if (has) expect(labels).to.include.members(has.split(' '));
      if (hasNot) expect(labels).to.not.include.oneOf(hasNot.split(' '));
    });
  }

  it('offers who asks before anything else in an `authorize`', async () => {
    const first = async (source: string) => {
      const items = await offered(source);
      return items.sort((a, b) => ((a.sortText as string) < (b.sortText as string) ? -1 : 1))[0]?.label;
    };
    expect(await first(inPost('get endpoint { authorize { | } }'))).to.equal('@auth');
    expect(await first(inPost('authorize { post.slug is "a" and | }  list endpoint {}'))).to.equal('@auth');
    expect(await first(inPost('POST one "x" { action { update post { set slug | } } }'))).to.equal('post');
  });

  /** Where the cursor is, what may stand there, and what would be an error. */
  const FITTING: readonly (readonly [title: string, source: string, has: string, hasNot: string])[] = [
    ['a property once', 'model A { field x { type string, unique, | } }', 'nullable index', 'type unique required'],
    ['what has two words once', 'model A { reference x { to Post, on delete cascade, | } }', 'was', 'to on'],
    ['each endpoint once', inPost('list endpoint {}, |'), 'get GET entrypoint', 'list'],
    ['what an endpoint can have', inPost('get endpoint { | }'), 'response authorize', 'filter paginable method'],
    ['what a list by GET can have', inPost('GET many "x" { | }'), 'filter response', 'method cardinality path'],
    ['what an extra input can have', inPost('list endpoint { extra inputs { field x { | } } }'), 'type', 'unique was'],
    [
      'what a listed input can have',
      inPost('create endpoint { action { create { input { slug { | } } } } }'),
      'required',
      'unique',
    ],
    ['a name once in a response', inPost('response { slug, |, status }'), 'author', 'slug status'],
    [
      'a field once in a create',
      inPost('create endpoint { action { create { set author @auth, set | } } }'),
      'slug',
      'author author_id',
    ],
    ['what the database can compute', inPost('list endpoint { filter { | } }'), 'upper', 'cryptoHash'],
    ['what all endpoints of a rule see', inPost('authorize { | }  list endpoint {}'), '@auth', 'post'],
    [
      'no order in a unique key',
      'model A { field x { type string }  field y { type string }  unique { x, y | } }',
      '',
      'asc desc',
    ],
  ];
  for (const [title, source, has, hasNot] of FITTING) {
    it(`offers ${title}`, async () => {
      const labels = (await offered(source)).map(({ label }) => label);
      if (has) expect(labels).to.include.members(has.split(' '));
      expect(labels).to.not.include.oneOf(hasNot.split(' '));
    });
  }

  it('puts in a dot behind what is nothing without', async () => {
    const inserted = async (source: string, label: string) =>
      (await offered(source)).find((item) => item.label === label)?.textEdit?.newText;
    expect(await inserted('populator P { populate Author { set name | } }', 'faker')).to.equal('faker.');
    expect(await inserted(inPost('list endpoint { sortable { | } }'), 'author')).to.equal('author.');
    const input = 'list endpoint { extra inputs { field part { type string } }, filter { slug is | } }';
    expect(await inserted(inPost(input), '@input')).to.equal('@input.');
  });

  it('offers how a list is paged', async () => {
    const labels = (await offered(inPost('list endpoint { paginable { | } }'))).map(({ label }) => label);
    expect(labels).to.have.members([
      ...['pageSize', 'max', 'total', 'by cursor'],
      ...['page as', 'pageSize as', 'after as', 'response'],
    ]);
  });

  /** With `#` for the sign that begins a placeholder. */
  const SNIPPETS: readonly (readonly [source: string, label: string, snippet: string])[] = [
    ['|', 'model', 'model #{1:name} {\n\t#0\n}'],
    ['|', 'drop model', 'drop model #{1:name}'],
    ['model A { | }', 'field', 'field #{1:name} { type #{2:string} }'],
    ['model A { | }', 'relation', 'relation #{1:name} { from #2, through #3 }'],
    ['model A { reference x { | } }', 'on delete', 'on delete #{1|cascade,set null,restrict|}'],
    [inPost('|'), 'list', 'list endpoint {\n\t#0\n}'],
    [inPost('|'), 'POST', 'POST #{1|one,many|} "#2" {\n\t#0\n}'],
    [inPost('list endpoint { | }'), 'filter', 'filter { #1 }'],
    ['model A { field x { type string, validate { | } } }', 'minLength', 'minLength(#1)'],
    ['model A { field x { type string, validate { | } } }', 'isEmail', 'isEmail()'],
  ];
  for (const [source, label, snippet] of SNIPPETS) {
    it(`fills in \`${label}\``, async () => {
      const item = (await offered(source)).find((candidate) => candidate.label === label);
      expect(item?.textEdit?.newText).to.equal(snippet.replaceAll('#', '$'));
      expect(item?.insertTextFormat).to.equal(2);
    });
  }

  it('replaces the word at the cursor', async () => {
    const items = await offered(inPost('get endpoint { authorize { post.sl|x is "a" } }'));
    const slug = items.find(({ label }) => label === 'slug');
    expect(slug).to.not.equal(undefined);
    const { start, end } = ((slug as CompletionItem).textEdit as TextEdit).range;
    expect(end.character - start.character).to.equal('slx'.length);
  });

  it('offers the same within a very long API', async () => {
    const others = (from: number) =>
      Array.from({ length: 150 }, (_, index) => {
        return `  entrypoint Author as a${from + index} {\n    response { name, email }\n    list endpoint { filter { name is "x" } }\n  }`;
      }).join('\n');
    const source = (cursor: string) =>
      `api Long {\n${others(0)}\n  entrypoint Post as post {\n    get endpoint { authorize { ${cursor} } }\n  }\n${others(200)}\n}\n`;
    const labels = async (cursor: string) => (await offered(source(cursor))).map(({ label }) => label);
    expect(await labels('post.|'))
      .to.include.members(['slug', 'status'])
      .and.to.not.include('email');
    expect(await labels('|'))
      .to.include.members(['post', '@auth'])
      .and.to.not.include('a3');
  });

  it('tells types and comments of what it offers', async () => {
    const items = await offered(inPost('get endpoint { authorize { post.| } }'));
    expect(items.find(({ label }) => label === 'status')?.detail).to.equal('a `Status`');
    expect(items.find(({ label }) => label === 'fresh')?.detail).to.equal('a collection of `Post`');
  });
});
