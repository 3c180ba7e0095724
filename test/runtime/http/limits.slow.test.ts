/** How much of the server one client can take. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { closeAll, LANES, ok, route, type Serving, serve } from './serving.ts';

const SHORT = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n';

/** Counts the answers that a connection gets. */
function answersOn(socket: Socket, status = 'HTTP/1.1 200 OK'): () => number {
  let count = 0;
  let rest = '';
  socket.on('data', (chunk) => {
    const parts = `${rest}${chunk.toString('latin1')}`.split(status);
    count += parts.length - 1;
    rest = (parts.at(-1) ?? '').slice(-status.length);
  });
  return () => count;
}

/** What Node warns of, such as listeners that are never removed. */
async function warningsWhile(act: () => Promise<void>): Promise<readonly string[]> {
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  await act();
  process.off('warning', note);
  return warnings;
}

for (const lane of LANES) {
  describe(`requests in flight, ${lane}`, () => {
    let running = 0;
    let most = 0;
    let release: () => void = () => undefined;
    const slow = route('GET /a', async () => {
      running++;
      most = Math.max(most, running);
      await sleep(1);
      running--;
      return ok('a');
    });
    const stuck = route('GET /stuck', async () => {
      running++;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      running--;
      return ok('stuck');
    });
    const echo = route('POST /echo', async (exchange) => ok(await exchange.readBody()));

    beforeEach(() => {
      [running, most] = [0, 0];
    });
    afterEach(closeAll);

    it('are at most CONNECTION_REQUESTS_MAX of one connection, and the others wait their turn', async () => {
      const serving = await serve([slow], { lane, config: { connectionRequestsMax: 3 } });
      const socket = serving.connect();
      const answers = answersOn(socket);
      socket.write(SHORT.repeat(500));
      await until(() => answers() === 500);
      expect(most).to.equal(3);
      expect(running).to.equal(0);
    });

    it('have their bodies read while others wait', async () => {
      const serving = await serve([slow, echo], { lane, config: { connectionRequestsMax: 2, bodyLimit: 1_000_000 } });
      const body = JSON.stringify({ text: 'x'.repeat(300_000) });
      const post = `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const last = SHORT.replace('Host: x', 'Host: x\r\nConnection: close');
      const received = await serving.askRaw(SHORT.repeat(5) + post + SHORT.repeat(5) + post + last);
      expect(received.split('HTTP/1.1 200 OK')).to.have.length(14);
      expect(received.split(body)).to.have.length(3);
    });

    it('do not keep others from their answers, even if a connection sends 100,000 of them ahead', async () => {
      const serving = await serve([slow], { lane });
      const flood = serving.connect();
      const answers = answersOn(flood.on('error', () => undefined));
      flood.write(SHORT.repeat(100_000));
      await until(() => running > 0);
      for (let asked = 0; asked < 20; asked++) expect((await serving.ask('/a')).text).to.equal('"a"');
      expect(answers(), 'the others did not wait for all of them').to.be.below(100_000);
      expect(most).to.be.at.most(17);
      flood.destroy();
    });

    it('do not keep others from their answers, even if each is answered at once', async () => {
      const serving = await serve([slow], { lane });
      const flood = serving.connect();
      const answers = answersOn(
        flood.on('error', () => undefined),
        'HTTP/1.1 404 Not Found',
      );
      flood.write(SHORT.replace('/a', '/nowhere').repeat(50_000));
      await until(() => answers() > 0);
      for (let asked = 0; asked < 10; asked++) expect((await serving.ask('/a')).text).to.equal('"a"');
      expect(answers(), 'the others did not wait for all of them').to.be.below(50_000);
      flood.destroy();
    });

    it('end the connections that send ever more ahead when very many wait', async () => {
      const serving = await serve([stuck, slow], { lane });
      const floods = Array.from({ length: 12 }, () => serving.connect());
      for (const flood of floods) {
        flood.on('error', () => undefined).resume();
        flood.write(SHORT.replace('/a', '/stuck').repeat(5000));
      }
      await until(() => floods.some(({ destroyed }) => destroyed));
      expect(floods.some(({ destroyed }) => !destroyed)).to.equal(true);
      expect((await serving.ask('/a')).status).to.equal(200);
    });

    it('are not those that wait for their bodies', async () => {
      const serving = await serve([slow, echo], { lane, config: { requestsMax: 2 } });
      const senders = Array.from({ length: 10 }, () => serving.connect());
      for (const sender of senders) {
        sender.on('error', () => undefined).resume();
        sender.write('POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
      }
      await sleep(100);
      expect((await serving.ask('/a')).status).to.equal(200);
      for (const sender of senders) sender.destroy();
    });

    it('beyond REQUESTS_MAX are answered with 503, while probes are answered', async () => {
      const serving = await serve([stuck, slow], { lane, config: { requestsMax: 1 } });
      const first = serving.ask('/stuck');
      await until(() => running === 1);
      const { status, headers, json } = await serving.ask('/a');
      expect([status, json.code, headers['retry-after']]).to.deep.equal([503, 'unavailable', '1']);
      expect(json.detail).to.equal('Too many requests are in progress.');
      expect((await serving.ask('/healthz')).status).to.equal(200);
      expect(serving.lines.find(({ status: logged }) => logged === 503)).to.include({ level: 'info', route: '/a' });
      release();
      expect((await first).status).to.equal(200);
      expect((await serving.ask('/a')).status).to.equal(200);
    });
  });

  describe(`clients, ${lane}`, () => {
    afterEach(closeAll);
    const LARGE = 'x'.repeat(20_000_000);
    const LONG = 'GET /long HTTP/1.1\r\nHost: x\r\n\r\n';
    const long = route('GET /long', async () => ok('x'.repeat(600_000)));
    /** As the code of a hook may write it: at once. */
    const large = route('GET /large', ({ response }) => {
      response.end(LARGE);
      return null;
    });

    it('that do not read their answer for WRITE_TIMEOUT are disconnected', async () => {
      const serving = await serve([large], { lane, config: { writeTimeout: 300 } });
      const socket = serving.connect();
      socket.on('error', () => undefined).write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
      const [accepted] = (await once(serving.server, 'connection')) as [Socket];
      await once(accepted, 'close');
      expect(serving.lines.map(({ msg }) => msg)).to.include('disconnected a client that did not read its response');
      socket.destroy();
    });

    it('that read slowly are not', async () => {
      const serving = await serve([large], { lane, config: { writeTimeout: 2000 } });
      const socket = serving.connect();
      socket.write('GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      const start = performance.now();
      let length = 0;
      for await (const chunk of socket) {
        length += chunk.length;
        if (performance.now() - start < 3000) await sleep(5);
      }
      expect(length).to.be.greaterThan(LARGE.length);
    });

    it('that do not read a long answer have little of it in memory', async () => {
      let taken = 0;
      const slices = { size: 1, next: () => (taken++ < 2000 ? Buffer.alloc(65_536, 32) : null) };
      const long = route('GET /long', () => ({ status: 200, headers: null, body: slices }));
      const serving = await serve([long], { lane, config: { writeTimeout: 300 } });
      const socket = serving.connect();
      socket.on('error', () => undefined).write('GET /long HTTP/1.1\r\nHost: x\r\n\r\n');
      const [accepted] = (await once(serving.server, 'connection')) as [Socket];
      await until(() => taken > 0);
      await sleep(100);
      expect(accepted.writableLength).to.be.lessThan(1_000_000);
      expect(taken, 'of the 125 MB, as much as the system takes').to.be.lessThan(1000);
      await once(accepted, 'close');
      await until(() => serving.lines.some(({ status }) => status === 499));
      socket.destroy();
    });

    it('that read nothing of their long answers make room for those that do, beyond UNREAD_LIMIT', async () => {
      const long = route('GET /long/:bytes', ({ params }) => {
        let left = Number(params[0]);
        const next = () => {
          left -= 65_536;
          return left > -65_536 ? Buffer.alloc(65_536, 32) : null;
        };
        return { status: 200, headers: null, body: { size: Number(params[0]), next } };
      });
      const serving = await serve([long], { lane, config: { unreadLimit: 100_000_000 } });
      const idle = Array.from({ length: 2 }, () => {
        const socket = serving.connect();
        socket.on('error', () => undefined).write('GET /long/50000000 HTTP/1.1\r\nHost: x\r\n\r\n');
        return socket;
      });
      await until(() => acceptedBy(serving) === 2);
      await sleep(200);
      const refused = await serving.ask('/long/1000000');
      expect([refused.status, refused.json.detail]).to.deep.equal([
        503,
        'Too many long responses are still being read by other clients.',
      ]);
      expect(refused.headers['retry-after']).to.equal('5');
      await sleep(1000);
      expect((await serving.ask('/long/1000000')).text).to.have.length.greaterThan(1_000_000);
      await until(() => acceptedBy(serving) === 1);
      for (const socket of idle) socket.destroy();
      await until(() => acceptedBy(serving) === 0);
      expect((await serving.ask('/long/200000000')).status, 'one alone may be as long as it likes').to.equal(200);
    });

    it('are not slow while the server reads the next part, and are from then on', async () => {
      let make: (part: Buffer) => void = () => undefined;
      const made = new Promise<Buffer>((resolve) => {
        make = resolve;
      });
      const parts = [Promise.resolve(Buffer.alloc(65_536)), made, Promise.resolve(null)];
      const body = { size: 900_000, next: () => parts.shift() ?? null };
      const inParts = route('GET /parts', () => ({ status: 200, headers: null, body }));
      const serving = await serve([inParts, long], { lane, config: { unreadLimit: 1_000_000 } });
      const socket = serving.connect();
      socket.on('error', () => undefined).write('GET /parts HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => parts.length === 1);
      await sleep(1100);
      expect((await serving.ask('/long')).status, 'the client waits').to.equal(503);
      make(Buffer.alloc(LARGE.length));
      await sleep(50);
      expect((await serving.ask('/long')).status, 'the client has just got the part').to.equal(503);
      await sleep(1100);
      expect((await serving.ask('/long')).status, 'the client has not read it').to.equal(200);
      socket.destroy();
    });

    it('hear what they have changed, also beyond UNREAD_LIMIT', async () => {
      const long = 'x'.repeat(600_000);
      const routes = [route('GET /long', async () => ok(long)), route('POST /long', async () => ok(long))];
      const serving = await serve(routes, { lane, config: { unreadLimit: 1 } });
      const lazy = serving.connect();
      lazy.write('GET /long HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(12));
      await until(() => lazy.bytesRead > 0);
      lazy.pause();
      const written = await serving.ask('/long', { method: 'POST' });
      expect([written.status, written.text.length]).to.deep.equal([200, long.length + 2]);
      lazy.destroy();
    });

    it('leave nothing at the connection when they have read their long answers', async () => {
      const warnings = await warningsWhile(async () => {
        const serving = await serve([long], { lane });
        const socket = serving.connect();
        const answers = answersOn(socket);
        for (let asked = 1; asked <= 15; asked++) {
          socket.write(LONG);
          await until(() => answers() === asked);
          await sleep(5);
        }
        socket.destroy();
      });
      expect(warnings).to.deep.equal([]);
    });

    it('may ask for many long answers before they read the first', async () => {
      const warnings = await warningsWhile(async () => {
        const serving = await serve([long], { lane, config: { unreadLimit: 100_000_000 } });
        const socket = serving.connect();
        const answers = answersOn(socket);
        socket.write(LONG.repeat(15));
        await until(() => answers() === 15);
        socket.destroy();
      });
      expect(warnings).to.deep.equal([]);
    });

    it('whose long answer fails in its middle are cut off', async () => {
      let taken = 0;
      const next = () => {
        if (taken++ === 200) throw new Error('in the middle');
        return Buffer.alloc(65_536, 32);
      };
      const serving = await serve(
        [route('GET /long', () => ({ status: 200, headers: null, body: { size: 1, next } }))],
        {
          lane,
        },
      );
      const received = await serving.askRaw('GET /long HTTP/1.1\r\nHost: x\r\n\r\n');
      expect(received).to.match(/^HTTP\/1\.1 200 OK/);
      expect(received.endsWith('0\r\n\r\n')).to.equal(false);
      const line = serving.lines.find(({ route: pattern }) => pattern === '/long');
      expect(line).to.nested.include({ level: 'error', status: 500, 'err.message': 'in the middle' });
      expect((await serving.ask('/healthz')).status).to.equal(200);
    });

    it('beyond CONNECTIONS_MAX are closed at once', async () => {
      const serving = await serve([large], { lane, config: { connectionsMax: 2 } });
      const first = serving.connect();
      const second = serving.connect();
      await Promise.all([once(first, 'connect'), once(second, 'connect')]);
      await until(() => acceptedBy(serving) === 2);
      const third = serving.connect();
      third.on('error', () => undefined);
      await once(third, 'close');
      first.destroy();
      await until(() => acceptedBy(serving) === 1);
      expect((await serving.ask('/healthz')).status).to.equal(200);
      second.destroy();
    });
  });

  describe(`clients that close their side after the request, ${lane}`, () => {
    afterEach(closeAll);

    it('get their answers', async () => {
      const slow = route('GET /slow', async () => {
        await sleep(30);
        return ok('slow');
      });
      const serving = await serve([slow], { lane });
      const socket = serving.connect();
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.end('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
      await once(socket, 'close');
      expect(received.match(/HTTP\/1\.1 .*/g)).to.deep.equal(Array(3).fill('HTTP/1.1 200 OK'));
      expect(received.match(/"slow"/g)).to.have.length(3);
    });

    it('hear that a slow answer is to come, unless they speak HTTP/1.0', async () => {
      const slow = route('GET /slow', async () => {
        await sleep(500);
        return ok('slow');
      });
      const serving = await serve([slow], { lane });
      for (const [version, first] of [
        ['1.1', 'HTTP/1.1 102 Processing'],
        ['1.0', 'HTTP/1.1 200 OK'],
      ]) {
        const socket = serving.connect();
        let received = '';
        socket.on('data', (chunk) => {
          received += chunk;
        });
        socket.end(`GET /slow HTTP/${version}\r\nHost: x\r\n\r\n`);
        await once(socket, 'close');
        expect(received.split('\r\n')[0]).to.equal(first);
        expect(received).to.match(/HTTP\/1\.1 200 OK\r\n[\s\S]*"slow"$/);
      }
    });
  });
}

function acceptedBy({ server }: Serving): number {
  // Node counts the connections of a server under this name since its beginning.
  return (server as unknown as { readonly _connections: number })._connections;
}
