/**
 * One row as the database has sent it: bytes in what the socket gave, read where they lie. A field becomes a text only
 * where somebody asks for its text; the JSON of an answer is written from the bytes.
 */
import type { Buffer } from 'node:buffer';

/** Bytes that the socket has handed over for good: nobody writes into them any more. */
export class Chunk {
  readonly bytes: Buffer;
  readonly view: DataView;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

const COUNT_SIZE = 2;
const LENGTH_SIZE = 4;

export class DataRow {
  readonly chunk: Chunk;
  /** The size in bytes, with the lengths of its fields. */
  readonly size: number;
  /** The end of the field that was found last. */
  end = 0;
  readonly #start: number;
  // Fields are mostly read in their order: the search for the next one starts at the last one.
  #field = 0;
  #offset: number;

  /** `start` is where the number of fields stands. */
  constructor(chunk: Chunk, start: number, size: number) {
    this.chunk = chunk;
    this.size = size;
    this.#start = start + COUNT_SIZE;
    this.#offset = this.#start;
  }

  /** The start of the field; negative where it is null. */
  find(field: number): number {
    const { view } = this.chunk;
    let offset = field < this.#field ? this.#start : this.#offset;
    for (let at = field < this.#field ? 0 : this.#field; at < field; at++)
      offset += LENGTH_SIZE + Math.max(0, view.getInt32(offset));
    this.#field = field;
    this.#offset = offset;
    const length = view.getInt32(offset);
    if (length < 0) return -1;
    this.end = offset + LENGTH_SIZE + length;
    return offset + LENGTH_SIZE;
  }

  text(field: number): string | null {
    const start = this.find(field);
    return start < 0 ? null : this.chunk.bytes.toString('utf8', start, this.end);
  }

  /** The fields as texts, under the name that pg's own queries use. */
  get fields(): readonly (string | null)[] {
    const count = this.chunk.view.getInt16(this.#start - COUNT_SIZE);
    return Array.from({ length: count }, (_, field) => this.text(field));
  }
}
