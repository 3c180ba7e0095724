import { expect } from 'chai';
import fc from 'fast-check';
import { placeOfMistake } from '../../../runtime/request/json-body.ts';

describe('where JSON is wrong', () => {
  const cases: readonly [string, string][] = [
    ['', 'line 1, column 1'],
    ['{"a": }', 'line 1, column 7'],
    ['{\n  "a": 1,\n}', 'line 3, column 1'],
    ["{'a': 1}", 'line 1, column 2'],
    ['{"a" "b"}', 'line 1, column 6'],
    ['{"a": 1 "b": 2}', 'line 1, column 9'],
    ['[1, 2', 'line 1, column 6'],
    ['[01]', 'line 1, column 3'],
    ['{} {}', 'line 1, column 4'],
    ['{"a": nul}', 'line 1, column 10'],
    ['{"a": "b\nc"}', 'line 1, column 9'],
    ['"position 3" 4', 'line 1, column 14'],
  ];
  for (const [text, expected] of cases) {
    it(`is said of ${JSON.stringify(text)}`, () => {
      expect(placeOfMistake(text)).to.equal(` at ${expected}`);
    });
  }

  it('is the first character that no JSON has there', () => {
    const damaged = fc.tuple(fc.json(), fc.nat()).map(([text, at]) => [text, at % (text.length + 1)] as const);
    fc.assert(
      fc.property(damaged, ([text, at]) => {
        const found = placeOfMistake(`${text.slice(0, at)}\u0001${text.slice(at)}`);
        expect(found).to.equal(` at line 1, column ${at + 1}`);
      }),
      { numRuns: 2000 },
    );
  });

  it('is the end of a text that ends too early', () => {
    const cut = fc.tuple(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat()).map(([list, at]) => {
      const text = JSON.stringify(list);
      return text.slice(0, at % text.length);
    });
    fc.assert(
      fc.property(cut, (text) => {
        expect(placeOfMistake(text)).to.equal(` at line 1, column ${text.length + 1}`);
      }),
      { numRuns: 2000 },
    );
  });

  it('is not looked for in a text that is very long', () => {
    expect(placeOfMistake(`[${'1,'.repeat(3_000)}`)).to.equal('');
    expect(placeOfMistake('['.repeat(4_000))).to.equal(' at line 1, column 4001');
  });
});
