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
import type { CompileState, LiveDetails, LiveEvent, LiveRequest } from './live-event.ts';
import { type Recording, RunningRequest, recordedDatabase, rounded } from './recorded-database.ts';
import { codeOf, liveErrorFrom, logEntryFrom, SecretNames, shownQuery } from './secret-names.ts';

const LIMITS: RingLimits = { requests: 500, bytes: 8 * 1024 * 1024 };
const HEARTBEAT_MS = 15_000;
const LONGEST_PATH = 1000;

export class LiveRecorder {
  readonly #start = randomUUID();
  readonly #ring = new RequestRing(LIMITS);
  readonly #context = new AsyncLocalStorage<Recording>();
  readonly #running = new WeakMap<Exchange, RunningRequest>();
  /** Patterns of the application's routes. The other routes are the console's own. */
  #recorded: ReadonlySet<string> = new Set();
  /** The model of accounts. */
  #accounts = '';
  readonly #readers = new Set<LiveReader>();
  #heartbeat: NodeJS.Timeout | null = null;
  #compile: CompileState = { problems: [] };
  #last = 0;
  #updates = 0;
  #isClosed = false;

  // ── The server ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Records the statements of a request with it. */
  database(database: Database): Database {
    return recordedDatabase(database, () => this.#context.getStore());
  }

  routes(routes: readonly Route[], definition: Definition, settings: SettingValues): readonly Route[] {
    const secrets = new SecretNames(definition, settings);
    this.#accounts = definition.auth?.model ?? '';
    this.#recorded = new Set(routes.map(({ pattern }) => pattern));
    return routes.map((route) => this.#recordedRoute(route, secrets));
  }

  #recordedRoute(route: Route, secrets: SecretNames): Route {
    const { pattern, method, path } = route;
    const handle: Route['handle'] = (exchange) => {
      const request = new RunningRequest(performance.now());
      this.#running.set(exchange, request);
      return this.#context.run({ request, secrets }, () => route.handle(exchange));
    };
    return {
      pattern,
      method,
      path,
      // The answer takes time to find, so it is left to the caller.
      get needsExpress() {
        return route.needsExpress;
      },
      get mayWrite() {
        return route.mayWrite ?? false;
      },
      handle,
    };
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

  /** Attaches a reader, and returns a function that ends it. */
  attach(reader: LiveReader): () => void {
    if (this.#isClosed) {
      reader.end();
      return () => undefined;
    }
    reader.send({
      kind: 'hello',
      start: this.#start,
      updates: this.#updates,
      requests: this.#ring.summaries,
      compile: this.#compile,
    });
    this.#readers.add(reader);
    this.#heartbeat ??= setInterval(() => this.#tell({ kind: 'heartbeat' }), HEARTBEAT_MS).unref();
    return () => this.#detach(reader);
  }

  /** Closes the readers, because a server that stops would otherwise wait for them. */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) {
      reader.end();
      this.#detach(reader);
    }
  }

  #detach(reader: LiveReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0 || this.#heartbeat === null) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = null;
  }

  #tell(event: LiveEvent): void {
    for (const reader of this.#readers) reader.send(event);
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
    const found = this.#requests.get(Number(id)) ?? [...this.#requests.values()].findLast(isNamed(id));
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

function isNamed(id: number | string) {
  return ({ details }: { readonly details: LiveDetails }): boolean => details.requestId === id;
}

function summaryOf(details: LiveDetails): LiveRequest {
  const {
    texts: _texts,
    runs: _runs,
    dropped: _dropped,
    transactions: _transactions,
    logs: _logs,
    error: _error,
    ...summary
  } = details;
  return summary;
}

// ── Readers ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// One browser that reads the stream. Events are written as fast as it takes them; while it takes none they wait, and
// the oldest are dropped when too many wait. Then it is told how many.

/** How many events may wait. */
const MOST_WAITING = 500;

export class LiveReader {
  readonly #output: Writable;
  #waiting: LiveEvent[] = [];
  #lost = 0;
  #isFull = false;

  constructor(output: Writable) {
    this.#output = output;
    output.on('drain', () => this.#flush());
  }

  send(event: LiveEvent): void {
    if (this.#isFull) this.#queue(event);
    else this.#write(event);
  }

  /** Ends the stream without waiting. */
  end(): void {
    this.#output.end();
  }

  #queue(event: LiveEvent): void {
    this.#waiting.push(event);
    if (this.#waiting.length <= MOST_WAITING) return;
    this.#waiting.shift();
    this.#lost++;
  }

  #flush(): void {
    this.#isFull = false;
    const lost = this.#lost;
    const waiting = this.#waiting;
    this.#lost = 0;
    this.#waiting = [];
    if (lost > 0) this.#write({ kind: 'lost', count: lost });
    for (const event of waiting) this.send(event);
  }

  #write(event: LiveEvent): void {
    if (!this.#output.writable) return;
    this.#isFull = !this.#output.write(`${JSON.stringify(event)}\n`);
  }
}
