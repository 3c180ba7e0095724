import { createContext, Script } from 'node:vm';
import { expect } from 'chai';
import fc from 'fast-check';
import { LARGEST_PATTERN, readPattern } from '../../../compiler/definition/pattern.ts';
import { linearPattern } from '../../../runtime/expressions/linear-pattern.ts';
import { isSlow, itInBoth } from '../../support/slow.ts';

/** Characters on which engines disagree: white space, ends of lines, letters beyond ASCII, astral ones, lone surrogates. */
const CHARACTERS = [
  ...'abAZ09_-/.^$|()[]{}*+?\\ \t\n\r\v\f',
  ...['\0', '\b', '\u0085', '\u00a0', '\u1680', '\u180e', '\u2003', '\u2028', '\u2029', '\u202f', '\u3000', '\ufeff'],
  ...['é', 'ß', 'ſ', 'K', 'İ', 'Ω', 'я', '٣', '五', 'ǅ', '\u0301', '😀', '𝒜', '\u{10ffff}', '\ud800', '\udc00'],
];

const ATOMS = [
  ...['a', 'b', 'Z', '0', '_', '-', '/', ' ', 'é', '😀', '.', '\\d', '\\D', '\\s', '\\S', '\\w', '\\W', '\\t', '\\n'],
  ...['\\v', '\\f', '\\r', '\\0', '\\x41', '\\u00e9', '\\u{1f600}', '\\ud83d\\ude00', '\\ud800', '\\udc00', '\\cJ'],
  ...['\\cj', '\\^', '\\$', '\\\\', '\\.', '\\*', '\\+', '\\?', '\\(', '\\)', '\\[', '\\]', '\\{', '\\}', '\\|', '\\/'],
  ...['\\p{L}', '\\P{L}', '\\p{Lu}', '\\p{Script=Greek}', '\\p{Emoji}', '\\p{Cs}', '\\P{Cs}', '\\p{Any}', '\\p{ASCII}'],
];
const IN_SETS = [
  ...['a', 'b', 'Z', '0', '_', '.', '$', '(', '|', '*', '{', ' ', 'é', '😀', 'a-z', 'A-F', '0-9', '\\t-\\r', '\\b'],
  ...['\\-', '\\]', '\\\\', '\\^', '\\d', '\\D', '\\s', '\\S', '\\w', '\\W', '\\x00-\\x1f', '\\u{1f600}-\\u{1f64f}'],
  ...['\\p{L}', '\\P{Lu}', 'é-я', '\\ud83d\\ude00', '\\ud800-\\udfff', ' -~', '\\cA-\\cZ'],
];

const set = fc
  .tuple(fc.constantFrom('', '^'), fc.array(fc.constantFrom(...IN_SETS), { maxLength: 4 }), fc.constantFrom('', '-'))
  .map(([not, items, end]) => `[${not}${items.join('')}${end}]`);
const count = fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '{2}', '{1,}', '{0,3}', '{2,3}?', '{0}');
const assertion = fc.constantFrom('^', '$', '\\b', '\\B');

const { pattern } = fc.letrec<{ pattern: string; row: string; term: string }>((tie) => ({
  pattern: fc.array(tie('row'), { minLength: 1, maxLength: 3 }).map((rows) => rows.join('|')),
  row: fc.array(tie('term'), { maxLength: 4 }).map((terms) => terms.join('')),
  term: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.tuple(fc.constantFrom(...ATOMS), count).map((parts) => parts.join('')),
    fc.tuple(set, count).map((parts) => parts.join('')),
    assertion,
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<name>'), tie('pattern'), count)
      .map(([open, inner, times]) => `${open}${inner})${times}`),
  ),
}));
const texts = fc.array(
  fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 8 }).map((parts) => parts.join('')),
  {
    minLength: 10,
    maxLength: 10,
  },
);

/** Two groups of one name are an error; names make no difference otherwise. */
function isReadable(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/**
 * JavaScript begins a match at each code point. V8 also tries the middle of a surrogate pair, where `\B` matches in "a𝒜a",
 * so each code point is tried by itself.
 */
const TESTS = new Script(`
  const pattern = new RegExp(source, 'uy');
  const begins = (text) => [...text].reduce((all, point) => [...all, all.at(-1) + point.length], [0]);
  const matchesAt = (text, at) => { pattern.lastIndex = at; return pattern.test(text); };
  texts.map((text) => begins(text).some((at) => matchesAt(text, at)));
`);
const LONGEST = 500;

/** Null where it takes too long: JavaScript may try every way through nested repeats. */
function matchedByJavaScript(source: string, texts: readonly string[]): readonly boolean[] | null {
  try {
    return TESTS.runInContext(createContext({ source, texts }), { timeout: LONGEST });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  }
}

describe('a pattern that is matched in linear time', () => {
  itInBoth('matches the texts that JavaScript matches', () => {
    fc.assert(
      fc.property(pattern.filter(isReadable), texts, (source, samples) => {
        const all = [...samples, ...CHARACTERS];
        const expected = matchedByJavaScript(source, all);
        fc.pre(expected !== null);
        const actual = linearPattern(source);
        for (const [at, text] of all.entries()) {
          expect(actual.matches(text), `${source} on ${JSON.stringify(text)}`).to.equal(expected[at]);
        }
      }),
      { numRuns: isSlow ? 400 : 200 },
    );
  });

  it('begins at characters, never in the middle of one', () => {
    expect(linearPattern('\\B').matches('a𝒜a')).to.equal(false);
    expect(linearPattern('\\B').matches('a𝒜𝒜a')).to.equal(true);
  });

  it('agrees with JavaScript on each character for each class of them', () => {
    const sources = [...ATOMS, ...IN_SETS.map((item) => `[${item}]`), '[]', '[^]', '[^\\S\\D]'];
    const points = Array.from({ length: 0x3100 }, (_, point) => String.fromCodePoint(point));
    for (const source of sources) {
      const expected = new RegExp(`^${source}$`, 'u');
      const actual = linearPattern(`^${source}$`);
      const differing = [...points, ...CHARACTERS].filter((text) => actual.matches(text) !== expected.test(text));
      expect(differing, source).to.deep.equal([]);
    }
  });

  it('takes time in proportion to the text', () => {
    expect(linearPattern('^(a+)+$').matches(`${'a'.repeat(100_000)}!`)).to.equal(false);
    expect(linearPattern('(x+x+)+y').matches('x'.repeat(100_000))).to.equal(false);
    expect(linearPattern('^(([a-z])+.)+[A-Z]([a-z])+$').matches('a'.repeat(100_000))).to.equal(false);
  });

  it('is compared with shorter texts the larger it is', () => {
    expect(linearPattern('^[a-z]+$').longestText).to.be.greaterThan(1_000_000);
    expect(linearPattern('a.{1,900}[cx]$').longestText).to.be.within(1000, 10_000);
  });

  it('is compared with texts of any length if it refuses long ones itself', () => {
    const longest = (source: string) => linearPattern(source).longestText;
    expect(['^.{1,900}$', '^(?:ab?|c{3}){1,300}$', '^a$|^[^b]{900}$'].map(longest)).to.deep.equal([
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]);
    for (const source of ['^.{1,900}', '.{1,900}$', '^.{1,900}a*$', '^a$|.{900}'])
      expect(longest(source), source).to.be.within(1000, 10_000);
    expect(linearPattern('^.{1,900}$').matches('😀'.repeat(900))).to.equal(true);
    expect(linearPattern('^.{1,900}$').matches('a'.repeat(901))).to.equal(false);
    expect(linearPattern('^.{1,900}$').matches('a'.repeat(1_000_000))).to.equal(false);
    expect(linearPattern('^(?:\\b){0,5}a{0}b?$').matches('b')).to.equal(true);
  });

  it('is read with the part that is not supported, and where it begins', () => {
    const problems: readonly (readonly [string, string, string, number])[] = [
      ['^(?=.*[)\\]])a$', 'lookahead', '(?=.*[)\\]])', 1],
      ['a(?!b(c)d)e', 'lookahead', '(?!b(c)d)', 1],
      ['(?<=a\\))b', 'lookbehind', '(?<=a\\))', 0],
      ['(?<!a)b', 'lookbehind', '(?<!a)', 0],
      ['(a)b\\1', 'backreference', '\\1', 4],
      ['(?<q>["\'])x\\k<q>', 'backreference', '\\k<q>', 11],
      ['^a{1,1001}$', 'large-repeat', 'a{1,1001}', 1],
      ['^(?:a{40}){40}$', 'large-repeat', '(?:a{40}){40}', 1],
      [`${'('.repeat(101)}a${')'.repeat(101)}`, 'deep', '(', 100],
      ['(?:abcdefghijkl){1000}', 'large', '(?:abcdefghijkl){1000}', 0],
    ];
    for (const [source, kind, part, at] of problems) {
      expect(readPattern(source), source).to.deep.equal({ problem: { kind, part, at } });
    }
  });

  it('has a size that is near that of the automaton', () => {
    const read = readPattern('^([a-z]{1,100}){1,9}$');
    expect(read).to.have.property('size').that.is.within(900, LARGEST_PATTERN);
  });
});
