/** A pipelined connection that many callers share. It is opened by the first who needs it, and again after a loss. */
import type { DataRow } from '../data-row.ts';
import type { Bound, Result, Statement } from '../database.ts';
import { Session, type SessionContext } from './session.ts';

/** In milliseconds: no new statement is put behind more work than this. */
const LONGEST_WAIT = 50;

/** In milliseconds: no new statement is put behind one that has been running for longer. */
const LONGEST_RUN = 25;

export class Lane {
  readonly #context: SessionContext;
  #session: Session | null = null;
  #opening: Promise<Session> | null = null;

  constructor(context: SessionContext) {
    this.#context = context;
  }

  get isOpen(): boolean {
    return this.#session?.isUsable ?? false;
  }

  get size(): number {
    return this.#session?.workload.size ?? 0;
  }

  /** Whether its oldest statement takes long, as one does that waits for a lock. */
  isHeld(now: number): boolean {
    return this.isOpen && (this.#session?.workload.runningFor(now) ?? 0) > LONGEST_RUN;
  }

  hasRoom(now: number): boolean {
    return !this.isHeld(now) && (this.#session?.workload.backlog ?? 0) < LONGEST_WAIT;
  }

  execute(statement: Statement, values: readonly Bound[]): Promise<Result<DataRow>> {
    if (this.#session?.isUsable) return this.#session.execute(statement, values);
    return this.#open().then((session) => session.execute(statement, values));
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#session?.end();
  }

  #open(): Promise<Session> {
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #reopen(): Promise<Session> {
    // Where it was not lost but is too old, what is in flight on it still gets its answers.
    void this.#session?.end();
    this.#session = null;
    this.#session = await new Session(this.#context, true).open();
    return this.#session;
  }
}
