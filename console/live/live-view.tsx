/**
 * Requests as they come, newest first, and one of them with all its details. A reader who has scrolled down stays
 * there: the browser anchors the rows.
 */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { LiveRequest } from '../../runtime/console/live/live-event.ts';
import { goTo, hrefTo, type ViewProps } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { Button, SearchField, Select } from '../ui/controls.tsx';
import { bytesText, clockText, counted, MethodBadge, msText, Notice, StatusBadge } from '../ui/text.tsx';
import { clearRequests, connection, MANY_REPEATS, requests, SLOW_REQUEST } from './live-state.ts';
import { RequestPage } from './request-page.tsx';

export function LiveView({ path: [request], query }: ViewProps): JSX.Element {
  return (
    <main id="content" class="content live" tabIndex={-1}>
      {request === undefined ? <RequestList query={query} /> : <RequestPage key={request} id={request} />}
    </main>
  );
}

function RequestList({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const all = useStore(requests);
  const [paused, setPaused] = useState<readonly LiveRequest[] | null>(null);
  const filter = filterFrom(query);
  const { path, method, status } = filter;
  const listed = paused ?? all;
  const shown = useMemo(
    () => listed.filter((each) => isShown(each, { path, method, status })),
    [listed, path, method, status],
  );
  const newer = paused === null ? 0 : newerThan(paused, all);
  return (
    <>
      <div class="row">
        <h2>Live</h2>
        <ConnectionNote />
        <div class="buttons end">
          <Button isSmall onClick={() => setPaused(paused === null ? all : null)}>
            {paused === null ? 'Pause' : newer === 0 ? 'Resume' : `Resume (${newer} new)`}
          </Button>
          <Button
            isSmall
            onClick={() => {
              setPaused(null);
              void clearRequests();
            }}
          >
            Clear
          </Button>
        </div>
      </div>
      <FilterForm filter={filter} />
      {shown.length === 0 ? (
        <Notice kind="empty">{listed.length === 0 ? NONE_YET : 'No request matches the filter.'}</Notice>
      ) : (
        <ol class="request-list box surface lined" aria-label="Requests">
          {shown.map((request) => (
            <RequestRow key={request.id} request={request} />
          ))}
        </ol>
      )}
    </>
  );
}

function newerThan(paused: readonly LiveRequest[], all: readonly LiveRequest[]): number {
  const last = paused[0]?.id ?? 0;
  return all.filter(({ id }) => id > last).length;
}

const NONE_YET = 'No requests yet. Requests to this server appear here as soon as they are answered.';

const CONNECTIONS = {
  connecting: 'Connecting …',
  open: 'Connected',
  lost: 'Disconnected. Connecting again …',
  refused: 'The server was restarted. Reload the page.',
} as const;

function ConnectionNote(): JSX.Element {
  const state = useStore(connection);
  return (
    <p class={`connection pill is-${state}`} role="status">
      {CONNECTIONS[state]}
    </p>
  );
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const STATUSES = ['2', '3', '4', '5'].map((digit) => [digit, `${digit}xx`] as const);

function FilterForm({ filter }: { readonly filter: RequestFilter }): JSX.Element {
  const change = (part: Partial<RequestFilter>): void => goTo(hrefTo('live', [], { ...filter, ...part }));
  return (
    <search class="data-filters buttons spaced apart" aria-label="Filter the requests">
      <SearchField label="Path" placeholder="Filter by path" value={filter.path} onInput={(path) => change({ path })} />
      <Select
        aria-label="Method"
        value={filter.method}
        options={[['', 'All methods'], ...METHODS]}
        onChange={(method) => change({ method })}
      />
      <Select
        aria-label="Status"
        value={filter.status}
        options={[['', 'Any status'], ...STATUSES]}
        onChange={(status) => change({ status })}
      />
    </search>
  );
}

function RequestRow({ request }: { readonly request: LiveRequest }): JSX.Element {
  const { id, at, method, path, query, status, ms, bytes, statements, repeats } = request;
  return (
    <li>
      <a class="request-row item" href={hrefTo('live', [String(id)])}>
        <span class="request-time soft numbers">{clockText(at)}</span>
        <MethodBadge method={method} />
        <StatusBadge status={status} />
        <span class="request-path ellipsis">
          {path}
          {query !== '' && <span class="soft">?{query}</span>}
        </span>
        <span class="request-marks words">
          {repeats >= MANY_REPEATS && <span class="pill is-warning">{repeats}× the same</span>}
          {ms >= SLOW_REQUEST && <span class="pill is-warning">slow</span>}
        </span>
        <span class="request-statements soft numbers">{statements === 0 ? '' : counted(statements, 'statement')}</span>
        <span class="request-bytes soft numbers">{bytes === null ? '' : bytesText(bytes)}</span>
        <span class="request-ms numbers">{msText(ms)}</span>
      </a>
    </li>
  );
}

// ── Request filter ───────────────────────────────────────────────────────────────────────────────────────────────────

// The filter of the list of requests. It is part of the address, so that it survives a look at one request.

interface RequestFilter {
  /** A part of the path. */
  readonly path: string;
  /** `GET`; empty for all. */
  readonly method: string;
  /** `2`, `4` and so on for 2xx, 4xx; empty for all. */
  readonly status: string;
}

function filterFrom(query: URLSearchParams): RequestFilter {
  return { path: query.get('path') ?? '', method: query.get('method') ?? '', status: query.get('status') ?? '' };
}

function isShown({ path, query, method, status }: LiveRequest, filter: RequestFilter): boolean {
  return (
    `${path}?${query}`.toLowerCase().includes(filter.path.toLowerCase()) &&
    (filter.method === '' || method === filter.method) &&
    (filter.status === '' || String(status).startsWith(filter.status))
  );
}
