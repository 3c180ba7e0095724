import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import { definitionText } from '../../compiler/definition/artifacts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { formatSource } from '../../compiler/format/format-source.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { parseText } from '../../compiler/syntax/parse-text.ts';
import { readSources } from '../../files/read-sources.ts';
import { CLAUSES } from './clauses.ts';
import { exampleDefinition } from './openapi/documents.ts';

const HERE = import.meta.dirname;
const ROOT = resolve(HERE, '../..');

const USER = 'model User { field name { type string } } auth { model User }';
const REFUSALS: readonly (readonly [what: string, source: string, code: string])[] = [
  [
    '`@auth` in a default',
    `${USER} model Post { field by { type string, nullable, default @auth.name } }`,
    'unknown-name',
  ],
  [
    '`@auth` in a backfill',
    `${USER} model Post { field by { type string, nullable, backfill @auth.name } }`,
    'unknown-name',
  ],
  [
    '`@auth` in the backfill of a reference',
    `${USER} model Post { reference by { to User, nullable, backfill @auth } }`,
    'unknown-name',
  ],
  [
    '`@auth` in a validator',
    `${USER} validator own { arg value { type string }, assert { value is @auth.name }, error { code "x" } }`,
    'unknown-name',
  ],
  [
    '`@auth` in a populator',
    `${USER} model Post { field by { type string } } populator Dev { populate Post { set by coalesce(@auth.name, "") } }`,
    'unknown-name',
  ],
  ['an empty list where one value is wanted', 'model Post { field title { type string, default [] } }', 'wrong-type'],
  [
    'to look into what is only counted',
    `model Post { relation likes { from Like, through post } hook label { arg n query { from likes, count, select { id } }, inline "n" } }
     model Like { reference post { to Post } }`,
    'two-deeds',
  ],
  [
    'a filter of a list that an action answers for',
    'model Post { field open { type boolean } } api { entrypoint Post { list endpoint { filter { open }, action { respond { body 1 } } } } }',
    'responds-twice',
  ],
  [
    'the alias of a row within another record',
    `model Post { field title { type string } reference author { to Author } } model Author { field name { type string } }
     api { entrypoint Post { GET many "x" { action { query as q { from Post as post, select { author { x: post.title } } }, respond { body q } } } } }`,
    'unknown-name',
  ],
];

const RESERVED = ['null', 'true', 'false', 'and', 'or', 'not', 'is', 'in'];

describe('the contract', () => {
  it('has a test for every clause', () => {
    const open = CLAUSES.filter(({ tests }) => tests.length === 0);
    expect(open.map(({ id }) => id)).to.deep.equal([]);
  });

  it('names each clause once', () => {
    const ids = CLAUSES.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).to.deep.equal([]);
  });

  it('names only tests that exist', () => {
    const missing = CLAUSES.flatMap(({ id, tests }) =>
      tests.filter((test) => !existsSync(fileOf(test))).map((test) => `${id}: ${test}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('has a clause for every construct that is tested', () => {
    const named = new Set(CLAUSES.flatMap(({ tests }) => tests.map(fileOf)));
    const constructs = readdirSync(join(HERE, 'language')).map((file) => join(HERE, 'language', file));
    expect(constructs.filter((file) => !named.has(file)).map((file) => relative(HERE, file))).to.deep.equal([]);
  });
});

function fileOf(test: string): string {
  return resolve(HERE, /\.(test\.ts|http)$/.test(test) ? test : `${test}.kiln`);
}

/** Two sources that mean the same give the same bytes. */
describe('the definition', () => {
  before(() => loadGrammar());

  for (const example of readdirSync(join(ROOT, 'examples'))) {
    it(`of ${example} does not show the order of its files`, () => {
      const sources = sourcesOf(example);
      expect(sources).to.have.length.greaterThan(1);
      for (const order of [
        sources.toReversed(),
        [...sources.slice(1), ...sources.slice(0, 1)],
        renamedInReverse(sources),
      ]) {
        expect(textOf(example, order)).to.equal(plainText(example));
      }
    });

    it(`of ${example} does not show white space, commas and comments`, () => {
      const sources = sourcesOf(example);
      for (const rewrite of [formatted, onFewLines, onManyLines]) {
        const rewritten = sources.map(({ path, text }) => ({ path, text: rewrite(text) }));
        expect(textOf(example, rewritten)).to.equal(plainText(example));
      }
    });
  }
});

function sourcesOf(example: string): readonly SourceFile[] {
  return readSources(join(ROOT, 'examples', example)).sources;
}

/** The same declarations under names that sort the other way round. */
function renamedInReverse(sources: readonly SourceFile[]): readonly SourceFile[] {
  return sources.map(({ text }, index) => ({ path: `${sources.length - index}.kiln`, text }));
}

function formatted(text: string): string {
  return formatSource(text, parseText(text));
}

const TOKENS = /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|\/\/\/[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\s+|[^\s"/]+|./g;

/** Comments go, doc comments keep their lines, all else is packed. */
function onFewLines(text: string): string {
  return text.replace(TOKENS, (token) => {
    if (token.startsWith('///')) return `${token}\n`;
    if (/^(\/\/|\/\*)/.test(token)) return ' ';
    return /^\s+$/.test(token) ? ' ' : token;
  });
}

/** Every gap becomes a line with a comment on it. Until operators of two words are read without their comments: not those. */
function onManyLines(text: string): string {
  return text.replace(TOKENS, (token) => (/^\s+$/.test(token) ? '\n\t// in between\r\n' : token));
}

function plainText(example: string): string {
  return definitionText(exampleDefinition(example));
}

function textOf(example: string, sources: readonly SourceFile[]): string {
  return definitionText(definitionOf(sources, join(ROOT, 'examples', example)));
}

function definitionOf(sources: readonly SourceFile[], folder = ''): Definition {
  const fileText = (path: string) =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : undefined;
  const { definition, diagnostics } = compile(sources, fileText);
  const errors = diagnostics.filter((diagnostic) => severityOf(diagnostic) === 'error');
  expect(renderText(errors, new SourceMap(sources), { colour: false })).to.equal('');
  return definition as Definition;
}

describe('a keyword', () => {
  before(() => loadGrammar());

  it('is a name wherever an author may choose one', () => {
    expect(keywords()).to.have.length.greaterThan(90);
    for (const word of keywords()) {
      const { models, endpoints, populators } = definitionOf([{ path: 'main.kiln', text: sourceWith(word) }]);
      expect(models.map(({ name }) => name)).to.include(word);
      expect(models.find(({ name }) => name === 'Plain')?.fields.map(({ name }) => name)).to.include(word);
      expect(endpoints).to.have.length(4);
      expect(populators.map(({ name }) => name)).to.deep.equal([word]);
    }
  });
});

/** Every word that the grammar knows. */
function keywords(): readonly string[] {
  const grammar = readFileSync(join(ROOT, 'tree-sitter-grammar/src/grammar.json'), 'utf8');
  const words = [...grammar.matchAll(/"type": "STRING",\s*"value": "([A-Za-z]+)"/g)].map((match) => match[1] as string);
  return [...new Set(words)].filter((word) => !RESERVED.includes(word)).sort();
}

function sourceWith(word: string): string {
  return `
    enum Words { ${word}, other }
    model ${word} { reference plain { to Plain } field a { type integer } }
    model Plain {
      field ${word} { type integer, was old_${word} }
      field word { type Words, default "${word}" }
      relation rows { from ${word}, through plain }
      computed twice { ${word} + ${word} }
      query found { from Plain as row, filter { row.${word} > 1 and row.${word} < 9 }, order by { row.${word} desc, row.${word} } }
      query plain { from Plain, filter { ${word} < 9 }, order by { ${word} desc, ${word} } }
      hook coded { arg ${word} ${word}, inline "1" }
      index { ${word} desc, word }
    }
    model Other { relation ${word} { from Item, through ${word} } }
    model Item { reference ${word} { to Other } }
    validator ${/^(min|max)/.test(word) ? 'own' : word} { arg ${word} { type integer }, assert { ${word} > 1 }, error { code "${word.toLowerCase()}" } }
    api ${word} {
      entrypoint Plain as ${word} {
        list endpoint { response { ${word}, found { ${word} }, word: ${word} + 1 }, order by { ${word} } }
        update endpoint { action { update ${word} { input { ${word} } } } }
        POST one "x" { action { create Plain as made { set ${word} ${word}.${word} } } }
      }
      entrypoint Other { entrypoint ${word} as item { list endpoint {} } }
    }
    populator ${word} { populate Plain as ${word} { repeat as i 2, set ${word} i.current } }
  `;
}

/** What a construct must not be taken for; the words are in rules/. */
describe('Kiln refuses', () => {
  before(() => loadGrammar());

  for (const [what, source, code] of REFUSALS) {
    it(what, () => {
      const { diagnostics } = compile([{ path: 'main.kiln', text: source }]);
      const errors = diagnostics.filter((diagnostic) => severityOf(diagnostic) === 'error');
      expect(errors.map((diagnostic) => diagnostic.code)).to.deep.equal([code]);
    });
  }
});
