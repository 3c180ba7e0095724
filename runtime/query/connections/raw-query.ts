/**
 * One execution of a prepared statement, for pg's client. It takes rows as the bytes that they are on the wire and asks
 * for no description of them, which halves what pg's own query does. Each one ends with a Sync of its own: an error
 * stays with the statement that made it.
 */

import { Buffer } from 'node:buffer';
import { textFromBound } from '../../values/kinds.ts';
import { Chunk, DataRow } from '../data-row.ts';
import type { Bound, Result, Statement } from '../database.ts';
import { RecentlyUsed } from '../recently-used.ts';
import { queryPrototype, type Wire } from './driver.ts';

type Callback = (error: unknown, result?: Result<DataRow>) => void;

interface Circumstances {
  /** A command that is executed before the statement; null for none. */
  readonly begin: string | null;
  /** The statements of the connection that clients have chosen among many. */
  readonly chosen: RecentlyUsed<true>;
}

export class RawQuery {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | null)[];
  callback: Callback;
  // The name is not `rows`: in pg's client that is the size of a page, which a pipeline rejects.
  readonly #received: DataRow[] = [];
  readonly #begin: string | null;
  readonly #chosen: RecentlyUsed<true> | null;
  #count = 0;

  constructor(statement: Statement, values: readonly Bound[], { begin, chosen }: Circumstances, callback: Callback) {
    this.#begin = begin;
    this.#chosen = statement.isOneOfMany ? chosen : null;
    this.name = statement.name;
    this.text = statement.text;
    // A value that cannot be sent throws here, where nothing was written to the connection yet.
    this.values = values.map(textFromBound);
    this.callback = callback;
  }

  submit(wire: Wire): null {
    wire.stream.cork();
    if (this.#begin !== null && wire.stream.writable) {
      wire.parse({ name: '', text: this.#begin, types: [] });
      wire.stream.write(BIND_AND_EXECUTE);
    }
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

  /** Whether the statement is prepared. One without a name is prepared each time. */
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

/** The number in `INSERT 0 3`, `UPDATE 3`, `SELECT 3`. */
function countFromTag(tag: string): number {
  const count = Number(tag.slice(tag.lastIndexOf(' ') + 1));
  return Number.isNaN(count) ? 0 : count;
}

// ── Execution message ───────────────────────────────────────────────────────────────────────────────────────────────

// One execution of a prepared statement as Postgres's protocol has it, in one buffer: Bind, Execute, Sync. All values
// and results are texts, because no formats are named.

const BIND = 'B'.charCodeAt(0);
/** The unnamed portal with all of its rows, and the end of the execution. */
const EXECUTE_AND_SYNC = Buffer.from('E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04', 'latin1');

/** The unnamed statement without values. */
const BIND_AND_EXECUTE = Buffer.from('B\0\0\0\x0c\0\0\0\0\0\0\0\0E\0\0\0\x09\0\0\0\0\0', 'latin1');

/**
 * The size of the letter, the length, the ends of the names, and the counts of formats, values and formats of results.
 */
const FIXED = 1 + 4 + 1 + 1 + 2 + 2 + 2;
const LENGTH = 4;
const NULL = -1;

export function executionMessage(name: string, values: readonly (string | null)[]): Buffer {
  const nameSize = Buffer.byteLength(name);
  const bindSize = FIXED + nameSize + sizeOf(values);
  const message = Buffer.allocUnsafe(bindSize + EXECUTE_AND_SYNC.length);
  message[0] = BIND;
  message.writeInt32BE(bindSize - 1, 1);
  message[5] = 0;
  let at = 6 + message.write(name, 6);
  message[at] = 0;
  message.writeInt16BE(0, at + 1);
  message.writeUInt16BE(values.length, at + 3);
  at = writeValues(message, values, at + 5);
  message.writeInt16BE(0, at);
  message.set(EXECUTE_AND_SYNC, at + 2);
  return message;
}

function sizeOf(values: readonly (string | null)[]): number {
  let size = values.length * LENGTH;
  for (const value of values) if (value !== null) size += Buffer.byteLength(value);
  return size;
}

/** Writes the values, and returns where they end. */
function writeValues(message: Buffer, values: readonly (string | null)[], start: number): number {
  let at = start;
  for (const value of values) {
    const size = value === null ? NULL : message.write(value, at + LENGTH);
    message.writeInt32BE(size, at);
    at += LENGTH + Math.max(size, 0);
  }
  return at;
}

// ── Packets ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// Cuts what a socket gives into the packets of Postgres's protocol: a letter, a length, the rest. Rows are handed over
// as they lie there, all else as whole packets, in the order in which they came. BindComplete is left out: each execution
// has one, and nobody asks for it.

interface Receiver {
  row(row: DataRow): void;
  /** One or more whole packets. */
  packets(bytes: Buffer): void;
}

const DATA_ROW = 'D'.charCodeAt(0);
const BIND_COMPLETE = '2'.charCodeAt(0);
const HEADER_SIZE = 5;

export class Packets {
  readonly #receiver: Receiver;
  /** A buffer for one packet whose end is missing, or for its header while the length is not known. */
  #partial: Buffer | null = null;
  #filled = 0;

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  read(bytes: Buffer): void {
    const at = this.#partial === null ? 0 : this.#complete(this.#partial, bytes);
    const end = this.#pass(bytes, at);
    if (end < bytes.length) this.#keep(bytes, end);
  }

  /** Passes whole packets on, and returns where they end. */
  #pass(bytes: Buffer, start: number): number {
    let at = start;
    let others = start;
    let chunk: Chunk | null = null;
    while (at + HEADER_SIZE <= bytes.length) {
      const size = packetSize(bytes, at);
      if (at + size > bytes.length) break;
      const letter = bytes[at];
      if (letter === DATA_ROW || letter === BIND_COMPLETE) {
        this.#passOthers(bytes, others, at);
        others = at + size;
      }
      if (letter === DATA_ROW) {
        chunk ??= new Chunk(bytes);
        this.#receiver.row(new DataRow(chunk, at + HEADER_SIZE, size - HEADER_SIZE));
      }
      at += size;
    }
    this.#passOthers(bytes, others, at);
    return at;
  }

  #passOthers(bytes: Buffer, start: number, end: number): void {
    if (start < end) this.#receiver.packets(bytes.subarray(start, end));
  }

  #keep(bytes: Buffer, start: number): void {
    const isSizeKnown = start + HEADER_SIZE <= bytes.length;
    this.#partial = Buffer.allocUnsafe(isSizeKnown ? packetSize(bytes, start) : HEADER_SIZE);
    this.#filled = bytes.copy(this.#partial, 0, start);
  }

  /** Completes a packet, and returns how many of the bytes belonged to it. */
  #complete(partial: Buffer, bytes: Buffer): number {
    const taken = bytes.copy(partial, this.#filled);
    this.#filled += taken;
    if (this.#filled < partial.length) return taken;
    const size = packetSize(partial, 0);
    this.#partial = size > partial.length ? Buffer.allocUnsafe(size) : null;
    if (this.#partial === null) {
      this.#pass(partial, 0);
      return taken;
    }
    partial.copy(this.#partial);
    return taken + this.#complete(this.#partial, bytes.subarray(taken));
  }
}

/** The length on the wire leaves the letter out. */
function packetSize(bytes: Buffer, at: number): number {
  return 1 + bytes.readUInt32BE(at + 1);
}
