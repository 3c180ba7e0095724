/**
 * A transaction on a connection of its own. It is committed when `work` has returned and the server has confirmed it,
 * and rolled back when `work` throws or the signal fires. Work that lost a race against another transaction is run
 * again where it may be, for a limited time; of one kind, one at a time, because together they would collide again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { textFromBound } from '../../values/kinds.ts';
import { Semaphore, type WaitBudget, waitFor } from '../../values/semaphore.ts';
import type { DataRow } from '../data-row.ts';
import {
  type Bound,
  DatabaseError,
  isOutage,
  type Result,
  type Statement,
  type Transaction,
  type TransactionOptions,
  withTexts,
} from '../database.ts';
import {
  databaseErrorFrom,
  isConflict,
  isFromServer,
  isLostConnection,
  isLostRace,
  unavailable,
} from './database-error-from.ts';
import { DriverWire } from './driver.ts';
import type { Pool, PooledSession } from './pool.ts';
import type { Session } from './session.ts';

export type Work<T> = (transaction: Transaction) => Promise<T>;

const MOST_TRIES = 20;
/** The time in milliseconds after which there is no further attempt. */
const LONGEST = 5000;
/** The pauses in milliseconds. The pause is doubled each time, up to the longest. */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 160;
const SAVEPOINT = 'SAVEPOINT kiln_before_read';
const CANCEL_TRIES = 5;
const CANCEL_PAUSE = 500;

/** The state that transactions of a database share. */
export interface TransactionContext {
  readonly pool: Pool;
  /** The semaphores by kind of work, for retried transactions. */
  readonly turns: Map<string, Semaphore>;
}

export async function runTransaction<T>(
  { pool, turns }: TransactionContext,
  work: Work<T>,
  { isolation = 'read committed', isRepeatable, kind = '', signal }: TransactionOptions,
  budget: WaitBudget,
): Promise<T> {
  const end = performance.now() + LONGEST;
  let turn: Semaphore | null = null;
  for (let tries = 1; ; tries++) {
    let failure: unknown;
    let hasLostRace = false;
    try {
      const waiting = { signal, budget };
      const transaction = new OpenTransaction(await pool.acquire(waiting), BEGIN[isolation], () =>
        pool.acquire(waiting),
      );
      return await transaction.complete(work, signal).finally(() => {
        hasLostRace = transaction.hasLostRace;
      });
    } catch (error) {
      failure = error;
    } finally {
      turn?.release();
    }
    if (!isRepeatable) throw conflictFrom(failure);
    if (!hasLostRace || tries === MOST_TRIES || performance.now() > end || signal?.aborted) throw failure;
    await sleep(pauseAfter(tries));
    turn = turns.get(kind) ?? new Semaphore(1);
    turns.set(kind, turn);
    await turn.acquire({ left: end - performance.now() }).catch(() => {
      throw failure;
    });
    // A timer may be late where there is much to do.
    if (performance.now() > end) {
      turn.release();
      throw failure;
    }
  }
}

const BEGIN: Readonly<Record<NonNullable<TransactionOptions['isolation']>, string>> = {
  'read committed': 'BEGIN',
  'repeatable read': 'BEGIN ISOLATION LEVEL REPEATABLE READ',
  serializable: 'BEGIN ISOLATION LEVEL SERIALIZABLE',
};

/** The pause differs for each, so that transactions that met do not meet again. */
function pauseAfter(tries: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1)) * (0.5 + Math.random());
}

/**
 * Turns a lost race into a conflict: the client may retry what cannot be retried here, because it knows what else it
 * has done.
 */
function conflictFrom(error: unknown): unknown {
  const isLost = error instanceof DatabaseError && isConflict(error.cause);
  return isLost ? new DatabaseError('conflict', {}, error.cause) : error;
}

class OpenTransaction implements Transaction {
  /** Null while another one is acquired. */
  #session: PooledSession | null;
  readonly #command: string;
  readonly #acquire: () => Promise<PooledSession>;
  /** Null until something is sent: a transaction without statements costs no round trip. */
  #beginning: Promise<unknown> | null = null;
  #isBegun = false;
  /** Set when the last statement is sent, and COMMIT with it. */
  #ending: Promise<{ readonly command: string }> | null = null;
  #isOver = false;
  /** The first one: those after it only say that there was one. */
  #failure: DatabaseError | null = null;
  #hasLostRace = false;
  /** Set while a statement runs that may be rolled back to the savepoint. */
  #afterSavepoint: Promise<void> | null = null;

  /** `command` begins it; `acquire` gives another connection. */
  constructor(session: PooledSession, command: string, acquire: () => Promise<PooledSession>) {
    this.#session = session;
    this.#command = command;
    this.#acquire = acquire;
  }

  get hasLostRace(): boolean {
    return this.#hasLostRace;
  }

  async run(statement: Statement, values: readonly Bound[]): Promise<Result> {
    return withTexts(await this.fetch(statement, values));
  }

  async fetch(statement: Statement, values: readonly Bound[]): Promise<Result<DataRow>> {
    while (this.#afterSavepoint !== null) await this.#afterSavepoint;
    if (statement.mayOverflow) return this.#fetchAfterSavepoint(statement, values);
    if (this.#isOver || this.#ending !== null) throw overError();
    try {
      if (this.#beginning === null) return await this.#first(statement, values);
      // Statements that are sent at once stay in their order.
      const session = this.#isBegun ? this.#checkOpen() : await this.#begun();
      const result = session.execute(statement, values);
      if (statement.endsTransaction) this.#endWith(ended(session, 'COMMIT'));
      return await result;
    } catch (error) {
      throw this.#note(error);
    }
  }

  /** BEGIN and the first statement are one message: where BEGIN fails, Postgres skips the statement. */
  async #first(statement: Statement, values: readonly Bound[]): Promise<Result<DataRow>> {
    // A value that cannot be sent throws here, where nothing has begun yet.
    const texts = values.map(textFromBound);
    if (statement.endsTransaction) return this.#only(statement, texts);
    if (!this.#session?.hasPrepared(statement)) return (await this.#begun()).execute(statement, texts);
    const first = this.#onLivingSession(async (session) => {
      if (session.hasPrepared(statement)) return session.execute(statement, texts, this.#command);
      await session.query(this.#command);
      return session.execute(statement, texts);
    });
    this.#beginning = first;
    return first;
  }

  /** A transaction of one statement needs neither BEGIN nor COMMIT. */
  #only(statement: Statement, texts: readonly Bound[]): Promise<Result<DataRow>> {
    const only = this.#onLivingSession((session) => session.executeAlone(statement, texts));
    this.#beginning = only;
    this.#endWith(only.then(() => ({ command: 'COMMIT' })));
    return only;
  }

  /** Whether the statement itself fails is told by its own answer. */
  #endWith(ending: Promise<{ readonly command: string }>): void {
    ending.catch(() => undefined);
    this.#ending = ending;
  }

  /** The connection, after the transaction has begun on it. */
  async #begun(): Promise<PooledSession> {
    this.#beginning ??= this.#onLivingSession((session) => session.query(this.#command));
    await this.#beginning;
    if (this.#ending !== null) throw overError();
    return this.#checkOpen();
  }

  /** A connection that turns out to be dead at the beginning has cost nothing yet: another one is taken, once. */
  async #onLivingSession<T>(begin: (session: PooledSession) => Promise<T>): Promise<T> {
    const session = this.#checkOpen();
    const begun = await begin(session).catch(async (error: unknown) => {
      if (!isLostConnection(error) || this.#isOver) throw error;
      this.#session = null;
      session.lose(error);
      session.release(true);
      const another = await this.#acquire();
      if (this.#isOver) another.release();
      else this.#session = another;
      return begin(this.#checkOpen());
    });
    this.#isBegun = true;
    return begun;
  }

  /** Runs a statement after a savepoint. Others wait for it: they would fail with it until a failure is rolled back. */
  #fetchAfterSavepoint(statement: Statement, values: readonly Bound[]): Promise<Result<DataRow>> {
    const running = this.#takingBack(statement, values);
    const over = () => {
      this.#afterSavepoint = null;
    };
    this.#afterSavepoint = running.then(over, over);
    return running;
  }

  async #takingBack(statement: Statement, values: readonly Bound[]): Promise<Result<DataRow>> {
    const session = await this.#begun().catch((error: unknown) => {
      throw this.#note(error);
    });
    try {
      // All three go out at once.
      const [, result] = await Promise.all([
        session.query(SAVEPOINT),
        session.execute(statement, values),
        session.query(`RELEASE ${SAVEPOINT}`),
      ]);
      return result;
    } catch (error) {
      const failure = databaseErrorFrom(error);
      if (failure.kind !== 'out-of-range') throw this.#note(error);
      await session.query(`ROLLBACK TO ${SAVEPOINT}`).catch((lost: unknown) => {
        throw this.#note(lost);
      });
      throw failure;
    }
  }

  async complete<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      // Later statements of aborted work are rejected, and its result is dropped.
      const result = await waitFor(work(this), { signal });
      await this.#commit();
      return result;
    } catch (error) {
      const outage = outageBehind(error);
      this.#note(outage ?? error);
      const isCancelled = signal?.aborted ?? false;
      const isBack = await this.#rollBack(isCancelled);
      throw outage ?? (isBack || isCancelled ? error : lostUnder(error));
    }
  }

  /** Whatever the code makes of a race that it has lost, the work is run again. */
  session(): ReturnType<Transaction['session']> {
    this.#checkOpen();
    return {
      query: (config, done) => {
        const finish = (error: Error | null, result: object) => {
          this.#hasLostRace ||= isLostRace(error);
          done(error, result);
        };
        this.#begun().then(
          (session) => session.query(config, finish),
          (error) => finish(error, {}),
        );
      },
    };
  }

  #checkOpen(): PooledSession {
    if (this.#isOver || this.#session === null) throw overError();
    return this.#session;
  }

  #note(error: unknown): DatabaseError {
    const failure = databaseErrorFrom(error);
    this.#failure ??= failure;
    this.#hasLostRace ||= isLostRace(failure.cause);
    return failure;
  }

  /** Postgres answers COMMIT with ROLLBACK where a statement had failed, even if `work` made nothing of it. */
  async #commit(): Promise<void> {
    const session = this.#checkOpen();
    this.#isOver = true;
    if (this.#beginning !== null) {
      if (!this.#isBegun) throw this.#failure ?? overError();
      const { command } = await (this.#ending ?? ended(session, 'COMMIT')).catch((error: unknown) => {
        throw this.#note(error);
      });
      if (command !== 'COMMIT') throw this.#failure ?? new DatabaseError('other', {}, 'a statement had failed');
    }
    session.release();
  }

  /** Rolls back; false where the connection is lost, and with it the transaction. */
  async #rollBack(isCancelled: boolean): Promise<boolean> {
    this.#isOver = true;
    const session = this.#session;
    if (session === null) return true;
    const isBack = this.#beginning === null || (await (isCancelled ? cancelAndRollBack(session) : rollBack(session)));
    if (!isBack) session.lose(this.#failure);
    session.release(!isBack);
    return isBack;
  }
}

function overError(): Error {
  return new Error('the transaction is over');
}

/** Code that is given the transaction may wrap what the driver throws, or throw what cannot be looked at. */
function outageBehind(error: unknown): DatabaseError | null {
  try {
    return findOutage(error);
  } catch {
    return null;
  }
}

/** An answer of the code's own choice stays as it is. */
function findOutage(error: unknown): DatabaseError | null {
  if (!(error instanceof Error) || error instanceof DatabaseError || isAnswer(error)) return null;
  const cause = causeOf(error);
  if (cause === undefined) return null;
  if (!isFromServer(cause)) return findOutage(cause);
  const failure = databaseErrorFrom(cause);
  return isOutage(failure) ? failure : null;
}

function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'status' in error;
}

/** Objection keeps what the driver has thrown as `nativeError`. */
function causeOf(error: Error & { readonly nativeError?: unknown }): unknown {
  return error.cause ?? error.nativeError;
}

/** The connection is gone: whatever the code made of that, the database is why nothing came of it. */
function lostUnder(error: unknown): unknown {
  return isAnswer(error) || error instanceof DatabaseError ? error : unavailable(error);
}

/** The position is asked for in the same packet; that of a refusal is behind what another server has committed. */
function ended(session: PooledSession, command: 'COMMIT' | 'ROLLBACK'): Promise<{ readonly command: string }> {
  const result = session.query(command);
  const position = session.position();
  return position === null ? result : result.finally(() => position);
}

function rollBack(session: PooledSession): Promise<boolean> {
  return ended(session, 'ROLLBACK').then(
    () => true,
    () => false,
  );
}

/** A request to cancel can come too early, while the statement is still on its way. Then it is made again. */
async function cancelAndRollBack(session: PooledSession): Promise<boolean> {
  let isBack: Promise<boolean> | undefined;
  for (let tries = 0; tries < CANCEL_TRIES; tries++) {
    await cancelRunning(session);
    isBack ??= rollBack(session);
    const answer = await Promise.race([isBack, sleep(CANCEL_PAUSE, null)]);
    if (answer !== null) return answer;
  }
  return false;
}

// ── Cancel running ──────────────────────────────────────────────────────────────────────────────────────────────────

const TIMEOUT = 2000;

/**
 * Asks the server to cancel what runs on a connection, over a connection of its own as the protocol has it. Resolves
 * when the server has hung up, for then it has passed the request on. Whether there was anything to cancel is not said.
 */
function cancelRunning(session: Session): Promise<void> {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = session;
  if (processID === null || secretKey === null) return Promise.resolve();
  const wire = new DriverWire({ ssl, sslNegotiation });
  const cancel = () => wire.cancel(processID, secretKey);
  const timer = setTimeout(() => wire.stream.destroy(), TIMEOUT);
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      wire.stream.destroy();
      resolve();
    };
    wire.once('end', finish).on('error', finish);
    wire.once('sslconnect', cancel);
    wire.once('connect', () => {
      if (!ssl) cancel();
      else if (sslNegotiation !== 'direct') wire.requestSsl();
    });
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
    else wire.connect(port, host);
  });
}
