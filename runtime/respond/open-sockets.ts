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

/** What was seen of a connection, and since when it is the same. */
type SeenSockets = WeakMap<Socket, { readonly state: string; readonly since: number }>;

function sameSince(socket: Socket, state: string, seen: SeenSockets): number {
  const before = seen.get(socket);
  if (before?.state === state) return before.since;
  const since = performance.now();
  seen.set(socket, { state, since });
  return since;
}

const CHECKS = 10;
const SHORTEST_PAUSE = 20;

/** `timeout` is in milliseconds: how long a client may read nothing of what waits for it. */
export function disconnectStalled(server: Server, timeout: number, tell: (socket: Socket) => void): void {
  const sockets = openSocketsOf(server);
  const waiting: SeenSockets = new WeakMap();
  const check = (): void => {
    for (const socket of sockets) {
      const since = stalledSince(socket, waiting);
      if (performance.now() - since < timeout) continue;
      tell(socket);
      socket.destroy();
    }
  };
  const timer = setInterval(check, Math.max(SHORTEST_PAUSE, timeout / CHECKS)).unref();
  server.once('close', () => clearInterval(timer));
}

/** The time since which a client has read nothing of what waits for it; infinity where nothing waits. */
function stalledSince(socket: Socket, waiting: SeenSockets): number {
  if (socket.writableLength > 0) {
    // How much of its answers it has taken: any difference is progress.
    const written = socket.bytesWritten - socket.writableLength;
    return sameSince(socket, `${written} ${queuedBySystem(socket)}`, waiting);
  }
  waiting.delete(socket);
  return Number.POSITIVE_INFINITY;
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

/**
 * Gives the function that closes the connections that have been idle for the grace; a call during another one does
 * nothing. `grace` is in milliseconds, and begins now for the connections that are open.
 */
export function idleConnections(server: Server, grace: number): () => Promise<void> {
  const sockets = openSocketsOf(server);
  const seen: SeenSockets = new WeakMap();
  let isClosing = false;
  for (const socket of sockets) idleSince(socket, seen);
  return async () => {
    if (isClosing) return;
    isClosing = true;
    await nextTurn();
    for (const socket of [...sockets]) {
      if (!hasRequest(socket) && performance.now() - idleSince(socket, seen) >= grace) socket.destroy();
    }
    isClosing = false;
  };
}

/** By the bytes that were read and written. */
function idleSince(socket: Socket, seen: SeenSockets): number {
  return sameSince(socket, String(socket.bytesRead + socket.bytesWritten), seen);
}

// ── Request gate ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Requests pass through it to the listener. While it is shut they wait, and pass when it is opened again. */
export type RequestGate = ReturnType<typeof requestGate>;

export function requestGate(listener: Listener) {
  let waiting: (readonly [IncomingMessage, ServerResponse])[] | null = null;
  const receive: Listener = (request, response) => {
    if (waiting === null) listener(request, response);
    else waiting.push([request, response]);
  };
  const shut = (): void => {
    waiting ??= [];
  };
  const open = (): void => {
    const all = waiting ?? [];
    waiting = null;
    for (const [request, response] of all) listener(request, response);
  };
  return { receive, shut, open };
}
