/** The routes of the view Live: the stream, one request, the plans of its statements; and what the last save changed. */
import { literalPath, type Segment } from '../../../compiler/definition/contract/routes.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Database } from '../../query/database.ts';
import type { Answer, Exchange, Route } from '../../request/exchange.ts';
import type { ConsoleOptions } from '../api/console-options.ts';
import { consoleRoute } from '../api/console-route.ts';
import { explainStatements } from './explain-statements.ts';
import { LiveReader } from './live-reader.ts';
import type { LiveRecorder } from './live-recorder.ts';
import type { LiveDetails } from './live-request.ts';

export interface LiveParts {
  readonly recorder: LiveRecorder;
  /** As it is without the recorder: its own statements belong to no request. */
  readonly database: Database;
}

const LIVE = literalPath('live');
const REQUEST: readonly Segment[] = [...LIVE, { kind: 'parameter', name: 'request' }];

export function liveRoutes(options: ConsoleOptions, { recorder, database }: LiveParts): readonly Route[] {
  const route = (method: string, path: readonly Segment[], handle: Route['handle']): Route =>
    consoleRoute(options, method, path, handle);
  const explain: Route['handle'] = async (exchange) =>
    jsonAnswer(await explainStatements(detailsFor(exchange, recorder).texts, database));
  return [
    route('GET', LIVE, async (exchange) => stream(exchange, recorder)),
    route('DELETE', LIVE, async () => {
      recorder.clear();
      return { status: 204, headers: null, body: null };
    }),
    route('GET', REQUEST, async (exchange) => jsonAnswer(detailsFor(exchange, recorder))),
    route('GET', literalPath('changes'), async () => jsonAnswer((await options.changes?.()) ?? null)),
    // A database in production has other things to do than to explain.
    ...(options.place === 'root' ? [route('GET', [...REQUEST, ...literalPath('plans')], explain)] : []),
  ];
}

/** Stays open until the browser or the server ends it. */
function stream({ response }: Exchange, recorder: LiveRecorder): null {
  response.writeHead(200, {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // nginx would otherwise collect the events.
    'x-accel-buffering': 'no',
  });
  const detach = recorder.attach(new LiveReader(response));
  response.once('close', detach);
  return null;
}

function detailsFor({ params: [text = ''] }: Exchange, recorder: LiveRecorder): LiveDetails {
  const details = recorder.details(Number(text));
  if (details) return details;
  throw new ApiError('not-found', { detail: `The request ${text} is not among the last requests of this server.` });
}

function jsonAnswer(value: unknown): Answer {
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(value) };
}
