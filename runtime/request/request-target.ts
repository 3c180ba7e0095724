/** What a request asks for, as the first line of HTTP has it. */
export interface RequestTarget {
  readonly path: string;
  /** What stands behind the `?`, or nothing. */
  readonly queryString: string;
}

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
