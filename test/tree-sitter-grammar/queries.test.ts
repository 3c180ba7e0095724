import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import Parser from 'web-tree-sitter';
import { corpusCases } from './corpus-file.ts';

const grammarRoom = new URL('../../tree-sitter-grammar/', import.meta.url);

await Parser.init();
const language = await Parser.Language.load(readFileSync(new URL('tree-sitter-kiln.wasm', grammarRoom)));
const parser = new Parser();
parser.setLanguage(language);

const SOURCE = `/// People who write.
model Author was Writer {
  field email { type string, unique, validate { isEmail() and own() } }
  reference team { to Team, on delete set null }
  field mood { type Mood }
  computed label { team.owner.name + stringify(Team.count) is not null }
  unique { email, team }
}
enum Mood { happy, sad was gloomy }
api Admin {
  entrypoint Author as author {
    authorize { @auth.team is author.team }
    entrypoint team {}
    POST one "hire" { action { create author.posts as post { set title faker.lorem.words(3) } } }
  }
}
`;

describe('queries/highlights.scm', () => {
  const colours = coloursByPlace(SOURCE);

  const examples: [string, string, string][] = [
    ['a doc comment', '/// People', 'comment.documentation'],
    ['a keyword', 'model Author', 'keyword'],
    ['the name of a model', 'Author was', 'type'],
    ['a former name', 'Writer', 'type'],
    ['a member', 'email { type', 'property'],
    ['a type of the language', 'string,', 'type.builtin'],
    ['an enum as a type', 'Mood }\n', 'type'],
    ['a flag', 'unique, validate', 'keyword.modifier'],
    ['the same word as a declaration', 'unique { email', 'keyword'],
    ['the set of set null', 'set null', 'keyword'],
    ['the null of set null', 'null }', 'keyword.modifier'],
    ['null as a value', 'null }\n  unique', 'constant.builtin'],
    ['a function of the language', 'isEmail', 'function.builtin'],
    ['a function of the author', 'own()', 'function.call'],
    ['the first step of a path', 'team.owner.name', 'variable'],
    ['a middle step of a path', 'owner.name', 'property'],
    ['the last step of a path', 'name +', 'property'],
    ['a model at the start of a path', 'Team.count', 'type'],
    ['an operator', '+ stringify', 'operator'],
    ['an operator that is a word', 'is not', 'keyword.operator'],
    ['its second word', 'not null', 'keyword.operator'],
    ['a value of an enum', 'sad was', 'constant'],
    ['the name of an API', 'Admin', 'module'],
    ['an alias', 'author {\n', 'variable'],
    ['the authenticated record', '@auth', 'variable.builtin'],
    ['a relation as an entrypoint', 'team {}', 'property'],
    ['a method', 'POST', 'constant.builtin'],
    ['a string', '"hire"', 'string'],
    ['the target of an action', 'author.posts', 'variable'],
    ['a module of faker', 'lorem', 'property'],
    ['a method of faker', 'words', 'function.method.call'],
    ['a number', '3)', 'number'],
    ['a brace', '{\n  field', 'punctuation.bracket'],
  ];

  for (const [what, text, colour] of examples) {
    it(`shows ${what} as ${colour}`, () => {
      expect(colours.get(SOURCE.indexOf(text))).to.equal(colour);
    });
  }

  it('leaves no token of the corpus without a colour', () => {
    const uncoloured = validCorpusTrees().flatMap((root) => {
      const ends = new Map(
        queryOf('highlights')
          .captures(root)
          .map(({ node }) => [node.startIndex, node.endIndex]),
      );
      const isColoured = (token: Parser.SyntaxNode) =>
        [...ends].some(([start, end]) => start <= token.startIndex && token.endIndex <= end);
      return tokensOf(root)
        .filter((token) => !isColoured(token))
        .map((token) => `${token.parent?.type}: ${token.text}`);
    });
    expect(uncoloured).to.deep.equal([]);
  });

  it('takes every token once, apart from the steps of paths', () => {
    const query = queryOf('highlights');
    const taken = validCorpusTrees().flatMap((root) => {
      const captures = query.captures(root).filter(({ node }) => !['path', 'target'].includes(node.parent?.type ?? ''));
      return captures.filter(({ node }, index) => node.startIndex === captures[index - 1]?.node.startIndex);
    });
    expect(taken.map(({ node }) => node.text)).to.deep.equal([]);
  });
});

describe('queries/folds.scm', () => {
  it('folds whatever has braces', () => {
    const folds = capturesOf(
      'folds',
      'model A {\n  computed b {\n    (\n      1\n    )\n  }\n}\nauth {\n  model A\n}\n',
    );
    expect(folds.map(({ name, node }) => [name, node.type])).to.deep.equal([
      ['fold', 'model_body'],
      ['fold', 'computed'],
      ['fold', 'parenthesized'],
      ['fold', 'auth'],
    ]);
  });

  it('folds every rule of the grammar that ends in a brace', () => {
    const folding = readQuery('folds');
    const alwaysEmpty = ['delete_action', 'query_delete'];
    expect(rulesWithBraces().filter((rule) => !folding.includes(`(${rule})`))).to.deep.equal(alwaysEmpty);
  });
});

describe('queries/locals.scm', () => {
  const captures = capturesOf('locals', SOURCE);
  const textsOf = (name: string) => captures.filter((capture) => capture.name === name).map(({ node }) => node.text);

  it('finds the names that are declared', () => {
    expect(textsOf('local.definition')).to.deep.equal([
      'Author',
      'email',
      'team',
      'mood',
      'label',
      'Mood',
      'author',
      'post',
    ]);
  });

  it('finds the names that are used', () => {
    expect(textsOf('local.reference')).to.include.members(['Team', 'Mood', 'team', 'isEmail', 'author', 'faker']);
    expect(textsOf('local.reference')).not.to.include.members(['owner', 'lorem', 'posts']);
  });

  it('lets an entrypoint be the scope of its alias', () => {
    const scopes = captures.filter(({ name }) => name === 'local.scope').map(({ node }) => node.type);
    expect(scopes).to.deep.equal(['source_file', 'model_body', 'entrypoint', 'entrypoint', 'custom_endpoint']);
  });
});

function readQuery(name: string): string {
  return readFileSync(new URL(`queries/${name}.scm`, grammarRoom), 'utf8');
}

function queryOf(name: string): Parser.Query {
  return language.query(readQuery(name));
}

function capturesOf(name: string, source: string): Parser.QueryCapture[] {
  return queryOf(name).captures(validRoot(source));
}

function validRoot(source: string): Parser.SyntaxNode {
  const { rootNode } = parser.parse(source);
  if (rootNode.hasError) throw new Error('the source of this test must have no errors');
  return rootNode;
}

/** Of several captures of one place the last pattern's counts. */
function coloursByPlace(source: string): Map<number, string> {
  const matches = queryOf('highlights').matches(validRoot(source));
  const captures = matches.toSorted((one, other) => one.pattern - other.pattern).flatMap((match) => match.captures);
  return new Map(captures.map(({ name, node }) => [node.startIndex, name]));
}

function validCorpusTrees(): Parser.SyntaxNode[] {
  const folder = new URL('test/corpus/', grammarRoom);
  const names = readdirSync(folder).filter((name) => name !== 'errors.txt');
  const sources = names.flatMap((name) => corpusCases(readFileSync(new URL(name, folder), 'utf8')));
  return sources.map(({ source }) => parser.parse(source).rootNode);
}

function tokensOf(node: Parser.SyntaxNode): Parser.SyntaxNode[] {
  return node.childCount === 0 ? [node] : node.children.flatMap(tokensOf);
}

type Rule = { type: string; value?: unknown; members?: Rule[]; content?: Rule };

function rulesWithBraces(): string[] {
  const { rules } = JSON.parse(readFileSync(new URL('src/grammar.json', grammarRoom), 'utf8')) as {
    rules: Record<string, Rule>;
  };
  return Object.entries(rules)
    .filter(([, rule]) => hasBrace(rule))
    .map(([name]) => name);
}

function hasBrace(rule: Rule): boolean {
  return (
    rule.value === '}' || (rule.members ?? []).some(hasBrace) || (rule.content !== undefined && hasBrace(rule.content))
  );
}
