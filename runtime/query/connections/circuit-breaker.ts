/**
 * The path to the server, shared by all who connect. While it is not known to be open, one attempt stands for all
 * others at the same time; after a failed one all are rejected at once until the next is due, at most a second later.
 */
import type { Logger } from 'pino';
import type { DatabaseError } from '../database.ts';
import { unavailable, unknownHost } from './database-error-from.ts';

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1000;

export class CircuitBreaker {
  readonly #log: Logger;
  #isOpen = false;
  #failure: { readonly error: DatabaseError; readonly pause: number; readonly until: number } | null = null;
  #attempt: Promise<unknown> | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Throws an error of the kind `unavailable` where `connect` fails, or is not even tried. */
  async run<T>(connect: () => Promise<T>): Promise<T> {
    await this.#attempt;
    if (this.#isOpen) return this.#try(connect);
    if (this.#failure !== null && performance.now() < this.#failure.until) throw this.#failure.error;
    // The callers that waited for the same attempt come here one after the other: the first of them makes the next
    // attempt.
    if (this.#attempt !== null) return this.run(connect);
    const attempt = this.#try(connect);
    this.#attempt = attempt.then(
      () => this.#endAttempt(),
      () => this.#endAttempt(),
    );
    return attempt;
  }

  /** A connection was lost, so nobody knows whether the server is still there. */
  suspect(cause: unknown): void {
    if (this.#isOpen) this.#log.warn({ err: cause }, 'a connection to the database was lost');
    this.#isOpen = false;
  }

  #endAttempt(): void {
    this.#attempt = null;
  }

  async #try<T>(connect: () => Promise<T>): Promise<T> {
    try {
      const connected = await connect();
      this.#open();
      return connected;
    } catch (cause) {
      throw this.#close(unavailable(cause));
    }
  }

  #open(): void {
    if (this.#failure !== null) this.#log.info('the database can be reached again');
    this.#isOpen = true;
    this.#failure = null;
  }

  #close(error: DatabaseError): DatabaseError {
    const { cause } = error;
    if (this.#failure === null) this.#log.warn({ err: cause }, unreachable(cause));
    const pause = Math.min(LONGEST_PAUSE, this.#failure === null ? FIRST_PAUSE : this.#failure.pause * 2);
    this.#isOpen = false;
    this.#failure = { error, pause, until: performance.now() + pause };
    return error;
  }
}

function unreachable(cause: unknown): string {
  const host = unknownHost(cause);
  return `the database cannot be reached${host === null ? '' : `. ${host}. Check DATABASE_URL.`}`;
}
