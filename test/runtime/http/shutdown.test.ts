import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLog } from '../../../runtime/observe/log.ts';
import { createMetrics } from '../../../runtime/observe/metrics.ts';
import { type RunningServer, serveRoutes } from '../../../runtime/server.ts';
import { ask, CONFIG, closeAll, LANES, ok, route, serve } from './serving.ts';

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

async function serveSlowly(lane: 'fast' | 'express', timeout: number, close?: () => Promise<void>): Promise<Stopping> {
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
    config: { ...CONFIG, shutdownTimeout: timeout },
    log: createLog('info', { write: (line) => lines.push(line) }),
    metrics: createMetrics(),
    isReady: async () => ({ ready: true }),
    close: close ?? (async () => void order.push('closed')),
    lane,
  });
  const messages = (): readonly unknown[] => lines.map((line) => JSON.parse(line).msg);
  return { running, order, messages, release, begun };
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

    it('refuses requests that still come on open connections, except the probes', async () => {
      const serving = await serve([route('GET /fast', () => ok('fast'))], {
        lane,
        lifecycle: { isStopping: true, inFlight: 0 },
      });
      const { status, json, headers } = await serving.ask('/fast', { agent: new Agent({ keepAlive: true }) });
      expect([status, json.code, json.detail]).to.deep.equal([503, 'unavailable', 'The server is stopping.']);
      expect([headers['retry-after'], headers.connection]).to.deep.equal(['5', 'close']);
      expect((await serving.ask('/healthz')).status).to.equal(200);
      expect((await serving.ask('/readyz')).json).to.include({ status: 503, detail: 'The server is stopping.' });
      expect(serving.lines[0]).to.include({ level: 'info', status: 503 });
      await closeAll();
    });

    it('cuts off what takes too long', async () => {
      const { running, messages, begun, release } = await serveSlowly(lane, 50);
      const answer = ask(running.port, '/slow').catch((reason: unknown) => reason);
      await begun;
      expect(await running.stop()).to.equal(false);
      expect(await answer).to.have.property('code', 'ECONNRESET');
      expect(messages().at(-1)).to.include('cut off');
      release();
    });

    it('does not go well where the database cannot be closed', async () => {
      const { running, messages } = await serveSlowly(lane, 10_000, () => Promise.reject(new Error('lost')));
      expect(await running.stop()).to.equal(false);
      expect(messages()).to.include('closing failed');
    });
  });
}

describe('signals', () => {
  const started: ChildProcess[] = [];
  after(() => {
    for (const child of started) child.kill('SIGKILL');
  });

  async function start(timeout: number): Promise<{ child: ChildProcess; port: number; output: () => string }> {
    const script = join(import.meta.dirname, 'stopping-server.ts');
    const child = fork(script, [String(timeout)], { execArgv: ['--import', 'tsx/esm'], stdio: 'pipe' });
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

  it('end the process with 1 where a request takes too long', async () => {
    const { child, port, output } = await start(50);
    const answer = ask(port, '/slow/60000').catch((reason: unknown) => reason);
    await once(child, 'message');
    child.kill('SIGTERM');
    expect(await ended(child)).to.equal(1);
    expect(await answer).to.be.instanceOf(Error);
    expect(output()).to.include('cut off');
  });

  it('end the process at once when there are two', async () => {
    const { child, port, output } = await start(60_000);
    const answer = ask(port, '/slow/60000').catch((reason: unknown) => reason);
    await once(child, 'message');
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGTERM'), 100);
    expect(await ended(child)).to.equal(1);
    expect(await answer).to.be.instanceOf(Error);
    expect(output()).to.include('told to stop again');
  });
});
