/** The connections that one caller at a time has for itself: transactions, slow statements and the code of hooks. */
import pg from 'pg';
import { unavailable } from './database-error-from.ts';
import { Session, type SessionContext } from './session.ts';

export interface PooledSession extends Session {
  /** Back into the pool, or out of it when it must not be used again. */
  release(isSpoiled?: boolean): void;
}

export interface PoolOptions {
  readonly max: number;
  /** In milliseconds. */
  readonly acquireTimeout: number;
}

const IDLE_TIMEOUT = 30_000;

export class Pool {
  readonly #pool: pg.Pool;
  readonly #max: number;

  constructor(context: SessionContext, { max, acquireTimeout }: PoolOptions) {
    class PoolSession extends Session {
      constructor() {
        super(context);
      }
    }
    this.#max = max;
    this.#pool = new pg.Pool({
      max,
      connectionTimeoutMillis: acquireTimeout,
      idleTimeoutMillis: IDLE_TIMEOUT,
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

  /** Throws the signal's reason when it fires first. */
  async acquire(signal?: AbortSignal): Promise<PooledSession> {
    signal?.throwIfAborted();
    const acquiring = this.#connect();
    const session = await (signal === undefined ? acquiring : unlessAborted(acquiring, signal));
    if (await session.isAlive()) return session;
    session.release(true);
    return this.acquire(signal);
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #connect(): Promise<PooledSession> {
    try {
      return (await this.#pool.connect()) as unknown as PooledSession;
    } catch (cause) {
      throw unavailable(cause);
    }
  }
}

/** The place in the queue cannot be left, so what comes too late goes straight back. */
function unlessAborted(acquiring: Promise<PooledSession>, signal: AbortSignal): Promise<PooledSession> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    acquiring
      .then((session) => (signal.aborted ? session.release() : resolve(session)), reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}
