/**
 * Postgres behind the interface `Database`. Statements go out over few pipelined connections ("lanes"), those of one
 * tick in one packet: many statements share a round trip, and Postgres's time for them falls too.
 *
 * In a lane a statement waits for those before it, so a lane is for quick ones. Each statement's own time is measured;
 * one that takes about half a millisecond or more, or has never been run, gets a connection of the pool for itself. So does one that would find too
 * much work in every lane, or a statement that has been running for too long. When the pool has no room either, the
 * statement waits for both, and takes what is free first. What must not be run twice has lanes of its own: it changes
 * data and may wait for a lock, and then holds up no reads. After a tenth of a second Postgres gives such a statement up,
 * and it waits on a connection of the pool instead.
 *
 * Transactions have connections of the same pool, and all wait for it in one queue. Statements that take 25 ms never
 * have more than half of it: the others, which end soon, need not wait for them.
 */
import type { Logger } from 'pino';
import type { DataRow } from '../data-row.ts';
import type {
  Bound,
  DatabaseState,
  DataConnection,
  RequestDatabase,
  Result,
  Statement,
  TransactionOptions,
} from '../database.ts';
import { type DatabaseView, LOOK_EVERY, type ReleaseDatabase } from '../database-release.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { type ClientOptions, clientConfigFrom } from './client-config.ts';
import { databaseErrorFrom, isForgotten, isLostConnection, unavailable } from './database-error-from.ts';
import { Fence, isOfOtherShape, type Judge } from './fence.ts';
import { Lane } from './lane.ts';
import { Lanes } from './lanes.ts';
import { type Patience, patiently } from './patience.ts';
import { Pool, type PooledSession } from './pool.ts';
import { RoundTrip } from './round-trip.ts';
import { SearchPath } from './search-path.ts';
import { HeldUp, type SessionContext } from './session.ts';
import { Slots } from './slots.ts';
import { Timings } from './timings.ts';
import { runTransaction, type TransactionContext, type Work } from './transaction.ts';
import { Turns } from './turns.ts';
import { withTexts } from './with-texts.ts';

interface DatabaseOptions extends ClientOptions {
  /** How many connections may be open beside the lanes. */
  readonly poolMax: number;
  readonly log: Logger;
  /** How many lanes there are for reads, and as many again for writes. */
  readonly pipelines?: number;
  /** In milliseconds: how long a connection of the pool is kept that nobody uses. */
  readonly idleTimeout?: number;
  /** Whether one connection is always open, so that `migrate` sees a server for as long as it serves. */
  readonly staysConnected?: boolean;
  /** For a release. Where it gives a reason, nothing is sent to the database until it gives none. */
  readonly judge?: Judge;
}

/** Unless it stays connected, it connects with the first statement, and again after each loss. */
export function openDatabase(options: DatabaseOptions): ReleaseDatabase {
  return new Connections(options);
}

/** In milliseconds: how often it is looked whether the database fits again. */
const LOOK_AGAIN = 1000;
/** In milliseconds: how much longer such an answer may take than a connection. */
const GRACE = 500;

/** In milliseconds: statements that take at least as long have only half of the pool. */
const COSTLY = 25;

const PING: Statement = { name: 'kiln_ping', text: 'SELECT 1', isRepeatable: true };

interface Call {
  readonly statement: Statement;
  readonly values: readonly Bound[];
  readonly patience: Patience | undefined;
}

interface WaitingCall extends Call {
  resolve(result: Promise<Result<DataRow>>): void;
}

class Connections implements ReleaseDatabase {
  readonly #context: SessionContext;
  readonly #pool: Pool;
  readonly #costly: Slots;
  /** Statements that are run for the first time. */
  readonly #tried = new Map<string, Promise<void>>();
  readonly #acquireTimeout: number;
  readonly #transactions: TransactionContext;
  readonly #readers: Lanes;
  readonly #writers: Lanes;
  #calls: WaitingCall[] = [];
  #isSending = false;
  /** How many statements have a connection of the pool. */
  #onPool = 0;
  #running = 0;
  #closing: Promise<void> | null = null;
  #viewing: Promise<DatabaseView | null> | null = null;
  #watching: NodeJS.Timeout | undefined;
  #whenIdle: (() => void) | null = null;

  constructor(options: DatabaseOptions) {
    const { log, poolMax, acquireTimeout, idleTimeout, release, pipelines = 1 } = options;
    const config = clientConfigFrom(options);
    const searchPath = new SearchPath(config, release);
    this.#acquireTimeout = acquireTimeout;
    this.#context = {
      config,
      searchPath,
      fence: release === undefined ? null : new Fence(searchPath, options.judge ?? (() => null)),
      breaker: new CircuitBreaker(log),
      timings: new Timings(),
      roundTrip: new RoundTrip(),
      onEnd: () => this.#serveWaiting(),
      epoch: 0,
      losses: 0,
    };
    this.#pool = new Pool(this.#context, { max: poolMax, acquireTimeout, idleTimeout });
    this.#costly = new Slots(Math.max(1, poolMax >> 1), acquireTimeout);
    this.#transactions = { pool: this.#pool, turns: new Turns() };
    this.#readers = new Lanes(Array.from({ length: pipelines }, () => new Lane(this.#context)));
    this.#writers = new Lanes(Array.from({ length: pipelines }, () => new Lane(this.#context)));
    if (options.staysConnected) this.#readers.all[0]?.keepOpen();
    if (options.judge) this.#watch(LOOK_EVERY);
  }

  async run(statement: Statement, values: readonly Bound[]): Promise<Result> {
    return withTexts(await this.fetch(statement, values));
  }

  fetch(statement: Statement, values: readonly Bound[], patience?: Patience): Promise<Result<DataRow>> {
    return this.#runTwiceAtMost(statement, values, patience);
  }

  transaction<T>(work: Work<T>, options: TransactionOptions, patience?: Patience): Promise<T> {
    return this.#during(() =>
      runTransaction(this.#transactions, work, options, patience).catch((error: unknown) => this.#fail(error, error)),
    );
  }

  forRequest(): RequestDatabase {
    return new PatientDatabase(this, { left: this.#acquireTimeout });
  }

  later(): DataConnection {
    return this.forRequest();
  }

  view(): Promise<DatabaseView | null> {
    this.#viewing ??= this.#view().finally(() => {
      this.#viewing = null;
    });
    return this.#viewing;
  }

  async ping(): Promise<void> {
    await this.#inTime(this.run(PING, []));
  }

  state(): DatabaseState {
    const open = this.#lanes.filter((lane) => lane.isOpen);
    const pool = this.#pool.state;
    return {
      open: pool.open + open.length,
      idle: pool.idle + open.filter((lane) => lane.size === 0).length,
      waiting: pool.waiting + this.#costly.waiting,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  get #lanes(): readonly Lane[] {
    return [...this.#readers.all, ...this.#writers.all];
  }

  async #during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#context.fence?.isStale) await this.view().catch(() => undefined);
    this.#begin();
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  async #view(): Promise<DatabaseView | null> {
    const [lane] = this.#context.fence ? this.#readers.all : [];
    return lane ? this.#inTime(lane.view()) : null;
  }

  /** For whoever asks whether the database is there. */
  async #inTime<T>(answer: Promise<T>): Promise<T> {
    await patiently(answer, { left: this.#acquireTimeout + GRACE }).catch(fail);
    return answer;
  }

  #watch(after: number): void {
    this.#watching = setTimeout(async () => {
      await this.view().catch(() => undefined);
      if (this.#closing === null) this.#watch(this.#context.fence?.refusal ? LOOK_AGAIN : LOOK_EVERY);
    }, after).unref();
  }

  /** After an error that tables of another release cause, the database is looked at before anything is said. */
  async #fail(error: unknown, otherwise: unknown): Promise<never> {
    if (isOfOtherShape(error)) await this.view().catch(() => undefined);
    throw this.#context.fence?.refusal ?? otherwise;
  }

  #begin(): void {
    if (this.#closing !== null) throw unavailable(new Error('the connections are closed'));
    const refusal = this.#context.fence?.refusal;
    if (refusal) throw refusal;
    this.#running++;
  }

  #end(): void {
    this.#running--;
    if (this.#running === 0) this.#whenIdle?.();
  }

  async #runTwiceAtMost(
    statement: Statement,
    values: readonly Bound[],
    patience: Patience | undefined,
  ): Promise<Result<DataRow>> {
    if (this.#context.fence?.isStale) await this.view().catch(() => undefined);
    this.#begin();
    try {
      return await this.#dispatch(statement, values, patience);
    } catch (error) {
      return await this.#runAgain(error, { statement, values, patience }).catch(fail);
    } finally {
      this.#end();
    }
  }

  /** Throws where it must not be run twice. What was held up was not run, the second time either. */
  #runAgain(error: unknown, call: Call): Promise<Result<DataRow>> {
    if (error instanceof HeldUp) return this.#runOnPool(call);
    const { statement, values, patience } = call;
    const isWorthIt = isForgotten(error) || (statement.isRepeatable && isLostConnection(error));
    if (!isWorthIt) return this.#fail(error, databaseErrorFrom(error));
    // Without a name nothing depends on what the connection has prepared.
    const unnamed = { ...statement, name: '' };
    return this.#dispatch(unnamed, values, patience).catch((again: unknown) => {
      if (!(again instanceof HeldUp)) throw again;
      return this.#runOnPool({ ...call, statement: unnamed });
    });
  }

  #dispatch(statement: Statement, values: readonly Bound[], patience: Patience | undefined): Promise<Result<DataRow>> {
    return new Promise((resolve) => {
      this.#calls.push({ statement, values, patience, resolve });
      this.#sendSoon();
    });
  }

  #serveWaiting(): void {
    if (this.#readers.isAwaited || this.#writers.isAwaited) this.#sendSoon();
  }

  /** By then every answer that has arrived was read, so that a lane only seems busy when it is. */
  #sendSoon(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    setImmediate(() => this.#send());
  }

  #send(): void {
    const now = performance.now();
    const calls = this.#calls;
    this.#calls = [];
    this.#isSending = false;
    this.#readers.serve(now);
    this.#writers.serve(now);
    for (const call of calls) call.resolve(this.#execute(call, now));
  }

  #execute(call: Call, now: number, hasWaited = false): Promise<Result<DataRow>> {
    const expected = this.#context.timings.expected(call.statement);
    if (expected === undefined) return this.#executeFirst(call, now, hasWaited);
    const isQuick = this.#context.timings.isQuick(call.statement);
    if (isQuick || this.#mayBeQuick(call.statement, expected)) return this.#executeQuick(call, now);
    const { name } = call.statement;
    // Others who wait for the same statement came first, also where it has become less costly since.
    if (expected < COSTLY && !this.#costly.isAwaited(name)) return this.#runOnPool(call);
    return this.#costly.during(name, () => this.#runOnPool(call), call.patience);
  }

  /** It need not wait for transactions that hold all of the pool because its first run was slow. */
  #mayBeQuick(statement: Statement, expected: number): boolean {
    if (expected >= COSTLY || this.#onPool > 0 || this.#pool.hasRoom) return false;
    return this.#context.timings.isNew(statement);
  }

  /** Nobody knows yet how long it takes, so others who ask for the same wait until one has tried: once, not for each. */
  #executeFirst(call: Call, now: number, hasWaited: boolean): Promise<Result<DataRow>> {
    const { statement } = call;
    const tried = statement.isRepeatable && !hasWaited ? this.#tried.get(statement.name) : undefined;
    if (tried !== undefined) return this.#executeAfter(tried, call);
    const result = this.#pool.hasRoom ? this.#runOnPool(call) : this.#executeQuick(call, now);
    if (statement.name !== '') this.#try(statement.name, result);
    return result;
  }

  async #executeAfter(tried: Promise<void>, call: Call): Promise<Result<DataRow>> {
    await patiently(tried, call.patience ?? { left: this.#acquireTimeout });
    return this.#execute(call, performance.now(), true);
  }

  #try(name: string, result: Promise<unknown>): void {
    const end = (): void => void this.#tried.delete(name);
    this.#tried.set(name, result.then(end, end));
  }

  #executeQuick(call: Call, now: number): Promise<Result<DataRow>> {
    const lanes = call.statement.isRepeatable ? this.#readers : this.#writers;
    const lane = lanes.free(now);
    if (lane !== undefined) return lane.execute(call.statement, call.values);
    return this.#pool.hasRoom ? this.#runOnPool(call) : this.#executeOnFirstFree(lanes, call);
  }

  /**
   * Waits for a connection of the pool and for a lane at once. In the queue of the pool it keeps its place among all
   * others: those in a lane would fall behind, where Postgres has more connections to serve than processors.
   */
  #executeOnFirstFree(lanes: Lanes, call: Call): Promise<Result<DataRow>> {
    return new Promise((resolve, reject) => {
      const leavePool = new AbortController();
      const leaveLanes = lanes.wait((lane) => {
        leavePool.abort();
        resolve(lane.execute(call.statement, call.values));
      });
      const acquiring = this.#pool.acquire({ signal: leavePool.signal, patience: call.patience });
      acquiring.finally(leaveLanes).then((session) => {
        // A lane may have had room since: the statement is not run twice.
        if (leavePool.signal.aborted) session.release();
        else resolve(this.#runOn(session, call));
      }, reject);
    });
  }

  async #runOnPool(call: Call): Promise<Result<DataRow>> {
    return this.#runOn(await this.#pool.acquire({ patience: call.patience }), call);
  }

  async #runOn(session: PooledSession, { statement, values }: Call): Promise<Result<DataRow>> {
    this.#onPool++;
    try {
      return await session.execute(statement, values);
    } finally {
      this.#onPool--;
      session.release(!session.isUsable);
    }
  }

  async #close(): Promise<void> {
    clearTimeout(this.#watching);
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    await Promise.all([this.#pool.end(), ...this.#lanes.map((lane) => lane.close())]);
  }
}

class PatientDatabase implements RequestDatabase {
  readonly #connections: Connections;
  readonly #patience: Patience;

  constructor(connections: Connections, patience: Patience) {
    this.#connections = connections;
    this.#patience = patience;
  }

  async run(statement: Statement, values: readonly Bound[]): Promise<Result> {
    return withTexts(await this.fetch(statement, values));
  }

  fetch(statement: Statement, values: readonly Bound[]): Promise<Result<DataRow>> {
    return this.#connections.fetch(statement, values, this.#patience);
  }

  transaction<T>(work: Work<T>, options: TransactionOptions): Promise<T> {
    return this.#connections.transaction(work, options, this.#patience);
  }

  later(): DataConnection {
    return this.#connections.forRequest();
  }
}

function fail(error: unknown): never {
  throw databaseErrorFrom(error);
}
