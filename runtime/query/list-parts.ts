/**
 * A list with so many records that what belongs to them is not read at once: a part of the records at a time, when the client
 * has taken all before it. So neither the memory nor the time that others wait depends on how much belongs to all of them.
 * Each part is read by statements of its own, and holds a connection only while they run.
 */
import type { Buffer } from 'node:buffer';
import type { DataRow } from './data-row.ts';
import { JsonBytes } from './json-bytes.ts';
import { type Around, type JsonSlices, SLICE } from './json-slices.ts';

/** What belongs to the records of a part. */
interface PartOfList {
  /** In bytes, with the records. */
  readonly size: number;
  write(out: JsonBytes, row: DataRow): void;
}

type ReadPart = (rows: readonly DataRow[]) => Promise<PartOfList>;

/** Up to so many records, all that belongs to them is read at once. */
export const MOST_AT_ONCE = 1000;

/** Nobody knows yet how much belongs to a record. */
const FIRST_PART = 200;

/** In bytes: about what a part has. */
const PART_SIZE = 1024 * 1024;

/** The first part is read now, so that the client still hears of an error. `size` is that of the records, in bytes. */
export async function listInParts(
  rows: readonly DataRow[],
  size: number,
  around: Around,
  read: ReadPart,
): Promise<JsonSlices> {
  const slices = new PartSlices(rows, size, around, read);
  await slices.readPart();
  return slices;
}

class PartSlices implements JsonSlices {
  readonly #sizeOfRecords: number;
  readonly #around: Around;
  readonly #read: ReadPart;
  /** Both have the last one first: what has been written is taken off the end, and can be freed. */
  readonly #rest: DataRow[];
  #rows: DataRow[] = [];
  #part: PartOfList | null = null;
  #count = FIRST_PART;
  #isBegun = false;
  #isOver = false;

  constructor(rows: readonly DataRow[], size: number, around: Around, read: ReadPart) {
    this.#sizeOfRecords = size;
    this.#rest = rows.toReversed();
    this.#around = around;
    this.#read = read;
  }

  /** With the part that is in memory. Later parts are about as large as `PART_SIZE`, also where the first one is smaller. */
  get size(): number {
    return this.#sizeOfRecords + Math.max(this.#part?.size ?? 0, PART_SIZE);
  }

  next(): Buffer | null | Promise<Buffer> {
    if (this.#isOver) return null;
    if (this.#rows.length > 0) return this.#slice();
    return this.readPart().then(() => this.#slice());
  }

  async readPart(): Promise<void> {
    const { length } = this.#rest;
    // What belonged to the part before can be freed meanwhile.
    this.#part = null;
    this.#rows = this.#rest.splice(Math.max(0, length - this.#count));
    this.#part = await this.#read(this.#rows);
    const fitting = Math.floor((this.#rows.length * PART_SIZE) / this.#part.size);
    this.#count = Math.min(Math.max(fitting, 1), MOST_AT_ONCE);
  }

  #slice(): Buffer {
    const out = new JsonBytes(SLICE + SLICE / 4);
    if (!this.#isBegun) out.json(`${this.#around.before}[`);
    while (this.#rows.length > 0 && out.length < SLICE) this.#writeNext(out);
    if (this.#rows.length + this.#rest.length === 0) this.#end(out);
    return out.finish();
  }

  #writeNext(out: JsonBytes): void {
    if (this.#isBegun) out.json(',');
    this.#isBegun = true;
    this.#part?.write(out, this.#rows.pop() as DataRow);
  }

  #end(out: JsonBytes): void {
    this.#isOver = true;
    out.json(`]${this.#around.behind}`);
  }
}
