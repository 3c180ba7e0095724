import { expect } from 'chai';
import fc from 'fast-check';
import { UNITS } from '../../../compiler/definition/contract/functions.ts';
import type { Call, Type } from '../../../compiler/definition/expression.ts';
import { PERIODS, type Unit } from '../../../compiler/definition/functions.ts';
import { callSql, textSql } from '../../../compiler/definition/sql/call-sql.ts';
import { type Sql, sql, type Text } from '../../../compiler/definition/sql/sql.ts';
import { daysBetween, moved, secondsBetween, startOf, timestampFromDate } from '../../../runtime/values/moment.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';

const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');
const COUNT = 300;

const day = fc
  .oneof(
    fc.date({ min: new Date(FIRST), max: new Date(LAST), noInvalidDate: true }),
    fc
      .constantFrom('2024-02-29', '2023-01-31', '2000-02-29', '1900-02-28', '0001-01-01', '9999-12-31')
      .map((text) => new Date(text)),
  )
  .map((date) => date.toISOString().slice(0, 10));
const moment = fc
  .tuple(
    fc.date({ min: new Date(FIRST), max: new Date(LAST), noInvalidDate: true }),
    fc.constantFrom('', '001', '25', '999'),
  )
  .map(([date, micros]) => timestampWith(date, micros));
/** Near ones, those that just fit or do not, and those that no interval can have. */
const count = fc.oneof(
  fc.integer({ min: -40, max: 40 }),
  fc.integer({ min: -120_000, max: 120_000 }),
  fc.integer({ min: -400_000_000_000, max: 400_000_000_000 }),
  fc.maxSafeInteger(),
);

/** To the microsecond. */
function timestampWith(date: Date, micros: string): string {
  const text = `${date.toISOString().slice(0, -1)}${micros}`.replace(/\.?0+$/, '');
  return text.length < 19 ? timestampFromDate(date) : `${text}Z`;
}

function sampled<T>(values: fc.Arbitrary<T>): readonly T[] {
  return fc.sample(values, COUNT);
}

function call(name: Call['function'], types: readonly Type[], type: Type, values: readonly Sql[]): Sql {
  const args = types.map((each) => ({ kind: 'literal', value: null, type: each }) as const);
  return callSql({ kind: 'call', function: name, arguments: args, type }, values);
}

describe('dates and timestamps that are moved, compared and cut', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase();
    // Nothing may depend on the zone of the session.
    await database.client.query(`SET TIME ZONE 'America/New_York'`);
  });

  /** All of them in one statement, in the form of the API. */
  async function inPostgres(value: Text, type: Type, columns: string, lists: readonly (readonly unknown[])[]) {
    const { rows } = await database.client.query({
      text: `SELECT ${textSql(value as Sql, type).text} AS result FROM unnest(${columns}) WITH ORDINALITY AS t(a, b, n) ORDER BY n`,
      values: lists as unknown[][],
    });
    return rows.map(({ result }: { result: string | null }) => result);
  }

  const kinds = [
    { kind: 'date', values: day, column: 'date' },
    { kind: 'timestamp', values: moment, column: 'timestamptz' },
  ] as const;

  for (const { kind, values, column } of kinds) {
    const units = UNITS.filter((unit: Unit) => kind === 'timestamp' || !['hours', 'minutes', 'seconds'].includes(unit));
    for (const unit of units) {
      it(`${unit} move a ${kind} in the server as in Postgres`, async () => {
        const moments = sampled(values);
        const counts = sampled(count);
        const { guarded } = call(unit, [{ kind }, { kind: 'integer' }], { kind }, [sql`a`, sql`b`]);
        const found = await inPostgres(guarded as Text, { kind }, `$1::${column}[], $2::bigint[]`, [moments, counts]);
        const own = moments.map((each, at) => moved(each, counts[at] as number, unit));
        expect(found).to.deep.equal(own);
        expect(own.filter((each) => each !== null).length).to.be.greaterThan(50);
        expect(own.filter((each) => each === null).length).to.be.greaterThan(50);
      });

      it(`${unit} that take a ${kind} out of range are an error in a statement that is not guarded`, async () => {
        const value = call(unit, [{ kind }, { kind: 'integer' }], { kind }, [sql`a`, sql`b`]);
        const moments = sampled(values);
        const counts = sampled(count);
        const all = moments.map((each, at) => [each, counts[at] as number] as const);
        const fitting = all.filter(([each, by]) => moved(each, by, unit) !== null);
        const columns = `$1::${column}[], $2::bigint[]`;
        const found = await inPostgres(value, { kind }, columns, [
          fitting.map(([each]) => each),
          fitting.map(([, by]) => by),
        ]);
        expect(found).to.deep.equal(fitting.map(([each, by]) => moved(each, by, unit)));
        for (const [each, by] of [...all.filter((pair) => !fitting.includes(pair)).slice(0, 8), ...beside(kind)]) {
          const refused = await inPostgres(value, { kind }, columns, [[each], [by]]).then(
            (rows) => `${each} ${by} gave ${rows[0]}`,
            ({ code }: { code: string }) => code,
          );
          expect(refused).to.be.oneOf(['22008', '22003']);
        }
      });
    }

    for (const period of PERIODS) {
      it(`the start of a ${period} is the same for a ${kind}`, async () => {
        const moments = sampled(values);
        const literal = { kind: 'literal', value: period, type: { kind: 'string' } } as const;
        const args = [literal, { kind: 'literal', value: null, type: { kind } } as const];
        const value = callSql({ kind: 'call', function: 'startOf', arguments: args, type: { kind } }, [sql`b`, sql`a`]);
        const found = await inPostgres(value, { kind }, `$1::${column}[], $2::bigint[]`, [
          moments,
          moments.map(() => 0),
        ]);
        expect(found).to.deep.equal(moments.map((each) => startOf(period, each)));
      });
    }
  }

  /** One step out of range. */
  function beside(kind: 'date' | 'timestamp'): readonly (readonly [string, number])[] {
    const time = kind === 'date' ? '' : 'T23:59:59.999999Z';
    return [
      [`9999-12-31${time}`, 1],
      [`0001-01-01${kind === 'date' ? '' : 'T00:00:00Z'}`, -1],
    ];
  }

  for (const [name, own] of [
    ['secondsBetween', secondsBetween],
    ['daysBetween', daysBetween],
  ] as const) {
    it(`${name} is the same for dates and timestamps`, async () => {
      for (const [from, to] of [
        [kinds[0], kinds[0]],
        [kinds[1], kinds[1]],
        [kinds[0], kinds[1]],
      ] as const) {
        const [a, b] = [sampled(from.values), [...sampled(to.values)].reverse()];
        const value = call(name, [{ kind: from.kind }, { kind: to.kind }], { kind: 'integer' }, [sql`a`, sql`b`]);
        const found = await inPostgres(value, { kind: 'integer' }, `$1::${from.column}[], $2::${to.column}[]`, [a, b]);
        expect(found.map(Number)).to.deep.equal(a.map((each, at) => own(each, b[at] as string)));
      }
    });
  }
});
