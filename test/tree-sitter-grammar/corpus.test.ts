import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import WebParser from 'web-tree-sitter';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { type CorpusCase, corpusCases, corpusText } from './corpus-file.ts';
import { nodeTypesIn, prettySExpression } from './s-expression.ts';

const grammarRoom = new URL('../../tree-sitter-grammar/', import.meta.url);
const ODD_TEXTS = [
  '',
  ' \t\r\n\f\u00a0\u2028',
  '\ufeffmodel A {}',
  'model A { computed b { "😀👩‍👩‍👧" } } // 😀\n😀 model 𝒳 {} /* 日本 */',
  'model A { computed b { "\ud83d" } } // \ude00\n\ud83d model B {}',
  'model \u0000A { computed \u0001b { "\u0000" } }\u001a',
];
const corpusFolder = new URL('test/corpus/', grammarRoom);
const corpusFiles = readdirSync(corpusFolder).filter((name) => name.endsWith('.txt'));
const { sExpression } = await loadGrammar();

if (process.env.UPDATE_GOLDEN) for (const name of corpusFiles) rewriteTrees(name);

describe('the corpus', () => {
  for (const name of corpusFiles) describe(name, () => declareCases(name));

  it('shows every node type of the grammar', () => {
    const shown = new Set(corpusFiles.flatMap(casesOf).flatMap(({ tree }) => nodeTypesIn(tree)));
    expect(nodeTypesOfTheGrammar().filter((type) => !shown.has(type))).to.deep.equal([]);
  });

  it('has errors only where it shows errors', () => {
    const broken = corpusFiles
      .filter((name) => name !== 'errors.txt')
      .flatMap(casesOf)
      .filter(hasErrors);
    expect(broken.map(({ title }) => title)).to.deep.equal([]);
    expect(casesOf('errors.txt').every(hasErrors)).to.equal(true);
  });

  it('has the same trees in web-tree-sitter, by which the queries of editors are tested', async () => {
    await WebParser.init();
    const parser = new WebParser();
    parser.setLanguage(await WebParser.Language.load(readFileSync(new URL('tree-sitter-kiln.wasm', grammarRoom))));
    const sources = corpusFiles.flatMap(casesOf).map(({ source }) => source);
    for (const text of [...sources, ...sources.map((source) => source.replaceAll('\n', '\r\n')), ...ODD_TEXTS])
      expect(sExpression(text), text).to.equal(parser.parse(text).rootNode.toString());
  });
});

function declareCases(name: string): void {
  for (const { title, source, tree } of casesOf(name)) {
    it(title, () => {
      expect(prettySExpression(sExpression(source))).to.equal(prettySExpression(tree));
    });
  }
}

function casesOf(name: string): CorpusCase[] {
  return corpusCases(readFileSync(new URL(name, corpusFolder), 'utf8'));
}

function rewriteTrees(name: string): void {
  const cases = casesOf(name).map((example) => ({ ...example, tree: prettySExpression(sExpression(example.source)) }));
  writeFileSync(new URL(name, corpusFolder), corpusText(cases));
}

function hasErrors({ tree }: CorpusCase): boolean {
  return /\((ERROR|MISSING)\b/.test(tree);
}

interface NodeType {
  readonly type: string;
  readonly named: boolean;
  readonly subtypes?: unknown;
}

function nodeTypesOfTheGrammar(): string[] {
  const types: NodeType[] = JSON.parse(readFileSync(new URL('src/node-types.json', grammarRoom), 'utf8'));
  return types.filter(({ named, subtypes }) => named && !subtypes).map(({ type }) => type);
}
