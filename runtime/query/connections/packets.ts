/**
 * Cuts what a socket gives into the packets of Postgres's protocol: a letter, a length, the rest. Rows are handed over
 * as they lie there, all else as whole packets, in the order in which they came. BindComplete is left out: each execution
 * has one, and nobody asks for it.
 */
import { Buffer } from 'node:buffer';
import { Chunk, DataRow } from '../data-row.ts';

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
  /** Has room for one packet of which the end is missing; as long as that is not known, for its header. */
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

  /** Gives where the whole packets end. */
  #pass(bytes: Buffer, start: number): number {
    let at = start;
    let others = start;
    let chunk: Chunk | null = null;
    while (at + HEADER_SIZE <= bytes.length) {
      const size = sizeOf(bytes, at);
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
    this.#partial = Buffer.allocUnsafe(isSizeKnown ? sizeOf(bytes, start) : HEADER_SIZE);
    this.#filled = bytes.copy(this.#partial, 0, start);
  }

  /** Gives how many of the bytes belonged to the packet. */
  #complete(partial: Buffer, bytes: Buffer): number {
    const taken = bytes.copy(partial, this.#filled);
    this.#filled += taken;
    if (this.#filled < partial.length) return taken;
    const size = sizeOf(partial, 0);
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
function sizeOf(bytes: Buffer, at: number): number {
  return 1 + bytes.readUInt32BE(at + 1);
}
