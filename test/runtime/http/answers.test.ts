import { expect } from 'chai';
import type { Response } from 'express';
import { ApiError, HookRefusal } from '../../../runtime/errors/api-error.ts';
import { DatabaseError } from '../../../runtime/query/database.ts';
import type { Exchange } from '../../../runtime/request/exchange.ts';
import { until } from '../../support/until.ts';
import { closeAll, LANES, ok, responseIn, route, type Serving, serve } from './serving.ts';

const throwing = (error: unknown) => (): never => {
  throw error;
};

/** What Express gave to the code of a hook. */
const expressOf = (exchange: Exchange): Response => responseIn(exchange) as Response;

const ROUTES = [
  route('GET /post/:slug/:id', ({ params, queryString }) => ok({ params, queryString })),
  route('GET /text', () => ok('žluťoučký')),
  route('POST /text', () => ({ status: 201, headers: { Location: '/text/1' }, body: '{}' })),
  route('DELETE /text', () => ({ status: 204, headers: null, body: null })),
  route('GET /empty', () => ({ status: 200, headers: null, body: null })),
  route('GET /own', () => ({
    status: 200,
    headers: {
      'Content-Type': 'text/html',
      'Cache-Control': 'max-age=60',
      'Set-Cookie': ['a=1', 'b=2'],
      'Content-Length': '1',
      Vary: 'Accept',
    },
    body: '<p>',
  })),
  route('GET /bad-header', () => ({ status: 200, headers: { x: 'a\r\nb: c' }, body: '{}' })),
  route('GET /bad-status', () => ({ status: 100, headers: null, body: '{}' })),
  route('GET /missing', throwing(new ApiError('not-found', { detail: 'No post has the slug `x`.' }))),
  route('GET /bare', throwing(new ApiError('conflict'))),
  route('GET /anonymous', throwing(new ApiError('unauthenticated'))),
  route(
    'GET /expired',
    throwing(new ApiError('unauthenticated', { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } })),
  ),
  route(
    'GET /invalid',
    throwing(
      new ApiError('validation-failed', {
        errors: [{ path: 'author.email', code: 'required', message: 'is required', params: {} }],
      }),
    ),
  ),
  route('GET /away', throwing(new DatabaseError('unavailable', {}, new Error('ECONNREFUSED')))),
  route('GET /secret', throwing(new Error('password=hunter2', { cause: new TypeError('deeper') }))),
  route('GET /text-thrown', throwing('a text')),
  ...[402, 409, 429, 500, 502, 503, 600, 200, 4.5, Number.NaN].map((status) =>
    route(`GET /refused/${status}`, throwing(new HookRefusal(status, 'Pay first.', undefined))),
  ),
  route('GET /hook/:name', ({ request }) => ok({ params: (request as unknown as { params: unknown }).params }), {
    needsExpress: true,
  }),
  route(
    'GET /by-itself',
    (exchange) => {
      expressOf(exchange).status(202).json({ own: true });
      return null;
    },
    { needsExpress: true },
  ),
  route(
    'GET /half',
    (exchange) => {
      const response = responseIn(exchange);
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('half');
      throw new Error('in the middle');
    },
    { needsExpress: true },
  ),
];

for (const lane of LANES) {
  describe(`answers, ${lane}`, () => {
    let serving: Serving;
    before(async () => {
      serving = await serve(ROUTES, { lane });
    });
    after(closeAll);

    it('give what the path and the query string had', async () => {
      const { json } = await serving.ask('/post/a%20b/%E2%82%AC?x=1&y=%20');
      expect(json).to.deep.equal({ params: ['a b', '€'], queryString: 'x=1&y=%20' });
    });

    it('are JSON with its length in bytes and few headers more', async () => {
      const { headers, text } = await serving.ask('/text');
      expect(text).to.equal('"žluťoučký"');
      expect(Object.keys(headers).sort()).to.deep.equal([
        'cache-control',
        'connection',
        'content-length',
        'content-type',
        'date',
        'x-content-type-options',
        'x-request-id',
      ]);
      expect(headers).to.include({
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(Buffer.byteLength(text)),
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
    });

    it('have no body for HEAD, and the headers of GET', async () => {
      const [head, get] = [await serving.ask('/text', { method: 'HEAD' }), await serving.ask('/text')];
      expect([head.status, head.text]).to.deep.equal([200, '']);
      expect({ ...head.headers, date: '', 'x-request-id': '' }).to.deep.equal({
        ...get.headers,
        date: '',
        'x-request-id': '',
      });
    });

    it('have no body and no length with 204', async () => {
      const { status, headers, text } = await serving.ask('/text', { method: 'DELETE' });
      expect([status, text]).to.deep.equal([204, '']);
      expect(headers).to.not.have.any.keys('content-length', 'content-type', 'transfer-encoding');
    });

    it('have the length 0 where there is nothing', async () => {
      const { headers } = await serving.ask('/empty');
      expect(headers['content-length']).to.equal('0');
      expect(headers).to.not.have.property('content-type');
    });

    it('take the headers of the route for their own, but not those that frame the answer', async () => {
      const { headers, text } = await serving.ask('/own');
      expect(text).to.equal('<p>');
      expect(headers).to.deep.include({
        'content-type': 'text/html',
        'cache-control': 'max-age=60',
        'set-cookie': ['a=1', 'b=2'],
        'content-length': '3',
        vary: 'Accept',
      });
    });

    for (const path of ['/bad-header', '/bad-status']) {
      it(`that cannot be written are a 500: ${path}`, async () => {
        const { status, json, headers } = await serving.ask(path);
        expect([status, json.code]).to.deep.equal([500, 'internal']);
        expect(headers).to.not.have.property('b');
      });
    }

    it('repeat the request id of the client where it is harmless', async () => {
      const { headers } = await serving.ask('/text', { headers: { 'x-request-id': 'a.B-3_' } });
      expect(headers['x-request-id']).to.equal('a.B-3_');
    });

    it('make a request id where there is none, and where it could harm', async () => {
      const sent = [{}, { 'x-request-id': 'a b' }, { 'x-request-id': 'x'.repeat(129) }, { 'x-request-id': '"}' }];
      const answers = await Promise.all(sent.map((headers) => serving.ask('/text', { headers })));
      const ids = answers.map(({ headers }) => headers['x-request-id']);
      for (const id of ids) expect(id).to.match(/^[A-Za-z0-9._-]{10,40}$/);
      expect(new Set(ids)).to.have.length(sent.length);
    });

    it('to an unknown path are a problem document', async () => {
      const { status, headers, json } = await serving.ask('/nothing?secret=1', { headers: { 'x-request-id': 'r1' } });
      expect(status).to.equal(404);
      expect(headers['content-type']).to.equal('application/problem+json');
      expect(json).to.deep.equal({
        type: 'urn:kiln:problem:not-found',
        title: 'Not found',
        status: 404,
        code: 'not-found',
        detail: 'No endpoint has the path /nothing.',
        requestId: 'r1',
      });
    });

    it('to another method are a 405 with Allow', async () => {
      const { status, headers, json } = await serving.ask('/text', { method: 'PUT' });
      expect([status, json.code, headers.allow]).to.deep.equal([
        405,
        'method-not-allowed',
        'DELETE, GET, HEAD, OPTIONS, POST',
      ]);
    });

    it('to OPTIONS are the methods', async () => {
      const { status, headers, text } = await serving.ask('/text', { method: 'OPTIONS' });
      expect([status, text, headers.allow]).to.deep.equal([204, '', 'DELETE, GET, HEAD, OPTIONS, POST']);
      expect((await serving.ask('/nothing', { method: 'OPTIONS' })).status).to.equal(404);
    });

    it('to a path that cannot be decoded are a 400', async () => {
      const { status, json } = await serving.ask('/post/%zz/1');
      expect([status, json.code]).to.deep.equal([400, 'malformed-request']);
    });

    it('have the detail of the refusal, or else its title', async () => {
      expect((await serving.ask('/missing')).json.detail).to.equal('No post has the slug `x`.');
      expect((await serving.ask('/bare')).json).to.include({
        status: 409,
        detail: 'The request conflicts with the data.',
      });
    });

    it('have the errors of the inputs', async () => {
      const { status, json } = await serving.ask('/invalid');
      expect(status).to.equal(422);
      expect(json.errors).to.deep.equal([
        { path: 'author.email', code: 'required', message: 'is required', params: {} },
      ]);
    });

    it('say how to authenticate', async () => {
      expect((await serving.ask('/anonymous')).headers['www-authenticate']).to.equal('Bearer');
      expect((await serving.ask('/expired')).headers['www-authenticate']).to.equal('Bearer error="invalid_token"');
    });

    it('are a 503 with Retry-After while the database is away', async () => {
      const { status, json, headers } = await serving.ask('/away');
      expect([status, json.code, headers['retry-after']]).to.deep.equal([503, 'unavailable', '5']);
    });

    it('say nothing of an error that nobody expected, and log it', async () => {
      const { status, json, text } = await serving.ask('/secret', { headers: { 'x-request-id': 'r2' } });
      expect(status).to.equal(500);
      expect(text).to.not.include('hunter2');
      expect(json).to.deep.equal({
        type: 'urn:kiln:problem:internal',
        title: 'Internal server error',
        status: 500,
        code: 'internal',
        requestId: 'r2',
      });
      const line = serving.lines.find(({ requestId }) => requestId === 'r2');
      expect(line).to.include({ level: 'error', status: 500, route: '/secret' });
      expect(line).to.have.nested.property('err.message', 'password=hunter2');
      expect(line).to.have.nested.property('err.cause.message', 'deeper');
      expect(line).to.have.nested.property('err.stack').that.includes('answers.test.');
      expect((await serving.ask('/text-thrown')).status).to.equal(500);
    });

    for (const [status, expected, code] of [
      [402, 402, 'refused'],
      [409, 409, 'conflict'],
      [429, 429, 'too-many-requests'],
      [500, 500, 'internal'],
      [502, 502, 'refused'],
      [503, 503, 'unavailable'],
      [600, 500, 'internal'],
      [200, 500, 'internal'],
      [4.5, 500, 'internal'],
      [Number.NaN, 500, 'internal'],
    ] as const) {
      it(`are ${expected} ${code} where a hook refuses with ${status}`, async () => {
        const { status: seen, json } = await serving.ask(`/refused/${status}`);
        expect([seen, json.status, json.code]).to.deep.equal([expected, expected, code]);
        expect(json.detail).to.equal(expected === status ? 'Pay first.' : undefined);
      });
    }

    it('of hooks have the parameters by name', async () => {
      expect((await serving.ask('/hook/a%2Fb')).json).to.deep.equal({ params: { name: 'a/b' } });
    });

    it('that a hook wrote by itself have the same headers and are logged', async () => {
      const { status, headers, json } = await serving.ask('/by-itself', { headers: { 'x-request-id': 'r3' } });
      expect([status, json.own, headers['x-request-id'], headers['cache-control']]).to.deep.equal([
        202,
        true,
        'r3',
        'no-store',
      ]);
      expect(headers).to.not.have.any.keys('x-powered-by', 'etag');
      await until(() => serving.lines.some(({ requestId }) => requestId === 'r3'));
      expect(serving.lines.find(({ requestId }) => requestId === 'r3')).to.include({
        status: 202,
        route: '/by-itself',
        bytes: 12,
      });
    });

    it('that a hook left half written are broken off', async () => {
      const error = await serving.ask('/half').catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(Error).with.property('code', 'ECONNRESET');
      expect(serving.lines.at(-1)).to.include({ level: 'error', status: 500, route: '/half' });
    });
  });

  describe(`calls from other origins, ${lane}`, () => {
    const APP = 'https://app.example.com';
    const PREFLIGHT = { origin: APP, 'access-control-request-method': 'POST' };
    after(closeAll);

    it('are not spoken of unless they are configured', async () => {
      const serving = await serve(ROUTES, { lane });
      const { headers } = await serving.ask('/text', { headers: { origin: APP } });
      expect(Object.keys(headers).filter((name) => /^access-control|vary/.test(name))).to.deep.equal([]);
    });

    it('are allowed for the origins of the list, problems and the answers of hooks included', async () => {
      const serving = await serve(ROUTES, { lane, config: { corsOrigins: ['https://other.example.com', APP] } });
      for (const path of ['/text', '/nothing', '/secret', '/hook/a', '/by-itself']) {
        const { headers } = await serving.ask(path, { headers: { origin: APP } });
        expect(headers, path).to.include({
          'access-control-allow-origin': APP,
          'access-control-expose-headers':
            'x-request-id, location, retry-after, kiln-contract, kiln-position, kiln-list-truncated',
          vary: 'Origin',
        });
      }
    });

    it('are not allowed for others, whose answers must not be mixed up by caches', async () => {
      const serving = await serve(ROUTES, { lane, config: { corsOrigins: [APP] } });
      for (const headers of [{}, { origin: 'https://evil.example.com' }, { origin: 'null' }]) {
        const answer = await serving.ask('/text', { headers });
        expect(answer.headers).to.not.have.property('access-control-allow-origin');
        expect(answer.headers.vary).to.equal('Origin');
      }
      expect((await serving.ask('/own', { headers: { origin: APP } })).headers.vary).to.equal('Origin, Accept');
    });

    it('are allowed for all with a star', async () => {
      const serving = await serve(ROUTES, { lane, config: { corsOrigins: ['*'] } });
      const { headers } = await serving.ask('/text', { headers: { origin: APP } });
      expect(headers['access-control-allow-origin']).to.equal('*');
      expect(headers).to.not.have.property('vary');
    });

    it('are announced by a preflight that knows the methods of the path', async () => {
      const serving = await serve(ROUTES, { lane, config: { corsOrigins: [APP] } });
      const headers = { ...PREFLIGHT, 'access-control-request-headers': 'Content-Type, X-Api-Key' };
      const answer = await serving.ask('/text', { method: 'OPTIONS', headers });
      expect([answer.status, answer.text]).to.deep.equal([204, '']);
      expect(answer.headers).to.include({
        'access-control-allow-origin': APP,
        'access-control-allow-methods': 'DELETE, GET, HEAD, OPTIONS, POST',
        'access-control-allow-headers': 'authorization, content-type, x-request-id, x-api-key',
        'access-control-max-age': '7200',
        vary: 'Origin',
      });
      expect((await serving.ask('/nothing', { method: 'OPTIONS', headers })).status).to.equal(404);
    });

    it('give no preflight to an origin that may not call', async () => {
      const serving = await serve(ROUTES, { lane, config: { corsOrigins: [APP] } });
      const headers = { ...PREFLIGHT, origin: 'https://evil.example.com' };
      const answer = await serving.ask('/text', { method: 'OPTIONS', headers });
      expect(answer.headers).to.not.have.any.keys('access-control-allow-origin', 'access-control-allow-methods');
    });
  });
}
