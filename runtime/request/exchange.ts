/** One request and its answer, whether node:http or Express handed it over. */
import type { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { pathPattern, type Segment } from '../../compiler/definition/contract/routes.ts';
import type { HeldResponse } from './held-response.ts';

export interface Exchange {
  /** The id, which is also in the answer's `x-request-id`. */
  readonly id: string;
  readonly log: Logger;
  /** Express's own where the request came through Express. */
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Present where hooks get the response. */
  readonly held?: HeldResponse;
  /** The values of the path's parameters, decoded, in the order of the path. */
  readonly params: readonly string[];
  /** The part after the `?`; empty where there is none. */
  readonly queryString: string;
  /** The same request for another path. */
  at(params: readonly string[], queryString: string): Exchange;
  /** The JSON object of the body; an empty one where there is no body. Throws an ApiError where it cannot be read. */
  readBody(): Promise<Readonly<Record<string, unknown>>>;
  /** Reads a JSON body, whatever it is, and lets hooks see it at the request. Throws as `readBody` does. */
  offerBody(): Promise<void>;
  /** Reads the body like both of them, but hands its bytes to `verify` before anything else is done with them. */
  readVerified(verify: (bytes: Buffer) => void): Promise<Readonly<Record<string, unknown>>>;
  /** The body as a form; null where it is none. Throws as `readBody` does. */
  readForm(): Promise<FormData | null>;
  /** Hands over a body that may be longer than others, and may take longer. Bytes must arrive all the time. */
  takeBody(take: (request: IncomingMessage) => Promise<void>): Promise<void>;
  /** The id of the account that calls, once its token was checked; null if the request does not read it. */
  caller?: string | null;
  /** Whether something was sent to the database that may write. */
  hasWritten?: boolean;
  /** Fires when the client goes away before it has its answer. */
  readonly signal: AbortSignal;
  /** Absent where a client waits. A job has no response. */
  readonly job?: RunningJob;
}

/** A job that runs: what its code is told about it. */
export interface RunningJob {
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
  /** Fires when its time is over, when the server stops, or when another server runs it. */
  readonly signal: AbortSignal;
}

export type Answer = WholeAnswer | SlicedAnswer;

interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>> | null;
}

export interface WholeAnswer extends AnswerHead {
  /** JSON, as a text or as its bytes; null for an answer without a body. */
  readonly body: string | Buffer | null;
  /** Takes over the response when its head is sent: it has no end then. */
  readonly begin?: (response: ServerResponse) => void;
}

export interface SlicedAnswer extends AnswerHead {
  readonly body: Slices;
}

/** A long body that is made while it is sent: what the client has not read yet is not all in memory. */
export interface Slices {
  /** The approximate number of bytes that it holds before the first slice is taken. */
  readonly size: number;
  /** How many bytes it has exactly, where that is known. */
  readonly length?: number;
  /** Null after the last one. A promise where something has to be read for it first. */
  next(): Buffer | null | Promise<Buffer | null>;
}

export interface Route {
  /** The pattern for logs and metrics: `/api/post/:post_slug`. */
  readonly pattern: string;
  readonly method: string;
  readonly path: readonly Segment[];
  /** Whether its code needs Express's request and response. */
  readonly needsExpress: boolean;
  /** Whether it may change something although it is a GET. */
  readonly mayWrite?: boolean;
  /** Null where the code of a hook has written the answer to the response by itself. */
  handle(exchange: Exchange): Promise<Answer | null>;
}

/** Makes a route without custom code. */
export function plainRoute(method: Route['method'], path: readonly Segment[], handle: Route['handle']): Route {
  return { pattern: pathPattern(path), method, path, needsExpress: false, handle };
}
