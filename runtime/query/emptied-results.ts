import type { DataRow } from './data-row.ts';
import type { Bound, DataConnection, Statement } from './database.ts';

/**
 * A connection whose results are emptied when nobody needs them any more. V8 moves an array that lives for a while to its old
 * generation, which it collects seldom. There it would keep its rows, also those that are younger, and with them what these lead to.
 */
export class EmptiedResults implements DataConnection {
  readonly #own: DataConnection;
  readonly #results: DataRow[][] = [];

  constructor(own: DataConnection) {
    this.#own = own;
  }

  run(statement: Statement, values: readonly Bound[]) {
    return this.#own.run(statement, values);
  }

  async fetch(statement: Statement, values: readonly Bound[]) {
    const result = await this.#own.fetch(statement, values);
    this.#results.push(result.rows as DataRow[]);
    return result;
  }

  empty(): void {
    for (const rows of this.#results) rows.length = 0;
  }
}
