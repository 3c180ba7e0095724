/** The tree of a running client against the document: every operation once, and nothing else. */
import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { OpenApiDocument } from '../../../compiler/emit/openapi/document.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { failureOf } from '../../runtime/client/failure.ts';
import { definitionOf, EXAMPLES, everythingDefinition, exampleDefinition, routesOf } from '../openapi/documents.ts';
import { clientOfText, documentFrom, nastyDefinition } from './clients.ts';
import { callsOf, loadClient } from './loaded-client.ts';

describe('methods of a client', () => {
  before(() => loadGrammar());

  for (const name of [...EXAMPLES, 'nasty', 'everything']) {
    it(`are the operations of ${name}, each once`, async () => {
      const definition = definitionNamed(name);
      expect(await requestedRoutes(definition)).to.deep.equal(documentRoutes(documentFrom(definition, name)));
    });
  }

  it('are the operations of two entrypoints that share a path', async () => {
    const definition = definitionOf([
      {
        path: 'main.kiln',
        text: `model A { field name { type string, unique } } model B {}
          api {
            entrypoint A as a { path "x", identify { through name }, get endpoint {} }
            entrypoint B as b { path "x", update endpoint {}, delete endpoint {} }
          }`,
      },
    ]);
    expect(await requestedRoutes(definition)).to.deep.equal(['DELETE /api/x/{}', 'GET /api/x/{}', 'PATCH /api/x/{}']);
  });

  it('are not those that only a service can sign', () => {
    const source = `setting KEY { secret }
      model Note { field text { type string } }
      api { entrypoint Note { create endpoint {}  POST many "zoom" { signed by stripe { secret KEY } action { create Note { input { text } } } } } }`;
    const { typescript } = clientOfText(source);
    expect(typescript).to.contain('create').and.not.match(/zoom/i);
  });

  it('are two for an update by two methods', async () => {
    const text = 'model A {} api { entrypoint A as a { update endpoint { method PUT, PATCH } } }';
    const definition = definitionOf([{ path: 'main.kiln', text }]);
    expect(await requestedRoutes(definition)).to.deep.equal(['PATCH /api/a/{}', 'PUT /api/a/{}']);
  });

  it('have the codes of `refuse` in their types, with their statuses', () => {
    const { typescript } = clientOfText(`model Event { field seats { type integer } }
      api { entrypoint Event as event { POST one "buy" { action {
        refuse "sold-out" when event.seats < 1 { status 409 } refuse "closed" { status 410 } refuse "closed"
      } } } }`);
    expect(typescript).to.contain("'sold-out': 409;").and.to.contain('closed: 410 | 422;');
    expect(typescript).to.match(
      /readonly buy: Method<\[.*\], void, [^>]*'closed'[^>]*'sold-out'|'sold-out'[^>]*'closed'/,
    );
    expect(typescript).to.match(/const CODES = \/\^\(.*\|sold-out\|closed\)\$\/;/);
  });

  it('give the values of list inputs, which may be null', () => {
    const { typescript } = clientOfText(`model A {}
      api { entrypoint A as a { POST many "echo" {
        extra inputs { list rows { field s { type string, nullable } field t { type string } } }
        action { respond { body { s: rows.s, t: rows.t } } }
      } } }`);
    expect(typescript).to.match(/\n {4}s: \(string \| null\)\[\];\n {4}t: string\[\];/);
  });

  it('are below the parameters of their paths', async () => {
    const text = `model A { field n { type string } }
      api { entrypoint A as a { GET many "by/:n/last" { filter { n is @input.n } }, PUT one "tags/:tag" {}, get endpoint {} } }`;
    const definition = definitionOf([{ path: 'main.kiln', text }]);
    expect(await requestedRoutes(definition)).to.deep.equal([
      'GET /api/a/by/{}/last',
      'GET /api/a/{}',
      'PUT /api/a/{}/tags/{}',
    ]);
  });

  it('follow pages by the names that the author gives', async () => {
    const text = `model A { field n { type string } } api { entrypoint A as a {
      list endpoint { paginable { page as "p", response { items: data, pages: totalPages } } }
      GET many "feed" { response { id }, paginable { by cursor, after as "c", response { items: data, more: next } } }
    } }`;
    const { createClient } = await loadClient(definitionOf([{ path: 'main.kiln', text }]));
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(url);
      const isLast = asked.length % 2 === 0;
      const body = { items: [asked.length], pages: 2, more: isLast ? null : 'abc' };
      return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    };
    const { a } = createClient({ baseUrl: '', fetch }) as unknown as { a: Record<'list' | 'feed', PagedMethod> };
    const found = [];
    for (const { all } of [a.list, a.feed]) for await (const each of all()) found.push(each);
    expect(found).to.deep.equal([1, 2, 3, 4]);
    expect(asked).to.deep.equal(['/api/a', '/api/a?p=2', '/api/a/feed', '/api/a/feed?c=abc']);
  });

  it('refuse an empty list in the query, which would be left out', async () => {
    const text = `model Product { field name { type string } } api { entrypoint Product as product { GET many "byIds" {
      extra inputs { field ids { type [integer], nullable } } filter { ids is null or id in ids }
    } } }`;
    const { createClient } = await loadClient(definitionOf([{ path: 'main.kiln', text }]));
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(url);
      return new Response('[]', { headers: { 'content-type': 'application/json' } });
    };
    const { product } = createClient({ baseUrl: '', fetch }) as unknown as {
      product: { byIds: Record<'result', Call> & Call };
    };
    for (const ids of [[], [undefined]])
      for (const call of [product.byIds, product.byIds.result])
        expect((await failureOf(call({ ids }), TypeError)).message).to.equal(
          'An empty list cannot be sent in the query, and without ids the API might return every record',
        );
    for (const ids of [[1, 2], null, undefined]) await product.byIds({ ids });
    expect(asked).to.deep.equal(['/api/product/byIds?ids=1&ids=2', '/api/product/byIds', '/api/product/byIds']);
  });

  it('are those of the caller, without an identifier', async () => {
    const definition = definitionOf([
      {
        path: 'main.kiln',
        text: `model User { field name { type string }, relation notes { from Note, through owner } }
          model Note { reference owner { to User }, field text { type string } }
          auth { model User }
          api { entrypoint @auth as me {
            get endpoint {}, delete endpoint {}, POST one "wave" {}, entrypoint notes { list endpoint {}, get endpoint {} }
          } }`,
      },
    ]);
    const { createClient } = await loadClient(definition);
    const asked: string[] = [];
    const fetch = async (url: string, { method }: { method: string }) => {
      asked.push(`${method} ${url}`);
      return new Response('{}', { headers: { 'content-type': 'application/json' } });
    };
    const { me } = createClient({ baseUrl: '', fetch }) as unknown as CallerClient;
    for (const call of [me.get, me.delete, me.wave, me.notes.list, me.notes(7).get]) await call();
    expect(asked).to.deep.equal([
      'GET /api/me',
      'DELETE /api/me',
      'POST /api/me/wave',
      'GET /api/me/notes',
      'GET /api/me/notes/7',
    ]);
  });
});

type Call = (input?: object) => Promise<unknown>;

interface CallerClient {
  readonly me: Readonly<Record<'get' | 'delete' | 'wave', Call>> & {
    readonly notes: ((id: number) => { readonly get: Call }) & { readonly list: Call };
  };
}

function definitionNamed(name: string): Definition {
  if (name === 'nasty') return nastyDefinition();
  return name === 'everything' ? everythingDefinition() : exampleDefinition(name);
}

function documentRoutes(document: OpenApiDocument): readonly string[] {
  return routesOf(document)
    .map(({ path, method }) => `${method.toUpperCase()} ${path.replace(/\{[^}]+\}/g, '{}')}`)
    .sort();
}

/** Every method is called, and what it asks for is written down. */
async function requestedRoutes(definition: Definition): Promise<readonly string[]> {
  const requests: string[] = [];
  const { createClient } = await loadClient(definition);
  const fetch = async (url: string, { method }: { method: string }) => {
    requests.push(`${method} ${url.replace(/\?.*/, '').replaceAll('VALUE', '{}')}`);
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  for (const call of callsOf(createClient({ baseUrl: '', fetch }))) await call();
  return requests.sort();
}

interface PagedMethod {
  readonly all: () => AsyncIterable<number>;
}
