import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { SCALAR_NAMES } from '../../compiler/definition/scalars.ts';
import { BUILT_IN_FUNCTIONS } from '../../editors/queries.ts';
import { type Highlight, highlightsOf } from './highlights.ts';
import { CORPUS, EXAMPLES, type NamedSource, TEST_PROGRAMS } from './sources.ts';
import { type ScopedToken, tokensOf } from './textmate.ts';

/**
 * How the scope of a token has to begin where the query of the tree-sitter grammar gives it a colour. Names are not here:
 * the language server colours them by what they mean.
 */
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
  'type.builtin': 'support.type.primitive',
  'function.builtin': 'support.function',
  'variable.builtin': 'variable.language',
};

/** Sources where words of the language are names, or touch a number, which no author writes. */
const UNUSUAL = /as-names|A number that runs into a word|bad-number|A comment may stand inside a rule/;

describe('the TextMate grammar and the highlights of tree-sitter', () => {
  const sets: readonly [string, readonly NamedSource[], number][] = [
    ['the examples', EXAMPLES, 10],
    ['the corpus of the grammar', CORPUS, 100],
    ['the programs of the tests', TEST_PROGRAMS, 300],
  ];
  for (const [what, sources, atLeast] of sets) {
    it(`agree about the words, literals and signs of ${what}`, () => {
      expect(sources.length).to.be.greaterThan(atLeast);
      const usual = sources.filter(({ name }) => !UNUSUAL.test(name));
      expect(usual.flatMap(disagreements).join('\n')).to.equal('');
    });
  }

  it('agree about each word of the language, type and function by itself', () => {
    const query = readFileSync(new URL('../../tree-sitter-grammar/queries/highlights.scm', import.meta.url), 'utf8');
    const keywords = /; keywords\n([^\]]+)/.exec(query)?.[1]?.match(/\w+/g) ?? [];
    expect(keywords.length).to.be.greaterThan(80);
    expect(keywords.filter((word) => scopeOf(word) !== 'keyword.other.kiln')).to.deep.equal([]);
    expect(SCALAR_NAMES.filter((word) => scopeOf(word) !== 'support.type.primitive.kiln')).to.deep.equal([]);
    expect(BUILT_IN_FUNCTIONS.filter((word) => scopeOf(`${word}()`) !== 'support.function.kiln')).to.deep.equal([]);
  });
});

function scopeOf(word: string): string | undefined {
  return tokensOf(word)[0]?.scopes.at(-1);
}

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
  return expected === undefined || scopes.some((scope) => scope.startsWith(expected));
}
