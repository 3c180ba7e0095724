import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { createLog } from '../../../runtime/observe/log.ts';
import { createMetrics } from '../../../runtime/observe/metrics.ts';
import type { Exchange } from '../../../runtime/request/exchange.ts';
import { type RunningServer, serveRoutes } from '../../../runtime/server.ts';
import { bundled } from '../../support/bundled.ts';
import { until } from '../../support/until.ts';
import { askUntilRefused, type Tally } from './keep-alive-clients.ts';
import { ask, CONFIG, closeAll, LANES, ok, responseIn, route, serve } from './serving.ts';

interface Stopping {
  readonly running: RunningServer;
  readonly order: string[];
  readonly messages: () => readonly unknown[];
  /** Answers the request to `/slow`. */
  readonly release: () => void;
  /** Resolves when it has come. */
  readonly begun: Promise<void>;
}

function gate(): [passed: Promise<void>, open: () => void] {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [passed, open];
}

interface Ways {
  readonly close?: () => Promise<void>;
  readonly grace?: number;
}

async function serveSlowly(
  lane: 'fast' | 'express',
  timeout: number,
  { close, grace = 0 }: Ways = {},
): Promise<Stopping> {
  const order: string[] = [];
  const lines: string[] = [];
  const [released, release] = gate();
  const [begun, begin] = gate();
  const slow = route('GET /slow', async () => {
    begin();
    await released;
    order.push('answered');
    return ok('slow');
  });
  const running = await serveRoutes({
    routes: [slow, route('GET /fast', () => ok('fast'))],
    config: { ...CONFIG, shutdownTimeout: timeout, shutdownGrace: grace },
    log: createLog('info', { write: (line) => lines.push(line) }),
    metrics: createMetrics(),
    isReady: async () => ({ ready: true }),
    close: close ?? (async () => void order.push('closed')),
    lane,
  });
  const messages = (): readonly unknown[] => lines.map((line) => JSON.parse(line).msg);
  return { running, order, messages, release, begun };
}

/** As a hook does that writes its answer by itself. */
function writeAnswer(exchange: Exchange): null {
  responseIn(exchange).end('hook');
  return null;
}

for (const lane of LANES) {
  describe(`stopping, ${lane}`, () => {
    it('answers what runs, then closes the database', async () => {
      const { running, order, messages, release, begun } = await serveSlowly(lane, 10_000);
      const answer = ask(running.port, '/slow', { agent: new Agent({ keepAlive: true }) });
      await begun;
      const stopped = running.stop();
      expect(running.stop()).to.equal(stopped);
      release();
      const { status, headers } = await answer;
      expect([status, headers.connection]).to.deep.equal([200, 'close']);
      expect(await stopped).to.equal(true);
      expect(order).to.deep.equal(['answered', 'closed']);
      expect(messages()).to.include('stopped');
    });

    it('accepts no connections any more', async () => {
      const { running } = await serveSlowly(lane, 10_000);
      await running.stop();
      const error = await ask(running.port, '/fast').catch((reason: unknown) => reason);
      expect(error).to.have.property('code', 'ECONNREFUSED');
    });

    it('closes connections that wait for nothing', async () => {
      const { running } = await serveSlowly(lane, 10_000);
      const agent = new Agent({ keepAlive: true });
      expect((await ask(running.port, '/fast', { agent })).headers.connection).to.equal('keep-alive');
      expect(await running.stop()).to.equal(true);
    });

    it('answers requests that still come, and says that the connection ends; the probe of readiness says no', async () => {
      const lifecycle = { isStopping: false, inFlight: 0 };
      const hook = route('GET /hook', writeAnswer, { needsExpress: true });
      const serving = await serve([route('GET /fast', () => ok('fast')), hook], { lane, lifecycle });
      const agent = new Agent({ keepAlive: true });
      for (const path of ['/fast', '/hook', '/readyz'])
        expect((await serving.ask(path, { agent })).headers.connection, path).to.equal('keep-alive');
      lifecycle.isStopping = true;
      for (const [path, status] of [
        ['/fast', 200],
        ['/hook', 200],
        ['/nowhere', 404],
        ['/healthz', 200],
        ['/readyz', 503],
      ] as const) {
        const answer = await serving.ask(path, { agent });
        expect([answer.status, answer.headers.connection], path).to.deep.equal([status, 'close']);
      }
      expect((await serving.ask('/readyz')).json).to.include({ detail: 'The server is stopping.' });
      await closeAll();
    });

    it('answers all requests that were sent ahead on a connection, and only the last answer says that it ends', async () => {
      const fast = route('GET /fast/:number', ({ params }) => ok(params[0]));
      const lifecycle = { isStopping: true, inFlight: 0 };
      const serving = await serve([fast], { lane, lifecycle, config: { connectionRequestsMax: 2 } });
      const requests = [1, 2, 3, 4, 5].map((number) => `GET /fast/${number} HTTP/1.1\r\nhost: x\r\n\r\n`);
      const text = await serving.askRaw(requests.join(''));
      expect(text.match(/"\d"/g)).to.deep.equal(['"1"', '"2"', '"3"', '"4"', '"5"']);
      const kept = text.match(/^connection: \S+/gim)?.map((line) => line.toLowerCase());
      expect(kept).to.deep.equal([...Array(4).fill('connection: keep-alive'), 'connection: close']);
      await closeAll();
    });

    it('does nothing for a request behind an answer that ends the connection', async () => {
      const asked: string[] = [];
      const [released, release] = gate();
      const slowBody = route('GET /long', async () => {
        asked.push('long');
        return ok('x'.repeat(20_000_000));
      });
      const write = route('POST /write', () => {
        asked.push('write');
        return ok('written');
      });
      const serving = await serve([slowBody, write], { lane, lifecycle: { isStopping: true, inFlight: 0 } });
      const socket = serving.connect();
      socket.once('data', () => {
        socket.write('POST /write HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
        release();
      });
      socket.on('error', () => undefined).write('GET /long HTTP/1.1\r\nhost: x\r\n\r\n');
      await released;
      await once(socket.resume(), 'close');
      expect(asked).to.deep.equal(['long']);
      await closeAll();
    });

    it('keeps idle connections for the grace, and accepts new ones', async () => {
      const { running } = await serveSlowly(lane, 10_000, { grace: 300 });
      const idle = connect(running.port, '127.0.0.1');
      await once(idle, 'connect');
      connect(running.port, '127.0.0.1').resume();
      const stopped = running.stop();
      const late = await ask(running.port, '/fast', { agent: new Agent({ keepAlive: true }) });
      expect([late.text, late.headers.connection]).to.deep.equal(['"fast"', 'close']);
      let text = '';
      idle.on('data', (chunk) => {
        text += chunk;
      });
      idle.write('GET /fast HTTP/1.1\r\nhost: x\r\n\r\n');
      await once(idle, 'close');
      expect(text).to.match(/^HTTP\/1.1 200 OK.*connection: close.*"fast"$/is);
      // Nothing was ever sent on the other one: it ends with the grace too.
      expect(await stopped).to.equal(true);
    });

    it('cuts off what takes too long', async () => {
      const { running, messages, begun, release } = await serveSlowly(lane, 50);
      const answer = ask(running.port, '/slow').catch((reason: unknown) => reason);
      await begun;
      expect(await running.stop()).to.equal(false);
      expect(await answer).to.have.property('code', 'ECONNRESET');
      expect(messages().at(-1)).to.include('aborted');
      release();
    });

    it('does not go well where the database cannot be closed', async () => {
      const { running, messages } = await serveSlowly(lane, 10_000, { close: () => Promise.reject(new Error('lost')) });
      expect(await running.stop()).to.equal(false);
      expect(messages()).to.include('closing failed');
    });
  });
}

/** In milliseconds. */
const GRACE = 600;

describe('signals', () => {
  const started: ChildProcess[] = [];
  let script: string;
  before(() => {
    script = bundled(import.meta.resolve('./stopping-server.ts'));
  });
  after(() => {
    for (const child of started) child.kill('SIGKILL');
  });

  async function start(
    timeout: number,
    grace = 0,
  ): Promise<{ child: ChildProcess; port: number; output: () => string }> {
    const child = fork(script, [String(timeout), String(grace)], { execArgv: [], stdio: 'pipe' });
    started.push(child);
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
    });
    const [port] = await once(child, 'message');
    return { child, port: Number(port), output: () => text };
  }

  const ended = async (child: ChildProcess): Promise<number | null> => (await once(child, 'close'))[0] as number | null;

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`end the process with 0 after ${signal}, when running requests have their answers`, async () => {
      const { child, port, output } = await start(10_000);
      const answer = ask(port, '/slow/100');
      await once(child, 'message');
      child.kill(signal);
      const [code, { text }] = await Promise.all([ended(child), answer]);
      expect([code, text]).to.deep.equal([0, '"done"']);
      const messages = output()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).msg);
      expect(messages.slice(-3)).to.deep.equal(['request', 'the database is closed', 'stopped']);
    });
  }

  for (const run of [1, 2, 3]) {
    it(`cost 150 clients that keep their connections no request (${run})`, async () => {
      const { child, port } = await start(30_000, GRACE);
      const tally: Tally = { answered: 0, closed: 0, failures: [] };
      // Some ask again at once, some after a while, all of them within the grace.
      const clients = Array.from({ length: 150 }, (_, number) =>
        askUntilRefused(port, () => Math.random() * ((number % 10) * GRACE * 0.05), tally),
      );
      await until(() => tally.answered >= 450);
      child.kill('SIGTERM');
      const [code] = await Promise.all([ended(child), ...clients]);
      expect(tally.failures).to.deep.equal([]);
      expect(code).to.equal(0);
      expect(tally.closed).to.be.greaterThan(150);
    });
  }

  it('are not sent by a hook with a floating promise: its request is a 500, and the server goes on', async () => {
    const { child, port, output } = await start(10_000);
    expect((await ask(port, '/stray/rejected')).status).to.equal(500);
    expect((await ask(port, '/fast')).status).to.equal(200);
    child.kill('SIGTERM');
    expect(await ended(child)).to.equal(0);
    expect(output()).to.include('"hook":"`stray` of hooks/code.ts"').and.include('floating');
  });

  it('need not come after a throw in a timer of a hook: other requests have their answers, and the process ends with 1', async () => {
    const { child, port, output } = await start(10_000);
    const answer = ask(port, '/slow/100');
    await once(child, 'message');
    const [code, stray, { text }] = await Promise.all([ended(child), ask(port, '/stray/thrown'), answer]);
    expect([code, stray.status, text]).to.deep.equal([1, 500, '"done"']);
    expect(output()).to.include('"hook":"`stray` of hooks/code.ts"').and.include('nothing catches it');
  });

  it('end the process with 1 where a request takes too long', async () => {
    const { child, port, output } = await start(50);
    const answer = ask(port, '/slow/60000').catch((reason: unknown) => reason);
    await once(child, 'message');
    child.kill('SIGTERM');
    expect(await ended(child)).to.equal(1);
    expect(await answer).to.be.instanceOf(Error);
    expect(output()).to.include('aborted');
  });

  it('end the process at once when there are two', async () => {
    const { child, port, output } = await start(60_000);
    const answer = ask(port, '/slow/60000').catch((reason: unknown) => reason);
    await once(child, 'message');
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGTERM'), 100);
    expect(await ended(child)).to.equal(1);
    expect(await answer).to.be.instanceOf(Error);
    expect(output()).to.include('second stop signal');
  });
});
