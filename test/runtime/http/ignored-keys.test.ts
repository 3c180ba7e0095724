import { expect } from 'chai';
import { compile } from '../../../compiler/compile.ts';
import type { Endpoint } from '../../../compiler/definition/endpoint.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { ignoredKeys, ignoredText } from '../../../runtime/endpoints/ignored-keys.ts';
import type { Sent } from '../../../runtime/request/inputs.ts';

const PROGRAM = `
model Task { field title { type string } }
model Note { field text { type string } }
api { entrypoint Task { create endpoint { action { create {}, create Note as note {} } } } }
`;

describe('keys that a server ignores', () => {
  before(() => loadGrammar());

  function ignored(sent: Sent, text = PROGRAM) {
    const [endpoint] = compile([{ path: 'main.kiln', text }]).definition?.endpoints ?? [];
    return ignoredKeys(sent, endpoint as Endpoint);
  }

  it('are none where all are inputs', () => {
    expect(ignored({ title: 'a', note: { text: 'b' } })).to.equal(null);
    expect(ignored({})).to.equal(null);
  });

  it('are named, those below another key with a path', () => {
    expect(ignored({ titel: 'a', note: { texts: 'b', text: 'c' } })).to.deep.equal({
      keys: ['titel', 'note.texts'],
      more: 0,
    });
  });

  it('are looked for beside and below the key that holds the inputs', () => {
    const text = 'model A { field b { type string } } api { entrypoint A { inputs under "a", create endpoint {} } }';
    expect(ignored({ a: { b: 'x' } }, text)).to.equal(null);
    expect(ignored({ b: 'x', a: { c: 'y' } }, text)?.keys).to.deep.equal(['b', 'a.c']);
  });

  it('are names of a query string, too', () => {
    const text = `model A { field kind { type string, index }, field n { type integer, index } }
      api { entrypoint A { list endpoint {
        paginable, filterable { kind, n }, sortable { n }, extra inputs { field least { type integer, default 0 } }, filter { n >= least }
      } } }`;
    expect(ignored({ page: '1', kind: 'x', 'n[gte]': '1', sort: 'n', least: '2' }, text)).to.equal(null);
    expect(ignored({ knid: 'x', pagesize: '3' }, text)?.keys).to.deep.equal(['knid', 'pagesize']);
  });

  it('are not looked for in what is no object', () => {
    for (const note of [null, 'text', ['text'], 5]) expect(ignored({ note })).to.equal(null);
  });

  it('are few, short, and harmless to a terminal', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, at]));
    expect(ignored(many)?.keys).to.have.lengthOf(10);
    expect(ignored(many)?.more).to.equal(4990);
    expect(ignored({ [`${'x'.repeat(100_000)}`]: 1 })?.keys[0]).to.have.lengthOf(61);
    expect(ignored({ 'a\u001b[31m\n\u009b': 1 })?.keys).to.deep.equal(['a\uFFFD[31m\uFFFD\uFFFD']);
  });

  it('are told in one line', () => {
    const place = { method: 'POST', route: '/api/task' };
    expect(ignoredText({ ...place, keys: ['titel'], more: 0 })).to.equal(
      'POST /api/task ignores `titel`: no input has this name',
    );
    expect(ignoredText({ ...place, keys: ['a', 'b'], more: 7 })).to.equal(
      'POST /api/task ignores `a`, `b`, 7 more: no input has these names',
    );
  });
});
