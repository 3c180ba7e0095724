/**
 * How the server ends: it accepts nothing new, running requests get their answers, then the database is closed. What
 * takes longer than the limit is cut off.
 */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Lifecycle } from './observe/readiness.ts';

export interface Draining {
  readonly server: Server;
  readonly lifecycle: Lifecycle;
  readonly log: Logger;
  readonly close: () => Promise<void>;
  /** In milliseconds, for requests and database together. */
  readonly timeout: number;
}

/** Whether all of it was done in time. */
export async function drain({ server, lifecycle, log, close, timeout }: Draining): Promise<boolean> {
  lifecycle.isStopping = true;
  log.info('stopping: running requests are answered, new ones are refused');
  const work = closed(server)
    .then(close)
    .then(() => true);
  const isDone = await inTime(work, timeout).catch((error: unknown) => {
    log.error({ err: error }, 'closing failed');
    return false;
  });
  if (isDone) log.info('stopped');
  else log.error({ timeoutMs: timeout }, 'not everything ended well and in time: what still ran was cut off');
  server.closeAllConnections();
  return isDone;
}

const IDLE_CHECK_MS = 50;

/** Node closes only the connections that are idle right now; those that become idle later are closed here. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    timer.unref();
    server.close(() => {
      clearInterval(timer);
      resolve();
    });
  });
}

/** False where the time is over first. */
async function inTime(work: Promise<boolean>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** The first signal stops the server and then the process, with 0 where it went well; a second one ends it at once. */
export function stopOnSignals(stop: () => Promise<boolean>, log: Logger): void {
  let isFirst = true;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!isFirst) endAtOnce(log, signal);
    isFirst = false;
    log.info({ signal }, 'told to stop');
    void stop().then((wentWell) => exit(log, wentWell ? 0 : 1));
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function endAtOnce(log: Logger, signal: NodeJS.Signals): never {
  log.warn({ signal }, 'told to stop again: ending at once');
  process.exit(1);
}

const LONGEST_FLUSH_MS = 1000;

/** What the log still holds is written on the exit of the process; this only waits for a write that is under way. */
async function exit(log: Logger, code: number): Promise<never> {
  const flushed = new Promise<boolean>((resolve) => log.flush(() => resolve(true)));
  await inTime(flushed, LONGEST_FLUSH_MS);
  process.exit(code);
}
