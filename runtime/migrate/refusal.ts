/** Why a migration ended without having brought the database to its release: a reason for programs, sentences for people. */

export type RefusalReason =
  /** The database has releases that this chain does not know. */
  | 'ahead'
  /** The database has had another release, or other steps, where this chain has its own. */
  | 'diverged'
  /** What is in the database is not what its releases have made. */
  | 'drifted'
  /** There are tables, but no ledger. */
  | 'not-ours'
  /** Postgres cannot be reached, or was lost on the way. */
  | 'unavailable'
  /** The database was made in a way that an application cannot use, or the role lacks a right. */
  | 'unsuited'
  /** Others hold locks, or servers of an older release are connected, and did not let go in time. */
  | 'blocked'
  /** Postgres refused a statement. */
  | 'failed'
  /** Whoever started the job has called it off. */
  | 'stopped';

/** The statement that Postgres refused. */
export interface FailedStatement {
  readonly position: number;
  readonly revision: string;
  /** From 1. */
  readonly step: number;
  /** Of the contraction or the withdrawal, where it is not one of those that bring the release. */
  readonly phase?: 'contract' | 'withdraw';
  readonly says: string;
  readonly sqlState: string;
  readonly constraint: string | null;
}

export class Refusal extends Error {
  readonly reason: RefusalReason;
  /** More about it, a sentence each. */
  readonly details: readonly string[];
  readonly failure: FailedStatement | null;

  constructor(reason: RefusalReason, message: string, { details = [], failure = null, cause }: RefusalMore = {}) {
    super(message, { cause });
    this.name = 'Refusal';
    this.reason = reason;
    this.details = details;
    this.failure = failure;
  }
}

interface RefusalMore {
  readonly details?: readonly string[];
  readonly failure?: FailedStatement | null;
  readonly cause?: unknown;
}
