/** The connections that one caller at a time has for itself: transactions and slow statements. */
import pg from 'pg';
import { DatabaseError } from '../database.ts';
import { unavailable } from './database-error-from.ts';
import type { Fence } from './fence.ts';
import type { Patience } from './patience.ts';
import { Session, type SessionContext } from './session.ts';

export interface PooledSession extends Session {
  /** Back into the pool, or out of it when it must not be used again. */
  release(isSpoiled?: boolean): void;
}

interface PoolOptions {
  readonly max: number;
  /** In milliseconds. */
  readonly acquireTimeout: number;
  /** In milliseconds. */
  readonly idleTimeout?: number | undefined;
}

export interface Waiting {
  /** Its reason is thrown when it fires first. */
  readonly signal?: AbortSignal | undefined;
  readonly patience?: Patience | undefined;
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
  get hasRoom(): boolean {
    return this.#pool.idleCount > this.#pool.waitingCount || this.#pool.totalCount < this.#max;
  }

  get state(): { readonly open: number; readonly idle: number; readonly waiting: number } {
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

  async #connectIn({ signal, patience }: Waiting): Promise<PooledSession> {
    if (this.hasRoom || patience === undefined) return unlessAborted(this.#connect(), signal);
    const start = performance.now();
    try {
      return await unlessAborted(inTime(this.#connect(), patience.left), signal);
    } finally {
      patience.left -= performance.now() - start;
    }
  }

  async #connect(): Promise<PooledSession> {
    const isWaiting = !this.hasRoom;
    try {
      return (await this.#pool.connect()) as unknown as PooledSession;
    } catch (cause) {
      throw isWaiting && !this.hasRoom ? busy(cause) : unavailable(cause);
    }
  }
}

/** Others hold all the connections. */
function busy(cause: unknown): DatabaseError {
  return cause instanceof DatabaseError ? cause : new DatabaseError('busy', {}, cause);
}

/** The place in the queue cannot be left, so a connection that comes too late goes straight back. */
function unlessAborted(acquiring: Promise<PooledSession>, signal: AbortSignal | undefined): Promise<PooledSession> {
  if (signal === undefined) return acquiring;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    acquiring
      .then((session) => (signal.aborted ? session.release() : resolve(session)), reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The same after so many milliseconds. */
function inTime(acquiring: Promise<PooledSession>, longest: number): Promise<PooledSession> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(busy(new Error('no connection of the pool became free in time')));
    }, longest);
    acquiring
      .then((session) => (isLate ? session.release() : resolve(session)), reject)
      .finally(() => clearTimeout(timer));
  });
}
