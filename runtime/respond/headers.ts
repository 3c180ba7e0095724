/** The headers of an answer as a flat list, a name, its value, and so on, which is what node:http writes fastest. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { CONTRACT, FRAMING, POSITION, REQUEST_ID, TRUNCATED } from '../../compiler/definition/contract/routes.ts';
import type { Answer } from '../request/exchange.ts';

/**
 * The headers of every answer of an API: its type is not to be guessed, and it is not cached, because who may see it
 * depends on a token. Policies about documents and frames do not concern JSON and are left to routes with pages.
 */
const ALWAYS: readonly string[] = ['x-content-type-options', 'nosniff', 'cache-control', 'no-store'];

export function commonHeaders(requestId: string, own: readonly string[], cors: readonly string[]): string[] {
  return [REQUEST_ID, requestId, ...ALWAYS, ...own, ...cors];
}

/** Shows a client that it was made for another API than the one that answers. */
export function contractHeader(contract: string | undefined): readonly string[] {
  return contract === undefined ? [] : [CONTRACT, contract];
}

/** The length of the body; null where no length is stated. */
export type BodyLength = number | 'unknown' | null;

export function headersOf(answer: Answer, common: readonly string[], length: BodyLength): string[] {
  const ours = length === null ? [...common] : [...common, ...ofBody(answer, length)];
  return answer.headers === null ? ours : withOwn(ours, answer.headers);
}

const JSON_TYPE: readonly string[] = ['content-type', 'application/json; charset=utf-8'];

function ofBody({ body }: Answer, length: number | 'unknown'): readonly string[] {
  if (length === 'unknown') return JSON_TYPE;
  const size = String(length);
  if (body === null) return ['content-length', size];
  return ['content-type', 'application/json; charset=utf-8', 'content-length', size];
}

/** An answer's own headers take the place of ours, except that there may be several reasons to vary. */
function withOwn(ours: readonly string[], own: NonNullable<Answer['headers']>): string[] {
  const pairs = Object.entries(own).filter(([name]) => !FRAMING.includes(name.toLowerCase()));
  const replaced = new Set(pairs.map(([name]) => name.toLowerCase()));
  replaced.delete('vary');
  const kept = ours.filter((_, at) => !replaced.has(ours[at - (at % 2)] ?? ''));
  return [...kept, ...pairs.flatMap(([name, value]) => repeated(name, value))];
}

function repeated(name: string, value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [name, value] : value.flatMap((each) => [name, each]);
}

const FRAMED_BY = ['content-length', 'transfer-encoding'];

/** Sets the headers of a response that has some already, from hooks or from an application around this one. */
export function setHeaders(
  response: ServerResponse,
  answer: Answer,
  common: readonly string[] | null,
  length: BodyLength,
): void {
  const ours = length === null ? [] : ofBody(answer, length);
  for (const [name, value] of pairsOf(common ?? [])) response.setHeader(name, value);
  for (const [name, value] of pairsOf(ours)) {
    const isOfHook = common === null && name === 'content-type' && response.hasHeader(name);
    if (!isOfHook) response.setHeader(name, value);
  }
  // Only existing headers are removed: Node would take the removal for a wish to have no such header at all.
  for (const name of length === 'unknown' ? FRAMED_BY : ['transfer-encoding'])
    if (response.hasHeader(name)) response.removeHeader(name);
  for (const [name, value] of Object.entries(answer.headers ?? {})) setOwn(response, name, value);
}

function pairsOf(headers: readonly string[]): readonly (readonly [string, string])[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []));
}

function setOwn(response: ServerResponse, name: string, value: string | readonly string[]): void {
  const key = name.toLowerCase();
  if (FRAMING.includes(key)) return;
  if (key === 'vary') response.appendHeader(name, value);
  else if (value.length === 0 && typeof value !== 'string') response.removeHeader(name);
  else response.setHeader(name, value);
}

// ── Cors ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// The headers for a browser about calls from other origins. Headers are flat lists: a name, its value, and so on.

export interface Cors {
  isAllowed(origin: string | undefined): boolean;
  /** The headers for every answer. */
  headersFor(origin: string | undefined): readonly string[];
  /** Null where the request is no preflight of an origin that may call. */
  preflight(headers: IncomingHttpHeaders, methods: readonly string[]): Answer | null;
}

const EXPOSED = [
  'access-control-expose-headers',
  [REQUEST_ID, 'location', 'retry-after', CONTRACT, POSITION, TRUNCATED].join(', '),
] as const;
const TAKEN_ALWAYS = ['authorization', 'content-type', REQUEST_ID];
/** The time in seconds; no browser caches it for longer than a day. */
const MAX_AGE = '7200';

export function corsFromOrigins(origins: readonly string[]): Cors {
  const headersFor = originHeaders(origins);
  const isAllowed = (origin: string | undefined): boolean =>
    origin !== undefined && (origins.includes('*') || origins.includes(origin));
  return {
    isAllowed,
    headersFor,
    preflight: (headers, methods) =>
      isAllowed(headers.origin) && headers['access-control-request-method'] !== undefined
        ? preflightAnswer(headers['access-control-request-headers'], methods)
        : null,
  };
}

function originHeaders(origins: readonly string[]): Cors['headersFor'] {
  const NONE: readonly string[] = [];
  if (origins.length === 0) return () => NONE;
  if (origins.includes('*')) {
    const all = ['access-control-allow-origin', '*', ...EXPOSED];
    return () => all;
  }
  // A cache could give the answer for one origin to another without this.
  const others = ['vary', 'Origin'];
  const known = new Map(
    origins.map((origin) => [origin, ['access-control-allow-origin', origin, ...EXPOSED, ...others]]),
  );
  return (origin) => (origin === undefined ? others : (known.get(origin) ?? others));
}

function preflightAnswer(requested: string | undefined, methods: readonly string[]): Answer {
  return {
    status: 204,
    headers: {
      allow: methods.join(', '),
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': headersTaken(requested),
      'access-control-max-age': MAX_AGE,
    },
    body: null,
  };
}

/** Hooks may read any header, so whatever is asked for is allowed. */
function headersTaken(requested = ''): string {
  const asked = requested.split(',').map((name) => name.trim().toLowerCase());
  return [...new Set([...TAKEN_ALWAYS, ...asked.filter((name) => name !== '')])].join(', ');
}
