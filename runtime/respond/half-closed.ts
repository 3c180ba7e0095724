/**
 * Clients that have sent their request and close their side of the connection. Some of them wait for the answer; others
 * have gone away. Nothing that the socket says tells one from the other: only what is sent to a client that has gone
 * comes back as an error. So where the answer takes long, "102 Processing" is sent, which every client must overlook.
 */
import type { Server, ServerResponse } from 'node:http';

/** Most answers are there before. In milliseconds, and doubled each time. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;

/** node:http would otherwise end the connection together with the client. Its types leave the property out. */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** The connection is closed, and the signal of the request fires, soon after the client has gone. */
export function findOutWhetherGone(response: ServerResponse, pause = FIRST_PAUSE): void {
  const { req } = response;
  if (req.httpVersionMajor === 1 && req.httpVersionMinor === 0) return;
  const timer = setTimeout(() => {
    if (response.headersSent || response.destroyed || req.socket.destroyed) return;
    // Until then the answers to earlier requests are to be sent.
    if (response.socket !== null) response.writeProcessing();
    findOutWhetherGone(response, Math.min(LONGEST_PAUSE, pause * 2));
  }, pause);
  timer.unref();
}
