import { randomBytes } from 'node:crypto';
import { ApiError } from '../errors/api-error.ts';

/** The target of a request, as in the first line of HTTP. */
export interface RequestTarget {
  readonly path: string;
  /** The part after the `?`; empty where there is none. */
  readonly queryString: string;
}

/** Whether it is a path, `*`, or a whole address that can be read as one: Express, and hooks by it, throw at any other. */
export function isReadableTarget(url: string): boolean {
  return url.startsWith('/') || url === '*' || URL.canParse(url);
}

export const UNREADABLE_TARGET = new ApiError('malformed-request', {
  detail: 'The target of the request is neither a path nor a valid URL.',
});

export function requestTargetFrom(url: string): RequestTarget {
  const text = url.startsWith('/') ? url : withoutOrigin(url);
  const mark = text.indexOf('?');
  if (mark === -1) return { path: text, queryString: '' };
  return { path: text.slice(0, mark), queryString: text.slice(mark + 1) };
}

/** A proxy may send the whole address: `GET http://host/path`. `OPTIONS *` stays as it is. */
function withoutOrigin(url: string): string {
  const [, rest = url] = /^https?:\/\/[^/?#]*(.*)$/i.exec(url) ?? [];
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest;
}

/** `hosts` have no port. A web page of others cannot pretend to be one of them, also through a name that it lets point here. */
export function isOwnHost(host: string | undefined, hosts: readonly string[]): boolean {
  return host !== undefined && hosts.includes(host.toLowerCase().replace(/:\d+$/, ''));
}

/** Whether a page of this very server sends the request. What is sent by no page has no origin. */
export function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

// The id of a request: the client's own where it is harmless, else one that no other process gives.

const HARMLESS = /^[A-Za-z0-9._-]{1,128}$/;
const PROCESS = randomBytes(9).toString('base64url');

let count = 0;

export function requestIdFrom(header: string | readonly string[] | undefined): string {
  if (typeof header === 'string' && HARMLESS.test(header)) return header;
  count++;
  return `${PROCESS}.${count.toString(36)}`;
}
