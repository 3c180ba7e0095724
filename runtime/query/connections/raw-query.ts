/**
 * One execution of a prepared statement, for pg's client. It takes rows as the bytes that they are on the wire and asks
 * for no description of them, which halves what pg's own query does. Each one ends with a Sync of its own: an error
 * stays with the statement that made it.
 */

import { textFromBound } from '../../values/bind.ts';
import { DataRow } from '../data-row.ts';
import type { Bound, Result, Statement } from '../database.ts';
import { RecentlyUsed } from '../recently-used.ts';
import { queryPrototype, type Wire } from './driver.ts';
import { executionMessage } from './execution-message.ts';

type Callback = (error: unknown, result?: Result<DataRow>) => void;

export class RawQuery {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | null)[];
  callback: Callback;
  // Not `rows`: in pg's client that is the size of a page, which a pipeline refuses.
  readonly #received: DataRow[] = [];
  readonly #chosen: RecentlyUsed<true> | null;
  #count = 0;

  /** `chosen` are the statements of the connection that clients have chosen among many. */
  constructor(statement: Statement, values: readonly Bound[], chosen: RecentlyUsed<true>, callback: Callback) {
    this.#chosen = statement.isOneOfMany ? chosen : null;
    this.name = statement.name;
    this.text = statement.text;
    // A value that cannot be sent throws here, where nothing was written to the connection yet.
    this.values = values.map(textFromBound);
    this.callback = callback;
  }

  submit(wire: Wire): null {
    wire.stream.cork();
    this.#chosen?.set(this.name, true);
    if (!this.#isPreparedOn(wire)) this.#prepare(wire);
    if (wire.stream.writable) wire.stream.write(executionMessage(this.name, this.values));
    wire.stream.uncork();
    return null;
  }

  handleDataRow(row: unknown): void {
    if (!(row instanceof DataRow)) throw new Error('pg has read a row by itself');
    this.#received.push(row);
  }

  handleCommandComplete(message: { readonly text: string }): void {
    this.#count = countFromTag(message.text);
  }

  handleReadyForQuery(): void {
    this.callback(null, { rows: this.#received, count: this.#count });
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleRowDescription(): void {}

  handleEmptyQuery(): void {}

  /** One without a name is prepared each time. */
  #isPreparedOn(wire: Wire): boolean {
    return wire.parsedStatements[this.name] !== undefined || wire.submittedNamedStatements[this.name] !== undefined;
  }

  #prepare(wire: Wire): void {
    wire.parse({ name: this.name, text: this.text, types: [] });
    if (this.name !== '') wire.submittedNamedStatements[this.name] = this.text;
  }
}

// pg lets only its own queries into a pipeline. Extending its class would run the constructor that we are here to avoid.
Object.setPrototypeOf(RawQuery.prototype, queryPrototype);

/** How many statements a connection keeps of those that clients choose among many. */
const MOST_CHOSEN = 100;

/** Postgres removes the oldest as soon as there are more. What was sent before is not affected: it is ahead in the queue. */
export function chosenStatements(wire: Wire): RecentlyUsed<true> {
  return new RecentlyUsed(MOST_CHOSEN, (name) => {
    delete wire.parsedStatements[name];
    delete wire.submittedNamedStatements[name];
    wire.close({ type: 'S', name });
  });
}

/** Of `INSERT 0 3`, `UPDATE 3`, `SELECT 3`. */
function countFromTag(tag: string): number {
  const count = Number(tag.slice(tag.lastIndexOf(' ') + 1));
  return Number.isNaN(count) ? 0 : count;
}
