/** Why a migration ended without having brought the database to its release: a reason for programs, sentences for people. */
import { sqlStateOf } from '../query/connections/database-error-from.ts';

export type RefusalReason =
  /** The database has releases that this chain does not know. */
  | 'ahead'
  /** The database has had another release, or other steps, where this chain has its own. */
  | 'diverged'
  /** The contents of the database are not what its releases have made. */
  | 'drifted'
  /** There are tables, but no ledger. */
  | 'not-ours'
  /** Postgres cannot be reached, or was lost on the way. */
  | 'unavailable'
  /** The database was made in a way that an application cannot use, or the role lacks a right. */
  | 'unsuited'
  /** Others hold locks, or servers of an older release are connected, and did not let go in time; or its jobs still wait. */
  | 'blocked'
  /** Postgres refused a statement. */
  | 'failed'
  /** The job was cancelled by its caller. */
  | 'stopped';

/** The statement that Postgres refused. */
export interface FailedStatement {
  readonly position: number;
  readonly revision: string;
  /** The number of the step, from 1. */
  readonly step: number;
  /** The phase, where the step belongs to a contraction or a withdrawal. */
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

// The messages of Postgres about a refusal, without the values of rows: these do not belong in the log of a pipeline.

export function postgresWords(error: unknown) {
  const state = sqlStateOf(error) ?? '';
  const constraint = textOf(error, 'constraint');
  // Data exceptions quote the value in the message itself, and what a trigger raises may. Details always do.
  const hasValues = state.startsWith('22') || state.startsWith('P0');
  const words = hasValues ? (ABOUT_VALUES[state] ?? 'a value does not fit') : (textOf(error, 'message') ?? '');
  const remedy = REMEDIES[state] ?? '';
  const named = constraint !== null && !words.includes(`"${constraint}"`) ? `, "${constraint}"` : '';
  return { message: `${words}${named} (SQLSTATE ${state})${remedy}`, constraint };
}

/** The remedies for errors where Postgres states what it lacks, but not what to do. */
const REMEDIES: Readonly<Record<string, string>> = {
  '53200':
    '; a transaction locks every table that it creates, and Postgres has too few locks: raise `max_locks_per_transaction` (64 by default) and restart Postgres',
};

const ABOUT_VALUES: Readonly<Record<string, string>> = {
  '22P02': 'a value cannot be read as one of the new type',
  '22003': 'a number is out of range',
  '22001': 'a text is too long',
  '22007': 'a value cannot be read as a date or time',
  '22008': 'a date or time is out of range',
  '22012': 'something is divided by zero',
  '22023': 'a value is not allowed here',
  P0001: 'a trigger or a function has raised an error',
};

function textOf(error: unknown, property: string): string | null {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, property) : null;
  return typeof value === 'string' ? value : null;
}
