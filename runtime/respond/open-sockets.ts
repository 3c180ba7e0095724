import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasRequest, type Listener } from './pipelined-requests.ts';

const SOCKETS = new WeakMap<Server, Set<Socket>>();

/** The sockets of clients that are open now. node:http has such a list too, but does not show it. Call it before listening. */
export function openSocketsOf(server: Server): ReadonlySet<Socket> {
  return SOCKETS.get(server) ?? track(server);
}

function track(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  SOCKETS.set(server, sockets);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

// ── Stalled clients ─────────────────────────────────────────────────────────────────────────────────────────────────

// Disconnects clients that do not read: what they have asked for is held in memory until they do. All connections are
// looked at from time to time, so that a request costs nothing.

/** How much of its answers a connection has taken; any difference to an earlier one is progress. */
interface Progress {
  readonly written: number;
  readonly queued: number;
  readonly since: number;
}

const CHECKS = 10;
const SHORTEST_PAUSE = 20;

/** `timeout` is in milliseconds: how long a client may read nothing of what waits for it. */
export function disconnectStalled(server: Server, timeout: number, tell: (socket: Socket) => void): void {
  const clients = new StalledClients(openSocketsOf(server), timeout, tell);
  const timer = setInterval(() => clients.check(performance.now()), Math.max(SHORTEST_PAUSE, timeout / CHECKS));
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

class StalledClients {
  readonly #sockets: ReadonlySet<Socket>;
  readonly #timeout: number;
  readonly #tell: (socket: Socket) => void;
  readonly #waiting = new WeakMap<Socket, Progress>();

  constructor(sockets: ReadonlySet<Socket>, timeout: number, tell: (socket: Socket) => void) {
    this.#sockets = sockets;
    this.#timeout = timeout;
    this.#tell = tell;
  }

  check(now: number): void {
    for (const socket of this.#sockets) {
      if (socket.writableLength === 0) this.#waiting.delete(socket);
      else if (this.#isStalled(socket, now)) this.#disconnect(socket);
    }
  }

  #isStalled(socket: Socket, now: number): boolean {
    const before = this.#waiting.get(socket);
    const written = socket.bytesWritten - socket.writableLength;
    const queued = queuedBySystem(socket);
    if (before?.written === written && before.queued === queued) return now - before.since >= this.#timeout;
    this.#waiting.set(socket, { written, queued, since: now });
    return false;
  }

  #disconnect(socket: Socket): void {
    this.#tell(socket);
    socket.destroy();
  }
}

/**
 * The size of the unwritten rest of the current write. The types of Node leave it out, though its own timeouts rely on
 * it.
 */
function queuedBySystem(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const size: unknown = typeof handle === 'object' && handle !== null && Reflect.get(handle, 'writeQueueSize');
  return typeof size === 'number' ? size : 0;
}

// ── Idle connections ────────────────────────────────────────────────────────────────────────────────────────────────

// Closes the connections that are idle while the server stops: no request of theirs is in progress, and no byte has
// come or gone for a while. A client may send a request on such a connection at the very moment in which it is closed,
// and would lose it. So they are closed right after the sockets were read, and none before its time. All of them are
// closed at once: a turn of a loaded server takes long, and there may be thousands.

interface Seen {
  /** The number of bytes that were read and written. */
  readonly bytes: number;
  readonly since: number;
}

export class IdleConnections {
  readonly #sockets: ReadonlySet<Socket>;
  readonly #grace: number;
  readonly #seen = new WeakMap<Socket, Seen>();
  #isClosing = false;

  /** `grace` is in milliseconds, and begins now for the connections that are open. */
  constructor(server: Server, grace: number) {
    this.#sockets = openSocketsOf(server);
    this.#grace = grace;
    for (const socket of this.#sockets) this.#look(socket);
  }

  /** Closes the connections that have been idle for the grace. A call during another one does nothing. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await nextTurn();
    for (const socket of [...this.#sockets]) if (this.#isOver(socket)) socket.destroy();
    this.#isClosing = false;
  }

  #isOver(socket: Socket): boolean {
    const { since } = this.#look(socket);
    return !hasRequest(socket) && performance.now() - since >= this.#grace;
  }

  #look(socket: Socket): Seen {
    const bytes = socket.bytesRead + socket.bytesWritten;
    const before = this.#seen.get(socket);
    if (before?.bytes === bytes) return before;
    const seen = { bytes, since: performance.now() };
    this.#seen.set(socket, seen);
    return seen;
  }
}

// ── Request gate ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Requests pass through it to the listener. While it is shut they wait, and pass when it is opened again. */
export class RequestGate {
  readonly #listener: Listener;
  #waiting: (readonly [IncomingMessage, ServerResponse])[] | null = null;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  readonly receive: Listener = (request, response) => {
    if (this.#waiting === null) this.#listener(request, response);
    else this.#waiting.push([request, response]);
  };

  shut(): void {
    this.#waiting ??= [];
  }

  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const [request, response] of waiting) this.#listener(request, response);
  }
}
