import { expect } from 'chai';
import { type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { emptyScope } from '../../runtime/expressions/scope.ts';
import { type Given, given, type Parameter } from '../../runtime/query/prepared.ts';

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
});

function boundIn({ parameters }: Sql, values: Given) {
  return (parameters as readonly Parameter[]).map((parameter) => parameter(emptyScope(), values));
}
