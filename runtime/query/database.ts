/**
 * The interface of the database for the rest of the runtime. Texts in, texts or bytes out: types are known where
 * statements are made.
 */
import type pg from 'pg';
import { INPUT_TOO_LARGE } from '../../compiler/definition/work.ts';
import type { Bound } from '../values/kinds.ts';
import type { DataRow } from './data-row.ts';

/** Built once and prepared on each connection that runs it. */
export interface Statement {
  /** Unique for its text, and at most 63 bytes. */
  readonly name: string;
  readonly text: string;
  /** Whether running it twice is as good as running it once, as after a connection was lost. */
  readonly isRepeatable: boolean;
  /** Whether it is run in another form after a value was out of range: until then a transaction must live on. */
  readonly mayOverflow?: boolean;
  /** Whether COMMIT is sent with it. Where nothing may be committed, it must fail. */
  readonly endsTransaction?: boolean;
  /** Whether clients choose it among many: a connection keeps those of them that were used last. */
  readonly isOneOfMany?: boolean;
}

export type { Bound };

export type Row = readonly (string | null)[];

export interface Result<Kind = Row> {
  readonly rows: readonly Kind[];
  /** How many rows a statement has changed. */
  readonly count: number;
}

/** Reads the text of every field. */
export function withTexts({ rows, count }: Result<DataRow>): Result {
  return { rows: rows.map(({ fields }) => fields), count };
}

export interface Connection {
  run(statement: Statement, values: readonly Bound[]): Promise<Result>;
}

/** One that also gives rows as they are on the wire, for those who need few of their texts, or none. */
export interface DataConnection extends Connection {
  fetch(statement: Statement, values: readonly Bound[]): Promise<Result<DataRow>>;
  /**
   * The connection for reads after the work of a request, while its response is sent; the waits of the request do not
   * count there. Absent in a transaction, which is over by then.
   */
  later?(): DataConnection;
}

export interface Transaction extends DataConnection {
  /** Its connection as the driver has it, for the code of hooks. Throws when the transaction is over. */
  session(): { query(config: object, done: (error: Error | null, result: object) => void): void };
}

export interface TransactionOptions {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /** Whether the work may be run again after a serialization failure or a deadlock. */
  readonly isRepeatable: boolean;
  /** Work of the same kind is repeated one at a time. */
  readonly kind?: string;
  /** When it fires while the transaction waits for a connection or runs, the work is given up and rolled back. */
  readonly signal?: AbortSignal;
}

/** The database as one request has it. */
export interface RequestDatabase extends DataConnection {
  later(): DataConnection;
  /** Committed when it returns; rolled back when `work` throws. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, options: TransactionOptions): Promise<T>;
}

export interface Database extends RequestDatabase {
  /**
   * The database for one request: all its waits for a connection together take no longer than one wait may. `onWrite` is
   * called when it sends something that may write.
   */
  forRequest(onWrite?: () => void): RequestDatabase;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  /** Waits for what runs, then closes every connection. */
  close(): Promise<void>;
  state(): DatabaseState;
}

/** What a request must see: a position of the primary, or all but the last milliseconds. */
export interface ReadNeeds {
  readonly position: string | undefined;
  readonly stale: number | undefined;
}

/** Other servers with the same data, only for reads. */
export interface ReadReplicas {
  /** Where the reads of a request go: to a replica that has what they need, else to the primary. */
  reading(primary: RequestDatabase, needs: ReadNeeds): DataConnection;
  /**
   * A position of the primary behind all that a request has written, or else read; null where it cannot be had. Only the
   * second costs a round trip.
   */
  position(hasWritten: boolean): Promise<string | null>;
}

/** The same database, with other transactions. */
export function withTransactions(
  database: Database,
  transactionsOf: (within: RequestDatabase) => RequestDatabase['transaction'],
): Database {
  const own = (within: RequestDatabase): RequestDatabase => ({
    run: (...call) => within.run(...call),
    fetch: (...call) => within.fetch(...call),
    later: () => within.later(),
    transaction: transactionsOf(within),
  });
  return {
    ...own(database),
    forRequest: (onWrite) => own(database.forRequest(onWrite)),
    ping: () => database.ping(),
    close: () => database.close(),
    state: () => database.state(),
  };
}

/** The state for metrics. */
export interface DatabaseState {
  /** How many connections there are. */
  readonly open: number;
  /** How many of them have nothing to do. */
  readonly idle: number;
  /** How many callers wait for one. */
  readonly waiting: number;
}

export type DatabaseErrorKind =
  | 'unique'
  | 'foreign-key'
  | 'check'
  | 'not-null'
  | 'out-of-range'
  | 'bad-value'
  /** A limit or an offset is negative. */
  | 'bad-limit'
  /** A text is too long for an index, as that of a unique field. */
  | 'too-long'
  /** The inputs of a job that a reaction runs are too large. */
  | 'too-large'
  | 'contention'
  | 'conflict'
  | 'timeout'
  /** All connections are taken by others. */
  | 'busy'
  | 'unavailable'
  /** A table, a column or a type is not there: the database is that of another release. */
  | 'other-schema'
  | 'other';

/** The SQLSTATEs of our own triggers. Their messages are written for clients. */
export const OWN_STATES: Readonly<Record<string, DatabaseErrorKind>> = { [INPUT_TOO_LARGE]: 'too-large' };

type ErrorPlace = Readonly<Partial<Record<'constraint' | 'table' | 'column' | 'reason', string | undefined>>> & {
  readonly key?: ErrorKey | undefined;
};

/** A column, and the value in it that broke a constraint; of several columns `a, b` and `1, 2`. */
interface ErrorKey {
  readonly column: string;
  readonly value: string;
}

/** A refusal of the database, in terms that do not depend on the driver. */
export class DatabaseError extends Error {
  readonly kind: DatabaseErrorKind;
  readonly constraint: string | null;
  readonly table: string | null;
  readonly column: string | null;
  readonly key: ErrorKey | null;
  /** A sentence for clients, where there is more to say than the kind does. */
  readonly reason: string | null;

  constructor(kind: DatabaseErrorKind, place: ErrorPlace, cause: unknown) {
    super(`the database refused: ${kind}`, { cause });
    this.name = 'DatabaseError';
    this.kind = kind;
    this.constraint = place.constraint ?? null;
    this.table = place.table ?? null;
    this.column = place.column ?? null;
    this.key = place.key ?? null;
    this.reason = place.reason ?? null;
  }
}

const OUTAGES: ReadonlySet<DatabaseErrorKind> = new Set(['unavailable', 'busy', 'timeout', 'contention']);

/** Whether the database could not do it now, and may do the same later. */
export function isOutage(error: unknown): boolean {
  return error instanceof DatabaseError && OUTAGES.has(error.kind);
}

type PlainRow = Readonly<Record<string, unknown>>;

/** Runs a statement by the driver itself: one with parameters that have no values cannot be prepared. */
export function runUnprepared(transaction: Transaction, text: string): Promise<readonly PlainRow[]> {
  return new Promise((resolve, reject) => {
    transaction.session().query({ text }, (error, result) => {
      if (error) reject(error);
      else resolve((result as { readonly rows?: readonly PlainRow[] }).rows ?? []);
    });
  });
}

/** A plain client as the rest of the runtime sees a connection: texts in, texts out. */
export function connectionFrom(client: pg.Client): Connection {
  return {
    run: async ({ text }, values) => {
      const types = { getTypeParser: () => String };
      const { rows, rowCount } = await client.query({ text, values: [...values], rowMode: 'array', types });
      return { rows, count: rowCount ?? 0 };
    },
  };
}
