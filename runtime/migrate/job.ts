/** What all parts of a running migration share. */
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
  readonly batches: BatchBudget;
  /** How long servers of older releases are waited for before a contraction, in milliseconds. */
  readonly contractWait: number;
  readonly signal: AbortSignal | undefined;
  readonly reached: Reached;
}

/** How long a lock is waited for, and how often. Times are in milliseconds. */
export interface LockBudget {
  /** While a statement waits for a lock, all who come after it wait too. */
  readonly timeout: number;
  readonly attempts: number;
  /** After the first attempt; each later one is twice as long, up to 10 seconds. */
  readonly pause: number;
}

export interface BatchBudget {
  /** Rows of the first batch. */
  readonly first: number;
  readonly most: number;
  /** What a batch should take, in milliseconds: so long its rows are locked. */
  readonly milliseconds: number;
}

/** What is known to be committed. */
export interface Reached {
  releasesDone: number;
  stepsDone: number;
  readonly applied: string[];
}

/** Room for a few waits in a row, yet others never stand still for long. */
export const LOCKS: LockBudget = { timeout: 2000, attempts: 10, pause: 200 };

/** Building an index without locking waits for the transactions of others, and holds up nobody meanwhile. */
export const INDEX_LOCKS: LockBudget = { timeout: 600_000, attempts: 3, pause: 1000 };

export const BATCHES: BatchBudget = { first: 1000, most: 50_000, milliseconds: 200 };

/** As long as an orchestrator needs to stop the last servers of a rollout. */
export const CONTRACT_WAIT = 60_000;
