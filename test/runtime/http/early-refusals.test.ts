/** Requests that are refused before a route sees them, and what happens to the connection. */
import { once } from 'node:events';
import { expect } from 'chai';
import { HookRefusal } from '../../../runtime/errors/api-error.ts';
import { until } from '../../support/until.ts';
import { closeAll, LANES, ok, responseIn, route, type Serving, serve } from './serving.ts';

for (const lane of LANES) {
  describe(`a request that is refused early, ${lane}`, () => {
    let serving: Serving;
    let release = (): void => {};
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });

    before(async () => {
      const slow = route('GET /slow', async () => {
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        begin();
        await released;
        return ok('slow');
      });
      const query = route('GET /query', ({ request }) => ok((request as never as { query: unknown }).query), {
        needsExpress: true,
      });
      const halfRead = route('POST /half', async ({ request }) => {
        await once(request, 'data');
        throw new HookRefusal(413, 'too much', undefined);
      });
      const written = route(
        'POST /written',
        async (exchange) => {
          await once(exchange.request, 'data');
          responseIn(exchange).end('written');
          return null;
        },
        { needsExpress: true },
      );
      const last = route('GET /last', () => ok('last'));
      serving = await serve([query, halfRead, written, slow, last], { lane });
    });
    after(closeAll);

    const asked = (target: string) => serving.askRaw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

    it('has a whole address that can be read', async () => {
      expect(await asked('http://[::1]:80/query?a=1')).to.match(/^HTTP\/1\.1 200 .*\{"a":"1"\}$/s);
    });

    for (const target of ['http://[::1/query', 'http://a:99999/query', 'http://%/query?a=1']) {
      it(`has an address that is none: ${target}`, async () => {
        const said = await asked(target);
        expect(said).to.match(/^HTTP\/1\.1 400 .*"code":"malformed-request"/s);
      });
    }

    for (const [what, text, status] of [
      ['an unknown expectation', 'GET /last HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', 417],
      ['headers that are too long', `GET /last HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`, 431],
      ['what is no HTTP', 'tea\r\n\r\n', 400],
      ['a target that is none', 'GET last HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ] as const) {
      it(`has ${what}: a problem document, and the end of the connection`, async () => {
        expect(problemIn(await serving.askRaw(text))).to.include({ status });
      });
    }

    it('comes too slowly: a problem document, and the end of the connection', async () => {
      const accepted = once(serving.server, 'connection');
      const said = serving.askRaw('GET /last HTTP/1.1\r\nHost: x\r\n');
      const [socket] = await accepted;
      serving.server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
      expect(problemIn(await said)).to.include({ status: 408, code: 'request-timeout' });
    });

    it('stands behind others: they are answered first', async () => {
      const requests = ['slow', 'last'].map((path) => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const answer = serving.askRaw(`${requests.join('')}tea\r\n\r\n`);
      await begun;
      release();
      const [, slow, last, refusal] = (await answer).split('HTTP/1.1 ');
      expect(slow).to.match(/^200 .*"slow"$/s);
      expect(last).to.match(/^200 .*"last"$/s);
      expect(problemIn(refusal ?? '')).to.include({ status: 400, code: 'malformed-request' });
    });

    it('has a body that breaks off behind others: they are answered first', async () => {
      const broken = 'POST /half HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\ntea\r\n';
      const said = await serving.askRaw(`GET /last HTTP/1.1\r\nHost: x\r\n\r\n${broken}`);
      const [, last, refusal] = said.split('HTTP/1.1 ');
      expect(last).to.match(/^200 .*"last"$/s);
      expect(problemIn(refusal ?? '')).to.include({ status: 400, code: 'malformed-request' });
    });

    it('is answered before its body has come, on a connection that ends: the body is read, so that no reset follows', async () => {
      const accepted = once(serving.server, 'connection');
      const client = serving.connect();
      const head = 'POST /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 8\r\n\r\n';
      client.once('data', () => client.write('the body')).write(head);
      const [socket] = await accepted;
      await Promise.all([once(client, 'close'), once(socket, 'close')]);
      expect(socket.bytesRead).to.equal(head.length + 8);
    });

    for (const [path, answer] of [
      ['/half', 'HTTP/1.1 413'],
      ['/written', 'written'],
    ] as const) {
      const head = (length: number) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\nfirst`;

      it(`is answered in the middle of its body by ${path}: the next one is answered, too`, async () => {
        const client = serving.connect();
        let said = '';
        client.on('data', (chunk) => {
          said += chunk;
        });
        client.write(head(900));
        await until(() => said.includes(answer));
        client.write(`${'x'.repeat(895)}GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        await once(client, 'close');
        expect(said).to.match(/HTTP\/1\.1 200 .*"last"$/s);
      });

      it(`is answered in the middle of a body that is too long by ${path}: the connection is closed`, async () => {
        const said = await serving.askRaw(head(3_000_000));
        expect(said)
          .to.include(answer)
          .and.match(/connection: close/i);
      });
    }
  });
}

/** Of the only answer. */
function problemIn(said: string): object {
  const [head = '', body = ''] = said.split('\r\n\r\n');
  expect(head)
    .to.match(/content-type: application\/problem\+json/i)
    .and.match(/connection: close/i);
  expect(head.match(/x-request-id: (.*)/i)?.[1]).to.equal(JSON.parse(body).requestId);
  return JSON.parse(body);
}
