/** One connection to Postgres, which knows what it has in flight, whether it was lost, and when its plans are too old. */

import { EventEmitter } from 'node:events';
import type pg from 'pg';
import type { DataRow } from '../data-row.ts';
import { type Bound, type Connection, type Result, type Statement, withTexts } from '../database.ts';
import type { DatabaseView } from '../database-release.ts';
import type { RecentlyUsed } from '../recently-used.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import {
  isFromServer,
  isLostConnection,
  isOutdatedPlan,
  isOwnTimeout,
  LOCK_TIMEOUT,
  NOT_PREPARED,
  PREPARED_ALREADY,
  READ_ONLY,
  sqlStateOf,
} from './database-error-from.ts';
import { DriverClient, type ParameterStatus, sharedConfig, type Wire } from './driver.ts';
import { chosenStatements, Packets, RawQuery } from './raw-query.ts';
import { type Fence, parameterRefusedOr, type SearchPath } from './search-path.ts';
import { type RoundTrip, type Timings, Workload } from './timings.ts';
import { POSITION, type WalPosition } from './wal-position.ts';

/** Others wait behind the statement, so that Postgres has given it up: it did not get a lock in time. Nothing was done. */
export class HeldUp extends Error {
  constructor(cause: unknown) {
    super('a statement waited for a lock', { cause });
    this.name = 'HeldUp';
  }
}

/** Known to every pooler. Others that results depend on are sent where the role has set them to something else. */
const ALWAYS = { TimeZone: 'UTC', DateStyle: 'ISO, MDY' } as const;

const READ_ONLY_PARAMETERS: readonly string[] = ['in_hot_standby', 'default_transaction_read_only'];

/**
 * How many writes of a tick share a question for the position. If all did, they would end at once, and the server and
 * Postgres would wait for each other in turns. A question for each of them would cost a tenth of a write.
 */
const MOST_ASKING = 8;

/** The state that all connections of a database share. */
export interface SessionContext {
  readonly config: pg.ClientConfig;
  /** The name of the variable that has the address. */
  readonly variable: string;
  /** Null where it is left to the database. */
  readonly searchPath: SearchPath | null;
  /** Null where nothing is known of releases. */
  readonly fence: Fence | null;
  readonly breaker: CircuitBreaker;
  readonly timings: Timings;
  readonly roundTrip: RoundTrip;
  /** Null where nobody asks for it. */
  readonly position: WalPosition | null;
  /** Grows when a table was altered under prepared statements: connections from before are not used any more. */
  epoch: number;
  /** Grows when a connection was lost: others may have been lost with it, and nobody has noticed yet. */
  losses: number;
}

export class Session extends DriverClient {
  readonly #context: SessionContext;
  readonly #isShared: boolean;
  readonly #epoch: number;
  readonly #chosen: RecentlyUsed<true>;
  #lossesAtCheck: number;
  readonly #workload: Workload;
  #isLost = false;
  /** Set where the server does not take writes any more: another one may be the primary, and have newer data. */
  #demotion: Error | null = null;
  #isCorked = false;
  /** Set while a tick has sent something to be committed, and no question for the position behind it. */
  #asked: Promise<void> | null = null;
  #ask: (() => void) | null = null;
  #asking = 0;

  /** `isShared` where statements of different callers wait for each other. */
  constructor(context: SessionContext, isShared = false) {
    super(isShared ? sharedConfig(context.config) : context.config);
    this.#context = context;
    this.#workload = new Workload(context.roundTrip);
    this.#isShared = isShared;
    this.#epoch = context.epoch;
    this.#lossesAtCheck = context.losses;
    this.#chosen = chosenStatements(this.connection);
    keepRowsRaw(this.connection);
    if (context.searchPath?.needsPrimary) this.connection.on('parameterStatus', (status) => this.#heed(status));
    this.on('error', (error) => this.lose(error));
    this.on('end', () => {
      this.#isLost = true;
    });
  }

  get workload(): Workload {
    return this.#workload;
  }

  get isUsable(): boolean {
    return !this.#isLost && this.#epoch === this.#context.epoch;
  }

  override connect(callback: (error: Error | null) => void): void {
    const connecting = this.#context.breaker.run(() => this.#connect());
    connecting.then(() => callback(null), callback);
  }

  open(): Promise<this> {
    return this.#context.breaker.run(() => this.#connect()).then(() => this);
  }

  /** A pooler between us and Postgres takes these as its own parameters; `options` it would refuse. */
  override getStartupConf(): Record<string, string> {
    return { ...super.getStartupConf(), ...ALWAYS, ...this.#context.searchPath?.parameters };
  }

  hasPrepared({ name }: Statement): boolean {
    return this.connection.parsedStatements[name] !== undefined;
  }

  /** `begin` is a command that begins a transaction; the statement must be prepared then. */
  execute(statement: Statement, values: readonly Bound[], begin: string | null = null): Promise<Result<DataRow>> {
    const { timings } = this.#context;
    this.#corkForThisTick();
    return new Promise((resolve, reject) => {
      const query = new RawQuery(statement, values, { begin, chosen: this.#chosen }, (error, result) => {
        const time = this.#workload.finish(performance.now());
        if (error !== null) this.#learnFrom(error, statement);
        else timings.record(statement, time);
        // A read may be an old one; what was written is a fact, which the client must not do again.
        if (this.#demotion && (statement.isRepeatable || result === undefined)) reject(this.#demotion);
        else if (result === undefined)
          reject(this.#isShared && sqlStateOf(error) === LOCK_TIMEOUT ? new HeldUp(error) : error);
        else resolve(result);
      });
      this.#workload.add(timings.expected(statement) ?? 0, performance.now());
      this.query(query);
    });
  }

  /** The same outside of a transaction. When it settles, the position behind it is known, also if it was refused. */
  executeAlone(statement: Statement, values: readonly Bound[]): Promise<Result<DataRow>> {
    const result = this.execute(statement, values);
    const position = statement.isRepeatable ? null : this.position();
    return position === null ? result : result.finally(() => position);
  }

  /** Asks for the position behind all that was sent. Resolves also where it stays unknown. */
  position(): Promise<void> | null {
    const { position } = this.#context;
    if (position === null) return null;
    this.#corkForThisTick();
    this.#asked ??= new Promise((resolve) => {
      this.#ask = () => resolve(position.learn(this.execute(POSITION, [])));
    });
    const asked = this.#asked;
    if (++this.#asking === MOST_ASKING) this.#sendQuestion();
    return asked;
  }

  #sendQuestion(): void {
    this.#ask?.();
    this.#ask = this.#asked = null;
    this.#asking = 0;
  }

  /** How the database is now, for a server of a release. Null where it has no ledger of releases. */
  async view(): Promise<DatabaseView | null> {
    // If nothing else is in flight, nothing can delay the answer: the network is silent.
    const limit = this.#inTime(() => {
      if (this.#workload.size === 1) this.lose(new Error('the database does not answer'));
    });
    const run: Connection['run'] = async (statement, values) => withTexts(await this.execute(statement, values));
    try {
      const view = (await this.#context.fence?.look({ run })) ?? null;
      // Connections with other parameters are not used any more, this one included.
      if (view !== null && this.isUsable && this.#context.searchPath?.isFitting(view) === false) this.#context.epoch++;
      return view;
    } finally {
      clearTimeout(limit);
    }
  }

  /** Whether the connection is alive. It asks the server only if another connection was lost since the last time. */
  async isAlive(): Promise<boolean> {
    const { losses } = this.#context;
    if (this.isUsable && this.#lossesAtCheck !== losses) {
      const { connectionTimeoutMillis } = this.#context.config;
      await this.query({ text: '', query_timeout: connectionTimeoutMillis }).catch((error) => this.lose(error));
    }
    this.#lossesAtCheck = losses;
    return this.isUsable;
  }

  /** Ends the connection without waiting for anything. */
  lose(cause: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#context.losses++;
    this.#context.position?.forget();
    this.#context.searchPath?.lookAgain();
    this.#context.breaker.suspect(cause);
    this.connection.stream.destroy();
  }

  async #connect(): Promise<void> {
    const limit = this.#inTime(() => this.connection.stream.destroy());
    try {
      const place = await this.#context.searchPath?.read();
      if (place) [this.host, this.port] = [place.host, place.port];
      await new Promise<void>((resolve, reject) => {
        super.connect((error) => (error ? reject(error) : resolve()));
      });
      await this.#fit();
      const start = performance.now();
      await this.query('');
      this.#context.roundTrip.restart(performance.now() - start, this.#context.losses);
    } catch (error) {
      this.#isLost = true;
      this.#context.searchPath?.lookAgain();
      this.connection.stream.destroy();
      throw parameterRefusedOr(error, this.#context.variable);
    } finally {
      clearTimeout(limit);
    }
  }

  /** Calls `give` after the longest time that a connection may take. */
  #inTime(give: () => void): NodeJS.Timeout | undefined {
    const { connectionTimeoutMillis: longest } = this.#context.config;
    return longest ? setTimeout(give, longest) : undefined;
  }

  /** A role that may not read the ledger is told so by `/readyz`. */
  async #fit(): Promise<void> {
    await this.view().catch((error: unknown) => {
      if (!isFromServer(error) || isLostConnection(error)) throw error;
    });
  }

  /** Collects all that is sent in one tick into one packet. */
  #corkForThisTick(): void {
    if (this.#isCorked) return;
    const { stream } = this.connection;
    this.#isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.#sendQuestion();
      this.#isCorked = false;
      stream.uncork();
    });
  }

  /** Postgres reports these at the beginning, and when they change. */
  #heed({ parameterName, parameterValue }: ParameterStatus): void {
    if (parameterValue !== 'on' || !READ_ONLY_PARAMETERS.includes(parameterName)) return;
    this.#demotion = new Error('Connection terminated: the server takes no writes any more');
    this.lose(this.#demotion);
  }

  #learnFrom(error: unknown, { name, text }: Statement): void {
    const { parsedStatements } = this.connection;
    const state = sqlStateOf(error);
    const isDemoted = state === READ_ONLY && this.#context.searchPath?.needsPrimary;
    if (isDemoted || isLostConnection(error) || isOwnTimeout(error)) this.lose(error);
    if (isOutdatedPlan(error)) this.#endEpoch();
    if (state === NOT_PREPARED) delete parsedStatements[name];
    if (state === PREPARED_ALREADY) parsedStatements[name] = text;
  }

  /** Ends the epoch only once for each change, however many statements run into it. */
  #endEpoch(): void {
    if (this.#epoch === this.#context.epoch) this.#context.epoch++;
  }
}

// ── Raw rows ────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Lets a connection of pg hand over rows as bytes. pg's own parser, which makes a text of every field, still reads all
 * other messages. Where pg does not attach its parser in this way any more, this throws, or `RawQuery` does.
 */
export function keepRowsRaw(wire: Wire): void {
  const { attachListeners } = wire;
  if (typeof attachListeners !== 'function') throw new Error('pg has no `attachListeners` in its connections any more');
  wire.attachListeners = (stream) => {
    const others = new EventEmitter();
    attachListeners.call(wire, others);
    const packets = new Packets({
      row: (row) => wire.emit('dataRow', row),
      packets: (bytes) => others.emit('data', bytes),
    });
    stream.on('data', (bytes) => packets.read(bytes));
    stream.on('end', () => others.emit('end'));
  };
}
