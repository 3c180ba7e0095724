/**
 * Two doors to the same routes. Routes that need nothing of Express are answered by node:http alone, because Express
 * changes the prototypes of request and response and costs more than most queries; the others go through Express.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { type Arrival, Reception, type ReceptionOptions } from './reception.ts';

export interface ListenerOptions extends Omit<ReceptionOptions, 'lifecycle'> {
  /** Shared with whoever stops the server. */
  readonly lifecycle?: ReceptionOptions['lifecycle'];
  /** `express` sends every request through Express. */
  readonly lane?: 'fast' | 'express';
}

export interface RequestListener {
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** Answers every route by itself, so that it can be mounted in another application. */
  readonly app: express.Express;
}

export function createRequestListener(options: ListenerOptions): RequestListener {
  const reception = new Reception({ ...options, lifecycle: options.lifecycle ?? { isStopping: false, inFlight: 0 } });
  const app = expressAppOf(reception);
  const throughExpress = (request: IncomingMessage, response: ServerResponse): void => {
    app(request as express.Request, response as express.Response, whenExpressGivesUp(reception, request, response));
  };
  if (options.lane === 'express') return { app, listener: throughExpress };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const arrival = reception.arrivalOf(request);
    if (needsExpress(arrival)) throughExpress(request, response);
    else void reception.serve(request, response, arrival);
  };
  return { app, listener };
}

function needsExpress({ visit }: Arrival): boolean {
  return visit.kind === 'route' && visit.target.route.needsExpress;
}

function expressAppOf(reception: Reception): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.use((request, response) => reception.serve(request, response, reception.arrivalOf(request)));
  return app;
}

/** Express does not pass on an address that it cannot parse; it would answer with a page of its own. */
function whenExpressGivesUp(reception: Reception, request: IncomingMessage, response: ServerResponse) {
  return (error?: unknown): void => {
    const { target, visit } = reception.arrivalOf(request);
    void reception.serve(request, response, { target, visit: error ? { kind: 'refusal', error } : visit });
  };
}
