/**
 * The connections that one caller at a time has for itself: transactions and slow statements. They are opened when they
 * are needed, and closed when nobody has used them for a while. Who finds none that is free waits, in the order of coming.
 */
import type { DatabaseError } from '../database.ts';
import { unavailable } from './database-error-from.ts';
import { busy, type Patience } from './patience.ts';
import { Session, type SessionContext } from './session.ts';

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

interface Waiter {
  take(session: PooledSession): void;
  fail(error: DatabaseError): void;
}

const IDLE_TIMEOUT = 30_000;

/** A connection of a pool, which knows whose it is. */
export class PooledSession extends Session {
  readonly #giveBack: (session: PooledSession, isSpoiled: boolean) => void;
  isHeld = false;
  idleSince = 0;

  constructor(context: SessionContext, giveBack: (session: PooledSession, isSpoiled: boolean) => void) {
    super(context);
    this.#giveBack = giveBack;
  }

  /** Back into the pool, or out of it when it must not be used again. */
  release(isSpoiled = false): void {
    if (!this.isHeld) throw new Error('a connection was given back twice');
    this.isHeld = false;
    this.#giveBack(this, isSpoiled);
  }
}

export class Pool {
  readonly #context: SessionContext;
  readonly #max: number;
  readonly #acquireTimeout: number;
  readonly #idleTimeout: number;
  /** The one that was used last is used next. */
  #idle: PooledSession[] = [];
  readonly #waiting = new Set<Waiter>();
  /** With those that are being opened. */
  #open = 0;
  #opening = 0;
  #sweep: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(context: SessionContext, { max, acquireTimeout, idleTimeout = IDLE_TIMEOUT }: PoolOptions) {
    this.#context = context;
    this.#max = max;
    this.#acquireTimeout = acquireTimeout;
    this.#idleTimeout = idleTimeout;
  }

  /** Whether a caller would not have to wait for others. */
  get hasRoom(): boolean {
    return this.#idle.length > 0 || this.#open < this.#max;
  }

  get state(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    return { open: this.#open, idle: this.#idle.length, waiting: this.#waiting.size };
  }

  /** A connection at once; undefined where none is free, or it is not certain that the server still knows it. */
  take(): PooledSession | undefined {
    return this.#idle.at(-1)?.isCertain ? this.#takeIdle() : undefined;
  }

  async acquire(waiting: Waiting = {}): Promise<PooledSession> {
    waiting.signal?.throwIfAborted();
    const session = this.#takeIdle() ?? (await this.#next(waiting));
    if (session.isCertain || (await session.isAlive())) return session;
    session.release(true);
    return this.acquire(waiting);
  }

  /** Those that are still held are closed when they are given back. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#sweep);
    for (const session of this.#idle.splice(0)) this.#close(session);
  }

  #takeIdle(): PooledSession | undefined {
    const session = this.#idle.pop();
    if (session) session.isHeld = true;
    return session;
  }

  /** The next one that is free. Who waits for a connection to be opened, and for nobody else, needs no patience. */
  #next({ signal, patience }: Waiting): Promise<PooledSession> {
    const isOpened = this.#open < this.#max;
    const wait = isOpened || patience === undefined ? { left: this.#acquireTimeout } : patience;
    const next = this.#wait(wait, signal);
    if (isOpened) void this.#openOne();
    return next;
  }

  #wait(patience: Patience, signal: AbortSignal | undefined): Promise<PooledSession> {
    return new Promise((resolve, reject) => {
      const start = performance.now();
      const leave = (): void => {
        this.#waiting.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        patience.left -= performance.now() - start;
      };
      const fail = (error: unknown): void => {
        leave();
        reject(error);
      };
      const abort = (): void => fail(signal?.reason);
      const waiter: Waiter = {
        take(session) {
          leave();
          session.isHeld = true;
          resolve(session);
        },
        fail,
      };
      const timer = setTimeout(() => fail(this.#tooLate()), patience.left);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiter);
    });
  }

  #tooLate(): DatabaseError {
    return this.#opening > 0 ? unavailable(new Error('no connection was opened in time')) : busy();
  }

  /** For whoever waits for the longest time by then. */
  async #openOne(): Promise<void> {
    this.#open++;
    this.#opening++;
    const session = new PooledSession(this.#context, (given, isSpoiled) => this.#takeBack(given, isSpoiled));
    const timer = setTimeout(() => session.connection.stream.destroy(), this.#acquireTimeout);
    try {
      await session.open();
      session.once('end', () => this.#forget(session));
      this.#opening--;
      this.#pass(session);
    } catch (error) {
      this.#opening--;
      this.#open--;
      const [first] = this.#waiting;
      first?.fail(unavailable(error));
      this.#openForWaiting();
    } finally {
      clearTimeout(timer);
    }
  }

  #takeBack(session: PooledSession, isSpoiled: boolean): void {
    if (!isSpoiled && session.isUsable) this.#pass(session);
    else this.#close(session);
  }

  #pass(session: PooledSession): void {
    const [first] = this.#waiting;
    if (this.#isEnded) this.#close(session);
    else if (first) first.take(session);
    else this.#rest(session);
  }

  #rest(session: PooledSession): void {
    session.idleSince = performance.now();
    this.#idle.push(session);
    this.#sweep ??= setTimeout(() => this.#closeOld(), this.#idleTimeout).unref();
  }

  /** Those at the front have been idle for the longest time. */
  #closeOld(): void {
    this.#sweep = undefined;
    const due = performance.now() - this.#idleTimeout;
    const young = this.#idle.findIndex(({ idleSince }) => idleSince > due);
    const old = this.#idle.splice(0, young < 0 ? this.#idle.length : young);
    for (const session of old) this.#close(session);
    const [next] = this.#idle;
    if (next) this.#sweep = setTimeout(() => this.#closeOld(), next.idleSince - due).unref();
  }

  #close(session: PooledSession): void {
    this.#open--;
    void session.end();
    this.#openForWaiting();
  }

  /** The server has closed it while nobody used it. */
  #forget(session: PooledSession): void {
    const at = this.#idle.indexOf(session);
    if (at < 0) return;
    this.#idle.splice(at, 1);
    this.#open--;
  }

  #openForWaiting(): void {
    if (this.#waiting.size > this.#opening && this.#open < this.#max && !this.#isEnded) void this.#openOne();
  }
}
