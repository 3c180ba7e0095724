/**
 * Long answers that wait in memory for their clients to read them, and how much memory all of them may take. Where
 * another one does not fit, clients that have read nothing for a while are disconnected, the slowest first; where that
 * is not enough, the answer is refused.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface UnreadAnswer {
  readonly response: ServerResponse;
  /** The size in bytes. */
  readonly size: number;
  /**
   * The time when the client last took a part of it. Null while the next part is read: then the client waits for the
   * server.
   */
  readAt: number | null;
}

/** The limit in milliseconds. A client that reads at all takes a slice in far less. */
const LONGEST_PAUSE = 1000;

/**
 * `limit` is in bytes. A single answer may be larger. Gives the function that adds an answer: null where there is no
 * capacity for it and it may be refused.
 */
export function unreadAnswers(limit: number) {
  const answers = new Set<UnreadAnswer>();
  /** The answers of each connection. An answer behind others gets no event at its end. */
  const connections = new WeakMap<Socket, Set<UnreadAnswer>>();
  let bytes = 0;
  const remove = (answer: UnreadAnswer): void => {
    if (!answers.delete(answer)) return;
    bytes -= answer.size;
    connections.get(answer.response.req.socket)?.delete(answer);
  };
  /** The answers of a connection. They share one listener: a client may ask for many before it reads the first. */
  const ofConnection = (socket: Socket): Set<UnreadAnswer> => {
    const known = connections.get(socket);
    if (known) return known;
    const own = new Set<UnreadAnswer>();
    connections.set(socket, own);
    socket.once('close', () => own.forEach(remove));
    return own;
  };
  const hasCapacityFor = (size: number) => answers.size === 0 || bytes + size <= limit;
  const disconnectSlowest = (size: number): void => {
    const due = performance.now() - LONGEST_PAUSE;
    const slow = [...answers].flatMap((answer) => {
      const { readAt } = answer;
      return readAt !== null && readAt < due ? [{ answer, readAt }] : [];
    });
    for (const { answer } of slow.sort((a, b) => a.readAt - b.readAt)) {
      if (hasCapacityFor(size)) return;
      remove(answer);
      answer.response.req.socket.destroy();
    }
  };
  return (response: ServerResponse, size: number, mayBeRefused: boolean): UnreadAnswer | null => {
    if (!hasCapacityFor(size)) disconnectSlowest(size);
    if (mayBeRefused && !hasCapacityFor(size)) return null;
    const answer: UnreadAnswer = { response, size, readAt: performance.now() };
    answers.add(answer);
    bytes += size;
    ofConnection(response.req.socket).add(answer);
    response.once('close', () => remove(answer));
    return answer;
  };
}
