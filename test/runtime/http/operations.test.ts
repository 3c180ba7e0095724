import { expect } from 'chai';
import { createLog } from '../../../runtime/observe/log.ts';
import { createMetrics } from '../../../runtime/observe/metrics.ts';
import type { Readiness } from '../../../runtime/observe/readiness.ts';
import { closeAll, LANES, ok, route, serve } from './serving.ts';

const ROUTES = [
  route('GET /post/:slug', () => ok('post')),
  route('POST /post', async (exchange) => {
    exchange.log.warn({ password: 'hunter2', fine: 1 }, 'from a hook');
    return ok(await exchange.readBody());
  }),
];

for (const lane of LANES) {
  describe(`operations, ${lane}`, () => {
    after(closeAll);

    it('say that the process lives', async () => {
      const serving = await serve(ROUTES, { lane, isReady: async () => ({ ready: false, reason: 'x' }) });
      const { status, json } = await serving.ask('/healthz');
      expect([status, json]).to.deep.equal([200, { status: 'ok' }]);
      expect((await serving.ask('/healthz', { method: 'POST' })).status).to.equal(405);
      expect((await serving.ask('/healthz/more')).status).to.equal(404);
    });

    it('say whether requests can be answered, and why not', async () => {
      let readiness: Readiness = { ready: true };
      const serving = await serve(ROUTES, { lane, isReady: async () => readiness });
      expect((await serving.ask('/readyz')).json).to.deep.equal({ status: 'ok' });
      readiness = { ready: false, reason: 'The database is behind this release: run `migrate`.' };
      const { status, json, headers } = await serving.ask('/readyz');
      expect([status, json.code, json.detail]).to.deep.equal([503, 'unavailable', readiness.reason]);
      expect(headers['retry-after']).to.equal('5');
    });

    it('are not ready where that cannot be found out', async () => {
      const serving = await serve(ROUTES, { lane, isReady: () => Promise.reject(new Error('password=hunter2')) });
      const { status, text } = await serving.ask('/readyz');
      expect(status).to.equal(503);
      expect(text).to.not.include('hunter2');
    });

    it('log one line a request, without the query string, headers and bodies', async () => {
      const serving = await serve(ROUTES, { lane });
      await serving.ask('/post/a%20b?token=hunter2', {
        headers: { authorization: 'Bearer hunter2', 'x-request-id': 'r1', cookie: 'hunter2' },
      });
      expect(serving.lines).to.have.length(1);
      const { time, durationMs, ...line } = serving.lines[0] ?? {};
      expect(time).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(durationMs).to.be.a('number');
      expect(line).to.deep.equal({
        level: 'info',
        requestId: 'r1',
        method: 'GET',
        path: '/post/a%20b',
        route: '/post/:slug',
        status: 200,
        bytes: 6,
        msg: 'request',
      });
    });

    it('log under the request id, and nothing that looks like a secret', async () => {
      const serving = await serve(ROUTES, { lane });
      await serving.ask('/post', {
        method: 'POST',
        headers: { 'x-request-id': 'r2', 'content-type': 'application/json' },
        body: '{"secret":"hunter2"}',
      });
      expect(serving.lines[0]).to.include({ requestId: 'r2', password: '[not shown]', fine: 1, msg: 'from a hook' });
      expect(JSON.stringify(serving.lines)).to.not.include('hunter2');
    });

    it('log unknown paths without a route, and probes only for debugging', async () => {
      const serving = await serve(ROUTES, { lane });
      await serving.ask('/nothing');
      for (const path of ['/healthz', '/readyz', '/metrics']) await serving.ask(path);
      expect(serving.lines.map(({ level, route: pattern }) => [level, pattern])).to.deep.equal([
        ['info', null],
        ['debug', '/healthz'],
        ['debug', '/readyz'],
        ['debug', '/metrics'],
      ]);
    });

    it('count requests by method, route and status', async () => {
      const metrics = createMetrics();
      metrics.watchConnections(() => ({ open: 3, idle: 2, waiting: 1 }));
      const serving = await serve(ROUTES, { lane, metrics });
      for (const path of ['/post/a', '/post/b', '/nothing', '/other']) await serving.ask(path);
      await serving.ask('/post', { method: 'POST', body: '[]', headers: { 'content-type': 'application/json' } });
      const { headers, text } = await serving.ask('/metrics');
      expect(headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
      for (const line of [
        'http_request_duration_seconds_count{method="GET",route="/post/:slug",status="200"} 2',
        'http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/post/:slug",status="200"} 2',
        'http_request_duration_seconds_count{method="GET",route="unmatched",status="404"} 2',
        'http_request_duration_seconds_count{method="POST",route="/post",status="400"} 1',
        'kiln_database_connections{state="open"} 3',
        'kiln_database_connections{state="idle"} 2',
        'kiln_database_connections{state="waiting"} 1',
      ]) {
        expect(text.split('\n')).to.include(line);
      }
      expect(text).to.match(/^nodejs_eventloop_lag_seconds /m);
      expect(text).to.match(/^process_resident_memory_bytes \d+/m);
    });
  });
}

describe('the log', () => {
  const logged = (value: unknown): Record<string, unknown> => {
    const lines: string[] = [];
    createLog('info', { write: (line) => lines.push(line) }).error({ err: value }, 'failed');
    return JSON.parse(lines[0] ?? '').err;
  };

  it('shows an error with its code and its causes, and none of its other properties', () => {
    const cause = Object.assign(new TypeError('inside'), { code: '23505', detail: 'Key (email)=(a@b.c)' });
    const err = logged(new Error('outside', { cause }));
    expect(err).to.include({ type: 'Error', message: 'outside' });
    expect(err.cause).to.include({ type: 'TypeError', message: 'inside', code: '23505' });
    expect(JSON.stringify(err)).to.not.include('a@b.c');
  });

  it('shows the errors of several addresses', () => {
    const err = logged(new AggregateError([new Error('one'), new Error('two')], ''));
    expect((err.errors as { message: string }[]).map(({ message }) => message)).to.deep.equal(['one', 'two']);
  });

  it('survives an error that is its own cause, and things that are no errors', () => {
    const error = new Error('round');
    error.cause = error;
    expect(logged(error)).to.have.nested.property('cause.cause.message', 'round');
    expect(logged('text')).to.deep.equal({ type: 'string', message: 'text' });
    expect(logged({ password: 'hunter2' }).message).to.equal('a value that is not an error was thrown');
  });
});
