/**
 * What the server tells while the page is open: requests, compile errors, and new sources. The stream is read by `fetch`,
 * because the key is sent in a header, which an EventSource cannot do.
 */
import type { CompileProblem, LiveEvent } from '../../runtime/console/live/live-event.ts';
import type { LiveRequest } from '../../runtime/console/live/live-request.ts';
import { ConsoleApiError, consoleApi, consoleKey } from '../state/console-api.ts';
import { createStore } from '../state/store.ts';
import { linesOf } from './stream-lines.ts';

/** As many as the server keeps. */
const MOST = 500;

/** `refused` where the key is not right any more. */
export type Connection = 'connecting' | 'open' | 'lost' | 'refused';

export const connection = createStore<Connection>('connecting');

/** Newest first. */
export const requests = createStore<readonly LiveRequest[]>([]);

/** How many events did not reach this page, because it was too slow. */
export const lost = createStore(0);

/** Of the last save. */
export const compileProblems = createStore<readonly CompileProblem[]>([]);

/** Counts the times that the server got new sources; `changes` says what callers notice of the last one. */
export const update = createStore<{ readonly count: number; readonly changes: readonly string[] }>({
  count: 0,
  changes: [],
});

let isFollowing = false;

/** Follows the stream until the page is closed, and connects again when it is lost. */
export function followLive(): void {
  if (isFollowing) return;
  isFollowing = true;
  consoleKey.subscribe(() => void follow());
  void follow();
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

let turn = 0;

/** A new key begins a new turn, and ends the one before. */
async function follow(): Promise<void> {
  const own = ++turn;
  for (
    let pause = FIRST_PAUSE_MS;
    own === turn && consoleKey.get() !== '';
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  ) {
    try {
      const response = await consoleApi.send('live');
      pause = FIRST_PAUSE_MS;
      for await (const line of linesOf(response)) take(JSON.parse(line) as LiveEvent);
      connection.set('lost');
    } catch (error) {
      const isRefused = error instanceof ConsoleApiError && error.status === 403;
      connection.set(isRefused ? 'refused' : 'lost');
      if (isRefused) return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** The start of the server whose requests are shown. */
let start: string | null = null;

function take(event: LiveEvent): void {
  switch (event.kind) {
    case 'hello':
      connection.set('open');
      if (start !== null) update.set({ count: update.get().count + 1, changes: [] });
      start = event.start;
      requests.set(event.requests.toReversed());
      compileProblems.set(event.compile.problems);
      return;
    case 'request':
      requests.set([event.request, ...requests.get()].slice(0, MOST));
      return;
    case 'compile':
      compileProblems.set(event.compile.problems);
      return;
    case 'updated':
      update.set({ count: update.get().count + 1, changes: event.changes });
      return;
    case 'lost':
      lost.set(lost.get() + event.count);
      return;
    case 'heartbeat':
      return;
    default:
      event satisfies never;
  }
}

export async function clearRequests(): Promise<void> {
  await consoleApi.send('live', { method: 'DELETE' });
  requests.set([]);
  lost.set(0);
}
