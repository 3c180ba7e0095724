import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import type Parser from 'web-tree-sitter';
import { editorQueries } from '../../editors/queries.ts';
import { LANGUAGE, rootOf } from './highlights.ts';
import { EXAMPLES } from './sources.ts';

const root = join(import.meta.dirname, '../..');

/** Only Neovim knows its directive `#offset!`, and no example has the code of a hook in it. */
const NEOVIM_ALONE = 'neovim/queries/kiln/injections.scm';

const SOURCE = `/// People who write.
model Author {
  field email { type string }
  hook shout { inline """return email""" }
}
enum Mood { happy }
api {
  entrypoint Author {
    list endpoint {
      filter { email in ["a"] }
    }
    POST one "hire" { action { create { input { email } } } }
  }
}
`;

const OUTLINE = ['Author', 'email', 'shout', 'Mood', 'happy', 'api', 'Author', 'list', '"hire"'];

const FUNCTIONS = [
  '{ inline """return email""" }',
  '{ filter { email in ["a"] } }',
  '{ action { create { input { email } } } }',
];

const OPENING = SOURCE.match(/[{[]/g) ?? [];
const CLOSING = SOURCE.match(/[}\]]/g) ?? [];

/** The first words of the scopes in the documentation of Helix's themes. */
const HELIX_SCOPES = [
  'attribute comment constant constructor function keyword label markup namespace operator punctuation special string',
  'tag type variable',
].flatMap((line) => line.split(' '));

/** The first words of the captures in the documentation of Zed's languages. */
const ZED_CAPTURES = [
  'attribute boolean comment constant constructor embedded emphasis enum function hint keyword label link_text link_uri',
  'namespace number operator preproc primary property punctuation string tag text title type variable variant',
].flatMap((line) => line.split(' '));

describe('the queries of the editors', () => {
  for (const file of queryFiles()) {
    it(`${file} fits the grammar and finds something in the examples`, () => {
      const query = LANGUAGE.query(readFileSync(join(root, file), 'utf8'));
      const found = EXAMPLES.flatMap(({ text }) => query.captures(rootOf(text)));
      expect(found.length).to.be.greaterThan(10);
    });
  }

  it('are made from those of the grammar', () => {
    const stale = [...editorQueries()].filter(([path, text]) => readFileSync(path, 'utf8') !== text);
    expect(stale.map(([path]) => relative(root, path))).to.deep.equal([]);
  });

  it('name only captures that Helix knows', () => {
    expect(unknownCaptures('editors/helix/queries/kiln/highlights.scm', HELIX_SCOPES)).to.deep.equal([]);
  });

  it('name only captures that Zed knows', () => {
    expect(unknownCaptures('editors/zed/languages/kiln/highlights.scm', ZED_CAPTURES)).to.deep.equal([]);
  });
});

describe('what the queries of the editors find', () => {
  const facts: readonly [string, string, string, readonly string[]][] = [
    ['the outline of Zed names declarations, members and endpoints', 'zed/languages/kiln/outline.scm', 'name', OUTLINE],
    ['Zed indents up to each closing bracket', 'zed/languages/kiln/indents.scm', 'end', CLOSING],
    ['Zed pairs each opening bracket', 'zed/languages/kiln/brackets.scm', 'open', OPENING],
    ['Helix dedents at each closing bracket', 'helix/queries/kiln/indents.scm', 'outdent', CLOSING],
    [
      'Neovim reads the code of a hook',
      'neovim/queries/kiln/injections.scm',
      'injection.content',
      ['"""return email"""'],
    ],
    ['Helix takes a hook for a function', 'helix/queries/kiln/textobjects.scm', 'function.inside', FUNCTIONS],
  ];
  for (const [what, file, name, texts] of facts) {
    it(what, () => {
      const found = capturesOf(`editors/${file}`).filter((capture) => capture.name === name);
      expect(found.map(({ node }) => node.text.replace(/\s+/g, ' '))).to.have.members(texts);
    });
  }

  it('gives the lines between brackets in Neovim an indentation', () => {
    const begins = capturesOf('editors/neovim/queries/kiln/indents.scm').filter(({ name }) => name === 'indent.begin');
    expect(begins.map(({ node }) => node.type)).to.include.members(['model_body', 'filter', 'list', 'endpoint_body']);
    expect(new Set(begins.map(({ node }) => node.id)).size).to.equal(begins.length);
  });
});

function unknownCaptures(file: string, known: readonly string[]): readonly string[] {
  const { captureNames } = LANGUAGE.query(readFileSync(join(root, file), 'utf8'));
  return captureNames.filter((name) => !known.includes(name.split('.')[0] ?? ''));
}

function capturesOf(file: string): readonly Parser.QueryCapture[] {
  return LANGUAGE.query(readFileSync(join(root, file), 'utf8')).captures(rootOf(SOURCE));
}

function queryFiles(): readonly string[] {
  return ['tree-sitter-grammar/queries', 'editors'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.scm') && path !== NEOVIM_ALONE)
      .map((path) => join(folder, path))
      .sort(),
  );
}
