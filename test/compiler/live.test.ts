/** Live lists in the document, and what becoming one, or no longer being one, means to clients. */
import { expect } from 'chai';
import { apiChanges } from '../../compiler/difference/api-changes.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { documentOf } from './difference/api/edited.ts';
import { definitionOf } from './emit-sql-database.ts';

const sources = (live: string) => [
  {
    path: 'main.kiln',
    text: `model Post { field title { type string } } api { entrypoint Post { list endpoint { ${live} } } }`,
  },
];

describe('a live list for its clients', () => {
  before(loadGrammar);

  it('has a second form in the document', () => {
    const { paths } = documentOf(definitionOf(sources('live')));
    const ok = (paths as Record<string, Record<string, { responses: Record<string, { content: object }> }>>)[
      '/api/post'
    ]?.get;
    expect(Object.keys(ok?.responses['200']?.content ?? {})).to.deep.equal(['application/json', 'text/event-stream']);
  });

  it('breaks those who follow it when it is no longer live', () => {
    const said = (before: string, after: string) =>
      apiChanges(definitionOf(sources(before)), definitionOf(sources(after))).map(
        ({ level, rule }) => `${level} ${rule}`,
      );
    expect(said('live', '')).to.deep.equal(['breaking list-not-live']);
    expect(said('', 'live')).to.deep.equal(['compatible list-live']);
    expect(said('', 'stale seconds(5)')).to.deep.equal(['compatible staleness-changed']);
    expect(said('stale seconds(5)', 'stale seconds(9)')).to.deep.equal(['compatible staleness-changed']);
  });

  it('takes a position where its data may be stale', () => {
    const { paths } = documentOf(definitionOf(sources('stale seconds(5)')));
    expect(JSON.stringify(paths)).to.include('"kiln-position","in":"header"').and.to.include('up to 5 seconds old');
  });
});
