/** The connections that one caller at a time has for itself: transactions and slow statements. */
import pg from 'pg';
import { type WaitBudget, WaitTimeout, waitFor } from '../../values/semaphore.ts';
import { DatabaseError, type DatabaseState } from '../database.ts';
import { databaseErrorFrom, unavailable } from './database-error-from.ts';
import type { Fence } from './search-path.ts';
import { Session, type SessionContext } from './session.ts';

export interface PooledSession extends Session {
  /** Puts the session back into the pool, or removes it when it must not be used again. */
  release(isSpoiled?: boolean): void;
}

interface PoolOptions {
  readonly max: number;
  /** How long to wait for a connection, in milliseconds. */
  readonly acquireTimeout: number;
  /** How long an idle connection stays open, in milliseconds. */
  readonly idleTimeout?: number | undefined;
}

export interface Waiting {
  /** Its reason is thrown when it fires first. */
  readonly signal?: AbortSignal | undefined;
  readonly budget?: WaitBudget | undefined;
}

const IDLE_TIMEOUT = 30_000;

export class Pool {
  readonly #pool: pg.Pool;
  readonly #max: number;
  readonly #fence: Fence | null;

  constructor(context: SessionContext, { max, acquireTimeout, idleTimeout = IDLE_TIMEOUT }: PoolOptions) {
    class PoolSession extends Session {
      constructor() {
        super(context);
      }
    }
    this.#max = max;
    this.#fence = context.fence;
    this.#pool = new pg.Pool({
      max,
      connectionTimeoutMillis: acquireTimeout,
      idleTimeoutMillis: idleTimeout,
      Client: PoolSession as unknown as new () => pg.ClientBase,
    });
    // The pool has dropped it by then, and the next caller gets another one.
    this.#pool.on('error', () => undefined);
  }

  /** Whether a caller would not have to wait for others. */
  get hasCapacity(): boolean {
    return this.#pool.idleCount > this.#pool.waitingCount || this.#pool.totalCount < this.#max;
  }

  get state(): DatabaseState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async acquire(waiting: Waiting = {}): Promise<PooledSession> {
    waiting.signal?.throwIfAborted();
    const session = await this.#connectIn(waiting);
    const isAlive = await session.isAlive();
    if (isAlive && !this.#fence?.refusal) return session;
    session.release(!isAlive);
    if (this.#fence?.refusal) throw this.#fence.refusal;
    return this.acquire(waiting);
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  /** Connects. Opening a connection does not count as waiting for others. */
  #connectIn({ signal, budget }: Waiting): Promise<PooledSession> {
    const waiting = this.hasCapacity ? { signal } : { signal, budget };
    const giveBack = (session: PooledSession) => session.release();
    return waitFor(this.#connect(), { ...waiting, giveBack }).catch((error: unknown) => {
      throw error instanceof WaitTimeout ? databaseErrorFrom(error) : error;
    });
  }

  async #connect(): Promise<PooledSession> {
    const isWaiting = !this.hasCapacity;
    try {
      return (await this.#pool.connect()) as unknown as PooledSession;
    } catch (cause) {
      const isBusy = isWaiting && !this.hasCapacity && !(cause instanceof DatabaseError);
      throw isBusy ? new DatabaseError('busy', {}, cause) : unavailable(cause);
    }
  }
}
