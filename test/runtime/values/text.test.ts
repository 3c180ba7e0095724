import { expect } from 'chai';
import fc from 'fast-check';
import { WHITE_SPACE } from '../../../compiler/definition/sql/call-sql.ts';
import { compareTexts, isStorable, lengthOf } from '../../../runtime/values/text.ts';
import { answersOf } from './answers.ts';

describe('runtime/values/text', () => {
  it('counts code points', () => {
    expect(lengthOf('a😀é')).to.equal(3);
    expect(lengthOf('e\u0301')).to.equal(2);
    expect(lengthOf('')).to.equal(0);
  });

  it('orders what is above the sixteen-bit units behind all that is within them', () => {
    expect(compareTexts('\uffee', '😀')).to.be.lessThan(0);
    expect(compareTexts('😀', '\uffee')).to.be.greaterThan(0);
    expect(compareTexts('ab', 'abc')).to.be.lessThan(0);
    expect(compareTexts('é', 'é')).to.equal(0);
  });

  it('knows all white space of JavaScript', () => {
    const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
    expect(units.filter((unit) => unit.trim() === '').join('')).to.equal(WHITE_SPACE);
  });

  it('stores no U+0000 and no half of a pair', () => {
    expect(isStorable('a😀')).to.equal(true);
    expect(isStorable('a\0')).to.equal(false);
    expect(isStorable('a\ud83d')).to.equal(false);
  });

  describe('beside Postgres', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => !value.includes('\0'));
    const pairs = fc.array(fc.tuple(text, text), { minLength: 100 });

    it('orders alike', async () => {
      await fc.assert(
        fc.asyncProperty(pairs, async (rows) => {
          const sql = `CASE WHEN a < b COLLATE "C" THEN -1 WHEN a = b THEN 0 ELSE 1 END`;
          const answers = await answersOf(sql, { a: rows.map(([a]) => a), b: rows.map(([, b]) => b) });
          expect(rows.map(([a, b]) => `${Math.sign(compareTexts(a, b))}`)).to.deep.equal(answers);
        }),
        { numRuns: 5 },
      );
    });

    it('counts alike', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(text, { minLength: 100 }), async (values) => {
          const answers = await answersOf('length(a)', { a: values });
          expect(values.map((value) => `${lengthOf(value)}`)).to.deep.equal(answers);
        }),
        { numRuns: 5 },
      );
    });

    // Letters that Unicode had before version 11: which ones come later depends on the ICU that Postgres was built with.
    const RANGES: readonly (readonly [number, number])[] = [
      [0x20, 0x19a],
      [0x1c4, 0x24f],
      [0x370, 0x52f],
      [0x1e00, 0x1fff],
      [0xfb00, 0xfb06],
      [0x10400, 0x1044f],
      [0x1f600, 0x1f64f],
    ];
    const letter = fc
      .constantFrom(...RANGES)
      .chain(([min, max]) => fc.integer({ min, max }))
      .map((point) => String.fromCodePoint(point));
    const word = fc.oneof(
      fc.string({ unit: letter, maxLength: 12 }),
      fc.constantFrom('ΟΔΟΣ', 'ΑΣ.Β', 'İI', 'straße', 'ŉﬀ'),
    );

    for (const [name, apply] of Object.entries({ lower: lowerOf, upper: upperOf })) {
      it(`gives ${name} case alike`, async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(word, { minLength: 200 }), async (values) => {
            const answers = await answersOf(`${name}(a COLLATE "und-x-icu")`, { a: values });
            expect(values.map(apply)).to.deep.equal(answers);
          }),
          { numRuns: 5 },
        );
      });
    }

    it('trims alike', async () => {
      const spaced = fc.string({ unit: fc.constantFrom(...WHITE_SPACE, 'a', '\u200b', 'é'), maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(fc.array(spaced, { minLength: 100 }), async (values) => {
          const answers = await answersOf('btrim(a, w)', { a: values, w: values.map(() => WHITE_SPACE) });
          expect(values.map((value) => value.trim())).to.deep.equal(answers);
        }),
        { numRuns: 5 },
      );
    });
  });
});

function lowerOf(text: string): string {
  return text.toLowerCase();
}

function upperOf(text: string): string {
  return text.toUpperCase();
}
