/** A database that tells a request of its statements. It is only there where the console is on. */
import type {
  Bound,
  Database,
  DataConnection,
  RequestDatabase,
  Statement,
  Transaction,
  TransactionOptions,
} from '../../query/database.ts';
import type { RunningRequest } from './running-request.ts';
import type { SecretNames } from './secret-names.ts';

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
    forRequest: () => {
      const recording = current();
      const own = database.forRequest();
      return recording ? new RecordedRequest(own, recording) : own;
    },
    later: () => database.later(),
    ping: () => database.ping(),
    close: () => database.close(),
    state: () => database.state(),
  };
}

class RecordedConnection<Own extends DataConnection> implements DataConnection {
  protected readonly own: Own;
  protected readonly recording: Recording;
  readonly #transaction: number | null;

  constructor(own: Own, recording: Recording, transaction: number | null) {
    this.own = own;
    this.recording = recording;
    this.#transaction = transaction;
  }

  run(statement: Statement, values: readonly Bound[]) {
    return this.recorded(statement.text, values, () => this.own.run(statement, values));
  }

  fetch(statement: Statement, values: readonly Bound[]) {
    return this.recorded(statement.text, values, () => this.own.fetch(statement, values));
  }

  protected async recorded<R extends Counted>(text: string, values: readonly Bound[], run: () => Promise<R>) {
    const start = this.recording.request.now();
    try {
      const result = await run();
      this.add(text, values, start, rowsOf(result), null);
      return result;
    } catch (error) {
      this.add(text, values, start, null, error);
      throw error;
    }
  }

  protected add(text: string, values: readonly Bound[], start: number, rows: number | null, error: unknown): void {
    const { request, secrets } = this.recording;
    const run = { start, rows, transaction: this.#transaction, values: secrets.shownValues(text, values) };
    request.addRun(text, { ...run, error: error === null ? null : reasonOf(error) });
  }
}

interface Counted {
  readonly rows: readonly unknown[];
  readonly count: number;
}

function rowsOf({ rows, count }: Counted): number {
  return Math.max(rows.length, count);
}

/** The message alone: what else an error of Postgres has may be values of a row. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : 'failed';
}

class RecordedRequest extends RecordedConnection<RequestDatabase> implements RequestDatabase {
  constructor(own: RequestDatabase, recording: Recording) {
    super(own, recording, null);
  }

  later(): DataConnection {
    return new RecordedConnection(this.own.later(), this.recording, null);
  }

  async transaction<T>(work: (transaction: Transaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    const { request } = this.recording;
    const at = request.beginTransaction(options.isolation ?? 'read committed');
    const recordedWork = (transaction: Transaction): Promise<T> => {
      request.addAttempt(at);
      return work(new RecordedTransaction(transaction, this.recording, at));
    };
    try {
      const result = await this.own.transaction(recordedWork, options);
      request.endTransaction(at, 'committed');
      return result;
    } catch (error) {
      request.endTransaction(at, 'rolled back');
      throw error;
    }
  }
}

type DriverSession = ReturnType<Transaction['session']>;

class RecordedTransaction extends RecordedConnection<Transaction> implements Transaction {
  /** The code of hooks queries the driver itself. */
  session(): DriverSession {
    const session = this.own.session();
    return {
      query: (config, done) => {
        const { text = '', values = [] } = config as { readonly text?: string; readonly values?: readonly Bound[] };
        const start = this.recording.request.now();
        session.query(config, (error, result) => {
          const { rowCount = 0 } = (result ?? {}) as { readonly rowCount?: number | null };
          this.add(text, values, start, error ? null : (rowCount ?? 0), error);
          done(error, result);
        });
      },
    };
  }
}
