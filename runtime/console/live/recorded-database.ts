/** A database that tells a request of its statements. It is only there where the console is on. */
import type { Bound, Database, DataConnection, RequestDatabase, Transaction } from '../../query/database.ts';
import type { HookRun, LogEntry, StatementRun, TransactionSpan } from './live-event.ts';
import { type SecretNames, shortened } from './secret-names.ts';

/** The request that statements belong to, and what of their values is secret. */
export interface Recording {
  readonly request: RunningRequest;
  readonly secrets: SecretNames;
}

/** `current` gives the request that the calling code works for. */
export function recordedDatabase(database: Database, current: () => Recording | undefined): Database {
  return {
    run: (statement, values) => database.run(statement, values),
    fetch: (statement, values) => database.fetch(statement, values),
    transaction: (work, options) => database.transaction(work, options),
    forRequest: (onWrite) => {
      const recording = current();
      const own = database.forRequest(onWrite);
      return recording ? recordedRequest(own, recording) : own;
    },
    later: () => database.later(),
    ping: () => database.ping(),
    close: () => database.close(),
    state: () => database.state(),
  };
}

function recordedConnection(own: DataConnection, recording: Recording, transaction: number | null): DataConnection {
  const recorded = async <R extends Counted>(text: string, values: readonly Bound[], run: () => Promise<R>) => {
    const add = adderOf(recording, transaction, text, values);
    try {
      const result = await run();
      add(Math.max(result.rows.length, result.count), null);
      return result;
    } catch (error) {
      add(null, error);
      throw error;
    }
  };
  return {
    run: (statement, values) => recorded(statement.text, values, () => own.run(statement, values)),
    fetch: (statement, values) => recorded(statement.text, values, () => own.fetch(statement, values)),
  };
}

interface Counted {
  readonly rows: readonly unknown[];
  readonly count: number;
}

/** Called when the statement starts; the returned function is called when it ends. */
function adderOf({ request, secrets }: Recording, transaction: number | null, text: string, values: readonly Bound[]) {
  const start = request.now();
  return (rows: number | null, error: unknown): void =>
    request.addRun(text, {
      start,
      rows,
      transaction,
      values: secrets.shownValues(text, values),
      error: error === null ? null : reasonOf(error),
    });
}

/** The message alone: the other parts of an error of Postgres may be values of a row. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : 'failed';
}

function recordedRequest(own: RequestDatabase, recording: Recording): RequestDatabase {
  const { request } = recording;
  return {
    ...recordedConnection(own, recording, null),
    later: () => recordedConnection(own.later(), recording, null),
    async transaction(work, options) {
      const at = request.beginTransaction(options.isolation ?? 'read committed');
      try {
        const result = await own.transaction((transaction) => {
          request.addAttempt(at);
          return work(recordedTransaction(transaction, recording, at));
        }, options);
        request.endTransaction(at, 'committed');
        return result;
      } catch (error) {
        request.endTransaction(at, 'rolled back');
        throw error;
      }
    },
  };
}

function recordedTransaction(own: Transaction, recording: Recording, at: number): Transaction {
  return {
    ...recordedConnection(own, recording, at),
    /** The code of hooks queries the driver itself. */
    session() {
      const session = own.session();
      return {
        query: (config, done) => {
          const { text = '', values = [] } = config as { readonly text?: string; readonly values?: readonly Bound[] };
          const add = adderOf(recording, at, text, values);
          session.query(config, (error, result) => {
            const { rowCount = 0 } = (result ?? {}) as { readonly rowCount?: number | null };
            add(error ? null : (rowCount ?? 0), error ?? null);
            done(error, result);
          });
        },
      };
    },
  };
}

// ── Running request ──────────────────────────────────────────────────────────────────────────────────────────────────

// A request while it runs: its statements, transactions and logs are added as they come.

/** The limits for one request. Further statements are counted; further logs and hooks are left out. */
const MOST_RUNS = 1000;
const MOST_LOGS = 200;
const MOST_HOOKS = 200;

/** The hooks of an application can send statements of any length. */
export const LONGEST_STATEMENT = 10_000;
const LONGEST_ERROR = 1000;

/** Times are rounded to a thousandth of a millisecond. */
export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export class RunningRequest {
  readonly runs: StatementRun[] = [];
  readonly transactions: Mutable<TransactionSpan>[] = [];
  readonly hooks: HookRun[] = [];
  readonly logs: LogEntry[] = [];
  readonly #texts = new Map<string, { readonly at: number; count: number }>();
  readonly #startedAt: number;
  #isOver = false;
  dropped = 0;
  databaseMs = 0;

  /** The start, as `performance.now()` has it. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  get texts(): readonly string[] {
    return [...this.#texts.keys()];
  }

  get statements(): number {
    return this.runs.length + this.dropped;
  }

  /** How often the most frequent statement ran. */
  get repeats(): number {
    return [...this.#texts.values()].reduce((most, { count }) => Math.max(most, count), 0);
  }

  /** The time in milliseconds since the request came. */
  now(): number {
    return performance.now() - this.#startedAt;
  }

  /** Ends the recording: later work of a hook is not recorded, because the size of the record is known already. */
  end(): void {
    this.#isOver = true;
  }

  addRun(statement: string, { start, error, ...run }: Omit<StatementRun, 'text' | 'ms'>): void {
    if (this.#isOver) return;
    const ms = this.now() - start;
    this.databaseMs += ms;
    if (this.runs.length >= MOST_RUNS) {
      this.dropped++;
      return;
    }
    const text = shortened(statement, LONGEST_STATEMENT);
    const known = this.#texts.get(text) ?? { at: this.#texts.size, count: 0 };
    known.count++;
    this.#texts.set(text, known);
    const reason = error === null ? null : shortened(error, LONGEST_ERROR);
    this.runs.push({ text: known.at, start: rounded(start), ms: rounded(ms), error: reason, ...run });
  }

  /** Begins a transaction, and returns its position; -1 where it is not recorded. */
  beginTransaction(isolation: string): number {
    if (this.#isOver) return -1;
    const span = { isolation, start: rounded(this.now()), ms: 0, outcome: 'rolled back', attempts: 0 } as const;
    return this.transactions.push({ ...span }) - 1;
  }

  addAttempt(at: number): void {
    const span = this.transactions[at];
    if (span && !this.#isOver) span.attempts++;
  }

  endTransaction(at: number, outcome: TransactionSpan['outcome']): void {
    const span = this.transactions[at];
    if (!span || this.#isOver) return;
    span.ms = rounded(this.now() - span.start);
    span.outcome = outcome;
  }

  beginHook(kind: HookRun['kind'], name: string): () => void {
    const start = rounded(this.now());
    return () => {
      if (this.#isOver || this.hooks.length >= MOST_HOOKS) return;
      this.hooks.push({ kind, name: shortened(name, LONGEST_ERROR), start, ms: rounded(this.now() - start) });
    };
  }

  addLog(entry: Omit<LogEntry, 'at'>): void {
    if (!this.#isOver && this.logs.length < MOST_LOGS) this.logs.push({ at: rounded(this.now()), ...entry });
  }
}
