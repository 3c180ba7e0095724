/**
 * Routes of the console's own API. Each request needs the key. Where the page carries the key, the request also needs a
 * `Host` of this machine: otherwise a web page of others could read the key through a name that it lets point here.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  CONSOLE,
  CONSOLE_KEY_HEADER,
  literalPath,
  type Segment,
} from '../../../compiler/definition/contract/routes.ts';
import { memoized } from '../../../compiler/definition/memo.ts';
import { ApiError } from '../../errors/api-error.ts';
import { clientAddress, networkOf } from '../../request/client-address.ts';
import { type Answer, plainRoute, type Route } from '../../request/exchange.ts';
import { isOwnHost, isOwnOrigin } from '../../request/request-target.ts';
import { type AskedKey, askedKey, type ConsoleOptions } from './console-options.ts';

/** Makes a route of the console's own API. `path` is what follows `/_console/`. */
export type MakeRoute = (method: Route['method'], path: readonly Segment[], handle: Route['handle']) => Route;

export function consoleRoutesWith(options: ConsoleOptions): MakeRoute {
  const digest = digestOf(options.key);
  return (method, path, handle) =>
    plainRoute(method, [...literalPath(CONSOLE), ...path], async (exchange) => {
      const { headers } = exchange.request;
      if (!isExpectedHost(headers, options)) throw new ApiError('forbidden', { detail: WRONG_HOST });
      const address = networkOf(clientAddress(exchange.request, options.proxies ?? 0));
      requireKey(String(headers[CONSOLE_KEY_HEADER] ?? ''), address, digest, options);
      return handle(exchange);
    });
}

export const NO_CONTENT: Answer = { status: 204, headers: null, body: null };

/** Makes an answer that no browser caches: what the console shows changes all the time. */
export function json(body: unknown, status = 200): Answer {
  return { status, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(body) };
}

const WRONG_HOST = 'The console answers only at the address that `kiln dev` prints.';

const WRONG_KEY: Readonly<Record<AskedKey | 'carried', string>> = {
  carried: 'The key of the console is missing or out of date. Reload the page.',
  secret: 'This secret is wrong. It is the value of `CONSOLE_SECRET` of the server.',
  printed: 'This key is wrong. Enter the one that `kiln dev` printed when it started.',
};

const NO_KEY = `The console needs its key in the header \`${CONSOLE_KEY_HEADER}\`.`;

/** The wrong keys belong to the options, not to the routes, which are made again with every change of the sources. */
const wrongKeysOf = memoized((_options: ConsoleOptions) => new WrongKeys());

function requireKey(key: string, address: string, digest: Buffer, options: ConsoleOptions): void {
  if (key === '') throw new ApiError('forbidden', { detail: NO_KEY });
  const wrongKeys = wrongKeysOf(options);
  const now = performance.now();
  const retryAfter = wrongKeys.wait(address, now);
  // The right one too: otherwise the response would tell which one it is.
  if (retryAfter > 0) throw new ApiError('too-many-requests', { detail: tooManyText(retryAfter), retryAfter });
  const given = digestOf(key);
  if (timingSafeEqual(given, digest)) return;
  wrongKeys.add(address, given.toString('base64'), now);
  throw new ApiError('forbidden', { detail: WRONG_KEY[askedKey(options) ?? 'carried'] });
}

function tooManyText(seconds: number): string {
  return `The console got too many wrong keys. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}

/** Computes digests of equal length, which can be compared in constant time. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The key for the page: the key itself, or an empty one where the user is asked for it. */
export function keyFor(headers: IncomingHttpHeaders, options: ConsoleOptions): string | undefined {
  if (askedKey(options) !== null) return '';
  return isExpectedHost(headers, options) ? options.key : undefined;
}

/** `Origin` is that of this page, with its port: where `CORS_ORIGIN` lets every web page in, others must still not read the key. */
function isExpectedHost({ host, origin }: IncomingHttpHeaders, { hosts }: ConsoleOptions): boolean {
  return hosts === undefined || (isOwnHost(host, hosts) && isOwnOrigin(origin, host));
}

// ── Wrong keys ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** How many different keys of one address may be wrong in `SPAN_MS`. */
const MOST = 5;
const SPAN_MS = 60_000;
/** The limit of addresses with wrong keys; beyond it the oldest are forgotten. */
const MOST_ADDRESSES = 1000;

interface Guesses {
  readonly digests: Set<string>;
  readonly since: number;
  closedUntil: number;
}

/**
 * Slows down attempts to guess the key of the console: after some wrong keys from an address, none of its keys is
 * checked for a minute. Others are not affected. A page that sends the same wrong key with each of its requests has
 * guessed once.
 */
export class WrongKeys {
  readonly #guesses = new Map<string, Guesses>();

  /** The time until a key may be tried again, in seconds; 0 where it may be tried now. `now` is in milliseconds. */
  wait(address: string, now: number): number {
    const { closedUntil = 0 } = this.#guesses.get(address) ?? {};
    return Math.max(0, Math.ceil((closedUntil - now) / 1000));
  }

  add(address: string, digest: string, now: number): void {
    const guesses = this.#of(address, now);
    guesses.digests.add(digest);
    if (guesses.digests.size < MOST) return;
    guesses.digests.clear();
    guesses.closedUntil = now + SPAN_MS;
  }

  #of(address: string, now: number): Guesses {
    const before = this.#guesses.get(address);
    if (before && now - before.since < SPAN_MS) return before;
    this.#guesses.delete(address);
    const [oldest] = this.#guesses.size < MOST_ADDRESSES ? [] : this.#guesses.keys();
    if (oldest !== undefined) this.#guesses.delete(oldest);
    const guesses = { digests: new Set<string>(), since: now, closedUntil: 0 };
    this.#guesses.set(address, guesses);
    return guesses;
  }
}
