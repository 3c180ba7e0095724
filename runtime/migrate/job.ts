/** The state that all parts of a running migration share. */
import type { ReleaseChain } from '../../compiler/definition/migration.ts';
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
  /** The lock wait of the statement that runs now. */
  readonly lockWait: LockWait;
  readonly batches: BatchBudget;
  /** How long servers of older releases are waited for before a contraction, in milliseconds. */
  readonly contractWait: number;
  readonly signal: AbortSignal | undefined;
  /** The number of steps of a release after which the job ends, even if there are more. */
  readonly stopAfter: number | undefined;
  readonly reached: Reached;
  /** Whether all steps of a release are one transaction, also where others have to wait for it. */
  readonly isAtOnce: boolean;
}

/** Whether that transaction is open: what would have one of its own is part of it then. */
export function isInTransaction({ isAtOnce, lockWait }: Job): boolean {
  return isAtOnce && lockWait.isShared;
}

/** How long locks are waited for. Times are in milliseconds. */
export interface LockBudget {
  /**
   * The timeout of all locks of the first attempt together: while a statement waits for a lock, all later ones wait
   * too.
   */
  readonly timeout: number;
  /** Each later attempt waits half as long again, up to this. */
  readonly longest: number;
  /** The pause after the first attempt; each later one is twice as long, up to 5 seconds. */
  readonly pause: number;
  /** The limit of all attempts and pauses together. */
  readonly deadline: number;
  /** The time between two reports of the same fact. */
  readonly betweenReports: number;
}

export interface BatchBudget {
  /** Rows of the first batch. */
  readonly first: number;
  readonly most: number;
  /**
   * The target time of a batch, in milliseconds: its rows are locked that long. One that is twice as slow is still
   * short.
   */
  readonly milliseconds: number;
  /** The lag of a standby, in bytes of the write-ahead log, from which on the job waits for it. */
  readonly mostBehind: number;
  /** Statements of others at the same time: from then on the job rests as long as it works. */
  readonly mostActive: number;
}

/** The progress that is known to be committed. */
interface Reached {
  releasesDone: number;
  /** The done steps of the next release, and the number of its steps. */
  stepsDone: number;
  steps: number;
  readonly applied: string[];
}

/** Requests wait behind a lock for 200 ms at most, every few seconds, while a transaction of minutes is outlived. */
export const LOCKS: LockBudget = { timeout: 100, longest: 200, pause: 200, deadline: 600_000, betweenReports: 10_000 };

/**
 * The budget of an index that is built concurrently: it waits for the transactions of others, but no read and no write
 * waits for it.
 */
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

/** The time that an orchestrator needs to stop the last servers of a rollout. */
export const CONTRACT_WAIT = 60_000;

// The time that statements wait for locks, in milliseconds. All statements of an attempt share it, because a request
// that waits behind the first of their locks waits for all of them.

/**
 * The timeout of a statement that blocks neither reads nor writes while it waits. Postgres ends an autovacuum after one
 * second.
 */
export const QUIET_TIMEOUT = 10_000;

/** The minimum for a statement: earlier ones may have worked for long rather than waited. */
const LEAST = 20;

export class LockWait {
  /** The timeout. Between attempts, the job writes to its own tables alone. */
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

  /** The time that is left for the next statement of this attempt. */
  left(): number {
    this.#start ??= performance.now();
    return Math.max(LEAST, Math.round(this.timeout - (performance.now() - this.#start)));
  }
}
