/**
 * A list with so many records that they are not read at once: a part of them at a time, with what belongs to it, when the
 * client has taken all before it. So neither the memory nor the time that others wait depends on how many there are. Each part
 * is read by statements of its own, and holds a connection only while they run.
 */
import type { Buffer } from 'node:buffer';
import type { DataRow } from './data-row.ts';
import { JsonBytes } from './json-bytes.ts';
import { type Around, type JsonSlices, SLICE } from './json-form.ts';
import type { QueryScope } from './prepared.ts';

/** The records of a list that are still to be read. */
export interface RestOfRecords {
  /** The size in bytes that stays in memory until the last part. */
  readonly size: number;
  readonly isEmpty: boolean;
  /** The next ones, at most so many. There are fewer, or none, where some are gone. */
  read(count: number, scope: QueryScope): Promise<readonly DataRow[]>;
}

export interface PartOfList<Item> {
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
  const slices = slicesOf(rest, read, around);
  await slices.readPart();
  return slices;
}

/** A list that is one part. */
export function listInSlices<Item>(whole: PartOfList<Item>, around: Around): JsonSlices {
  const slices = slicesOf<Item>(NOTHING_LEFT, nothingLeft, around);
  slices.take(whole);
  return slices;
}

const NOTHING_LEFT: Rest = { size: 0, isEmpty: true };

async function nothingLeft(): Promise<never> {
  throw new Error('all records of the list are in memory');
}

const SEPARATOR = ','.charCodeAt(0);

function slicesOf<Item>(rest: Rest, read: ReadPart<Item>, around: Around) {
  /** The part without its rows: it would hold those that have been written. */
  let part: Omit<PartOfList<Item>, 'rows'> | null = null;
  /** The last one first: what has been written is taken off the end, and can be freed. */
  let left: Item[] = [];
  let count = FIRST_PART;
  let beginning = `${around.before}[`;
  let hasItems = false;
  let isOver = false;
  const take = ({ rows, ...others }: PartOfList<Item>): void => {
    part = others;
    left = rows.toReversed();
    const fitting = Math.floor((rows.length * PART_SIZE) / others.size);
    count = Math.min(Math.max(fitting, 1), MOST_AT_ONCE);
  };
  /** Reads a part with records, unless all that are left are gone. */
  const readPart = async (): Promise<void> => {
    do {
      // Its memory can be used for the next one.
      part?.free?.();
      take(await read(count));
    } while (left.length === 0 && !rest.isEmpty);
  };
  const slice = (): Buffer => {
    const out = new JsonBytes(SLICE + SLICE / 4);
    out.json(beginning);
    beginning = '';
    while (left.length > 0 && out.length < SLICE) {
      if (hasItems) out.byte(SEPARATOR);
      hasItems = true;
      part?.write(out, left.pop() as Item);
    }
    isOver = left.length === 0 && rest.isEmpty;
    if (isOver) out.json(`]${around.behind}`);
    return out.finish();
  };
  return {
    take,
    readPart,
    /**
     * The size with the part that is in memory. Later parts are about as large as `PART_SIZE`, even if the first one is
     * smaller.
     */
    get size(): number {
      return rest.size + Math.max(part?.size ?? 0, PART_SIZE);
    },
    next(): Buffer | null | Promise<Buffer> {
      if (isOver) return null;
      return left.length > 0 || rest.isEmpty ? slice() : readPart().then(slice);
    },
  };
}
