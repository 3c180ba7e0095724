/**
 * For how long statements wait for locks, in milliseconds. All statements of an attempt share one time, because whoever
 * waits behind the first of their locks waits for all of them.
 */

/** Where a statement that waits holds up neither reads nor writes. Postgres ends a vacuum of its own after one second. */
export const QUIET_TIMEOUT = 10_000;

/** What a statement has in any case: those before it may have worked for long rather than waited. */
const LEAST = 20;

export class LockWait {
  /** Between attempts the job writes to its own tables alone. */
  timeout = QUIET_TIMEOUT;
  /** Quoted names of tables that are locked before all else, in a way that holds up neither reads nor writes. */
  readonly quietTables = new Set<string>();
  /** Whether a transaction is open, whose statements wait no longer than `left` says. */
  isShared = false;
  #start: number | undefined;
  #told = { what: '', at: 0 };

  begin(timeout: number): void {
    this.timeout = timeout;
    this.#start = undefined;
  }

  end(): void {
    this.begin(QUIET_TIMEOUT);
    this.quietTables.clear();
  }

  /** Whether it is time to tell that `what` has to wait: at first, and then at intervals. */
  isNews(what: string, interval: number): boolean {
    const now = performance.now();
    if (this.#told.what === what && now - this.#told.at < interval) return false;
    this.#told = { what, at: now };
    return true;
  }

  /** For the next statement of this attempt. */
  left(): number {
    this.#start ??= performance.now();
    return Math.max(LEAST, Math.round(this.timeout - (performance.now() - this.#start)));
  }
}
