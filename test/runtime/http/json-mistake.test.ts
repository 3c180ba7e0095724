import { expect } from 'chai';
import fc from 'fast-check';
import { jsonMistake } from '../../../runtime/request/json-body.ts';

describe('where JSON is wrong', () => {
  const cases: readonly [string, string][] = [
    ['', 'line 1, column 1: a value was expected, but the body ended.'],
    ['{"a": }', 'line 1, column 7: a value was expected, but there is something else.'],
    ['{\n  "a": 1,\n}', 'line 3, column 1: a key in double quotes was expected, but there is something else.'],
    ["{'a': 1}", 'line 1, column 2: a key in double quotes was expected, but there is something else.'],
    ['{"a" "b"}', 'line 1, column 6: `:` was expected, but there is something else.'],
    ['{"a": 1 "b": 2}', 'line 1, column 9: `,` or `}` was expected, but there is something else.'],
    ['[1, 2', 'line 1, column 6: `,` or `]` was expected, but the body ended.'],
    ['[01]', 'line 1, column 3: `,` or `]` was expected, but there is something else.'],
    ['{} {}', 'line 1, column 4: the end of the body was expected, but there is something else.'],
    ['{"a": nul}', 'line 1, column 7: a value was expected, but there is something else.'],
    [
      '{"a": "b\nc"}',
      'line 1, column 7: a string that ends, has valid escapes and no control characters was expected, but there is something else.',
    ],
  ];
  for (const [text, expected] of cases) {
    it(`is said of ${JSON.stringify(text)}`, () => {
      expect(jsonMistake(text)).to.equal(` at ${expected}`);
    });
  }

  it('is said of every text that does not parse, and of no other', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom('', ',', '"', '{', ']', '\\', '0', '-', '\u0001', 'e'))
      .map(([text, at, gone, added]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + added + text.slice(place + gone);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        expect(jsonMistake(text) === null, text).to.equal(parses(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('is not looked for in a text that is very long or very deep', () => {
    expect(jsonMistake(`[${'1,'.repeat(50_000)}`)).to.equal(null);
    expect(jsonMistake('['.repeat(60_000))).to.be.oneOf([
      null,
      ' at line 1, column 60001: a value was expected, but the body ended.',
    ]);
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
