/** A request while it runs: its statements, transactions and logs are added as they come. */
import type { LogEntry, StatementRun, TransactionSpan } from './live-request.ts';
import { shortened } from './secret-names.ts';

/** Of one request. What comes after them is counted, not kept. */
const MOST_RUNS = 1000;
const MOST_LOGS = 200;

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
  readonly logs: LogEntry[] = [];
  readonly #texts = new Map<string, { readonly at: number; count: number }>();
  readonly #startedAt: number;
  #isOver = false;
  dropped = 0;
  databaseMs = 0;

  /** As `performance.now()` has it. */
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

  /** In milliseconds since the request came. */
  now(): number {
    return performance.now() - this.#startedAt;
  }

  /** What a hook does after the response is not kept: what was recorded has its size already. */
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

  /** Gives its position; -1 where it is not kept. */
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

  addLog(entry: Omit<LogEntry, 'at'>): void {
    if (!this.#isOver && this.logs.length < MOST_LOGS) this.logs.push({ at: rounded(this.now()), ...entry });
  }
}
