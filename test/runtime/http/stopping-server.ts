/** A server as a process of its own, for the tests of how one ends. It says its port, and when a request begins. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hookFunction } from '../../../runtime/hooks/hook-function.ts';
import { createLog } from '../../../runtime/observe/log.ts';
import { createMetrics } from '../../../runtime/observe/metrics.ts';
import type { Exchange } from '../../../runtime/request/exchange.ts';
import { serveRoutes } from '../../../runtime/server.ts';
import { stopAfterThrow, stopOnSignals } from '../../../runtime/shutdown.ts';
import { CONFIG, ok, responseIn, route } from './serving.ts';

const [, , timeout, grace = 0] = process.argv;

/** Writes its answer by itself. */
function hook(exchange: Exchange): null {
  const response = responseIn(exchange);
  response.setHeader('content-type', 'text/plain');
  response.end('hook');
  return null;
}

/** Leaves an error behind that it does not wait for. */
async function stray({ kind }: Readonly<Record<string, unknown>>): Promise<string> {
  if (kind === 'rejected') void Promise.reject(new Error('floating'));
  if (kind === 'thrown') await new Promise(() => setTimeout(() => JSON.parse('late'), 1));
  return 'fine';
}
const call = hookFunction(
  { arguments: [], code: { kind: 'source', file: 'hooks/code.ts', export: 'stray' } },
  { modules: { 'hooks/code.ts#stray': stray }, timeout: 60_000 },
);

const log = createLog('info');
const { port, stop } = await serveRoutes({
  routes: [
    route('GET /slow/:ms', async ({ params: [milliseconds] }) => {
      process.send?.('begun');
      await sleep(Number(milliseconds));
      return ok('done');
    }),
    route('GET /fast', () => ok('fast')),
    route('GET /stray/:kind', async ({ params: [kind = ''] }) => ok(await call({ kind }, null))),
    route('POST /hook', hook, { needsExpress: true }),
  ],
  config: { ...CONFIG, shutdownTimeout: Number(timeout), shutdownGrace: Number(grace) },
  log,
  metrics: createMetrics(),
  isReady: async () => ({ ready: true }),
  close: async () => log.info('the database is closed'),
});
stopOnSignals(stop, log);
stopAfterThrow(stop, log);
process.send?.(port);
// The channel to the test must not keep the process alive.
process.channel?.unref();
