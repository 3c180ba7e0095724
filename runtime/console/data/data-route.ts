import type { Segment } from '../../../compiler/definition/contract/routes.ts';
import type { Answer, Exchange, Route } from '../../request/exchange.ts';

/** Makes a route that only the console can call, below its own path. */
export type MakeRoute = (method: string, path: readonly Segment[], handle: Handle) => Route;

export type Handle = (exchange: Exchange) => Promise<Answer>;

export const NO_CONTENT: Answer = { status: 204, headers: null, body: null };

/** Data changes all the time: no browser keeps it. */
export function json(body: object, status = 200): Answer {
  return { status, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(body) };
}
