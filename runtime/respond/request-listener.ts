/**
 * Two ways to the same routes. Routes that need nothing of Express are answered by node:http alone, because Express
 * changes the prototypes of request and response and costs more than most queries; the others go through Express.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import type { Logger } from 'pino';
import { ON_PRIMARY, POSITION } from '../../compiler/definition/contract/routes.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Lifecycle, Readiness } from '../observe/readiness.ts';
import { announcesBody, BodyNotRead, discardRest, incomingBodies } from '../request/body.ts';
import type { Answer, Route, SlicedAnswer, WholeAnswer } from '../request/exchange.ts';
import { type HeaderState, HeldResponse, restoreHeaders } from '../request/held-response.ts';
import {
  isOwnHost,
  isOwnOrigin,
  isReadableTarget,
  type RequestTarget,
  requestTargetFrom,
  UNREADABLE_TARGET,
} from '../request/request-target.ts';
import { type Routed, type RouteMatch, Router, routeMatchFrom } from '../request/router.ts';
import { answerFromError } from './answer-from-error.ts';
import { type Cors, commonHeaders, contractHeader, corsFromOrigins } from './headers.ts';
import { beforeHead, HttpExchange, prepareForHooks, type Surroundings } from './http-exchange.ts';
import { operationRoutes } from './operations.ts';
import { isLast } from './pipelined-requests.ts';
import { CLIENT_GONE, type Outcome, type RecordedAs, recordRequest } from './request-record.ts';
import { closesBeforeBody, inSlices, send, sendAndClose, sendHead, sendSlices } from './send.ts';
import { unreadAnswers } from './unread-answers.ts';

export interface ListenerOptions extends Omit<DispatcherOptions, 'lifecycle'> {
  /** The state that is shared with the code that stops the server. */
  readonly lifecycle?: DispatcherOptions['lifecycle'];
  /** `express` sends every request through Express. */
  readonly lane?: 'fast' | 'express';
}

export interface RequestListener {
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** Answers every route by itself, so that it can be mounted in another application. */
  readonly app: () => Promise<Express>;
}

export function createRequestListener(options: ListenerOptions): RequestListener {
  const dispatcher = new Dispatcher({ ...options, lifecycle: options.lifecycle ?? { isStopping: false, inFlight: 0 } });
  let made: Promise<Express> | undefined;
  const app = (): Promise<Express> => {
    made ??= expressAppOf(dispatcher);
    return made;
  };
  const throughExpress = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const handle = await app();
    handle(request as Request, response as Response, whenExpressGivesUp(dispatcher, request, response));
  };
  if (options.lane === 'express') return { app, listener: throughExpress };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const matched = dispatcher.match(request);
    if (isHooked(matched.match)) void throughExpress(request, response);
    else void dispatcher.serve(request, response, matched);
  };
  return { app, listener };
}

/** `loadForHooks` has loaded Express where a route needs it: loading it takes a sixth of the start of a server. */
async function expressAppOf(dispatcher: Dispatcher): Promise<Express> {
  const { default: express } = await import('express');
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.use((request, response) => dispatcher.serve(request, response, dispatcher.match(request)));
  return app;
}

/** Express does not pass on an address that it cannot parse; it would answer with a page of its own. */
function whenExpressGivesUp(dispatcher: Dispatcher, request: IncomingMessage, response: ServerResponse) {
  return (error?: unknown): void => {
    const { target, match } = dispatcher.match(request);
    const refusal = { kind: 'refusal', error: UNREADABLE_TARGET } as const;
    void dispatcher.serve(request, response, { target, match: error ? refusal : match });
  };
}

// ── Dispatcher ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Handles a request that node:http has read, until its answer is sent, logged and counted. Requests come from
// node:http or from Express; errors of routes go no further.

interface DispatcherOptions {
  readonly routes: readonly Route[];
  /** The fingerprint of the API. */
  readonly contract?: string | undefined;
  readonly config: Pick<Config, 'bodyLimit' | 'bodiesLimit' | 'corsOrigins' | 'requestsMax' | 'unreadLimit'>;
  readonly log: Logger;
  readonly metrics: Metrics;
  /**
   * The allowed values of `Host`, without a port; missing where it may be anything. Pages of other origins may not
   * write then.
   */
  readonly hosts?: readonly string[] | undefined;
  /** Whether `/metrics` is among the routes. */
  readonly showsMetrics: boolean;
  readonly isReady: () => Promise<Readiness>;
  readonly lifecycle: Lifecycle;
  /** The position of what was written or read; null where it cannot be had. Absent where there are no replicas. */
  readonly position?: ((hasWritten: boolean) => Promise<string | null>) | undefined;
  /** Records each request that is over; the console has a recorder of its own. */
  readonly record?: typeof recordRequest;
}

interface Target extends Routed, RecordedAs {
  readonly route: Route;
}

interface MatchedRequest {
  readonly target: RequestTarget;
  readonly match: RouteMatch<Target>;
}

/** A request on its way through. */
interface RequestContext {
  readonly exchange: HttpExchange;
  readonly as: RecordedAs;
  readonly common: string[];
  /** The headers before hooks could change them; null for a route without hooks. */
  readonly beforeHooks: HeaderState | null;
}

const OVERLOADED = new ApiError('unavailable', { detail: 'Too many requests are in progress.', retryAfter: 1 });
const UNREAD = new ApiError('unavailable', {
  detail: 'Too many long responses are still being read by other clients.',
});
const OTHER_HOST = new ApiError('forbidden', {
  detail: 'This server answers only at the address that `kiln dev` prints.',
});
const OTHER_PAGE = new ApiError('forbidden', {
  detail: 'A page of another origin may only read. To let it write, name its origin in CORS_ORIGIN.',
});
/** They say nothing about the request, and there may be many of them: the log would be full of stacks. */
const EXPECTED: ReadonlySet<unknown> = new Set([OVERLOADED, UNREAD]);

class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #router: Router<Target>;
  readonly #cors: Cors;
  readonly #own: readonly string[];
  readonly #addUnread: ReturnType<typeof unreadAnswers>;
  readonly #surroundings: Surroundings;
  readonly #recordRequest: typeof recordRequest;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#router = new Router([...targets(options.routes, options, false), ...operationTargets(options)]);
    this.#cors = corsFromOrigins(options.config.corsOrigins);
    this.#own = contractHeader(options.contract);
    this.#addUnread = unreadAnswers(options.config.unreadLimit);
    this.#recordRequest = options.record ?? recordRequest;
    this.#surroundings = {
      log: options.log,
      bodyLimit: options.config.bodyLimit,
      incoming: incomingBodies(options.config.bodiesLimit),
      whileReading: (read) => this.#whileReading(read),
    };
  }

  match(request: IncomingMessage): MatchedRequest {
    const { url = '/', method = 'GET' } = request;
    const target = requestTargetFrom(url);
    if (!isReadableTarget(url)) return { target, match: { kind: 'refusal', error: UNREADABLE_TARGET } };
    return { target, match: routeMatchFrom(this.#router, method, target.path) };
  }

  async serve(request: IncomingMessage, response: ServerResponse, { target, match }: MatchedRequest): Promise<void> {
    const params = match.kind === 'route' ? match.params : [];
    const exchange = new HttpExchange(request, response, target, params, this.#surroundings);
    const common = commonHeaders(exchange.id, this.#own, this.#cors.headersFor(request.headers.origin));
    const as = match.kind === 'route' ? match.target : this.#unmatched(exchange.method);
    const beforeHooks = isHooked(match) ? prepareForHooks(request, response, match.target.route, params, common) : null;
    if (beforeHooks) beforeHead(response, () => this.#closeIfNeeded(request, response));
    if (beforeHooks) exchange.held = new HeldResponse(response);
    if (beforeHooks)
      response.on('error', (error) => exchange.log.warn({ err: error }, 'a hook wrote to a response that has ended'));
    if (announcesBody(request)) response.once('finish', () => discardRest(request));
    const context = { exchange, common, as, beforeHooks };
    this.#options.lifecycle.inFlight++;
    const position = this.#options.position && mayWrite(match) ? this.#options.position : null;
    try {
      const answer = await this.#answerTo(context, match);
      if (position) addPosition(context, (await position(exchange.hasWritten ?? false)) ?? ON_PRIMARY);
      if (answer === null) this.#recordWhenWritten(context, () => ({ bytes: lengthOf(exchange.response) }));
      else this.#finish(context, answer, undefined);
    } catch (error) {
      // Something may have been committed before, unless the request was not begun.
      const isBegun = !EXPECTED.has(error) && !(error instanceof BodyNotRead);
      if (position && isBegun) addPosition(context, await position(exchange.hasWritten ?? false));
      this.#fail(context, error);
    } finally {
      this.#options.lifecycle.inFlight--;
    }
  }

  #answerTo({ exchange }: RequestContext, match: RouteMatch<Target>): Promise<Answer | null> | Answer {
    const isOperation = match.kind === 'route' && match.target.isQuiet;
    if (!isOperation) this.#requireCapacity();
    if (!isOperation && this.#options.hosts) this.#requireOwnPage(exchange, this.#options.hosts);
    switch (match.kind) {
      case 'refusal':
        throw match.error;
      case 'options':
        return this.#cors.preflight(exchange.request.headers, match.methods) ?? optionsAnswer(match.methods);
      case 'route':
        return match.target.route.handle(exchange);
    }
  }

  /** A form of another site needs no permission of CORS. */
  #requireOwnPage({ method, request }: HttpExchange, hosts: readonly string[]): void {
    const { host, origin } = request.headers;
    if (!isOwnHost(host, hosts)) throw OTHER_HOST;
    const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    if (!isRead && !isOwnOrigin(origin, host) && !this.#cors.isAllowed(origin)) throw OTHER_PAGE;
  }

  /** Waits for a body. Such a request does no work, so that slow senders take no capacity from others. */
  async #whileReading<T>(read: Promise<T>): Promise<T> {
    const { lifecycle } = this.#options;
    lifecycle.inFlight--;
    const body = await read.finally(() => lifecycle.inFlight++);
    this.#requireCapacity();
    return body;
  }

  #requireCapacity(): void {
    const { lifecycle, config } = this.#options;
    if (lifecycle.inFlight > config.requestsMax) throw OVERLOADED;
  }

  #finish(context: RequestContext, answer: Answer, error: unknown): void {
    const { exchange, common, beforeHooks } = context;
    const { request, response } = exchange;
    exchange.held?.letGo();
    if (exchange.isAbandoned) {
      this.#record(context, CLIENT_GONE, 0, error);
      return;
    }
    this.#closeIfNeeded(request, response);
    // A failed request leaves nothing behind, not even the headers that its hooks have set.
    if (beforeHooks && error !== undefined) restoreHeaders(response, beforeHooks);
    const isByHooks = beforeHooks !== null && error === undefined;
    const ready = isByHooks ? null : common;
    const sliced = inSlices(answer);
    if (sliced !== null) {
      this.#finishSliced(context, sliced, ready);
      return;
    }
    const whole = answer as WholeAnswer;
    if (whole.begin) {
      sendHead(response, whole, ready);
      whole.begin(response);
      this.#record(context, answer.status, null, error);
      return;
    }
    const isLeft = leavesBodyUnread(error) || closesBeforeBody(response);
    const bytes = isLeft ? sendAndClose(response, whole, ready) : send(response, whole, ready);
    this.#record(context, answer.status, bytes, error);
  }

  /**
   * Tells the client to send its next request elsewhere: when the server stops, unless others follow on the connection,
   * and when too much of the body has not arrived yet to be waited for.
   */
  #closeIfNeeded(request: IncomingMessage, response: ServerResponse): void {
    const isStopping = this.#options.lifecycle.isStopping && isLast(response);
    if (isStopping || this.#hasLongRest(request)) response.shouldKeepAlive = false;
  }

  /** Whether the rest of the body may be longer than the longest that is accepted. */
  #hasLongRest(request: IncomingMessage): boolean {
    if (request.complete || !announcesBody(request)) return false;
    return !(Number(request.headers['content-length'] ?? Number.NaN) <= this.#options.config.bodyLimit);
  }

  #finishSliced(context: RequestContext, answer: SlicedAnswer, common: readonly string[] | null): void {
    const { response, method } = context.exchange;
    // A request of another method has changed something: its client must get the answer, or it would repeat the
    // request.
    const unread = this.#addUnread(response, answer.body.size, method === 'GET' || method === 'HEAD');
    if (unread === null) throw UNREAD;
    const sending = sendSlices(unread, answer, common);
    this.#recordWhenWritten(context, () => sending);
  }

  #fail(context: RequestContext, error: unknown): void {
    const { id, response, isAbandoned } = context.exchange;
    try {
      if (response.headersSent && !isAbandoned) this.#breakOff(context, error);
      else this.#finish(context, answerFromError(error, id), error);
    } catch (cause) {
      this.#breakOff(context, new Error('sending a problem document', { cause }));
    }
  }

  /** The code of a hook failed in the middle of its answer: the client must not take the half for the whole. */
  #breakOff(context: RequestContext, error: unknown): void {
    const { response } = context.exchange;
    if (!response.writableEnded) response.destroy();
    this.#record(context, 500, null, error);
  }

  #recordWhenWritten(context: RequestContext, written: () => Pick<Outcome, 'bytes' | 'error'>): void {
    const { exchange } = context;
    const { response } = exchange;
    const record = (): void => {
      const { bytes, error } = written();
      const status = exchange.isAbandoned ? CLIENT_GONE : response.statusCode;
      this.#record(context, error === undefined ? status : 500, bytes, error);
    };
    if (response.destroyed) record();
    else response.once('close', record);
  }

  #record({ exchange, as }: RequestContext, status: number, bytes: number | null, error: unknown): void {
    const outcome = { status, bytes, error: EXPECTED.has(error) || error instanceof BodyNotRead ? undefined : error };
    this.#recordRequest(this.#options.log, exchange, as, outcome);
  }

  #unmatched(method: string): RecordedAs {
    return { pattern: null, tally: this.#options.metrics.tallyFor(method, 'unmatched'), isQuiet: false };
  }
}

function targets(routes: readonly Route[], { metrics }: DispatcherOptions, isQuiet: boolean): readonly Target[] {
  return routes.map((route) => {
    const { method, path, pattern } = route;
    return { method, path, pattern, route, isQuiet, tally: metrics.tallyFor(method, pattern) };
  });
}

function operationTargets(options: DispatcherOptions): readonly Target[] {
  const { metrics, showsMetrics, lifecycle, isReady } = options;
  return targets(operationRoutes({ metrics: showsMetrics ? metrics : null, lifecycle, isReady }), options, true);
}

function isHooked(match: MatchedRequest['match']): match is Extract<RouteMatch<Target>, { kind: 'route' }> {
  return match.kind === 'route' && match.target.route.needsExpress;
}

/** Code may write whatever the method is. */
function mayWrite(match: RouteMatch<Target>): boolean {
  if (match.kind !== 'route' || match.target.isQuiet) return false;
  return match.target.method !== 'GET' || match.target.route.mayWrite === true || isHooked(match);
}

function addPosition({ exchange: { response }, common, beforeHooks }: RequestContext, position: string | null): void {
  if (position === null) return;
  common.push(POSITION, position);
  if (beforeHooks && !response.headersSent) response.setHeader(POSITION, position);
}

function optionsAnswer(methods: readonly string[]): Answer {
  return { status: 204, headers: { allow: methods.join(', ') }, body: null };
}

function leavesBodyUnread(error: unknown): boolean {
  return error instanceof BodyNotRead || (error instanceof ApiError && error.code === 'too-large');
}

function lengthOf(response: ServerResponse): number | null {
  const length = Number(response.getHeader('content-length') ?? Number.NaN);
  return Number.isNaN(length) ? null : length;
}
