/**
 * Postgres behind the interface `Database`. Quick statements go out over two pipelined connections ("lanes"), those of one
 * tick in one packet: many statements share a round trip, and Postgres's time for them falls too. In a lane a statement waits
 * for those before it, so each statement's own time is measured:
 *
 * - Quick ones, of about half a millisecond or less, take their lane. Where it has too much to do, they take the pool if it has
 *   capacity.
 * - The others take a connection of the pool for themselves, which transactions do, too. All wait for it in one queue.
 * - Those of 25 ms or more have only half of the pool: the others need not wait for them. So does one that was never run; others
 *   who want the same wait until it is known.
 *
 * Where transactions hold all of the pool, which may be for long, everything below 25 ms takes its lane. What must not be run
 * twice has a lane of its own: it changes data and may wait for a lock, and then holds up no reads. After a tenth of a second
 * Postgres gives such a statement up, and it waits on a connection of the pool instead.
 */
import type { Logger } from 'pino';
import { Semaphore, type WaitBudget, waitFor } from '../../values/semaphore.ts';
import type { DataRow } from '../data-row.ts';
import {
  type Bound,
  type DatabaseState,
  type DataConnection,
  type RequestDatabase,
  type Result,
  type Statement,
  type TransactionOptions,
  withTexts,
} from '../database.ts';
import { type DatabaseView, LOOK_EVERY, type ReleaseDatabase } from '../database-release.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { databaseErrorFrom, isForgotten, isLostConnection, unavailable } from './database-error-from.ts';
import { type ClientOptions, clientConfigsFrom } from './driver.ts';
import { Lane } from './lane.ts';
import { Pool } from './pool.ts';
import { Fence, isOfOtherShape, type Judge, SearchPath } from './search-path.ts';
import { HeldUp, type SessionContext } from './session.ts';
import { RoundTrip, Timings } from './timings.ts';
import { runTransaction, type TransactionContext, type Work } from './transaction.ts';
import { POSITION, WalPosition } from './wal-position.ts';

interface DatabaseOptions extends ClientOptions {
  /** How many connections may be open beside the lanes. */
  readonly poolMax: number;
  readonly log: Logger;
  /** How long an idle connection stays in the pool, in milliseconds. */
  readonly idleTimeout?: number;
  /** Whether one connection is always open, so that `migrate` sees a server for as long as it serves. */
  readonly staysConnected?: boolean;
  /** Whether `position` is asked for. */
  readonly tellsPosition?: boolean;
  /** Judges the database for a release. While it gives a reason, nothing is sent to the database. */
  readonly judge?: Judge;
}

/** Unless it stays connected, it connects with the first statement, and again after each loss. */
export function openDatabase(options: DatabaseOptions): ReleaseDatabase {
  return new Connections(options);
}

/** How often it is checked whether the database fits again, in milliseconds. */
const LOOK_AGAIN = 1000;
/** How much longer such an answer may take than a connection, in milliseconds. */
const GRACE = 500;

/** How long an answer to a client waits for a position, in milliseconds. */
const LONGEST_QUESTION = 1000;

/** The time in milliseconds from which on statements get only half of the pool. */
const COSTLY = 25;

const PING: Statement = { name: 'kiln_ping', text: 'SELECT 1', isRepeatable: true };

interface Call {
  readonly statement: Statement;
  readonly values: readonly Bound[];
  readonly budget: WaitBudget;
}

class Connections implements ReleaseDatabase {
  readonly #context: SessionContext;
  readonly #pool: Pool;
  readonly #costly: Semaphore;
  /** The first runs of statements, by name. */
  readonly #trials = new Map<string, Promise<void>>();
  readonly #acquireTimeout: number;
  readonly #transactions: TransactionContext;
  readonly #reads: Lane;
  readonly #writes: Lane;
  #calls: { readonly call: Call; resolve(result: Promise<Result<DataRow>>): void }[] = [];
  /** How many statements have a connection of the pool. */
  #onPool = 0;
  #running = 0;
  #closing: Promise<void> | null = null;
  #viewing: Promise<DatabaseView | null> | null = null;
  #watching: NodeJS.Timeout | undefined;
  #whenIdle: (() => void) | null = null;

  constructor(options: DatabaseOptions) {
    const { log, poolMax, acquireTimeout, idleTimeout, release, variable = 'DATABASE_URL' } = options;
    const configs = clientConfigsFrom(options);
    const searchPath = new SearchPath(configs, release, () => this.#context.epoch++);
    this.#acquireTimeout = acquireTimeout;
    this.#context = {
      config: configs[0],
      variable,
      searchPath,
      fence: release === undefined ? null : new Fence(searchPath, options.judge ?? (() => null)),
      breaker: circuitBreaker(log, variable),
      timings: new Timings(),
      roundTrip: new RoundTrip(),
      position: options.tellsPosition ? new WalPosition() : null,
      epoch: 0,
      losses: 0,
    };
    this.#pool = new Pool(this.#context, { max: poolMax, acquireTimeout, idleTimeout });
    this.#costly = new Semaphore(Math.max(1, poolMax >> 1));
    this.#transactions = { pool: this.#pool, turns: new Map() };
    this.#reads = new Lane(this.#context);
    this.#writes = new Lane(this.#context);
    if (options.staysConnected) this.#reads.keepOpen();
    if (options.judge) this.#watch(LOOK_EVERY);
  }

  async run(statement: Statement, values: readonly Bound[]): Promise<Result> {
    return withTexts(await this.fetch(statement, values));
  }

  async fetch(statement: Statement, values: readonly Bound[], budget = this.#newBudget()): Promise<Result<DataRow>> {
    const call = { statement, values, budget };
    if (this.#context.fence?.isStale) await this.view().catch(() => undefined);
    this.#begin();
    try {
      return await this.#dispatch(call);
    } catch (error) {
      return await this.#runAgain(error, call).catch(fail);
    } finally {
      this.#end();
    }
  }

  async transaction<T>(work: Work<T>, options: TransactionOptions, budget = this.#newBudget()): Promise<T> {
    if (this.#context.fence?.isStale) await this.view().catch(() => undefined);
    this.#begin();
    try {
      return await runTransaction(this.#transactions, work, options, budget);
    } catch (error) {
      return await this.#fail(error, error);
    } finally {
      this.#end();
    }
  }

  forRequest(onWrite?: () => void): RequestDatabase {
    const budget = this.#newBudget();
    const fetch: RequestDatabase['fetch'] = (statement, values) => {
      if (!statement.isRepeatable) onWrite?.();
      return this.fetch(statement, values, budget);
    };
    return {
      fetch,
      run: async (statement, values) => withTexts(await fetch(statement, values)),
      transaction: (work, options) => {
        onWrite?.();
        return this.transaction(work, options, budget);
      },
      later: () => this.forRequest(),
    };
  }

  #newBudget(): WaitBudget {
    return { left: this.#acquireTimeout };
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

  async position(hasWritten: boolean): Promise<string | null> {
    const { position } = this.#context;
    if (position === null) return null;
    if (!hasWritten || position.known === null)
      await position.learn(waitFor(this.fetch(POSITION, []), { budget: { left: LONGEST_QUESTION } }));
    return position.known;
  }

  get losses(): number {
    return this.#context.losses;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  get #lanes(): readonly Lane[] {
    return [this.#reads, this.#writes];
  }

  async #view(): Promise<DatabaseView | null> {
    return this.#context.fence ? this.#inTime(this.#reads.view()) : null;
  }

  /** Limits the time of a check whether the database is reachable. */
  async #inTime<T>(answer: Promise<T>): Promise<T> {
    return waitFor(answer, { budget: { left: this.#acquireTimeout + GRACE } }).catch(fail);
  }

  #watch(after: number): void {
    this.#watching = setTimeout(async () => {
      await this.view().catch(() => undefined);
      if (this.#closing === null) this.#watch(this.#context.fence?.refusal ? LOOK_AGAIN : LOOK_EVERY);
    }, after).unref();
  }

  /** Checks the database before it reports an error that tables of another release cause. */
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

  /** Throws where it must not be run twice. What was held up was not run, the second time either. */
  #runAgain(error: unknown, call: Call): Promise<Result<DataRow>> {
    if (error instanceof HeldUp) return this.#runOnPool(call);
    const { statement } = call;
    const isWorthIt = isForgotten(error) || (statement.isRepeatable && isLostConnection(error));
    if (!isWorthIt) return this.#fail(error, databaseErrorFrom(error));
    // A statement without a name does not depend on what the connection has prepared.
    const unnamed = { ...call, statement: { ...statement, name: '' } };
    return this.#dispatch(unnamed).catch((again: unknown) => {
      if (!(again instanceof HeldUp)) throw again;
      return this.#runOnPool(unnamed);
    });
  }

  /**
   * Sends all calls of a tick at its end. Every answer that has arrived is read by then: a lane only seems busy when it
   * is.
   */
  #dispatch(call: Call): Promise<Result<DataRow>> {
    return new Promise((resolve) => {
      if (this.#calls.length === 0) setImmediate(() => this.#send());
      this.#calls.push({ call, resolve });
    });
  }

  #send(): void {
    const now = performance.now();
    const calls = this.#calls;
    this.#calls = [];
    for (const { call, resolve } of calls) resolve(this.#execute(call, now));
  }

  #execute(call: Call, now: number, isKnown = false): Promise<Result<DataRow>> {
    const { statement, values, budget } = call;
    const { timings } = this.#context;
    const expected = timings.expected(statement);
    if (timings.isQuick(statement) || (this.#isPoolHeld && (expected ?? 0) < COSTLY)) {
      const lane = statement.isRepeatable ? this.#reads : this.#writes;
      const isFree = lane.hasCapacity(now) || !(lane.isHeld(now) || this.#pool.hasCapacity);
      return isFree ? lane.execute(statement, values) : this.#runOnPool(call);
    }
    if (expected === undefined && !isKnown) return this.#executeFirst(call);
    if (expected !== undefined && expected < COSTLY) return this.#runOnPool(call);
    return this.#costly.during(() => this.#runOnPool(call), budget);
  }

  /**
   * Runs a statement whose time is unknown. One call measures it, and the others wait for it: all at once they would
   * take longer than each by itself, and a quick statement would count as slow.
   */
  async #executeFirst(call: Call): Promise<Result<DataRow>> {
    const { name, isRepeatable } = call.statement;
    const trial = isRepeatable ? this.#trials.get(name) : undefined;
    if (trial !== undefined) {
      await waitFor(trial, { budget: call.budget });
      return this.#execute(call, performance.now(), true);
    }
    const result = this.#execute(call, performance.now(), true);
    const end = (): void => void this.#trials.delete(name);
    if (name !== '') this.#trials.set(name, result.then(end, end));
    return result;
  }

  /** Whether transactions have all of the pool, so that nothing else is expected to end soon. */
  get #isPoolHeld(): boolean {
    return this.#onPool === 0 && !this.#pool.hasCapacity;
  }

  async #runOnPool({ statement, values, budget }: Call): Promise<Result<DataRow>> {
    const session = await this.#pool.acquire({ budget });
    this.#onPool++;
    try {
      return await session.executeAlone(statement, values);
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

function fail(error: unknown): never {
  throw databaseErrorFrom(error);
}
