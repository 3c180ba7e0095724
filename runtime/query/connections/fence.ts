/**
 * Keeps a server from a database that has gone past what it can serve, or is not there yet: no statement is sent until it
 * fits again. It is looked at with each new connection, after errors that tables of another release cause, and regularly.
 * A server that was stopped for a while looks first: `migrate` no longer counts it.
 */
import { type Connection, DatabaseError } from '../database.ts';
import { type DatabaseView, LOOK_FIRST } from '../database-release.ts';
import { sqlStateOf } from './database-error-from.ts';
import { type SearchPath, viewOn } from './search-path.ts';

/** Why a server must not use the database as it is; null where it may. */
export type Judge = (view: DatabaseView) => string | null;

export class Fence {
  readonly #searchPath: SearchPath;
  readonly #judge: Judge;
  #reason: string | null = null;
  #looked = performance.now();

  constructor(searchPath: SearchPath, judge: Judge) {
    this.#searchPath = searchPath;
    this.#judge = judge;
  }

  /** What is thrown instead of sending anything; null where all may be sent. */
  get refusal(): DatabaseError | null {
    const reason = this.#reason;
    return reason === null ? null : new DatabaseError('unavailable', { reason }, new Error(reason));
  }

  get isStale(): boolean {
    return performance.now() - this.#looked >= LOOK_FIRST;
  }

  /** Null where there is no ledger of releases. */
  async look(connection: Connection): Promise<DatabaseView | null> {
    this.#looked = performance.now();
    const { view: asked } = await this.#searchPath.read();
    const view = asked && (await viewOn(connection, asked));
    this.#reason = view && this.#judge(view);
    return view;
  }
}

/** Names, types and values that are not as this release knows them. */
export function isOfOtherShape(error: unknown): boolean {
  const state = sqlStateOf(error instanceof DatabaseError ? error.cause : error) ?? '';
  return (state.startsWith('42') && state !== '42501') || OTHERS.has(state);
}

const OTHERS: ReadonlySet<string> = new Set(['22P02', '23502', '3F000']);
