/** What all parts of a running migration share. */
import type { ReleaseChain } from '../../compiler/definition/migration.ts';
import type { Certifier } from './certifier.ts';
import type { Report } from './events.ts';
import type { Observer } from './observer.ts';
import type { Session } from './session.ts';

export interface Job {
  readonly chain: ReleaseChain;
  readonly session: Session;
  readonly observer: Observer;
  readonly report: Report;
  readonly locks: LockBudget;
  readonly indexLocks: LockBudget;
  /** Of the statement that runs now. */
  readonly lockWait: LockWait;
  readonly batches: BatchBudget;
  /** How long servers of older releases are waited for before a contraction, in milliseconds. */
  readonly contractWait: number;
  readonly signal: AbortSignal | undefined;
  /** After how many steps of a release the job ends, though there are more. */
  readonly stopAfter: number | undefined;
  readonly reached: Reached;
  /** Where locks are to be held against what was predicted. */
  readonly certifier: Certifier | undefined;
}

/** How long locks are waited for. Times are in milliseconds. */
export interface LockBudget {
  /** For all locks of the first attempt together: while a statement waits for a lock, all who come after it wait too. */
  readonly timeout: number;
  /** Each later attempt waits half as long again, up to this. */
  readonly longest: number;
  /** After the first attempt; each later one is twice as long, up to 5 seconds. */
  readonly pause: number;
  /** For all attempts and pauses together. */
  readonly deadline: number;
  /** Between two reports of the same. */
  readonly betweenReports: number;
}

export interface BatchBudget {
  /** Rows of the first batch. */
  readonly first: number;
  readonly most: number;
  /** What a batch should take, in milliseconds: its rows are locked that long. One that is twice as slow is still short. */
  readonly milliseconds: number;
  /** In bytes of the write-ahead log: a standby that falls so far behind while the job runs is waited for. */
  readonly mostBehind: number;
  /** Statements of others at the same time: from then on the job rests as long as it works. */
  readonly mostActive: number;
}

/** What is known to be committed. */
interface Reached {
  releasesDone: number;
  /** Of the release that comes next, and how many it has. */
  stepsDone: number;
  steps: number;
  readonly applied: string[];
}

/** Requests wait behind a lock for 200 ms at most, every few seconds, while a transaction of minutes is outlived. */
export const LOCKS: LockBudget = {
  timeout: 100,
  longest: 200,
  pause: 200,
  deadline: 600_000,
  betweenReports: 10_000,
};

/** Building an index without locking waits for the transactions of others. No read and no write waits for it meanwhile. */
export const INDEX_LOCKS: LockBudget = {
  timeout: 600_000,
  longest: 600_000,
  pause: 1000,
  deadline: 1_800_000,
  betweenReports: 10_000,
};

export const BATCHES: BatchBudget = {
  first: 1000,
  most: 50_000,
  milliseconds: 100,
  mostBehind: 128 * 1024 * 1024,
  mostActive: 10,
};

/** As long as an orchestrator needs to stop the last servers of a rollout. */
export const CONTRACT_WAIT = 60_000;

// For how long statements wait for locks, in milliseconds. All statements of an attempt share one time, because whoever
// waits behind the first of their locks waits for all of them.

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
