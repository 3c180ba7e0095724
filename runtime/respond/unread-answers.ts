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

export class UnreadAnswers {
  readonly #limit: number;
  readonly #answers = new Set<UnreadAnswer>();
  /** The answers of each connection. An answer behind others gets no event at its end. */
  readonly #connections = new WeakMap<Socket, Set<UnreadAnswer>>();
  #bytes = 0;

  /** `limit` is in bytes. A single answer may be larger. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds an answer; null where there is no capacity for it and it may be refused. */
  add(response: ServerResponse, size: number, mayBeRefused: boolean): UnreadAnswer | null {
    if (!this.#hasCapacityFor(size)) this.#disconnectSlowest(size);
    if (mayBeRefused && !this.#hasCapacityFor(size)) return null;
    const answer: UnreadAnswer = { response, size, readAt: performance.now() };
    this.#answers.add(answer);
    this.#bytes += size;
    this.#ofConnection(response.req.socket).add(answer);
    response.once('close', () => this.#remove(answer));
    return answer;
  }

  /** The answers of a connection. They share one listener: a client may ask for many before it reads the first. */
  #ofConnection(socket: Socket): Set<UnreadAnswer> {
    const known = this.#connections.get(socket);
    if (known) return known;
    const answers = new Set<UnreadAnswer>();
    this.#connections.set(socket, answers);
    socket.once('close', () => {
      for (const answer of answers) this.#remove(answer);
    });
    return answers;
  }

  #hasCapacityFor(size: number): boolean {
    return this.#answers.size === 0 || this.#bytes + size <= this.#limit;
  }

  #disconnectSlowest(size: number): void {
    const due = performance.now() - LONGEST_PAUSE;
    const slow = [...this.#answers].flatMap((answer) => {
      const { readAt } = answer;
      return readAt !== null && readAt < due ? [{ answer, readAt }] : [];
    });
    for (const { answer } of slow.sort((a, b) => a.readAt - b.readAt)) {
      if (this.#hasCapacityFor(size)) return;
      this.#remove(answer);
      answer.response.req.socket.destroy();
    }
  }

  #remove(answer: UnreadAnswer): void {
    if (!this.#answers.delete(answer)) return;
    this.#bytes -= answer.size;
    this.#connections.get(answer.response.req.socket)?.delete(answer);
  }
}
