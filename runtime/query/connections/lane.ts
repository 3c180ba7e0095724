/** A pipelined connection that many callers share. It is opened by the first who needs it, and again after a loss. */
import type { DataRow } from '../data-row.ts';
import type { Bound, Result, Statement } from '../database.ts';
import type { DatabaseView } from '../database-release.ts';
import { Session, type SessionContext } from './session.ts';

/** The most work that a new statement is put behind, in milliseconds. */
const LONGEST_WAIT = 50;

/** The longest run of a statement that a new one is put behind, in milliseconds. */
const LONGEST_RUN = 25;

/** The pause after a failed attempt to open a lane that stays open, in milliseconds. */
const RETRY = 1000;

export class Lane {
  readonly #context: SessionContext;
  #session: Session | null = null;
  #opening: Promise<Session> | null = null;
  #isKept = false;
  #retry: NodeJS.Timeout | undefined;

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

  hasCapacity(now: number): boolean {
    return !this.isHeld(now) && (this.#session?.workload.backlog ?? 0) < LONGEST_WAIT;
  }

  execute(statement: Statement, values: readonly Bound[]): Promise<Result<DataRow>> {
    if (this.#session?.isUsable) return this.#session.executeAlone(statement, values);
    return this.#open().then((session) => {
      const refusal = this.#context.fence?.refusal;
      if (refusal) throw refusal;
      return session.executeAlone(statement, values);
    });
  }

  async view(): Promise<DatabaseView | null> {
    const session = this.#session?.isUsable ? this.#session : await this.#open();
    return session.view();
  }

  /** Keeps the lane open even while it is idle, and reopens it when Postgres or a proxy closes it. */
  keepOpen(): void {
    this.#isKept = true;
    this.#openIfKept();
  }

  async close(): Promise<void> {
    this.#isKept = false;
    clearTimeout(this.#retry);
    await this.#opening?.catch(() => undefined);
    await this.#session?.end();
  }

  #openIfKept(): void {
    clearTimeout(this.#retry);
    if (!this.#isKept || this.isOpen) return;
    this.#open().catch(() => {
      clearTimeout(this.#retry);
      if (this.#isKept) this.#retry = setTimeout(() => this.#openIfKept(), RETRY).unref();
    });
  }

  #open(): Promise<Session> {
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #reopen(): Promise<Session> {
    // If it was not lost but is too old, statements in flight on it still get their answers.
    void this.#session?.end();
    this.#session = null;
    const session = await new Session(this.#context, true).open();
    if (!session.isUsable) {
      void session.end();
      return this.#reopen();
    }
    this.#session = session;
    session.once('end', () => this.#openIfKept());
    return session;
  }
}
