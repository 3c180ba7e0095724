import { expect } from 'chai';
import fc from 'fast-check';
import { floatText, moduloFloats, roundFloat } from '../../../runtime/values/float.ts';
import { answersOf } from './answers.ts';

describe('runtime/values/float', () => {
  const texts: readonly (readonly [number, string])[] = [
    [1e15, '1e+15'],
    [999_999_999_999_999, '999999999999999'],
    [1.5e-5, '1.5e-05'],
    [0.0001, '0.0001'],
    [-0, '-0'],
    [0.1, '0.1'],
    [1e23, '9.999999999999999e+22'],
    [-99999999999999800, '-9.999999999999981e+16'],
    [5e-324, '5e-324'],
    [-1.7976931348623157e308, '-1.7976931348623157e+308'],
  ];
  for (const [value, text] of texts) {
    it(`prints ${text}`, () => {
      expect(floatText(value)).to.equal(text);
    });
  }

  it('takes remainders of what is printed', () => {
    expect(moduloFloats(0.3, 0.1)).to.equal(0);
    expect(moduloFloats(-5.5, 3)).to.equal(-2.5);
    expect(moduloFloats(1, 0)).to.equal(null);
  });

  it('rounds halves away from zero', () => {
    expect(roundFloat(2.5, 0)).to.equal(3);
    expect(roundFloat(-2.5, 0)).to.equal(-3);
    expect(roundFloat(1.005, 2)).to.equal(1);
    expect(roundFloat(1250, -2)).to.equal(1300);
  });

  describe('beside Postgres', () => {
    const float = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ noNaN: true, min: -1e17, max: 1e17 }),
      fc.tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 13, max: 40 })).map(([n, e]) => Number(`${n}e${e}`)),
      fc.integer().map((whole) => whole / 100),
    );

    it('prints alike', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(float, { minLength: 200 }), async (values) => {
          const answers = await answersOf('x::float8', {
            x: values.map((value) => (Object.is(value, -0) ? '-0' : `${value}`)),
          });
          expect(values.map(floatText)).to.deep.equal(answers);
        }),
        { numRuns: 10 },
      );
    });

    it('gives remainders alike', async () => {
      const moderate = fc.oneof(
        fc.double({ noNaN: true, min: 1e-100, max: 1e25 }),
        fc.integer().map((n) => n / 100),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(moderate, moderate), { minLength: 50 }), async (pairs) => {
          const answers = await answersOf(
            'mod(x::float8::text::numeric, nullif(y::float8::text::numeric, 0))::float8',
            {
              x: pairs.map(([x]) => `${x}`),
              y: pairs.map(([, y]) => `${y}`),
            },
          );
          const ours = pairs.map(([x, y]) => moduloFloats(x, y));
          expect(ours.map((value) => (value === null ? null : floatText(value)))).to.deep.equal(answers);
        }),
        { numRuns: 5 },
      );
    });

    it('rounds alike', async () => {
      const moderate = fc.oneof(
        fc.double({ noNaN: true, min: 1e-100, max: 1e9 }),
        fc.integer().map((n) => n / 1000),
      );
      const places = fc.integer({ min: -5, max: 12 });
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(moderate, places), { minLength: 100 }), async (pairs) => {
          const unit = `('1e' || n)::float8`;
          const answers = await answersOf(`sign(x::float8) * floor(abs(x::float8) * ${unit} + 0.5) / ${unit}`, {
            x: pairs.map(([x]) => floatText(x)),
            n: pairs.map(([, n]) => `${n}`),
          });
          expect(pairs.map(([x, n]) => floatText(roundFloat(x, n)))).to.deep.equal(answers);
        }),
        { numRuns: 5 },
      );
    });
  });
});
