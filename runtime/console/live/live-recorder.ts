/**
 * Records the requests of a server for the view Live. It wraps the routes, the database and the log of a server whose
 * console is on; a server without a console has none of this. Statements and logs find their request by the asynchronous
 * context that they run in.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Database } from '../../query/database.ts';
import type { Exchange, Route } from '../../request/exchange.ts';
import { refusalFrom } from '../../respond/answer-from-error.ts';
import { CLIENT_GONE, type Outcome, recordRequest } from '../../respond/request-record.ts';
import type { SettingValues } from '../../values/settings.ts';
import type { CompileState, HookRun, LiveDetails, LiveEvent, LiveRequest } from './live-event.ts';
import { type Recording, RunningRequest, recordedDatabase, rounded } from './recorded-database.ts';
import { codeOf, liveErrorFrom, logEntryFrom, SecretNames, shownQuery } from './secret-names.ts';

const LIMITS: RingLimits = { requests: 500, bytes: 8 * 1024 * 1024 };
const HEARTBEAT_MS = 15_000;
const LONGEST_PATH = 1000;
/** The most bytes that wait for a browser. One that reads too slowly is disconnected, and gets the requests when it is back. */
const MOST_UNREAD = 2 * LIMITS.bytes;

export class LiveRecorder {
  readonly #start = randomUUID();
  readonly #ring = new RequestRing(LIMITS);
  readonly #context = new AsyncLocalStorage<Recording>();
  readonly #running = new WeakMap<Exchange, RunningRequest>();
  /** Patterns of the application's routes. The other routes are the console's own. */
  #recorded: ReadonlySet<string> = new Set();
  /** The model of accounts. */
  #accounts = '';
  readonly #readers = new Set<Writable>();
  readonly #heartbeat = setInterval(() => this.#tell({ kind: 'heartbeat' }), HEARTBEAT_MS).unref();
  #compile: CompileState = { problems: [] };
  #last = 0;
  #updates = 0;
  #isClosed = false;

  // ── The server ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Records the statements of a request with it. */
  database(database: Database): Database {
    return recordedDatabase(database, () => this.#context.getStore());
  }

  readonly hookBegins = (kind: HookRun['kind'], name: string): (() => void) =>
    this.#context.getStore()?.request.beginHook(kind, name) ?? (() => undefined);

  routes(routes: readonly Route[], definition: Definition, settings: SettingValues): readonly Route[] {
    const secrets = new SecretNames(definition, settings);
    this.#accounts = definition.auth?.model ?? '';
    this.#recorded = new Set(routes.map(({ pattern }) => pattern));
    return routes.map((route) => this.#recordedRoute(route, secrets));
  }

  #recordedRoute(route: Route, secrets: SecretNames): Route {
    const handle: Route['handle'] = (exchange) => {
      const request = new RunningRequest(performance.now());
      this.#running.set(exchange, request);
      return this.#context.run({ request, secrets }, () => route.handle(exchange));
    };
    // Not a copy: whether it needs Express takes time to find, so it is left to the caller.
    return Object.create(route, { handle: { value: handle } }) as Route;
  }

  /** Replaces `recordRequest`. Requests of the page itself are not recorded: they are no use of the API. */
  readonly record: typeof recordRequest = (log, exchange, as, outcome) => {
    const isOwn = as.pattern !== null && !this.#recorded.has(as.pattern) && !this.#running.has(exchange);
    const isQuiet = as.isQuiet || (isOwn && isUneventful(exchange.method, outcome));
    // Its line in the log is none of the request's own.
    this.#context.exit(() => recordRequest(log, exchange, { ...as, isQuiet }, outcome));
    if (isOwn || as.isQuiet) return;
    const running = this.#running.get(exchange) ?? new RunningRequest(exchange.startedAt);
    running.end();
    const ms = performance.now() - exchange.startedAt;
    const error = refusalFrom(outcome.error);
    const details: LiveDetails = {
      id: ++this.#last,
      requestId: exchange.id,
      at: Math.round(Date.now() - ms),
      method: exchange.method,
      path: exchange.path.slice(0, LONGEST_PATH),
      query: shownQuery(exchange.queryString),
      route: as.pattern,
      status: outcome.status,
      caller: exchange.caller === undefined ? null : `${this.#accounts} ${exchange.caller ?? ''}`.trim(),
      ms: rounded(ms),
      bytes: outcome.bytes,
      statements: running.statements,
      databaseMs: rounded(running.databaseMs),
      repeats: running.repeats,
      problem: codeOf(error),
      texts: running.texts,
      runs: running.runs,
      dropped: running.dropped,
      transactions: running.transactions,
      hooks: running.hooks,
      logs: running.logs,
      error: liveErrorFrom(error),
    };
    this.#ring.add(details);
    this.#tell({ kind: 'request', request: summaryOf(details) });
  };

  /** Records a line of the log, as JSON. A line that belongs to no request is dropped. */
  logged(line: string): void {
    const recording = this.#context.getStore();
    recording?.request.addLog(logEntryFrom(line, recording.secrets));
  }

  // ── The development loop ──────────────────────────────────────────────────────────────────────────────────────────

  /** Records how the last save compiled. */
  compiled(compile: CompileState): void {
    const isNews = [this.#compile, compile].some(({ problems, question }) => question || problems.length > 0);
    this.#compile = compile;
    if (isNews) this.#tell({ kind: 'compile', compile });
  }

  /** Records that the server serves new sources. */
  updated(changes: readonly string[]): void {
    this.#updates++;
    this.#tell({ kind: 'updated', updates: this.#updates, changes });
  }

  // ── Those who read it ─────────────────────────────────────────────────────────────────────────────────────────────

  /** By its number, or by its `x-request-id`. */
  details(id: number | string): LiveDetails | undefined {
    return this.#ring.get(id);
  }

  clear(): void {
    this.#ring.clear();
  }

  /** Writes the events to a browser, one on each line. */
  attach(reader: Writable): void {
    if (this.#isClosed) return void reader.end();
    this.#readers.add(reader);
    reader.once('close', () => this.#readers.delete(reader));
    this.#send(reader, {
      kind: 'hello',
      start: this.#start,
      updates: this.#updates,
      requests: this.#ring.summaries,
      compile: this.#compile,
    });
  }

  /** Closes the readers, because a server that stops would otherwise wait for them. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }

  #tell(event: LiveEvent): void {
    for (const reader of this.#readers) this.#send(reader, event);
  }

  #send(reader: Writable, event: LiveEvent): void {
    if (reader.writableLength > MOST_UNREAD) reader.destroy();
    if (!reader.destroyed) reader.write(`${JSON.stringify(event)}\n`);
  }
}

/**
 * Whether a request is not worth a line in the log. The page reads often, but changes and refusals are logged. A stream
 * ends when its reader goes.
 */
function isUneventful(method: string, { status }: Outcome): boolean {
  return (method === 'GET' || method === 'HEAD') && (status < 400 || status === CLIENT_GONE);
}

// ── Request ring ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The last requests, oldest first. Their number is bounded, and so is what they take in memory.

interface RingLimits {
  readonly requests: number;
  /** The limit of all requests together, in bytes of JSON. */
  readonly bytes: number;
}

export class RequestRing {
  readonly #limits: RingLimits;
  /** The requests, in the order in which they were added. */
  readonly #requests = new Map<number, { readonly details: LiveDetails; readonly bytes: number }>();
  #bytes = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  add(details: LiveDetails): void {
    const bytes = JSON.stringify(details).length;
    this.#requests.set(details.id, { details, bytes });
    this.#bytes += bytes;
    for (const [id, oldest] of this.#requests) {
      if (this.#requests.size <= this.#limits.requests && this.#bytes <= this.#limits.bytes) return;
      this.#requests.delete(id);
      this.#bytes -= oldest.bytes;
    }
  }

  /** Finds a request; undefined where it is too old. */
  get(id: number | string): LiveDetails | undefined {
    const found =
      this.#requests.get(Number(id)) ??
      [...this.#requests.values()].findLast(({ details }) => details.requestId === id);
    return found?.details;
  }

  get summaries(): readonly LiveRequest[] {
    return [...this.#requests.values()].map(({ details }) => summaryOf(details));
  }

  clear(): void {
    this.#requests.clear();
    this.#bytes = 0;
  }
}

function summaryOf(details: LiveDetails): LiveRequest {
  const { texts, runs, dropped, transactions, hooks, logs, error, ...summary } = details;
  return summary;
}
