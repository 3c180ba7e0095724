/** The last requests, newest first. Whoever has scrolled down stays where they are: the browser anchors the rows. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { LiveRequest } from '../../runtime/console/live/live-request.ts';
import { goTo, hrefTo } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { MethodBadge, StatusBadge } from '../ui/badges.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { bytesText, clockText, counted, MANY_REPEATS, msText, SLOW_REQUEST } from './amounts.ts';
import { clearRequests, connection, lost, requests } from './live-state.ts';

export function RequestList({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const all = useStore(requests);
  const [paused, setPaused] = useState<readonly LiveRequest[] | null>(null);
  const filter = filterFrom(query);
  const { text, method, status } = filter;
  const kept = paused ?? all;
  const shown = useMemo(
    () => kept.filter((each) => isShown(each, { text, method, status })),
    [kept, text, method, status],
  );
  const newer = paused === null ? 0 : newerThan(paused, all);
  return (
    <>
      <div class="live-head">
        <h2>Live</h2>
        <ConnectionNote />
        <div class="live-actions">
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
      <LostNote />
      {shown.length === 0 ? (
        <Notice kind="empty">{emptyText(kept.length)}</Notice>
      ) : (
        <ol class="request-list" aria-label="Requests">
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

function emptyText(kept: number): string {
  return kept === 0
    ? 'No requests yet. Requests to this server appear here as soon as they are answered.'
    : 'No request matches the filter.';
}

const CONNECTIONS = {
  connecting: 'Connecting …',
  open: 'Connected',
  lost: 'Disconnected. Connecting again …',
  refused: 'The server was restarted. Reload the page.',
} as const;

function ConnectionNote(): JSX.Element {
  const state = useStore(connection);
  return (
    <p class={`connection is-${state}`} role="status">
      {CONNECTIONS[state]}
    </p>
  );
}

function LostNote(): JSX.Element | null {
  const count = useStore(lost);
  if (count === 0) return null;
  return <Notice>{counted(count, 'request')} did not reach this page, because it was too slow.</Notice>;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const STATUSES = ['2', '3', '4', '5'];

function FilterForm({ filter }: { readonly filter: RequestFilter }): JSX.Element {
  const change = (part: Partial<RequestFilter>): void => goTo(hrefTo('live', [], queryFrom({ ...filter, ...part })));
  return (
    <search class="live-filter" aria-label="Filter the requests">
      <input
        class="input"
        type="search"
        placeholder="Filter by path"
        aria-label="Path"
        value={filter.text}
        onInput={({ currentTarget }) => change({ text: currentTarget.value })}
      />
      <select
        class="input"
        aria-label="Method"
        value={filter.method}
        onChange={({ currentTarget }) => change({ method: currentTarget.value })}
      >
        <option value="">All methods</option>
        {METHODS.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        class="input"
        aria-label="Status"
        value={filter.status}
        onChange={({ currentTarget }) => change({ status: currentTarget.value })}
      >
        <option value="">Any status</option>
        {STATUSES.map((digit) => (
          <option key={digit} value={digit}>
            {digit}xx
          </option>
        ))}
      </select>
    </search>
  );
}

function RequestRow({ request }: { readonly request: LiveRequest }): JSX.Element {
  const { id, at, method, path, query, status, ms, bytes, statements, repeats } = request;
  return (
    <li>
      <a class="request-row" href={hrefTo('live', [String(id)])}>
        <span class="request-time">{clockText(at)}</span>
        <MethodBadge method={method} />
        <StatusBadge status={status} />
        <span class="request-path">
          {path}
          {query !== '' && <span class="request-query">?{query}</span>}
        </span>
        <span class="request-marks">
          {repeats >= MANY_REPEATS && <span class="mark is-warning">{repeats}× the same</span>}
          {ms >= SLOW_REQUEST && <span class="mark is-warning">slow</span>}
        </span>
        <span class="request-statements">{statements === 0 ? '' : counted(statements, 'statement')}</span>
        <span class="request-bytes">{bytes === null ? '' : bytesText(bytes)}</span>
        <span class="request-ms">{msText(ms)}</span>
      </a>
    </li>
  );
}

// ── Request filter ───────────────────────────────────────────────────────────────────────────────────────────────────

// Which requests the list shows. The filter is a part of the address, so that it survives a look at one request.

interface RequestFilter {
  /** A part of the path. */
  readonly text: string;
  /** `GET`; empty for all. */
  readonly method: string;
  /** `2`, `4` and so on for 2xx, 4xx; empty for all. */
  readonly status: string;
}

function filterFrom(query: URLSearchParams): RequestFilter {
  return { text: query.get('path') ?? '', method: query.get('method') ?? '', status: query.get('status') ?? '' };
}

/** What is not filtered by is not in the address. */
function queryFrom({ text, method, status }: RequestFilter): Readonly<Record<string, string>> {
  const all = { path: text, method, status };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

function isShown({ path, query, method, status }: LiveRequest, filter: RequestFilter): boolean {
  return (
    `${path}?${query}`.toLowerCase().includes(filter.text.toLowerCase()) &&
    (filter.method === '' || method === filter.method) &&
    (filter.status === '' || String(status).startsWith(filter.status))
  );
}
