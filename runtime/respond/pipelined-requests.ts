/**
 * How many requests of one connection are worked on at once.
 *
 * node:http hands over every request that stands in one read of the socket, thousands of them if they are short. A
 * connection that has as many unanswered requests as it may is not read any further, and what was read of it already
 * waits. So a client takes no more of the server by sending a hundred thousand requests ahead than by sending a few.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  readonly socket: Socket;
  readonly waiting: Waiting[];
  /**
   * The response to the request that was given to the listener last, until it is answered: it holds the request and its
   * body.
   */
  latest: ServerResponse | null;
  /** How many requests the listener has that are not answered. */
  unanswered: number;
  /** Called when a response is closed. One for all the responses of the connection. */
  readonly closed: (this: ServerResponse) => void;
  isPaused: boolean;
  /** Whether waiting requests are about to be started. */
  isDue: boolean;
}

/** The connection is stored at the socket itself, because it is needed with every request. */
const CONNECTION = Symbol('connection');

type OwnSocket = Socket & { [CONNECTION]?: Connection };

/**
 * The limit of waiting requests of all connections. Each takes some 1,500 bytes. A client that sends more while so many
 * wait is disconnected.
 */
const MOST_WAITING = 10_000;

/** Limits the listener to `most` requests of each connection at once. */
export function limitPipelining(most: number, listener: Listener): Listener {
  let allWaiting = 0;

  const start = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    connection.unanswered++;
    connection.latest = response;
    response.on('close', connection.closed);
    listener(request, response);
  };

  const startWaiting = (connection: Connection): void => {
    connection.isDue = false;
    for (let left = most - connection.unanswered; left > 0; left--) {
      const next = connection.waiting.shift();
      if (next === undefined) break;
      allWaiting--;
      start(connection, next.request, next.response);
    }
    if (connection.waiting.length === 0 && connection.isPaused) resume(connection);
  };

  /**
   * Starts waiting requests after other connections have had their turn: immediate answers would otherwise follow each
   * other without end.
   */
  const startSoon = (connection: Connection): void => {
    if (!connection.isPaused || connection.isDue) return;
    connection.isDue = true;
    setImmediate(startWaiting, connection);
  };

  const newConnection = (socket: OwnSocket): Connection => {
    const connection: Connection = {
      socket,
      waiting: [],
      latest: null,
      unanswered: 0,
      closed() {
        if (connection.latest === this) connection.latest = null;
        connection.unanswered--;
        startSoon(connection);
      },
      isPaused: false,
      isDue: false,
    };
    socket[CONNECTION] = connection;
    // The waiting requests are dropped: the client is gone.
    socket.once('close', () => {
      allWaiting -= connection.waiting.splice(0).length;
    });
    // All waiting requests were started before the end could be read.
    socket.once('end', () => connection.latest && findOutWhetherGone(connection.latest));
    return connection;
  };

  const hold = (connection: Connection, waiting: Waiting): void => {
    const { socket } = connection;
    if (allWaiting >= MOST_WAITING) socket.destroy();
    // Requests that were read together with the last one still arrive.
    if (socket.destroyed) return;
    connection.waiting.push(waiting);
    allWaiting++;
    if (!connection.isPaused) pause(connection);
  };

  return (request, response) => {
    // It came behind an answer that has ended the connection. What cannot be answered must not be done.
    if (request.socket.writableEnded) return;
    const connection = (request.socket as OwnSocket)[CONNECTION] ?? newConnection(request.socket);
    const { latest, waiting, unanswered } = connection;
    if (latest?.headersSent && !latest.shouldKeepAlive) return;
    if (waiting.length === 0 && unanswered < most) start(connection, request, response);
    else hold(connection, { request, response });
  };
}

/** Whether no other request of its connection is to be answered after it, as far as is known. */
export function isLast(response: ServerResponse): boolean {
  const connection = (response.req.socket as OwnSocket)[CONNECTION];
  return connection === undefined || (connection.latest === response && connection.waiting.length === 0);
}

/** Whether a request of the connection has not been answered to its end. */
export function hasRequest(socket: Socket): boolean {
  const connection = (socket as OwnSocket)[CONNECTION];
  return connection !== undefined && (connection.unanswered > 0 || connection.waiting.length > 0);
}

/** Calls `next` when all complete requests of the connection are answered. */
export function afterAnswers(socket: Socket, next: () => void): void {
  const { latest } = (socket as OwnSocket)[CONNECTION] ?? { latest: null };
  const again = (): void => void setImmediate(afterAnswers, socket, next);
  if (!hasRequest(socket)) next();
  else if (latest === null) again();
  else if (latest.req.complete) latest.once('close', again);
  else if (latest.socket === null) latest.once('socket', again);
  else next();
}

function pause(connection: Connection): void {
  connection.isPaused = true;
  connection.socket.on('resume', pauseAgain).pause();
}

function resume(connection: Connection): void {
  connection.isPaused = false;
  connection.socket.off('resume', pauseAgain).resume();
}

/** node:http resumes the socket by itself whenever it has done with a request. */
function pauseAgain(this: Socket): void {
  this.pause();
}

// ── Half closed ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Clients that have sent their request and close their side of the connection. Some of them wait for the answer; others
// have gone away. Nothing that the socket says tells one from the other: only what is sent to a client that has gone
// comes back as an error. So where the answer takes long, "102 Processing" is sent, which every client must overlook.

/** The first pause, in milliseconds; it is doubled each time. Most answers are ready before. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;

/** The connection is closed, and the signal of the request fires, soon after the client has gone. */
function findOutWhetherGone(response: ServerResponse, pause = FIRST_PAUSE): void {
  const { req } = response;
  if (req.httpVersionMajor === 1 && req.httpVersionMinor === 0) return;
  const timer = setTimeout(() => {
    if (response.headersSent || response.destroyed || req.socket.destroyed) return;
    // The answers to earlier requests have to be sent first.
    if (response.socket !== null) response.writeProcessing();
    findOutWhetherGone(response, Math.min(LONGEST_PAUSE, pause * 2));
  }, pause);
  timer.unref();
}
