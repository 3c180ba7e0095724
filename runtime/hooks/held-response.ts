/**
 * A response that a hook writes while its transaction is still open. What it writes is held back until the transaction
 * is committed: a client never sees an answer about something that is rolled back afterwards. What could not be sent is
 * refused at once, while there is still something to roll back.
 */
import { Buffer } from 'node:buffer';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

type Chunk = readonly [method: 'write' | 'end', args: readonly unknown[]];

export interface HeldResponse {
  readonly isEnded: boolean;
  readonly status: number;
  /** Sends what was written. */
  release(): void;
  /** Forgets what was written, and the headers that were set since. */
  discard(): void;
}

export function holdResponse(response: ServerResponse): HeldResponse {
  const chunks: Chunk[] = [];
  const { writeHead, write, end, flushHeaders } = response;
  const before: HeaderState = stateOf(response);
  let isEnded = false;
  const hold = (method: Chunk[0], args: readonly unknown[]): void => {
    if (isEnded) throw new Error('the hook writes to a response that it has ended');
    requireChunk(args[0]);
    chunks.push([method, asBytes(args)]);
  };
  const holding = {
    writeHead: (status: number, ...rest: readonly unknown[]) => keepHead(response, status, rest),
    flushHeaders: () => undefined,
    write: (...args: readonly unknown[]) => {
      hold('write', args);
      return true;
    },
    end: (...args: readonly unknown[]) => {
      hold('end', args);
      isEnded = true;
      return response;
    },
  };
  Object.assign(response, holding);
  const letGo = () => Object.assign(response, { writeHead, write, end, flushHeaders });
  return {
    get isEnded() {
      return isEnded;
    },
    get status() {
      return response.statusCode;
    },
    release() {
      letGo();
      for (const [method, args] of chunks) (response[method] as (...args: readonly unknown[]) => unknown)(...args);
    },
    discard() {
      letGo();
      restoreHeaders(response, before);
    },
  };
}

/** Status and headers wait where `setHeader` puts them too, so that a bad one is found here. */
function keepHead(response: ServerResponse, status: number, rest: readonly unknown[]): ServerResponse {
  response.statusCode = status;
  const [first, second] = rest;
  if (typeof first === 'string') response.statusMessage = first;
  const headers = (typeof first === 'string' ? second : first) as OutgoingHttpHeaders | readonly unknown[] | undefined;
  if (Array.isArray(headers)) appendAll(response, pairsOf(headers));
  else for (const [name, value] of Object.entries(headers ?? {})) setHeader(response, name, value);
  return response;
}

function setHeader(response: ServerResponse, name: string, value: unknown): void {
  if (value !== undefined) response.setHeader(name, value as string);
}

/** A name may come several times; all of them take the place of what was set before. */
function appendAll(response: ServerResponse, pairs: readonly (readonly [string, string])[]): void {
  for (const [name] of pairs) response.removeHeader(name);
  for (const [name, value] of pairs) response.appendHeader(name, value);
}

/** Reads either `[name, value, name, value]` or `[[name, value]]`. */
function pairsOf(headers: readonly unknown[]): readonly (readonly [string, string])[] {
  if (Array.isArray(headers[0])) return headers as readonly (readonly [string, string])[];
  const names = headers.filter((_, at) => at % 2 === 0) as readonly string[];
  return names.map((name, at) => [name, String(headers[2 * at + 1])]);
}

function requireChunk(chunk: unknown): void {
  const isNone = chunk === undefined || chunk === null || typeof chunk === 'function';
  if (isNone || typeof chunk === 'string' || chunk instanceof Uint8Array) return;
  throw new TypeError('what is written to a response is a string, a Buffer or a Uint8Array');
}

/** Node writes head and text as one, and would encode the bytes of the head a second time with it. */
function asBytes([chunk, encoding, ...rest]: readonly unknown[]): readonly unknown[] {
  if (typeof chunk !== 'string') return encoding === undefined ? [chunk] : [chunk, encoding, ...rest];
  const isNamed = typeof encoding === 'string';
  const bytes = Buffer.from(chunk, isNamed ? (encoding as BufferEncoding) : 'utf8');
  return isNamed ? [bytes, ...rest] : [bytes, ...(encoding === undefined ? [] : [encoding])];
}

// ── Header state ────────────────────────────────────────────────────────────────────────────────────────────────────

// The status and the headers of a response, to go back to when what a hook has made of them must not be sent.

export interface HeaderState {
  readonly headers: OutgoingHttpHeaders;
  readonly status: number;
  readonly message: string;
}

export function stateOf(response: ServerResponse): HeaderState {
  return { headers: response.getHeaders(), status: response.statusCode, message: response.statusMessage };
}

export function restoreHeaders(response: ServerResponse, { headers, status, message }: HeaderState): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
  response.statusCode = status;
  response.statusMessage = message;
}
