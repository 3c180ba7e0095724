/** One line in the log and one observation for each request. */
import type { Logger } from 'pino';
import { ApiError } from '../errors/api-error.ts';
import { logPlain, type PlainLine } from '../observe/log.ts';
import type { RouteTally } from '../observe/metrics.ts';
import type { HttpExchange } from './http-exchange.ts';

export interface Outcome {
  readonly status: number;
  /** The size of the body; null where a hook wrote it and did not state the size. */
  readonly bytes: number | null;
  /** The error that was thrown; undefined where none was. */
  readonly error?: unknown;
}

/** The record of the requests of a route. */
export interface RecordedAs {
  /** Null where no route matched. */
  readonly pattern: string | null;
  readonly tally: RouteTally;
  /** Whether it is asked every few seconds by machines. */
  readonly isQuiet: boolean;
}

/** The status that nginx uses too: the client went away, and no status was sent. */
export const CLIENT_GONE = 499;

export function recordRequest(log: Logger, exchange: HttpExchange, as: RecordedAs, outcome: Outcome): void {
  const milliseconds = performance.now() - exchange.startedAt;
  as.tally.observe(outcome.status, milliseconds / 1000);
  const level = levelOf(as, outcome);
  if (!log.isLevelEnabled(level)) return;
  const line = lineFrom(exchange, as, outcome, milliseconds);
  if (outcome.status >= 500 && outcome.error !== undefined) log[level]({ ...line, err: outcome.error }, 'request');
  else logPlain(log, level, line, 'request');
}

function levelOf({ isQuiet }: RecordedAs, { status, error }: Outcome): 'debug' | 'info' | 'warn' | 'error' {
  if (isQuiet) return 'debug';
  if (status < 500 || error === undefined) return 'info';
  return isRefusal(status, error) ? 'warn' : 'error';
}

/** The server is busy, or a hook asks the client to come back: nothing is broken. What is broken has a cause. */
function isRefusal(status: number, error: unknown): boolean {
  return status === 503 && error instanceof ApiError && error.cause === undefined;
}

function lineFrom(exchange: HttpExchange, as: RecordedAs, outcome: Outcome, milliseconds: number): PlainLine {
  return {
    requestId: exchange.id,
    method: exchange.method,
    path: exchange.path,
    route: as.pattern,
    status: outcome.status,
    durationMs: Math.round(milliseconds * 1000) / 1000,
    bytes: outcome.bytes,
  };
}
