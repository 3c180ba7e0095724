import { expect } from 'chai';
import express from 'express';
import { createLog } from '../../../runtime/observe/log.ts';
import { createMetrics } from '../../../runtime/observe/metrics.ts';
import { SMALL_BODY } from '../../../runtime/request/body.ts';
import { createRequestListener } from '../../../runtime/respond/request-listener.ts';
import { listen } from '../../../runtime/server.ts';
import { until } from '../../support/until.ts';
import { ask, CONFIG, closeAll, LANES, ok, type Received, route, type Serving, serve } from './serving.ts';

const ECHO = route('POST /echo', async (exchange) => ok(await exchange.readBody()));
const JSON_TYPE = { 'content-type': 'application/json' };
const LIMIT = 1000;
/** Sent in slices. */
const LONG = 'x'.repeat(1_000_000);

for (const lane of LANES) {
  describe(`the body of a request, ${lane}`, () => {
    let serving: Serving;
    before(async () => {
      serving = await serve([ECHO, route('POST /unread', () => ok('fine')), route('POST /long', () => ok(LONG))], {
        lane,
        config: { bodyLimit: LIMIT },
      });
    });
    after(closeAll);

    const post = (body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE): Promise<Received> =>
      serving.ask('/echo', { method: 'POST', body, headers });

    it('is the JSON object that was sent', async () => {
      expect((await post('{"a":[1,"é",null]}')).json).to.deep.equal({ a: [1, 'é', null] });
    });

    it('is an empty object where nothing was sent', async () => {
      expect((await serving.ask('/echo', { method: 'POST' })).text).to.equal('{}');
      expect((await post('', {})).text).to.equal('{}');
      const chunked = await serving.askRaw(
        'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      );
      expect(chunked).to.match(/^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\n\{\}$/);
    });

    it('is refused with a 503 where too many bytes of others are arriving, and the connection is closed', async () => {
      const small = await serve([ECHO], { lane, config: { bodyLimit: 200_000, bodiesLimit: 100_000 } });
      const head = (length: number) =>
        `POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
      const start = (letter: string) => `{"a":"${letter.repeat(SMALL_BODY)}`;
      const slow = small.connect();
      const received = new Promise<string>((resolve) => slow.once('data', (data) => resolve(String(data))));
      await new Promise((resolve) => slow.write(`${head(SMALL_BODY + 12)}${start('x')}`, resolve));
      const body = `{"a":"${'y'.repeat(SMALL_BODY - 8)}"}`;
      const passed = await small.ask('/echo', { method: 'POST', body, headers: JSON_TYPE });
      expect(passed.status, 'a small one is not concerned').to.equal(200);
      const refused = await small.askRaw(`${head(SMALL_BODY + 8)}${start('y')}"}`);
      expect(refused).to.match(/^HTTP\/1\.1 503 .*\r\n/);
      expect(refused).to.match(/retry-after: 1\r\n/i);
      expect(refused).to.contain('Too many request bodies are arriving at once. Try again in a second.');
      const again = await small.ask('/echo', { method: 'POST', body, headers: JSON_TYPE });
      expect(again.status, 'a small one is not concerned').to.equal(200);
      slow.write(`${'x'.repeat(4)}"}`);
      expect(await received, 'the first one is not concerned').to.match(/^HTTP\/1\.1 200 /);
      slow.destroy();
      const large = `{"a":"${'z'.repeat(120_000)}"}`;
      const alone = await small.ask('/echo', { method: 'POST', body: large, headers: JSON_TYPE });
      expect(alone.status, 'a single one may be larger').to.equal(200);
    });

    it('may begin with a byte order mark', async () => {
      expect((await post('\ufeff{"a":1}')).json).to.deep.equal({ a: 1 });
    });

    for (const type of [
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'APPLICATION/JSON; charset=utf8; x=y',
      'application/merge-patch+json',
      'application/vnd.api+json',
    ]) {
      it(`may be ${type}`, async () => {
        expect((await post('{"a":1}', { 'content-type': type })).json).to.deep.equal({ a: 1 });
      });
    }

    for (const [what, headers] of Object.entries({
      'without a type': {},
      'that is a form': { 'content-type': 'application/x-www-form-urlencoded' },
      'that is text': { 'content-type': 'text/plain' },
      'without a type, but with a parameter': { 'content-type': '; charset=utf-8' },
      'of a type that only begins like JSON': { 'content-type': 'application/jsonp' },
      'of a type that only ends like JSON': { 'content-type': 'text/json' },
      'in another charset': { 'content-type': 'application/json; charset=latin1' },
      'that is compressed': { ...JSON_TYPE, 'content-encoding': 'gzip' },
    })) {
      it(`is refused with 415 ${what}`, async () => {
        const { status, json } = await post('{"a":1}', headers);
        expect([status, json.code]).to.deep.equal([415, 'unsupported-media-type']);
      });
    }

    for (const [body, detail] of [
      ['{"a": 1', 'The body is not valid JSON at line 1, column 8.'],
      ['[1]', 'The body must be a JSON object, but it is a list.'],
      ['"a"', 'The body must be a JSON object, but it is a string.'],
      ['null', 'The body must be a JSON object, but it is null.'],
      [Buffer.from('7b2261223a22ff227d', 'hex'), 'The body is not valid UTF-8.'],
    ] as const) {
      it(`is refused with 400 where it is ${body}`, async () => {
        const { status, json } = await post(body);
        expect([status, json.code, json.detail]).to.deep.equal([400, 'malformed-request', detail]);
      });
    }

    it('never reaches a prototype', async () => {
      const text = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}';
      expect((await post(text)).text).to.equal(text);
      expect(({} as Record<string, unknown>).isAdmin).to.equal(undefined);
    });

    it('may be nested in 200 levels, not in more', async () => {
      const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
      expect((await post(nested(200))).status).to.equal(200);
      const { status, json } = await post(nested(201));
      expect([status, json.detail]).to.deep.equal([400, 'The body is nested in more than 200 levels.']);
    });

    it('may be just as large as the limit', async () => {
      const body = JSON.stringify({ a: 'x'.repeat(LIMIT - 8) });
      expect(body).to.have.length(LIMIT);
      expect((await post(body)).status).to.equal(200);
      expect((await post(` ${body}`)).status).to.equal(413);
    });

    it('is refused with 413 by its announced length, before it is sent', async () => {
      const answer = await serving.askRaw(
        `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`,
      );
      expect(answer).to.match(/^HTTP\/1\.1 413 /);
      expect(answer.toLowerCase()).to.include('\r\nconnection: close\r\n');
      expect(answer).to.include('"code":"too-large"');
    });

    it('is refused with 413 when it grows too large, and the connection is closed', async () => {
      const chunk = `200\r\n${'x'.repeat(512)}\r\n`;
      const answer = await serving.askRaw(
        `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`,
      );
      expect(answer).to.match(/^HTTP\/1\.1 413 /);
    });

    it('is refused in a way that a client which sends all of it first still reads', async () => {
      const { status, json, headers } = await post('x'.repeat(5_000_000));
      expect([status, json.code, json.detail]).to.deep.equal([
        413,
        'too-large',
        `The body may have at most ${LIMIT} bytes.`,
      ]);
      expect(headers.connection).to.equal('close');
    });

    it('may be too large and unread: a long answer arrives whole before the connection is closed', async () => {
      const body = 'y'.repeat(5_000_000);
      const { status, text } = await serving.ask('/long', { method: 'POST', body, headers: JSON_TYPE });
      expect({ status, isWhole: text === JSON.stringify(LONG) }).to.deep.equal({ status: 200, isWhole: true });
    });

    it('may stay unread, and the connection goes on', async () => {
      const first = `POST /unread HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n${'y'.repeat(900)}`;
      const second = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      expect((await serving.askRaw(first + second)).match(/HTTP\/1\.1 200 OK/g)).to.have.length(2);
    });

    it('that never comes to its end is given up when the client goes away', async () => {
      const told = () => serving.lines.filter(({ route }) => route === '/echo');
      const before = told().length;
      const socket = serving.connect();
      socket.write(
        'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"half":',
        () => setTimeout(() => socket.destroy(), 20),
      );
      // A line of an earlier request may come meanwhile.
      await until(() => told().length > before);
      expect(told().at(-1)).to.include({ status: 499, level: 'info' });
    });
  });
}

describe('a body that was read before, by the application around', () => {
  it('is taken as it is', async () => {
    const { app } = createRequestListener({
      routes: [ECHO],
      config: { ...CONFIG, bodyLimit: LIMIT },
      log: createLog('silent'),
      metrics: createMetrics(),
      showsMetrics: false,
      isReady: async () => ({ ready: true }),
    });
    const outer = express()
      .use(express.json())
      .use('/inner', await app());
    const server = await listen(outer, CONFIG, createLog('silent'));
    const { port } = server.address() as { port: number };
    const answer = await ask(port, '/inner/echo', { method: 'POST', headers: JSON_TYPE, body: '{"a":1}' });
    server.close();
    expect(answer.json).to.deep.equal({ a: 1 });
  });
});

describe('headers that were set before, by the application around', () => {
  it('stay, and a list still repeats a header and null still removes one', async () => {
    const headers = { 'set-cookie': ['a=1', 'b=2'], 'cache-control': [], vary: 'accept' };
    const { app } = createRequestListener({
      routes: [route('GET /own', async () => ({ status: 200, headers, body: '{}' }))],
      config: { ...CONFIG, bodyLimit: LIMIT },
      log: createLog('silent'),
      metrics: createMetrics(),
      showsMetrics: false,
      isReady: async () => ({ ready: true }),
    });
    const outer = express()
      .use((_, response, next) => {
        response.setHeader('x-outer', 'yes');
        response.setHeader('vary', 'origin');
        next();
      })
      .use('/inner', await app());
    const server = await listen(outer, CONFIG, createLog('silent'));
    const { port } = server.address() as { port: number };
    const seen = (await ask(port, '/inner/own')).headers;
    server.close();
    expect(seen['set-cookie']).to.deep.equal(['a=1', 'b=2']);
    expect(seen).to.include({ 'x-outer': 'yes', vary: 'origin, accept', 'x-content-type-options': 'nosniff' });
    expect(seen).to.not.have.property('cache-control');
  });
});
