/**
 * Two ways to the same routes. Routes that need nothing of Express are answered by node:http alone, because Express
 * changes the prototypes of request and response and costs more than most queries; the others go through Express.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import { once } from '../../compiler/definition/memo.ts';
import { UNREADABLE_TARGET } from '../request/request-target.ts';
import { Dispatcher, type DispatcherOptions, isHooked } from './dispatcher.ts';

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
  const app = once(() => expressAppOf(dispatcher));
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
