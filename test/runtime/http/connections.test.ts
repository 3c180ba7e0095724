import { once } from 'node:events';
import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { createLog } from '../../../runtime/observe/log.ts';
import type { Exchange } from '../../../runtime/request/exchange.ts';
import { listen } from '../../../runtime/server.ts';
import { until } from '../../support/until.ts';
import { CONFIG, closeAll, LANES, ok, route, type Serving, serve } from './serving.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

for (const lane of LANES) {
  describe(`connections, ${lane}`, () => {
    let serving: Serving;
    let running: Exchange | undefined;
    const FIRST = 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n';
    const LAST = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

    before(async () => {
      serving = await serve(
        [
          route('GET /last', () => ok('last')),
          route('GET /slow', async () => {
            await new Promise((resolve) => setTimeout(resolve, 30));
            return ok('slow');
          }),
          route('GET /waits', async (exchange) => {
            running = exchange;
            if (!exchange.signal.aborted) await once(exchange.signal, 'abort');
            exchange.signal.throwIfAborted();
            return ok('never');
          }),
          route('GET /finishes', (exchange) => {
            running = exchange;
            return ok(exchange.signal.aborted);
          }),
          route('POST /path/:text', ({ params }) => ok(params[0]?.length)),
        ],
        { lane },
      );
    });
    after(closeAll);

    it('that are idle keep nothing of the request before', async () => {
      let last: WeakRef<object> | undefined;
      const remembered = route('GET /', ({ request }) => {
        last = new WeakRef(request);
        return ok('');
      });
      const keeping = await serve([remembered], { lane });
      const client = keeping.connect();
      client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(client, 'data');
      await until(() => {
        collectGarbage();
        return last?.deref() === undefined;
      });
      expect(client.readyState).to.equal('open');
      client.destroy();
    });

    it('that carry several requests at once get the answers in order', async () => {
      const answers = await serving.askRaw(FIRST + FIRST + LAST);
      expect(answers.match(/"(slow|last)"/g)).to.deep.equal(['"slow"', '"slow"', '"last"']);
    });

    it('may carry a request byte by byte', async () => {
      const socket = serving.connect();
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      for (const byte of LAST) {
        socket.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await once(socket, 'close');
      expect(received).to.match(/^HTTP\/1\.1 200 OK[\s\S]*"last"$/);
    });

    for (const [what, text] of Object.entries({
      'is no HTTP': 'hello\r\n\r\n',
      'has no host': 'GET /last HTTP/1.1\r\n\r\n',
      'has two lengths': 'POST /path/a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'has a length and chunks':
        'POST /path/a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    })) {
      it(`are closed with 400 where what comes ${what}`, async () => {
        expect(await serving.askRaw(text)).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
        expect((await serving.ask('/last')).status).to.equal(200);
      });
    }

    it('take a long address, and refuse one that is too long with 431', async () => {
      const long = 'x'.repeat(8000);
      expect((await serving.ask(`/path/${long}`, { method: 'POST' })).text).to.equal('8000');
      expect((await serving.ask(`/${long}`)).text).to.have.length.lessThan(600);
      expect(await serving.askRaw(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).to.match(
        /^HTTP\/1\.1 431 /,
      );
    });

    it('may have the whole address in the request, as proxies send it', async () => {
      const text = 'GET http://elsewhere:1/last?x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      expect(await serving.askRaw(text)).to.match(/^HTTP\/1\.1 200 OK[\s\S]*"last"$/);
    });

    it('may ask for the options of the whole server', async () => {
      const answer = await serving.askRaw('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      expect(answer).to.match(/^HTTP\/1\.1 204 No Content\r\n/);
      expect(answer).to.include('allow: GET, HEAD, OPTIONS, POST\r\n');
    });

    for (const target of ['http://[', '//', '/%', '/?%', '/\\..\\', '/__proto__']) {
      it(`get a problem document for ${target}`, async () => {
        const answer = await serving.askRaw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        expect(answer).to.match(/^HTTP\/1\.1 40[04] /);
        expect(answer).to.include('application/problem+json');
      });
    }

    it('that the client closes fire the signal of the request, which is logged as 499', async () => {
      const [before, earlier] = [serving.lines.length, running];
      const socket = serving.connect();
      socket.write('GET /waits HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => running !== earlier);
      expect(running?.signal.aborted).to.equal(false);
      socket.destroy();
      await until(() => serving.lines.length > before);
      expect(running?.signal.aborted).to.equal(true);
      expect(serving.lines.at(-1)).to.include({ level: 'info', status: 499, route: '/waits' });
    });

    it('that close after the answer do not fire the signal', async () => {
      expect((await serving.ask('/finishes')).text).to.equal('false');
      const seen = running;
      await until(() => seen?.response.destroyed === true);
      expect(seen?.signal.aborted).to.equal(false);
    });
  });
}

describe('listening', () => {
  const listener = (): void => {};
  const log = createLog('silent');

  it('says that a port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const error = await listen(listener, { ...CONFIG, port }, log).catch((reason: unknown) => reason);
    other.close();
    expect(error)
      .to.be.instanceOf(Error)
      .with.property('message', `Port ${port} is in use. Stop the other program, or set PORT.`);
  });

  for (const host of ['192.0.2.1', 'no-such-host.invalid']) {
    it(`says that ${host} is no address of this machine`, async () => {
      const error = await listen(listener, { ...CONFIG, host }, log).catch((reason: unknown) => reason);
      expect(error)
        .to.be.instanceOf(Error)
        .with.property('message')
        .that.equals(`The host ${host} is not an address of this machine. Set HOST to one that is, such as 0.0.0.0.`);
    });
  }

  it('says that a port needs more rights', async function () {
    if (process.getuid?.() === 0) this.skip();
    const error = await listen(listener, { ...CONFIG, port: 1 }, log).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes('Port 1 needs more rights');
  });
});
