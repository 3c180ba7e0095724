/** What a browser is told about calls from other origins. Headers are flat lists: a name, its value, and so on. */
import type { IncomingHttpHeaders } from 'node:http';
import { CONTRACT, REQUEST_ID, TRUNCATED } from '../../compiler/definition/contract/routes.ts';
import type { Answer } from '../request/exchange.ts';

export interface Cors {
  isAllowed(origin: string | undefined): boolean;
  /** For every answer. */
  headersFor(origin: string | undefined): readonly string[];
  /** Null where the request is no preflight of an origin that may call. */
  preflight(headers: IncomingHttpHeaders, methods: readonly string[]): Answer | null;
}

const EXPOSED = [
  'access-control-expose-headers',
  [REQUEST_ID, 'location', 'retry-after', CONTRACT, TRUNCATED].join(', '),
] as const;
const TAKEN_ALWAYS = ['authorization', 'content-type', REQUEST_ID];
/** In seconds; no browser keeps it for longer than a day. */
const MAX_AGE = '7200';

export function corsFromOrigins(origins: readonly string[]): Cors {
  const headersFor = headersOf(origins);
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

function headersOf(origins: readonly string[]): Cors['headersFor'] {
  const NONE: readonly string[] = [];
  if (origins.length === 0) return () => NONE;
  if (origins.includes('*')) {
    const all = ['access-control-allow-origin', '*', ...EXPOSED];
    return () => all;
  }
  // Without this a cache could give the answer for one origin to another.
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
