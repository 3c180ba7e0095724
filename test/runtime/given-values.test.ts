import { expect } from 'chai';
import { type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { emptyScope } from '../../runtime/expressions/scope.ts';
import { type Given, given, givenList, type Parameter, prepared } from '../../runtime/query/prepared.ts';
import { createDatabase } from '../support/postgres.ts';

describe('values that the caller of a statement gives', () => {
  const page = sql`LIMIT ${given('limit', 'bigint')} OFFSET ${given('offset', 'bigint')}`;

  it('are bound by their names, whatever their order', () => {
    expect(page.text).to.equal('LIMIT ?::bigint OFFSET ?::bigint');
    expect(boundIn(page, { offset: '40', limit: '20' })).to.deep.equal(['20', '40']);
  });

  it('may be null', () => {
    expect(boundIn(page, { limit: '20', offset: null })).to.deep.equal(['20', null]);
  });

  it('must not be missing', () => {
    expect(() => boundIn(page, { limit: '20' })).to.throw('a statement was run without its value `offset`');
  });

  it('are planned once where they are a list, however short', async () => {
    const { client } = await createDatabase();
    await client.query('CREATE TABLE part AS SELECT id::bigint FROM generate_series(1, 10000) AS id');
    await client.query('ALTER TABLE part ADD PRIMARY KEY (id)');
    await client.query('ANALYZE part');
    const parts = sql`SELECT id FROM part WHERE id = ANY (${givenList('ids', sql`bigint`)})`;
    const { statement } = prepared(parts, { isRepeatable: true, isOneOfMany: false });
    for (let run = 0; run < 10; run++) {
      const { rows } = await client.query({ name: 'parts', text: statement.text, values: [['3', '7']] });
      expect(rows).to.deep.equal([{ id: '3' }, { id: '7' }]);
    }
    const { rows } = await client.query('SELECT custom_plans FROM pg_prepared_statements');
    expect(rows).to.deep.equal([{ custom_plans: '5' }]);
  });
});

function boundIn({ parameters }: Sql, values: Given) {
  return (parameters as readonly Parameter[]).map((parameter) => parameter(emptyScope(), values));
}
