import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Grammar } from '../../compiler/syntax/load-grammar.ts';
import { type CorpusCase, corpusCases, corpusText } from './corpus-file.ts';
import { wasm, withEachEngine } from './engines.ts';
import { nodeTypesIn, prettySExpression } from './s-expression.ts';

const grammarRoom = new URL('../../tree-sitter-grammar/', import.meta.url);
const corpusFolder = new URL('test/corpus/', grammarRoom);
const corpusFiles = readdirSync(corpusFolder).filter((name) => name.endsWith('.txt'));

if (process.env.UPDATE_GOLDEN) for (const name of corpusFiles) rewriteTrees(name);

describe('the corpus', () => {
  withEachEngine((grammar) => {
    for (const name of corpusFiles) describe(name, () => declareCases(name, grammar));
  });

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
});

function declareCases(name: string, grammar: Grammar): void {
  for (const { title, source, tree } of casesOf(name)) {
    it(title, () => {
      expect(sExpressionOf(source, grammar)).to.equal(prettySExpression(tree));
    });
  }
}

function casesOf(name: string): CorpusCase[] {
  return corpusCases(readFileSync(new URL(name, corpusFolder), 'utf8'));
}

function rewriteTrees(name: string): void {
  const cases = casesOf(name).map((example) => ({ ...example, tree: sExpressionOf(example.source, wasm) }));
  writeFileSync(new URL(name, corpusFolder), corpusText(cases));
}

/** As tree-sitter itself writes it, which is what `tree-sitter test` compares too. */
function sExpressionOf(source: string, grammar: Grammar): string {
  return prettySExpression(grammar.sExpression(source));
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
