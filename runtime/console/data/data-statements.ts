/** How the console talks to the database: over the connections of the server, in a transaction with a short timeout. */
import { type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { DataRow } from '../../query/data-row.ts';
import { type Database, DatabaseError, type DataConnection, type Result } from '../../query/database.ts';
import { bound, prepared, run, scopeOn } from '../../query/prepared.ts';
import type { Bound } from '../../values/kinds.ts';

export interface DataDatabase {
  readonly database: Database;
  /** The longest time of one statement, in milliseconds. */
  readonly timeout: number;
}

/** The longest time of a statement, in milliseconds: a person waits for it. */
const LONGEST = 5000;

export interface DataSource {
  readonly database: Database;
  /** The limit in milliseconds; 0 where the server leaves it to the database. */
  readonly statementTimeout: number;
}

export function dataDatabase({ database, statementTimeout }: DataSource): DataDatabase {
  return { database, timeout: Math.min(statementTimeout || LONGEST, LONGEST) };
}

export type Work<T> = (connection: DataConnection) => Promise<T>;

/** Runs `work` in a transaction that cannot change anything. */
export function reading<T>(from: DataDatabase, signal: AbortSignal, work: Work<T>): Promise<T> {
  return inTime(from, signal, READ, work);
}

export function writing<T>(from: DataDatabase, signal: AbortSignal, work: Work<T>): Promise<T> {
  return inTime(from, signal, WRITE, work);
}

const READ = {
  isRepeatable: true,
  begin: sql`, set_config('transaction_read_only', 'on', true)`,
  hint: 'Filter by an indexed column, or sort by `id`.',
};
const WRITE = { isRepeatable: false, begin: sql``, hint: 'Another transaction may hold a lock on the record.' };

async function inTime<T>(
  { database, timeout }: DataDatabase,
  signal: AbortSignal,
  { isRepeatable, begin, hint }: typeof READ,
  work: Work<T>,
): Promise<T> {
  const whole: Work<T> = async (connection) => {
    await execute(connection, sql`SELECT set_config('statement_timeout', ${text(String(timeout))}, true)${begin}`);
    return work(connection);
  };
  try {
    return await database.forRequest().transaction(whole, { isRepeatable, signal });
  } catch (error) {
    if (!isTimeout(error)) throw error;
    const detail = `The database needed more than ${timeout / 1000} s. ${hint}`;
    throw new ApiError('unavailable', { detail, cause: error });
  }
}

export function isTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'timeout';
}

/**
 * Runs one of many statements; a connection caches only those that were used last. A computed value that is out of
 * range is null.
 */
export function execute(connection: DataConnection, piece: Sql): Promise<Result<DataRow>> {
  return run(prepared(piece.guarded ?? piece, { isRepeatable: false, isOneOfMany: true }), scopeOn(connection));
}

/** A value of a request: bound, never written out. */
export function value(given: Bound, type: Sql): Sql {
  return bound(() => given, type);
}

export function text(given: string): Sql {
  return bound(() => given, 'text');
}
