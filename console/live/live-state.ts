/**
 * The live state from the server while the page is open: requests, compile errors, and new sources. The stream is read
 * by `fetch`, because the key is sent in a header, which an EventSource cannot do.
 */
import type { CompileState, LiveEvent, LiveRequest } from '../../runtime/console/live/live-event.ts';
import { ConsoleApiError, consoleApi, consoleKey } from '../state/console-api.ts';
import { createStore } from '../state/store.ts';

/** The largest number of requests, which is that of the server. */
const MOST = 500;

/** `refused` if the key is no longer valid. */
export type Connection = 'connecting' | 'open' | 'lost' | 'refused';

export const connection = createStore<Connection>('connecting');

/** The requests, newest first. */
export const requests = createStore<readonly LiveRequest[]>([]);

/** The problems of the last save, and its question. */
export const compile = createStore<CompileState>({ problems: [] });

/** The number of times that the server got new sources; `changes` are those of the last one that callers notice. */
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
  document.addEventListener('visibilitychange', () => void follow());
  void follow();
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** Ends the current turn. */
let current = new AbortController();

/**
 * A new key begins a new turn. A tab that nobody sees lets go of its connection, because a browser has only six of them
 * for one server.
 */
async function follow(): Promise<void> {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  if (document.hidden || consoleKey.get() === '') return;
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const state = await read(signal);
    if (signal.aborted) return;
    // The server was there: what ends now is something new.
    if (connection.get() === 'open') pause = FIRST_PAUSE_MS;
    connection.set(state);
    if (state === 'refused') return;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Reads until the stream ends. Returns why it ended. */
async function read(signal: AbortSignal): Promise<'lost' | 'refused'> {
  try {
    const response = await consoleApi.send('live', { signal });
    for await (const line of linesOf(response)) take(JSON.parse(line) as LiveEvent);
    return 'lost';
  } catch (error) {
    return error instanceof ConsoleApiError && error.status === 403 ? 'refused' : 'lost';
  }
}

/** The version of the sources that the page has read: the start of the server, and the number of updates since. */
let known: string | null = null;
let start = '';

function take(event: LiveEvent): void {
  switch (event.kind) {
    case 'hello':
      connection.set('open');
      start = event.start;
      notice(event.updates, []);
      requests.set(event.requests.toReversed());
      compile.set(event.compile);
      return;
    case 'request':
      requests.set([event.request, ...requests.get()].slice(0, MOST));
      return;
    case 'compile':
      compile.set(event.compile);
      return;
    case 'updated':
      notice(event.updates, event.changes);
      return;
    case 'heartbeat':
      return;
    default:
      event satisfies never;
  }
}

/** Notices an update, also one that came while nobody read. */
function notice(updates: number, changes: readonly string[]): void {
  const version = `${start} ${updates}`;
  if (known !== null && known !== version) update.set({ count: update.get().count + 1, changes });
  known = version;
}

export async function clearRequests(): Promise<void> {
  await consoleApi.send('live', { method: 'DELETE' });
  requests.set([]);
}

// ── Stream lines ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** The lines of a response, as they arrive. */
async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** The times in milliseconds from which a request or a statement is marked as slow. */
export const SLOW_REQUEST = 200;
export const SLOW_STATEMENT = 50;

/** A request that runs one statement so often probably queries in a loop. */
export const MANY_REPEATS = 5;
