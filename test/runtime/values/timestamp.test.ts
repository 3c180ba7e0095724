import { expect } from 'chai';
import fc from 'fast-check';
import {
  canonicalDate,
  canonicalTimestamp,
  compareDates,
  compareTimestamps,
  dayOf,
  timestampFromDate,
  timestampFromPostgres,
} from '../../../runtime/values/moment.ts';
import { createDatabase } from '../../support/postgres.ts';
import { answersOf } from './answers.ts';

describe('runtime/values/timestamp', () => {
  const canonical: readonly (readonly [string, string | null])[] = [
    ['2026-11-15T04:56:40.120Z', '2026-11-15T04:56:40.12Z'],
    ['2026-11-15T04:56:40.000Z', '2026-11-15T04:56:40Z'],
    ['2026-11-15T04:56Z', '2026-11-15T04:56:00Z'],
    ['2026-11-15T04:56:40.1234569Z', '2026-11-15T04:56:40.123456Z'],
    ['2026-11-15T01:00:00+05:30', '2026-11-14T19:30:00Z'],
    ['2026-12-31T23:30:00.5-01:00', '2027-01-01T00:30:00.5Z'],
    ['2026-11-15T24:00:00Z', '2026-11-16T00:00:00Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00+15:59', '2025-12-31T08:01:00Z'],
    ['2026-01-01T00:00:00+16:00', null],
    ['2026-01-01T00:00:00+05:60', null],
    ['0001-01-01T00:00:00+01:00', null],
    ['0000-01-01T00:00:00Z', null],
    ['9999-12-31T23:30:00-01:00', null],
    ['2026-02-29T00:00:00Z', null],
    ['2026-13-01T00:00:00Z', null],
    ['2026-11-15T24:00:00.5Z', null],
    ['2026-11-15T25:00:00Z', null],
    ['2026-11-15T04:60:00Z', null],
    ['2026-11-15T04:56:60Z', null],
    ['2026-11-15T04:56.5Z', null],
    ['2026-11-15T04:56:40', null],
    ['2026-11-15 04:56:40Z', null],
    ['2026-11-15', null],
    ['now', null],
  ];
  for (const [text, expected] of canonical) {
    it(`reads ${text} as ${expected}`, () => {
      expect(canonicalTimestamp(text)).to.equal(expected);
    });
  }

  const printed: readonly (readonly [string, string])[] = [
    ['2026-11-15 04:56:40.12+00', '2026-11-15T04:56:40.12Z'],
    ['2026-11-15 04:56:40+05:30', '2026-11-14T23:26:40Z'],
    ['2026-11-15 04:56:40.000001-03', '2026-11-15T07:56:40.000001Z'],
    ['1890-01-01 00:53:28+00:53:28', '1890-01-01T00:00:00Z'],
    ['2026-11-15T04:56:40.12+00:00', '2026-11-15T04:56:40.12Z'],
    ['infinity', 'infinity'],
  ];
  for (const [text, expected] of printed) {
    it(`takes ${text} from Postgres as ${expected}`, () => {
      expect(timestampFromPostgres(text)).to.equal(expected);
    });
  }

  it('orders by time, whatever the digits of the second', () => {
    const inOrder = [
      '2026-11-15T04:56:40Z',
      '2026-11-15T04:56:40.1Z',
      '2026-11-15T04:56:40.12Z',
      '2026-11-15T04:56:41Z',
    ];
    expect(inOrder.toReversed().sort(compareTimestamps)).to.deep.equal(inOrder);
    expect(compareTimestamps('2026-11-15T04:56:40.1Z', '2026-11-15T04:56:40.1Z')).to.equal(0);
  });

  it('gives a moment, and the day of it, in the one form', () => {
    const moment = new Date('2026-11-15T23:59:59.120Z');
    expect(timestampFromDate(moment)).to.equal('2026-11-15T23:59:59.12Z');
    expect(dayOf(moment)).to.equal('2026-11-15');
  });

  it('reads real days of the calendar', () => {
    expect(
      ['2026-02-28', '2024-02-29', '2026-02-29', '2026-00-10', '0000-01-01', '2026-1-1'].map(canonicalDate),
    ).to.deep.equal(['2026-02-28', '2024-02-29', null, null, null, null]);
    expect(compareDates('2026-02-28', '2026-03-01')).to.equal(-1);
  });

  describe('beside Postgres', () => {
    const two = (value: number) => `${value}`.padStart(2, '0');
    const moment = fc
      .tuple(
        fc.date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true }),
        fc.integer({ min: 0, max: 999_999 }),
        fc.tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 59 })),
      )
      .map(([date, micros, [sign, hours, minutes]]) => {
        const fraction = `${micros}`.padStart(6, '0');
        return `${date.toISOString().slice(0, 19)}.${fraction}${sign}${two(hours)}:${two(minutes)}`;
      });

    it('reads and prints the same moments, in any time zone of the session', async () => {
      const { client } = await createDatabase();
      for (const zone of ['UTC', 'Asia/Kolkata', 'Europe/Amsterdam', 'America/St_Johns']) {
        await client.query(`SET TIME ZONE '${zone}'`);
        await fc.assert(
          fc.asyncProperty(fc.array(moment, { minLength: 100 }), async (moments) => {
            const text = 'SELECT m::timestamptz::text FROM unnest($1::text[]) WITH ORDINALITY AS t (m, n) ORDER BY n';
            const { rows } = await client.query({ text, values: [moments], rowMode: 'array' });
            // Beyond the years of four digits, which the zone of a session may reach, Postgres prints another form.
            const answers = rows.map(([printed]) => timestampFromPostgres(printed as string));
            expect(moments.map(canonicalTimestamp)).to.deep.equal(answers);
          }),
          { numRuns: 3 },
        );
      }
    });

    it('orders alike', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(moment, moment), { minLength: 100 }), async (pairs) => {
          const answers = await answersOf(
            'sign(extract(epoch FROM a::timestamptz) - extract(epoch FROM b::timestamptz))',
            {
              a: pairs.map(([a]) => a),
              b: pairs.map(([, b]) => b),
            },
          );
          const ours = pairs.map(([a, b]) =>
            compareTimestamps(canonicalTimestamp(a) ?? '', canonicalTimestamp(b) ?? ''),
          );
          expect(ours.map(String)).to.deep.equal(answers);
        }),
        { numRuns: 3 },
      );
    });
  });
});
