/**
 * Routes of the console's own API. Each request needs the key, and in development a `Host` of this machine: otherwise a
 * web page of others could read the data through a name that it lets point here.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  CONSOLE,
  CONSOLE_KEY_HEADER,
  literalPath,
  type Segment,
} from '../../../compiler/definition/contract/routes.ts';
import { ApiError } from '../../errors/api-error.ts';
import { plainRoute, type Route } from '../../request/exchange.ts';
import type { ConsoleOptions } from './console-options.ts';

/** `path` is what follows `/_console/`. */
export function consoleRoute(
  options: ConsoleOptions,
  method: Route['method'],
  path: readonly Segment[],
  handle: Route['handle'],
): Route {
  const digest = digestOf(options.key);
  return plainRoute(method, [...literalPath(CONSOLE), ...path], async (exchange) => {
    const { headers } = exchange.request;
    if (!isExpectedHost(headers, options)) throw new ApiError('forbidden', { detail: WRONG_HOST });
    if (!timingSafeEqual(digestOf(String(headers[CONSOLE_KEY_HEADER] ?? '')), digest))
      throw new ApiError('forbidden', { detail: WRONG_KEY[options.place] });
    return handle(exchange);
  });
}

const WRONG_HOST = 'The console answers only at the address that `kiln dev` prints.';

const WRONG_KEY: Readonly<Record<ConsoleOptions['place'], string>> = {
  root: 'The key of the console is missing or out of date. Reload the page.',
  docs: 'The console secret is missing or wrong. It is the value of `CONSOLE_SECRET`.',
};

/** Of equal length, so that they can be compared in constant time. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** For the page: the key itself in development, and an empty one where the user is asked for it. */
export function keyFor(headers: IncomingHttpHeaders, options: ConsoleOptions): string | undefined {
  if (options.place === 'docs') return '';
  return isExpectedHost(headers, options) ? options.key : undefined;
}

/** `Origin` too: where `CORS_ORIGIN` lets every web page in, one of others must still not read the key. */
function isExpectedHost({ host = '', origin }: IncomingHttpHeaders, { hosts }: ConsoleOptions): boolean {
  if (hosts === undefined) return true;
  const names = [host, ...(origin === undefined ? [] : [origin.replace(/^https?:\/\//, '')])];
  return names.every((name) => hosts.includes(name.replace(/:\d+$/, '').toLowerCase()));
}
