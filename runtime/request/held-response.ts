/**
 * The response of a request while its hooks run. What a hook writes is held back until the transaction is committed: a
 * client never sees an answer about something that is rolled back afterwards. What could not be sent is refused at once,
 * while there is still something to roll back.
 */
import { Buffer } from 'node:buffer';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

type Chunk = readonly [method: 'write' | 'end', args: readonly unknown[]];

export class HeldResponse {
  /** Whether a hook may respond. What any other one writes is not sent. */
  responds = false;
  /** What to throw if a hook has responded that may not. */
  stray: Error | null = null;
  readonly response: ServerResponse;
  readonly #chunks: Chunk[] = [];
  readonly #own: object;

  constructor(response: ServerResponse) {
    const { writeHead, write, end, flushHeaders } = response;
    this.response = response;
    this.#own = { writeHead, write, end, flushHeaders };
    Object.assign(response, {
      writeHead: (status: number, ...rest: readonly unknown[]) => keepHead(response, status, rest),
      flushHeaders: () => undefined,
      write: (...args: readonly unknown[]) => this.#hold('write', args, true),
      end: (...args: readonly unknown[]) => this.#hold('end', args, response),
    });
  }

  get isEnded(): boolean {
    return this.#chunks.at(-1)?.[0] === 'end';
  }

  /** Returns what forgets all that is written and set from now on. */
  mark(): () => void {
    const [{ responds }, { length }, state] = [this, this.#chunks, stateOf(this.response)];
    this.stray = null;
    return () => {
      this.responds = responds;
      this.#chunks.length = length;
      this.stray = null;
      restoreHeaders(this.response, state);
    };
  }

  /** Sends what was written. */
  release(): void {
    this.letGo();
    for (const [method, args] of this.#chunks) Reflect.apply(this.response[method], this.response, args);
  }

  /** From now on, what is written is sent at once. */
  letGo(): void {
    Object.assign(this.response, this.#own);
  }

  #hold<Result>(method: Chunk[0], args: readonly unknown[], result: Result): Result {
    if (this.isEnded) throw new Error('the hook writes to a response that it has ended');
    requireChunk(args[0]);
    if (this.responds) this.#chunks.push([method, asBytes(args)]);
    // Nothing is thrown where it is written: that may be in an event, where an error would end the process.
    else this.stray ??= new Error('a hook has responded, but only the hook of an `execute` with `responds` may');
    return result;
  }
}

/** Status and headers wait where `setHeader` puts them too, so that a bad one is found here. */
function keepHead(response: ServerResponse, status: number, rest: readonly unknown[]): ServerResponse {
  response.statusCode = status;
  const [first, second] = rest;
  if (typeof first === 'string') response.statusMessage = first;
  const headers = typeof first === 'string' ? second : first;
  if (Array.isArray(headers)) appendAll(response, pairsOf(headers));
  else setHeaders(response, (headers ?? {}) as OutgoingHttpHeaders);
  return response;
}

function setHeaders(response: ServerResponse, headers: OutgoingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
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
  setHeaders(response, headers);
  response.statusCode = status;
  response.statusMessage = message;
}
