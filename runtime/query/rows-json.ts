/**
 * The JSON of an answer. First the rows of all its collections are read, a statement for each, however many rows there
 * are; then everything is written, from the bytes of the rows. No object is made of a row, unless the code of a hook
 * takes part. A long list is written a slice at a time, as fast as the client reads it, and its rows are freed one by
 * one. Most lists with very many records are read a part at a time.
 */
import type { Buffer } from 'node:buffer';
import type { DataRow } from './data-row.ts';
import type { DataConnection } from './database.ts';
import { JsonBytes, Piece } from './json-bytes.ts';
import type { Around, JsonSlices } from './json-form.ts';
import { listInParts, listInSlices, type PartOfList, type RestOfRecords } from './list-parts.ts';
import { type QueryScope, run } from './prepared.ts';
import {
  type Collection,
  type JsonField,
  type JsonShape,
  jsonShapeOf,
  objectsFromRows,
  type Part,
  type Target,
} from './shape.ts';

export interface JsonReading {
  list(rows: readonly DataRow[], scope: QueryScope, around?: Around): Promise<Buffer | JsonSlices>;
  record(row: DataRow, scope: QueryScope): Promise<Buffer>;
  /** A list whose records are read a part at a time. Not in a transaction, which ends before it. */
  inParts(rest: RestOfRecords, scope: QueryScope, around?: Around): Promise<JsonSlices>;
}

const ALONE: Around = { before: '', behind: '' };

/** The limit in bytes. A shorter body is written at once, with its length in front. */
export const LONG = 512 * 1024;

export function jsonReadingOf(parts: readonly Part[]): JsonReading {
  const shape = jsonShapeOf(parts);
  return shape === null ? readingBy(throughObjects(parts)) : readingBy(fromBytes(shape));
}

/** Reads what belongs to the rows. */
type Gather<Item> = (rows: readonly DataRow[], scope: QueryScope) => Promise<PartOfList<Item>>;

function throughObjects(parts: readonly Part[]): Gather<Target> {
  return async (rows, scope) => ({
    rows: await objectsFromRows(rows, parts, scope),
    size: rows.reduce((sum, row) => sum + row.size, BRACKETS),
    write: (out, object) => out.json(JSON.stringify(object)),
  });
}

function fromBytes(shape: JsonShape): Gather<DataRow> {
  return async (rows, scope) => {
    const gathered = await gather(rows, shape, scope);
    return {
      rows,
      size: gathered.size,
      write: (out, row) => writeObject(out, row, shape, gathered),
      free: () => gathered.empty(),
    };
  };
}

function readingBy<Item>(gatherPart: Gather<Item>): JsonReading {
  return {
    async list(rows, scope, around = ALONE) {
      const part = await gatherPart(rows, scope);
      if (part.size > LONG) return listInSlices(part, around);
      const out = new JsonBytes(part.size + around.before.length + around.behind.length);
      out.json(around.before);
      writeList(out, part.rows, part.write);
      out.json(around.behind);
      return out.finish();
    },
    async record(row, scope) {
      const { size, rows, write } = await gatherPart([row], scope);
      const out = new JsonBytes(size);
      write(out, rows[0] as Item);
      return out.finish();
    },
    inParts(rest, scope, around = ALONE) {
      const { connection } = scope;
      const read = async (count: number) => {
        const { own, empty } = withEmptiedResults(laterThan(connection));
        const within = { ...scope, connection: own };
        const part = await gatherPart(await rest.read(count, within), within);
        const free = () => {
          empty();
          part.free?.();
        };
        return { ...part, free };
      };
      return listInParts(rest, read, around);
    },
  };
}

/**
 * A connection whose results are emptied when nobody needs them any more. V8 moves an array that lives for a while to its old
 * generation, which it collects seldom. There it would keep its rows, also those that are younger, and with them what these lead to.
 */
function withEmptiedResults(connection: DataConnection) {
  const results: DataRow[][] = [];
  const fetch: DataConnection['fetch'] = async (...call) => {
    const result = await connection.fetch(...call);
    results.push(result.rows as DataRow[]);
    return result;
  };
  const own: DataConnection = { run: (...call) => connection.run(...call), fetch };
  const empty = () => {
    for (const rows of results) rows.length = 0;
  };
  return { own, empty };
}

function laterThan(connection: DataConnection): DataConnection {
  if (connection.later === undefined) throw new Error('a list is read in parts in a transaction, which ends before it');
  return connection.later();
}

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** An id as the key of a group. Most are integers, and a number costs less than a text. */
type Key = number | string;
type Groups = Map<Key, DataRow[]>;

class Gathered {
  readonly collections = new Map<Collection, Groups>();
  /** How long the JSON will be, if nothing in it is escaped. */
  size = 0;

  /** Empties the results, like those of a connection. */
  empty(): void {
    for (const groups of this.collections.values()) {
      for (const rows of groups.values()) rows.length = 0;
      groups.clear();
    }
  }
}

async function gather(
  rows: readonly DataRow[],
  shape: JsonShape,
  scope: QueryScope,
  gathered = new Gathered(),
): Promise<Gathered> {
  gathered.size += sizeOf(rows, shape);
  if (shape.collections.length === 0 || rows.length === 0) return gathered;
  await Promise.all(shape.collections.map((field) => gatherCollection(field, rows, scope, gathered)));
  return gathered;
}

const COMMA = 1;
const BRACKETS = 2;

function sizeOf(rows: readonly DataRow[], { size }: JsonShape): number {
  let sum = BRACKETS + rows.length * (size + COMMA);
  for (let at = 0; at < rows.length; at++) sum += (rows[at] as DataRow).size;
  return sum;
}

async function gatherCollection(
  { at, collection, shape }: JsonField,
  rows: readonly DataRow[],
  scope: QueryScope,
  gathered: Gathered,
): Promise<void> {
  const { prepared, keyAt } = collection as Collection;
  const ids = at < 0 ? [] : idsIn(rows, at);
  if (at >= 0 && ids.length === 0) return;
  const { rows: found } = await run(prepared, scope, { ids });
  gathered.collections.set(collection as Collection, groupsOf(found, keyAt));
  await gather(found, shape as JsonShape, scope, gathered);
}

function idsIn(rows: readonly DataRow[], at: number): readonly string[] {
  const ids = new Set<string>();
  for (const row of rows) {
    const id = row.text(at);
    if (id !== null) ids.add(id);
  }
  return [...ids];
}

/** No id is negative as a number. */
const ALL = -1;
const NOBODY = -2;

function groupsOf(rows: readonly DataRow[], keyAt: number | null): Groups {
  const groups: Groups = new Map();
  for (const row of rows) {
    const key = keyAt === null ? ALL : keyIn(row, keyAt);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

const DIGIT_ZERO = '0'.charCodeAt(0);
const EXACT_DIGITS = 15;

/** The texts of two ids are the same where their keys are. */
function keyIn(row: DataRow, at: number): Key {
  const start = row.find(at);
  if (start < 0) return NOBODY;
  const { view, bytes } = row.chunk;
  const length = row.end - start;
  const isShort = length > 0 && length <= EXACT_DIGITS && view.getUint8(start) !== DIGIT_ZERO;
  let key = 0;
  for (let digit = start; isShort && digit < row.end; digit++) {
    const value = view.getUint8(digit) - DIGIT_ZERO;
    if (value < 0 || value > 9) return bytes.toString('utf8', start, row.end);
    key = key * 10 + value;
  }
  return isShort ? key : bytes.toString('utf8', start, row.end);
}

// ── Writing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const OPEN_LIST = '['.charCodeAt(0);
const CLOSE_LIST = ']'.charCodeAt(0);
const CLOSE_OBJECT = '}'.charCodeAt(0);
const SEPARATOR = ','.charCodeAt(0);
const NULL = new Piece('null');
const EMPTY = new Piece('{');

function writeList<Item>(out: JsonBytes, items: readonly Item[], write: PartOfList<Item>['write']): void {
  out.byte(OPEN_LIST);
  for (let at = 0; at < items.length; at++) {
    if (at > 0) out.byte(SEPARATOR);
    write(out, items[at] as Item);
  }
  out.byte(CLOSE_LIST);
}

function writeObject(out: JsonBytes, row: DataRow, { fields }: JsonShape, gathered: Gathered): void {
  if (fields.length === 0) out.piece(EMPTY);
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] as JsonField;
    out.piece(field.key);
    writeField(out, row, field, gathered);
  }
  out.byte(CLOSE_OBJECT);
}

function writeField(out: JsonBytes, row: DataRow, field: JsonField, gathered: Gathered): void {
  const { kind, form } = field;
  const shape = field.shape as JsonShape;
  const start = kind === 'many' ? 0 : row.find(field.at);
  if (start < 0) out.piece(NULL);
  else if (form !== null) form(out, row, start);
  else if (kind === 'one') writeObject(out, row, shape, gathered);
  else writeList(out, recordsOf(row, field, gathered), (to, record) => writeObject(to, record, shape, gathered));
}

const NOTHING: readonly DataRow[] = [];

function recordsOf(row: DataRow, { at, collection }: JsonField, { collections }: Gathered): readonly DataRow[] {
  const groups = collections.get(collection as Collection);
  return groups?.get(at < 0 ? ALL : keyIn(row, at)) ?? NOTHING;
}
