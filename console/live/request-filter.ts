/** Which requests the list shows. The filter is a part of the address, so that it survives a look at one request. */
import type { LiveRequest } from '../../runtime/console/live/live-request.ts';

export interface RequestFilter {
  /** A part of the path. */
  readonly text: string;
  /** `GET`; empty for all. */
  readonly method: string;
  /** `2`, `4` and so on for 2xx, 4xx; empty for all. */
  readonly status: string;
}

export function filterFrom(query: URLSearchParams): RequestFilter {
  return { text: query.get('path') ?? '', method: query.get('method') ?? '', status: query.get('status') ?? '' };
}

/** What is not filtered by is not in the address. */
export function queryFrom({ text, method, status }: RequestFilter): Readonly<Record<string, string>> {
  const all = { path: text, method, status };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

export function isShown({ path, query, method, status }: LiveRequest, filter: RequestFilter): boolean {
  return (
    `${path}?${query}`.toLowerCase().includes(filter.text.toLowerCase()) &&
    (filter.method === '' || method === filter.method) &&
    (filter.status === '' || String(status).startsWith(filter.status))
  );
}
