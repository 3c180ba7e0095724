import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { documentOf } from './documents.ts';

const SOURCE = `
model Post { field title { type string }, field description { type string }, field example { type string } }
api { entrypoint Post as post { list endpoint {} } }
`;

describe('the fingerprint of a contract', () => {
  before(() => loadGrammar());

  it('has sixteen digits, and is the same for the same API', () => {
    expect(contractFrom(SOURCE))
      .to.match(/^[0-9a-f]{16}$/)
      .and.equal(contractFrom(SOURCE));
  });

  it('does not count what only people read', () => {
    expect(contractFrom(SOURCE.replace('model Post', '/// What is written.\nmodel Post'))).to.equal(
      contractFrom(SOURCE),
    );
  });

  it('counts a new endpoint, an input and the type of a field, whatever its name', () => {
    const others = [
      SOURCE.replace('list endpoint {}', 'list endpoint {}, get endpoint {}'),
      SOURCE.replace('list endpoint {}', 'list endpoint { paginable }'),
      SOURCE.replace('description { type string }', 'description { type integer }'),
      SOURCE.replace('example { type string }', 'example { type integer }'),
    ].map(contractFrom);
    expect(new Set([contractFrom(SOURCE), ...others]).size).to.equal(5);
  });
});

function contractFrom(source: string): string {
  return documentOf(source)['x-kiln-contract'];
}
