/**
 * Disconnects clients that do not read: what they have asked for is held in memory until they do. All connections are
 * looked at from time to time, so that a request costs nothing.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { openSocketsOf } from './open-sockets.ts';

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

/** What is left of the write that is under way. The types of Node leave it out, though its own timeouts rely on it. */
function queuedBySystem(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const size: unknown = typeof handle === 'object' && handle !== null && Reflect.get(handle, 'writeQueueSize');
  return typeof size === 'number' ? size : 0;
}
