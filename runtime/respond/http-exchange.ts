/** A request and its answer over node:http, with or without Express. What a route may not need is made when asked for. */

import type { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { parameterNames, REQUEST_ID } from '../../compiler/definition/contract/routes.ts';
import type { BodyLimits } from '../request/body.ts';
import type { Exchange, Route } from '../request/exchange.ts';
import { formOf, isForm } from '../request/form-body.ts';
import { type HeaderState, type HeldResponse, stateOf } from '../request/held-response.ts';
import { anyJsonOf, type JsonObject, jsonBodyOf, jsonFrom, objectFrom, rawBodyOf } from '../request/json-body.ts';
import { type RequestTarget, requestIdFrom } from '../request/request-target.ts';
import { headerText } from '../values/header-text.ts';

/** The connections on which a long body arrives. Node would end them after the time for a request. */
export const UNHURRIED = new WeakSet<Socket>();

/** How long a client may send nothing of a long body, in milliseconds. Then it is disconnected. */
const LONGEST_SILENCE = 30_000;

/** The settings that all requests share. */
export interface Surroundings extends BodyLimits {
  readonly log: Logger;
  /** Waits for the body of a request. */
  readonly whileReading: <T>(read: Promise<T>) => Promise<T>;
}

export class HttpExchange implements Exchange {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  held?: HeldResponse;
  readonly params: readonly string[];
  readonly queryString: string;
  readonly path: string;
  readonly startedAt = performance.now();
  caller?: string | null;
  hasWritten?: boolean;
  readonly #surroundings: Surroundings;
  #log: Logger | null = null;
  #body: Promise<JsonObject> | null = null;
  #signal: AbortSignal | null = null;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    target: RequestTarget,
    params: readonly string[],
    surroundings: Surroundings,
  ) {
    this.id = requestIdFrom(request.headers[REQUEST_ID]);
    this.request = request;
    this.response = response;
    this.path = target.path;
    this.queryString = target.queryString;
    this.params = params;
    this.#surroundings = surroundings;
  }

  get method(): string {
    return this.request.method ?? 'GET';
  }

  get log(): Logger {
    this.#log ??= this.#surroundings.log.child({ requestId: this.id });
    return this.#log;
  }

  at(params: readonly string[], queryString: string): Exchange {
    const target = { path: this.path, queryString };
    const other = new HttpExchange(this.request, this.response, target, params, this.#surroundings);
    other.#signal = this.signal;
    return Object.assign(other, { id: this.id });
  }

  readBody(): Promise<JsonObject> {
    this.#body ??= this.#surroundings.whileReading(jsonBodyOf(this.request, this.#surroundings));
    return this.#body;
  }

  async offerBody(): Promise<void> {
    const read = await this.#surroundings.whileReading(anyJsonOf(this.request, this.#surroundings));
    if (read === null) return;
    const { value, bytes } = read;
    this.#body = Promise.resolve(value === undefined ? {} : value).then(objectFrom);
    // Whether it is an object matters only to those who ask for one.
    this.#body.catch(() => undefined);
    offer(this.request, value, bytes);
  }

  async readVerified(verify: (bytes: Buffer) => void): Promise<JsonObject> {
    const bytes = await this.#surroundings.whileReading(rawBodyOf(this.request, this.#surroundings));
    verify(bytes);
    const value = bytes.length === 0 ? {} : jsonFrom(bytes);
    offer(this.request, value, bytes);
    return objectFrom(value);
  }

  async readForm(): Promise<FormData | null> {
    if (!isForm(this.request)) return null;
    return this.#surroundings.whileReading(formOf(this.request, this.#surroundings));
  }

  async takeBody(take: (request: IncomingMessage) => Promise<void>): Promise<void> {
    const { socket } = this.request;
    UNHURRIED.add(socket);
    socket.setTimeout(LONGEST_SILENCE);
    try {
      await this.#surroundings.whileReading(take(this.request));
    } finally {
      UNHURRIED.delete(socket);
      socket.setTimeout(0);
    }
  }

  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.response);
    return this.#signal;
  }

  /** Whether the client went away before it had its answer. */
  get isAbandoned(): boolean {
    return isAbandoned(this.response);
  }
}

function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const fire = (): void => {
    if (isAbandoned(response)) controller.abort();
  };
  if (response.destroyed) fire();
  else response.once('close', fire);
  return controller.signal;
}

function isAbandoned(response: ServerResponse): boolean {
  return response.destroyed && !response.writableFinished;
}

/** A copy of the body is made when it is first asked for: what a hook does to it never reaches the inputs. */
function offer(request: IncomingMessage, value: unknown, rawBody: Buffer): void {
  let body: { readonly copy: unknown } | null = null;
  Object.defineProperty(request, 'body', {
    configurable: true,
    enumerable: true,
    get: () => {
      body ??= { copy: structuredClone(value) };
      return body.copy;
    },
    set: (copy: unknown) => {
      body = { copy };
    },
  });
  Object.assign(request, { rawBody });
}

// ── Hook exchange ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The state of the request and the response before hooks run. A hook may write the answer by itself, so the headers of
// every answer are set already, and text beyond Latin-1 in a header is encoded instead of rejected.

/** Prepares the response, and returns its headers, to be restored when the request fails. */
export function prepareForHooks(
  request: IncomingMessage,
  response: ServerResponse,
  route: Route,
  params: readonly string[],
  common: readonly string[],
): HeaderState {
  const before = stateOf(response);
  encodeHeaders(response);
  for (let at = 0; at + 1 < common.length; at += 2) response.setHeader(common[at] ?? '', common[at + 1] ?? '');
  const names = parameterNames(route.path);
  Object.assign(request, { params: Object.fromEntries(names.map((name, at) => [name, params[at]])) });
  return before;
}

/** A hook may write its answer at any time, and Node calls `writeHead` where it does not. */
export function beforeHead(response: ServerResponse, act: () => void): void {
  const writeHead = response.writeHead.bind(response) as (...head: readonly unknown[]) => ServerResponse;
  response.writeHead = (...head: readonly unknown[]) => {
    act();
    return writeHead(...head);
  };
}

/** Express and `writeHead` set headers through these two. */
function encodeHeaders(response: ServerResponse): void {
  const { setHeader, appendHeader } = response;
  response.setHeader = (name, value) => setHeader.call(response, name, encoded(name, value));
  response.appendHeader = (name, value) => appendHeader.call(response, name, encoded(name, value) as string);
}

function encoded<T extends number | string | readonly string[]>(name: string, value: T): T {
  if (Array.isArray(value)) return value.map((item) => encoded(name, item)) as readonly string[] as T;
  return typeof value === 'string' ? (headerText(name, value) as T) : value;
}
