/**
 * How the server ends, so that no client loses a request. First it only says so: `/readyz` is 503 and every answer has
 * `Connection: close`, while all requests are still answered, until load balancers and clients have had time to notice.
 * Then it stops listening, closes idle connections, answers what is in progress, and closes the database. What takes
 * longer than the limit is cut off.
 */
import type { Server } from 'node:http';
import { type AddressInfo, connect, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { catchStrayErrors } from './hooks/stray-errors.ts';
import type { Lifecycle } from './observe/readiness.ts';
import { idleConnections, type RequestGate } from './respond/open-sockets.ts';
import { isStop, READY } from './workers/messages.ts';

interface Draining {
  readonly server: Server;
  readonly gate: RequestGate;
  readonly lifecycle: Lifecycle;
  readonly log: Logger;
  readonly close: () => Promise<void>;
  /** How long new connections are still accepted, and idle ones stay open, in milliseconds. */
  readonly grace: number;
  /** How long requests and database together may take after the grace, in milliseconds. */
  readonly timeout: number;
}

/** Whether all of it was done in time. */
export async function drain({ server, gate, lifecycle, log, close, grace, timeout }: Draining): Promise<boolean> {
  lifecycle.isStopping = true;
  log.info(
    { graceMs: grace },
    'stopping: requests are still answered, and responses ask clients to close their connections',
  );
  const closeIdle = idleConnections(server, grace);
  if (grace > 0) await sleep(grace);
  const work = emptied(server, gate, closeIdle)
    .then(() => nothingInFlight(lifecycle, timeout))
    .then(close)
    .then(() => true);
  const isDone = await inTime(work, timeout).catch((error: unknown) => {
    log.error({ err: error }, 'closing failed');
    return false;
  });
  if (isDone) log.info('stopped');
  else log.error({ timeoutMs: timeout }, 'not everything stopped in time: the rest was aborted');
  server.close();
  server.closeAllConnections();
  return isDone;
}

const IDLE_CHECK_MS = 50;

/** Resolves when there are no connections any more. */
async function emptied(server: Server, gate: RequestGate, closeIdle: () => Promise<void>): Promise<void> {
  await closeIdle();
  gate.shut();
  await nothingToAccept(server);
  const own = await lastInQueue(server);
  const closed = stopListening(server);
  own?.destroy();
  gate.open();
  const timer = setInterval(() => void closeIdle(), IDLE_CHECK_MS);
  timer.unref();
  await closed;
  clearInterval(timer);
}

/** Calls go on when their client has gone away, so requests may run without a connection. */
export async function nothingInFlight(lifecycle: Lifecycle, timeout: number): Promise<void> {
  const end = performance.now() + timeout;
  while (lifecycle.inFlight > 0 && performance.now() < end) await sleep(IDLE_CHECK_MS);
}

/** Looks at the queue about once a millisecond: enough of them have found it empty, or connections come all the time. */
const QUIET_LOOKS = 20;
const MOST_LOOKS = 1000;
/** The limit in milliseconds. Connections may have come after a longer check. */
const LONGEST_LOOK = 1;

/**
 * The system resets connections that are established but not accepted yet when a server stops listening. So they are
 * accepted first. Meanwhile the gate is shut: clients that get no answer do not make their next connection.
 */
async function nothingToAccept(server: Server): Promise<void> {
  let quiet = 0;
  const notQuiet = (): void => {
    quiet = 0;
  };
  server.on('connection', notQuiet);
  for (let looks = 0; quiet < (looks < MOST_LOOKS ? QUIET_LOOKS : 1) && looks < 2 * MOST_LOOKS; looks++) {
    await sleep(1);
    quiet++;
    const start = performance.now();
    await nextTurn();
    if (performance.now() - start > LONGEST_LOOK) notQuiet();
  }
  server.off('connection', notQuiet);
}

/** Node's handle of a socket. A server of a worker has none: its primary listens. */
interface Handle {
  readonly fd?: number;
  listen(backlog: number): number;
  /** 0 where there is somebody at the other end. */
  getpeername(out: object): number;
}

function handleOf(socket: NetServer | Socket): Handle | null {
  return (socket as unknown as { readonly _handle: Handle | null })._handle;
}

/**
 * Leaves one place in the queue, and takes it. Until this turn ends nobody else can be in it, so nobody is reset when
 * the server stops listening: later connections are refused, and lose nothing.
 */
async function lastInQueue(server: Server): Promise<Socket | null> {
  const handle = handleOf(server);
  if (handle?.fd === undefined) return null;
  handle.listen(0);
  const { port, address } = server.address() as AddressInfo;
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  for (let attempt = 0; attempt < MOST_LOOKS; attempt++) {
    const own = connect(port, host).on('error', () => undefined);
    await new Promise<void>((connecting) => process.nextTick(connecting));
    if (handleOf(own)?.getpeername({}) === 0) return own;
    own.destroy();
    // The connection that has the place is accepted.
    await nextTurn();
  }
  return null;
}

/** `close` of node:http would also destroy connections whose answers are written, but not read by the client yet. */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
}

/** Waits for the work; false where the time is over first. */
async function inTime(work: Promise<boolean>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Stops the server after an uncaught error, as a signal does, but with exit code 1: its supervisor starts another. */
export function stopAfterThrow(stop: () => Promise<boolean>, log: Logger): void {
  catchStrayErrors(log, () => void stop().then(() => exit(log, 1)));
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** The first signal stops the server and then the process, with 0 where it went well; a second one ends it at once. */
export function stopOnSignals(stop: () => Promise<boolean>, log: Logger): void {
  let isFirst = true;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!isFirst) endAtOnce(log, signal);
    isFirst = false;
    log.info({ signal }, 'stop signal received');
    void stop().then((wentWell) => exit(log, wentWell ? 0 : 1));
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

/**
 * Stops a worker when the primary says so, or when it gets a signal itself. Ctrl-C reaches all processes of a terminal,
 * and is left to the primary.
 */
export function stopWithPrimary(stop: () => Promise<boolean>, log: Logger): void {
  const onStop = (): void => void stop().then((wentWell) => exit(log, wentWell ? 0 : 1));
  process.on('message', (message) => {
    if (isStop(message)) onStop();
  });
  process.on('SIGTERM', onStop);
  process.on('SIGINT', () => undefined);
  process.send?.(READY);
}

function endAtOnce(log: Logger, signal: NodeJS.Signals): never {
  log.warn({ signal }, 'second stop signal: exiting immediately');
  process.exit(1);
}

const LONGEST_FLUSH_MS = 1000;

/** Exits. The rest of the log is written on the exit of the process; this only waits for a write that is under way. */
async function exit(log: Logger, code: number): Promise<never> {
  const flushed = new Promise<boolean>((resolve) => log.flush(() => resolve(true)));
  await inTime(flushed, LONGEST_FLUSH_MS);
  process.exit(code);
}
