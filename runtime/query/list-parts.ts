/**
 * A list with so many records that they are not read at once: a part of them at a time, with what belongs to it, when the
 * client has taken all before it. So neither the memory nor the time that others wait depends on how many there are. Each part
 * is read by statements of its own, and holds a connection only while they run.
 */
import type { Buffer } from 'node:buffer';
import type { DataRow } from './data-row.ts';
import type { DataConnection } from './database.ts';
import { JsonBytes } from './json-bytes.ts';
import { type Around, type JsonSlices, SLICE } from './json-form.ts';

/** The records of a list that are still to be read. */
export interface RestOfRecords {
  /** The size in bytes that stays in memory until the last part. */
  readonly size: number;
  readonly isEmpty: boolean;
  /** The next ones, at most so many. There are fewer, or none, where some are gone. */
  read(count: number, connection: DataConnection): Promise<readonly DataRow[]>;
}

interface PartOfList<Item> {
  readonly rows: readonly Item[];
  /** The size in bytes, with what belongs to the records. */
  readonly size: number;
  write(out: JsonBytes, row: Item): void;
  /** Called when all of it is written, and another part is read. */
  free?(): void;
}

type Rest = Pick<RestOfRecords, 'size' | 'isEmpty'>;

/** The next records of the list, at most so many, with what belongs to them. */
type ReadPart<Item> = (count: number) => Promise<PartOfList<Item>>;

/** The limit of records that are read at once. */
export const MOST_AT_ONCE = 1000;

/** The number of records in the first part, when the size of a record is not known yet. */
const FIRST_PART = 200;

/** The approximate size of a part, in bytes. It stays in memory for as long as a slow client reads it. */
const PART_SIZE = 256 * 1024;

/** Reads the first part at once, so that the client still gets an error. */
export async function listInParts<Item>(rest: Rest, read: ReadPart<Item>, around: Around): Promise<JsonSlices> {
  const slices = new ListSlices(rest, read, around);
  await slices.readPart();
  return slices;
}

/** A list that is one part. */
export function listInSlices<Item>(whole: PartOfList<Item>, around: Around): JsonSlices {
  const slices = new ListSlices<Item>(NOTHING_LEFT, nothingLeft, around);
  slices.take(whole);
  return slices;
}

const NOTHING_LEFT: Rest = { size: 0, isEmpty: true };

async function nothingLeft(): Promise<never> {
  throw new Error('all records of the list are in memory');
}

const SEPARATOR = ','.charCodeAt(0);

class ListSlices<Item> implements JsonSlices {
  readonly #rest: Rest;
  readonly #read: ReadPart<Item>;
  readonly #around: Around;
  /** The part without its rows: it would hold those that have been written. */
  #part: Omit<PartOfList<Item>, 'rows'> | null = null;
  /** The last one first: what has been written is taken off the end, and can be freed. */
  #rows: Item[] = [];
  #count = FIRST_PART;
  #isBegun = false;
  #hasItems = false;
  #isOver = false;

  constructor(rest: Rest, read: ReadPart<Item>, around: Around) {
    this.#rest = rest;
    this.#read = read;
    this.#around = around;
  }

  /**
   * The size with the part that is in memory. Later parts are about as large as `PART_SIZE`, even if the first one is
   * smaller.
   */
  get size(): number {
    return this.#rest.size + Math.max(this.#part?.size ?? 0, PART_SIZE);
  }

  next(): Buffer | null | Promise<Buffer> {
    if (this.#isOver) return null;
    if (this.#rows.length > 0 || this.#rest.isEmpty) return this.#slice();
    return this.readPart().then(() => this.#slice());
  }

  /** Reads a part with records, unless all that are left are gone. */
  async readPart(): Promise<void> {
    do {
      // Its memory can be used for the next one.
      this.#part?.free?.();
      this.take(await this.#read(this.#count));
    } while (this.#rows.length === 0 && !this.#rest.isEmpty);
  }

  take({ rows, ...part }: PartOfList<Item>): void {
    this.#part = part;
    this.#rows = rows.toReversed();
    const fitting = Math.floor((rows.length * PART_SIZE) / part.size);
    this.#count = Math.min(Math.max(fitting, 1), MOST_AT_ONCE);
  }

  #slice(): Buffer {
    const out = new JsonBytes(SLICE + SLICE / 4);
    if (!this.#isBegun) out.json(`${this.#around.before}[`);
    this.#isBegun = true;
    while (this.#rows.length > 0 && out.length < SLICE) this.#writeNext(out);
    if (this.#rows.length === 0 && this.#rest.isEmpty) this.#end(out);
    return out.finish();
  }

  #writeNext(out: JsonBytes): void {
    if (this.#hasItems) out.byte(SEPARATOR);
    this.#hasItems = true;
    this.#part?.write(out, this.#rows.pop() as Item);
  }

  #end(out: JsonBytes): void {
    this.#isOver = true;
    out.json(`]${this.#around.behind}`);
  }
}
