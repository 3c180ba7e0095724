import { expect } from 'chai';
import type { Type } from '../../../compiler/definition/expression.ts';
import { jsonText } from '../../../runtime/values/json.ts';
import { binderOf, comparatorOf, equal, parserOf } from '../../../runtime/values/kinds.ts';
import { canonicalUuid, uuidV7 } from '../../../runtime/values/uuid.ts';
import type { Value } from '../../../runtime/values/value.ts';
import { createDatabase } from '../../support/postgres.ts';
import { answersOf } from './answers.ts';

const COLUMNS: readonly (readonly [Type, string, readonly Value[]])[] = [
  [{ kind: 'string' }, 'text', ['', 'a "quoted" \\ text', '😀\n']],
  [{ kind: 'integer' }, 'bigint', [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]],
  [{ kind: 'float' }, 'float8', [0.1, -1.5e300, 5e-324, 1e23, -0]],
  [{ kind: 'boolean' }, 'boolean', [true, false]],
  [{ kind: 'decimal' }, 'numeric', ['1.50', '-0.001', '12345678901234567890.1']],
  [
    { kind: 'timestamp' },
    'timestamptz',
    ['2026-11-15T04:56:40.12Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z'],
  ],
  [{ kind: 'date' }, 'date', ['2026-11-15', '0001-01-01', '9999-12-31']],
  [{ kind: 'uuid' }, 'uuid', ['018f4e6a-7c1b-7d2e-9a3f-5b6c7d8e9f01']],
  [{ kind: 'json' }, 'jsonb', [{ a: [1, null, 'x'], b: { c: true } }, [1, 2], 'text', 5, false]],
];

describe('runtime/values', () => {
  describe('there and back through Postgres', () => {
    for (const [type, column, values] of COLUMNS) {
      it(`keeps values of ${type.kind}`, async () => {
        const { client } = await createDatabase();
        const bind = binderOf(type);
        const parse = parserOf(type);
        for (const value of [...values, null]) {
          const text = `SELECT ($1::${column})::text AS printed`;
          const { rows } = await client.query({ text, values: [bind(value)] });
          expect(parse(rows[0].printed)).to.deep.equal(value);
        }
      });

      it(`keeps lists of ${type.kind}`, async () => {
        const { client } = await createDatabase();
        const many: Type = { ...type, many: true };
        const item = ['numeric', 'timestamptz'].includes(column) ? 'item::text' : 'item';
        const text = `SELECT jsonb_agg(${item} ORDER BY n)::text AS printed FROM unnest($1::${column}[]) WITH ORDINALITY AS t (item, n)`;
        const bound = binderOf(many)([...values, null]);
        const { rows } = await client.query({ text, values: [bound] });
        const expected = [...values, null].map((value) => (Object.is(value, -0) ? 0 : value));
        const read = (parserOf(many)(rows[0].printed) as readonly Value[]).map((value) =>
          Object.is(value, -0) ? 0 : value,
        );
        expect(read).to.deep.equal(expected);
      });
    }
  });

  it('prints JSON as Postgres prints it', async () => {
    const values: readonly Value[] = [
      { bb: 1, a: [1, 'x', null, true], é: {}, c: [] },
      { z: 1e21, aa: 1e-7, b: 'a"\\\n\u001f\u007fé😀/' },
      'text',
      -0,
    ];
    const answers = await answersOf('j::jsonb', { j: values.map((value) => JSON.stringify(value)) });
    expect(values.map(jsonText)).to.deep.equal(answers);
  });

  it('takes decimals for equal by value, and JSON without regard to the order of keys', () => {
    const decimal: Type = { kind: 'decimal' };
    expect(equal('1.0', '1.00', decimal)).to.equal(true);
    expect(equal('1.0', '1.01', decimal)).to.equal(false);
    expect(equal('1.0', '1.00', { kind: 'string' })).to.equal(false);
    expect(equal(['1.0'], ['1.00'], { kind: 'decimal', many: true })).to.equal(true);
    expect(equal({ a: 1, b: [2] }, { b: [2], a: 1 }, { kind: 'json' })).to.equal(true);
    expect(equal({ a: 1, b: [2] }, { b: [2], a: 1, c: null }, { kind: 'json' })).to.equal(false);
    expect(equal([], {}, { kind: 'json' })).to.equal(false);
    expect(equal(null, null)).to.equal(true);
    expect(equal(null, 0)).to.equal(false);
  });

  it('orders enums as they were declared', () => {
    const compare = comparatorOf({ kind: 'enum', enum: 'Status' }, () => ['draft', 'published', 'archived']);
    expect(['archived', 'draft', 'published'].sort(compare)).to.deep.equal(['draft', 'published', 'archived']);
  });

  it('writes UUIDs in lower case, and refuses what is none', () => {
    expect(canonicalUuid('018F4E6A-7C1B-7D2E-9A3F-5B6C7D8E9F01')).to.equal('018f4e6a-7c1b-7d2e-9a3f-5b6c7d8e9f01');
    expect(canonicalUuid('018f4e6a7c1b7d2e9a3f5b6c7d8e9f01')).to.equal(null);
    expect(canonicalUuid('{018f4e6a-7c1b-7d2e-9a3f-5b6c7d8e9f01}')).to.equal(null);
  });

  it('makes UUIDs of version 7 that begin with the time', () => {
    const before = Date.now();
    const made = uuidV7();
    const after = Date.now();
    expect(made).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(made.replace('-', '').slice(0, 12), 16)).to.be.within(before, after);
    expect(new Set(Array.from({ length: 1000 }, uuidV7)).size).to.equal(1000);
  });
});
