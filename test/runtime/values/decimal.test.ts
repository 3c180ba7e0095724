import { expect } from 'chai';
import fc from 'fast-check';
import { quotientOf as quotientSql } from '../../../compiler/definition/sql/overflow.ts';
import { sql } from '../../../compiler/definition/sql/sql.ts';
import {
  absoluteDecimal,
  addDecimals,
  canonicalDecimal,
  compareDecimals,
  decimalFromNumber,
  divideDecimals,
  moduloDecimals,
  multiplyDecimals,
  negateDecimal,
  quotientOf,
  roundDecimal,
  subtractDecimals,
  sumOfDecimals,
  wholeDecimal,
} from '../../../runtime/values/decimal.ts';
import { answersOf } from './answers.ts';

describe('runtime/values/decimal', () => {
  const canonical: readonly (readonly [string, string | null])[] = [
    ['1.50', '1.50'],
    ['007.5', '7.5'],
    ['-0', '0'],
    ['-0.00', '0.00'],
    ['-00.10', '-0.10'],
    ['0000', '0'],
    ['', null],
    ['.5', null],
    ['5.', null],
    ['+5', null],
    ['1e5', null],
    ['1 ', null],
    ['1\n', null],
    ['NaN', null],
    ['9'.repeat(131_072), '9'.repeat(131_072)],
    ['9'.repeat(131_073), null],
    [`0${'9'.repeat(131_072)}`, '9'.repeat(131_072)],
    [`0.${'1'.repeat(16_383)}`, `0.${'1'.repeat(16_383)}`],
    [`0.${'1'.repeat(16_384)}`, null],
  ];
  for (const [text, expected] of canonical) {
    const short = (value: string | null) => (value && value.length > 20 ? `${value.length} characters` : value);
    it(`reads ${JSON.stringify(short(text))} as ${short(expected)}`, () => {
      expect(canonicalDecimal(text)).to.equal(expected);
    });
  }

  it('refuses a long text that is almost a decimal without looking at it twice', () => {
    expect(canonicalDecimal(`${'0'.repeat(1_000_000)}x`)).to.equal(null);
  });

  it('keeps the digits that Postgres keeps', () => {
    expect(addDecimals('1.50', '1')).to.equal('2.50');
    expect(multiplyDecimals('1.50', '2.0')).to.equal('3.000');
    expect(moduloDecimals('5.50', '0.3')).to.equal('0.10');
    expect(roundDecimal('1234.5', -2)).to.equal('1200');
    expect(roundDecimal('-2.5', 0)).to.equal('-3');
  });

  it('gives null for a division by zero', () => {
    expect(moduloDecimals('1', '0.00')).to.equal(null);
    expect(divideDecimals('1', '0.00')).to.equal(null);
  });

  it('writes numbers without exponents', () => {
    expect(decimalFromNumber(1e-7)).to.equal('0.0000001');
    expect(decimalFromNumber(-1.5e21)).to.equal('-1500000000000000000000');
    expect(decimalFromNumber(0.1)).to.equal('0.1');
    expect(decimalFromNumber(-0)).to.equal('0');
  });

  describe('beside Postgres', () => {
    const digits = fc.oneof(fc.bigInt(-1000n, 1000n), fc.bigInt(-(10n ** 30n), 10n ** 30n));
    const decimal = fc.tuple(digits, fc.integer({ min: 0, max: 12 })).map(([whole, scale]) => {
      const text = (whole < 0n ? -whole : whole).toString().padStart(scale + 1, '0');
      const pointed = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
      return canonicalDecimal(`${whole < 0n ? '-' : ''}${pointed}`) ?? '';
    });
    const cases = fc.array(fc.tuple(decimal, decimal, fc.integer({ min: -6, max: 14 })), { minLength: 100 });

    const operations: Readonly<Record<string, readonly [string, (a: string, b: string, n: number) => unknown]>> = {
      adds: ['a::numeric + b::numeric', addDecimals],
      'adds up': ['a::numeric + b::numeric + a::numeric', (a, b) => sumOfDecimals([a, b, a])],
      subtracts: ['a::numeric - b::numeric', subtractDecimals],
      multiplies: ['a::numeric * b::numeric', multiplyDecimals],
      'gives remainders': ['a::numeric % nullif(b::numeric, 0)', moduloDecimals],
      divides: ['a::numeric / nullif(b::numeric, 0)', (a, b) => divideDecimals(a, b)],
      'gives quotients': [quotientSql(sql`a::numeric`, sql`nullif(b::numeric, 0)`).text, quotientOf],
      'rounds down': ['floor(a::numeric)', (a) => wholeDecimal(a, 'floor')],
      'rounds up': ['ceil(a::numeric)', (a) => wholeDecimal(a, 'ceil')],
      compares: [
        'CASE WHEN a::numeric < b::numeric THEN -1 WHEN a::numeric = b::numeric THEN 0 ELSE 1 END',
        (a, b) => String(compareDecimals(a, b)),
      ],
      negates: ['-(a::numeric)', negateDecimal],
      'takes magnitudes': ['abs(a::numeric)', absoluteDecimal],
      rounds: ['round(a::numeric, n::integer)', (a, _, n) => roundDecimal(a, n)],
      'reads and prints': ['a::numeric', (a) => a],
    };
    for (const [does, [statement, apply]] of Object.entries(operations)) {
      it(`${does} alike`, async () => {
        await fc.assert(
          fc.asyncProperty(cases, async (rows) => {
            const answers = await answersOf(statement, {
              a: rows.map(([a]) => a),
              b: rows.map(([, b]) => b),
              n: rows.map(([, , n]) => `${n}`),
            });
            expect(rows.map(([a, b, n]) => apply(a, b, n))).to.deep.equal(answers);
          }),
          { numRuns: 5 },
        );
      });
    }
  });
});
