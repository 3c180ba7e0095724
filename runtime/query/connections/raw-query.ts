/**
 * One execution of a prepared statement, for pg's client. It takes rows as the bytes that they are on the wire and asks
 * for no description of them, which halves what pg's own query does. Each one ends with a Sync of its own: an error
 * stays with the statement that made it.
 */
import { DataRow } from '../data-row.ts';
import type { Bound, Result, Statement } from '../database.ts';
import { queryPrototype, type Wire } from './driver.ts';
import { textFromBound } from './text-from-bound.ts';

type Callback = (error: unknown, result?: Result<DataRow>) => void;

export class RawQuery {
  readonly name: string;
  readonly text: string;
  readonly values: readonly Bound[];
  callback: Callback;
  // Not `rows`: in pg's client that is the size of a page, which a pipeline refuses.
  readonly #received: DataRow[] = [];
  #count = 0;

  constructor(statement: Statement, values: readonly Bound[], callback: Callback) {
    this.name = statement.name;
    this.text = statement.text;
    this.values = values;
    this.callback = callback;
  }

  submit(wire: Wire): null {
    wire.stream.cork();
    if (!this.#isPreparedOn(wire)) this.#prepare(wire);
    wire.bind({ statement: this.name, values: this.values, valueMapper: textFromBound });
    wire.execute(null);
    wire.sync();
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

/** Of `INSERT 0 3`, `UPDATE 3`, `SELECT 3`. */
function countFromTag(tag: string): number {
  const count = Number(tag.slice(tag.lastIndexOf(' ') + 1));
  return Number.isNaN(count) ? 0 : count;
}
