import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { parseText } from '../../compiler/syntax/parse-text.ts';
import { LEAF_TYPES, type SyntaxNode, type SyntaxTree } from '../../compiler/syntax/syntax-node.ts';

const generated = new URL('../../tree-sitter-grammar/src/', import.meta.url);

describe('parseText', () => {
  before(() => loadGrammar());

  it('gives named nodes with their fields, and leaves out punctuation and keywords', () => {
    const { root, hasErrors } = parseText('enum E { a, b }');
    expect(outline(root)).to.equal(
      'source_file(enum(name:identifier body:enum_body(enum_value(name:identifier) enum_value(name:identifier))))',
    );
    expect(hasErrors).to.equal(false);
  });

  it('keeps comments and doc comments', () => {
    const { root } = parseText('/// what it is\nmodel A {} // and why');
    expect(root.children.map(({ type }) => type)).to.deep.equal(['doc_comment', 'model', 'comment']);
  });

  for (const operator of tokensWithAField()) {
    const expression = operator === 'not' ? 'not b' : `a ${operator} b`;
    it(`keeps the operator of \`${expression}\``, () => {
      const text = `model A { computed x { ${expression} } }`;
      const found = nodesOf(parseText(text)).filter(({ field }) => field === 'operator');
      expect(found.map(({ type, start, end }) => [type, text.slice(start, end)])).to.deep.equal([[operator, operator]]);
    });
  }

  for (const [operator, type] of [
    ['is not', 'is_not'],
    ['not  in', 'not_in'],
  ] as const) {
    it(`reads \`${operator}\` as one operator`, () => {
      const text = `model A { computed x { a ${operator} b } }`;
      const found = nodesOf(parseText(text)).filter(({ field }) => field === 'operator');
      expect(found).to.deep.equal([{ type, field: 'operator', start: 25, end: 25 + operator.length, children: [] }]);
    });
  }

  it('counts offsets in UTF-16 code units', () => {
    const text = 'enum E { a } // 😀 𝒳 é\nmodel B { computed c { "👩‍👩‍👧 日本" + d } }';
    const texts = nodesOf(parseText(text)).map(({ start, end }) => text.slice(start, end));
    expect(texts).to.include.members([
      '// 😀 𝒳 é',
      'model B { computed c { "👩‍👩‍👧 日本" + d } }',
      '"👩‍👩‍👧 日本"',
      'd',
    ]);
  });

  it('shows a name that had to be assumed as a node without width', () => {
    const { root, hasErrors } = parseText('model A { computed x { a + } }');
    const assumed = nodesOf({ root }).filter((node) => node.start === node.end && node.children.length === 0);
    expect(assumed).to.deep.equal([{ type: 'identifier', field: 'step', start: 26, end: 26, children: [] }]);
    expect(hasErrors).to.equal(true);
  });

  it('shows a brace that had to be assumed, though braces are left out elsewhere', () => {
    const { root, hasErrors } = parseText('model A { field b { type string }');
    expect(nodesOf({ root }).filter(({ type }) => type === '}')).to.deep.equal([
      { type: '}', field: undefined, start: 33, end: 33, children: [] },
    ]);
    expect(hasErrors).to.equal(true);
  });

  it('shows what it could not read as an ERROR', () => {
    const text = 'model A {} ; model B {}';
    const { root, hasErrors } = parseText(text);
    const error = root.children.find(({ type }) => type === 'ERROR');
    expect(text.slice(error?.start, error?.end)).to.equal(';');
    expect(hasErrors).to.equal(true);
  });

  it('gives an empty tree for an empty text', () => {
    expect(parseText('')).to.deep.equal({
      root: { type: 'source_file', field: undefined, start: 0, end: 0, children: [] },
      hasErrors: false,
      depth: 1,
    });
  });

  it('ends a comment before the line end of Windows', () => {
    const text = '/// what it is\r\nmodel A {} // and why\r\n/* over\r\nlines */\r\n';
    const texts = parseText(text).root.children.map(({ start, end }) => text.slice(start, end));
    expect(texts).to.deep.equal(['/// what it is', 'model A {}', '// and why', '/* over\r\nlines */']);
  });

  for (const [what, text, depth] of textsByDepth()) {
    it(`counts the depth of ${what}`, () => {
      const tree = parseText(text);
      expect(tree.depth).to.equal(depth);
      expect(tree.depth).to.equal(depthOf(tree.root));
    });
  }

  for (const [what, text] of deeplyNested(20_000)) {
    it(`survives ${what}`, () => {
      const { root, depth } = parseText(text);
      expect(depth).to.equal(depthOf(root));
    });
  }

  it('gives the memory of WebAssembly back', () => {
    const parseOften = (times: number) => {
      for (let round = 0; round < times; round++) parseText('model A { field b { type string } }\n'.repeat(100));
      return process.memoryUsage().external;
    };
    // Trees that are kept would take 15 MB here.
    expect(parseOften(600) - parseOften(20)).to.be.lessThan(5_000_000);
  });

  it('knows the types that are a single token', () => {
    const { rules } = readJson('grammar.json') as { rules: Record<string, { type: string }> };
    const others = [...LEAF_TYPES].filter((type) => !['STRING', 'PATTERN', 'TOKEN'].includes(rules[type]?.type ?? ''));
    expect(others).to.deep.equal([]);
  });
});

function textsByDepth(): [string, string, number][] {
  const computed = (value: string) => `model A { computed x { ${value} } }`;
  return [
    ['a comment', '// alone', 2],
    ['a declaration without members', 'model A {}', 3],
    ['a node in which only a keyword stands', 'model A { field b { unique } }', 6],
    ['a path', computed('a.b'), 6],
    ['parentheses', computed('(((a)))'), 9],
    ['a sum, which nests to the left', computed('1 + 2 + 3 + 4'), 8],
    ['a text whose deepest place is not its last', `${computed('((a))')} model B {}`, 8],
    ['a brace that had to be assumed', 'model A {', 4],
    ['a text of which nothing could be read', '{{{', 2],
  ];
}

function deeplyNested(depth: number): [string, string][] {
  const computed = (value: string) => `model A { computed x { ${value} } }`;
  const nested = (open: string, close: string) => open.repeat(depth) + close.repeat(depth);
  return [
    ['nested parentheses', computed(`${'('.repeat(depth)}1${')'.repeat(depth)}`)],
    ['nested lists', computed(nested('[', ']'))],
    ['nested entrypoints', `api { ${nested('entrypoint a { ', '}')} }`],
    ['nested selections', `api { entrypoint a { response { ${nested('a { ', '}')} } } }`],
    ['a long sum', computed(`1${' + 1'.repeat(depth)}`)],
    ['braces that belong to nothing', nested('{', '}')],
    ['braces that are never closed', '{'.repeat(depth)],
    ['braces that were never opened', '}'.repeat(depth)],
    ['models that are never closed', 'model A { '.repeat(depth)],
  ];
}

function nodesOf({ root }: Pick<SyntaxTree, 'root'>): SyntaxNode[] {
  const nodes = [root];
  for (const node of nodes) nodes.push(...node.children);
  return nodes;
}

function depthOf(root: SyntaxNode): number {
  let depth = 0;
  for (let level = [root]; level.length > 0; level = level.flatMap(({ children }) => children)) depth++;
  return depth;
}

function outline({ type, field, children }: SyntaxNode): string {
  const inside = children.length > 0 ? `(${children.map(outline).join(' ')})` : '';
  return `${field ? `${field}:` : ''}${type}${inside}`;
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, generated), 'utf8'));
}

type NodeType = { fields?: Record<string, { types: { type: string; named: boolean }[] }> };

function tokensWithAField(): string[] {
  const types = (readJson('node-types.json') as NodeType[]).flatMap(({ fields = {} }) =>
    Object.values(fields).flatMap((field) => field.types),
  );
  return [...new Set(types.filter(({ named }) => !named).map(({ type }) => type))];
}
