import { expect } from 'chai';
import { type Highlight, highlightsOf } from './highlights.ts';
import { CORPUS, EXAMPLES, type NamedSource, TEST_PROGRAMS } from './sources.ts';
import { type ScopedToken, tokensOf } from './textmate.ts';

/** How the scope of a token has to begin where the query of the tree-sitter grammar gives it a colour. */
const SCOPES: Readonly<Record<string, string>> = {
  comment: 'comment.',
  'comment.documentation': 'comment.line.documentation',
  string: 'string.quoted',
  number: 'constant.numeric.integer',
  'number.float': 'constant.numeric.float',
  boolean: 'constant.language',
  'constant.builtin': 'constant.language',
  keyword: 'keyword.other',
  'keyword.modifier': 'storage.modifier',
  'keyword.operator': 'keyword.operator.expression',
  operator: 'keyword.operator.kiln',
  'punctuation.bracket': 'punctuation.section',
  'punctuation.delimiter': 'punctuation.',
  type: 'entity.name.type',
  'type.builtin': 'support.type.primitive',
  constant: 'variable.other.enummember',
  property: 'variable.other.property',
  module: 'entity.name.namespace',
  function: 'entity.name.function.kiln',
  'function.call': 'entity.name.function.kiln',
  'function.method.call': 'entity.name.function.method',
  'function.builtin': 'support.function',
  variable: 'variable.other.kiln',
  'variable.parameter': 'variable.parameter',
  'variable.builtin': 'variable.language',
};

describe('the TextMate grammar and the highlights of tree-sitter', () => {
  const sets: readonly [string, readonly NamedSource[], number][] = [
    ['the examples', EXAMPLES, 10],
    ['the corpus of the grammar', CORPUS, 100],
    ['the programs of the tests', TEST_PROGRAMS, 300],
  ];
  for (const [what, sources, atLeast] of sets) {
    it(`agree about every token of ${what}`, () => {
      expect(sources.length).to.be.greaterThan(atLeast);
      expect(sources.flatMap(disagreements).join('\n')).to.equal('');
    });
  }
});

function disagreements({ name, text }: NamedSource): readonly string[] {
  const tokens = tokensOf(text);
  return highlightsOf(text).flatMap((highlight) => {
    const parts = tokens.filter(({ start, end }) => start < highlight.end && end > highlight.start);
    const other = parts.find((part) => part.text.trim() !== '' && !isAsHighlighted(part, highlight));
    return other
      ? [`${name}: ${highlight.text} is ${highlight.capture}, not ${other.scopes.join(' ') || 'plain'}`]
      : [];
  });
}

function isAsHighlighted({ scopes }: ScopedToken, { capture }: Highlight): boolean {
  const expected = SCOPES[capture];
  if (expected === undefined) throw new Error(`SCOPES says nothing about ${capture}.`);
  return scopes.some((scope) => scope.startsWith(expected));
}
