import { ApiError } from '../errors/api-error.ts';

/** What a request asks for, as the first line of HTTP has it. */
export interface RequestTarget {
  readonly path: string;
  /** What stands behind the `?`, or nothing. */
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
