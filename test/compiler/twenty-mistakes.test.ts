import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { readSources } from '../../files/read-sources.ts';
import { isUpdating } from '../support/case-file.ts';

/** One edit of one file of the blog that somebody might make who comes from elsewhere. */
type Mistake = readonly [what: string, file: string, find: string, replace: string];

const MISTAKES: readonly Mistake[] = [
  ['Prisma: types begin with a capital', 'models.kiln', 'email { type string,', 'email { type String,'],
  ['Prisma: a name and its type', 'models.kiln', 'field body { type string, default "" }', 'body String'],
  ['SQL: a type with a length', 'models.kiln', 'author_name { type string,', 'author_name { type varchar(80),'],
  ['SQL: `=` compares', 'api.kiln', 'filter { published is true', 'filter { published = true'],
  ['Rails: `references` in place of `to`', 'models.kiln', '{ to Author, on delete', '{ references Author, on delete'],
  ['JavaScript: single quotes', 'models.kiln', 'body { type string, default "" }', "body { type string, default '' }"],
  ['JavaScript: an arrow', 'models.kiln', 'comment_count { count(comments) }', 'comment_count => count(comments)'],
  ['JavaScript: a method', 'models.kiln', 'post_count { count(posts) }', 'post_count { posts.length }'],
  [
    'JavaScript: `orderBy` and a colon',
    'api.kiln',
    'list endpoint { order by { name asc }, paginable }',
    'list endpoint { orderBy: { name: asc }, paginable }',
  ],
  [
    'JavaScript: semicolons',
    'models.kiln',
    'published_at { type timestamp, nullable }',
    'published_at { type timestamp; nullable };',
  ],
  [
    '`to` is forgotten',
    'models.kiln',
    'reference tag { to Tag, on delete cascade }',
    'reference tag { Tag, on delete cascade }',
  ],
  ['`endpoint` is forgotten', 'api.kiln', 'update endpoint {}', 'update {}'],
  [
    'a brace is forgotten',
    'models.kiln',
    'filter { post.published is true }\n    order',
    'filter { post.published is true\n    order',
  ],
  [
    'null where a value must be',
    'models.kiln',
    'published { type boolean, default false }',
    'published { type boolean, default null }',
  ],
  ['a relation through something else', 'models.kiln', 'from Comment, through post', 'from Comment, through article'],
  [
    'a value that the enum does not have',
    'models.kiln',
    'model Comment {',
    'enum State { waiting, shown }\n\nmodel Comment {\n  field state { type State, default "pending" }',
  ],
  ['a name is misspelt in a response', 'api.kiln', 'comment_count, author { name }', 'comment_count, auther { name }'],
  ['a filter that asks nothing', 'api.kiln', 'filter { published is false }', 'filter { title }'],
  ['an identifier that is not unique', 'api.kiln', 'identify { through slug }', 'identify { through title }'],
  [
    'a field that does not exist is set',
    'api.kiln',
    'set published true, set published_at',
    'set published true, set date_published',
  ],
];

const FOLDER = join(import.meta.dirname, '../../examples/blog');
const GOLDEN = join(import.meta.dirname, 'golden/twenty-mistakes.txt');

/** The messages are read one after the other, by a person, in golden/twenty-mistakes.txt. */
describe('twenty mistakes that newcomers make', () => {
  before(() => loadGrammar());
  const expected = existsSync(GOLDEN) ? readFileSync(GOLDEN, 'utf8') : '';
  const blog = blogSources();

  it('begin with a blog in which nothing is wrong', () => {
    expect(compile(blog).diagnostics).to.deep.equal([]);
  });

  for (const mistake of MISTAKES) {
    it(mistake[0], () => {
      const said = whatKilnSays(blog, mistake);
      expect(said).to.include('error[');
      if (!isUpdating) expect(expected).to.include(said);
    });
  }

  it('are all there, and nothing else', () => {
    const all = MISTAKES.map((mistake) => whatKilnSays(blog, mistake)).join('\n');
    expect(MISTAKES).to.have.length(20);
    if (!isUpdating) expect(all).to.equal(expected);
    mkdirSync(dirname(GOLDEN), { recursive: true });
    if (isUpdating) writeFileSync(GOLDEN, all);
  });
});

function blogSources(): readonly SourceFile[] {
  return readSources(FOLDER).sources;
}

function whatKilnSays(blog: readonly SourceFile[], mistake: Mistake): string {
  const [what, file, find, replace] = mistake;
  const sources = blog.map((source) =>
    source.path === file ? { path: file, text: edited(source.text, mistake) } : source,
  );
  const { diagnostics } = compile(sources);
  const rendered = renderText(diagnostics, new SourceMap(sources), { colour: false });
  return `── ${what} ──\n${shown('-', find)}\n${shown('+', replace)}\n\n${rendered}`;
}

function edited(text: string, [, file, find, replace]: Mistake): string {
  if (!text.includes(find)) throw new Error(`examples/blog/${file} does not say: ${find}`);
  return text.replace(find, () => replace);
}

function shown(sign: string, text: string): string {
  return text
    .split('\n')
    .map((line) => `${sign} ${line}`)
    .join('\n');
}
