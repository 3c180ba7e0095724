/**
 * Closes the connections that are idle while the server stops: no request of theirs is in progress, and no byte has come
 * or gone for a while. A client may send a request on such a connection at the very moment in which it is closed, and
 * would lose it. So they are closed right after the sockets were read, and none before its time. All of them at once: a
 * turn of a loaded server takes long, and there may be thousands.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openSocketsOf } from './open-sockets.ts';
import { hasRequest } from './pipelined-requests.ts';

interface Seen {
  /** Read and written. */
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

  /** Closes those that have been idle for the grace. A call during another one does nothing. */
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
