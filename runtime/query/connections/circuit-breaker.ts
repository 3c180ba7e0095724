/**
 * The path to the server, shared by all who connect. While it is not known to be open, one attempt stands for all
 * others at the same time; after a failed one all are rejected at once until the next is due, at most a second later.
 */
import type { Logger } from 'pino';
import type { DatabaseError } from '../database.ts';
import { unavailable, unknownHost } from './database-error-from.ts';

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1000;

export type CircuitBreaker = ReturnType<typeof circuitBreaker>;

/** `variable` is the one that has the address. */
export function circuitBreaker(log: Logger, variable = 'DATABASE_URL') {
  let isOpen = false;
  let failure: { readonly error: DatabaseError; readonly pause: number; readonly until: number } | null = null;
  let attempt: Promise<unknown> | null = null;

  const fail = (error: DatabaseError): DatabaseError => {
    const { cause } = error;
    if (failure === null) log.warn({ err: cause }, unreachable(cause, variable));
    const pause = Math.min(LONGEST_PAUSE, failure === null ? FIRST_PAUSE : failure.pause * 2);
    isOpen = false;
    failure = { error, pause, until: performance.now() + pause };
    return error;
  };

  const tried = async <T>(connect: () => Promise<T>): Promise<T> => {
    try {
      const connected = await connect();
      if (failure !== null) log.info('the database can be reached again');
      isOpen = true;
      failure = null;
      return connected;
    } catch (cause) {
      throw fail(unavailable(cause));
    }
  };

  /** Throws an error of the kind `unavailable` where `connect` fails, or is not even tried. */
  const run = async <T>(connect: () => Promise<T>): Promise<T> => {
    await attempt;
    if (isOpen) return tried(connect);
    if (failure !== null && performance.now() < failure.until) throw failure.error;
    // The callers that waited for the same attempt come here one after the other: the first of them makes the next
    // attempt.
    if (attempt !== null) return run(connect);
    const end = () => {
      attempt = null;
    };
    const own = tried(connect);
    attempt = own.then(end, end);
    return own;
  };

  return {
    run,
    /** A connection was lost, so nobody knows whether the server is still there. */
    suspect(cause: unknown): void {
      if (isOpen) log.warn({ err: cause }, 'a connection to the database was lost');
      isOpen = false;
    },
  };
}

function unreachable(cause: unknown, variable: string): string {
  const host = unknownHost(cause);
  return `the database cannot be reached${host === null ? '' : `. ${host}. Check ${variable}.`}`;
}
