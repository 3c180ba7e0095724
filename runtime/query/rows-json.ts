/**
 * The JSON of an answer. First the rows of all its collections are read, a statement for each, however many rows there
 * are; then everything is written, from the bytes of the rows. No object is made of a row, unless the code of a hook
 * takes part. A long list is written a slice at a time, as fast as the client reads it, and its rows are freed one by
 * one. Most lists with very many records are read a part at a time.
 */
import type { Buffer } from 'node:buffer';
import type { Scope } from '../expressions/scope.ts';
import type { DataRow } from './data-row.ts';
import type { Bound, DataConnection, Statement } from './database.ts';
import { JsonBytes, Piece } from './json-bytes.ts';
import type { Around, JsonSlices } from './json-form.ts';
import { listInParts, listInSlices, type RestOfRecords } from './list-parts.ts';
import { run } from './prepared.ts';
import {
  type Collection,
  type JsonField,
  type JsonShape,
  jsonShapeOf,
  objectsFromRows,
  type Part,
  type Target,
} from './shape.ts';

export type Json = string | Buffer;

export interface JsonReading {
  list(rows: readonly DataRow[], connection: DataConnection, scope: Scope, around?: Around): Promise<Json | JsonSlices>;
  record(row: DataRow, connection: DataConnection, scope: Scope): Promise<Json>;
  /** A list whose records are read a part at a time. Not where the code of a hook takes part, nor in a transaction. */
  inParts(rest: RestOfRecords, connection: DataConnection, scope: Scope, around?: Around): Promise<JsonSlices>;
}

const ALONE: Around = { before: '', behind: '' };

/** The limit in bytes. A shorter body is written at once, with its length in front. */
export const LONG = 512 * 1024;

export function jsonReadingOf(parts: readonly Part[]): JsonReading {
  const shape = jsonShapeOf(parts);
  return shape === null ? throughObjects(parts) : fromBytes(shape);
}

function throughObjects(parts: readonly Part[]): JsonReading {
  return {
    async list(rows, connection, scope, around = ALONE) {
      const size = rows.reduce((sum, row) => sum + row.size, 0);
      const objects = await objectsFromRows(rows, parts, connection, scope);
      const write = (out: JsonBytes, object: Target) => out.json(JSON.stringify(object));
      if (size > LONG) return listInSlices({ rows: objects, size, write }, around);
      return `${around.before}${JSON.stringify(objects)}${around.behind}`;
    },
    async record(row, connection, scope) {
      return JSON.stringify((await objectsFromRows([row], parts, connection, scope))[0]);
    },
    inParts() {
      throw new Error('a hook takes part in a list that is read in parts');
    },
  };
}

function fromBytes(shape: JsonShape): JsonReading {
  return {
    async list(rows, connection, scope, around = ALONE) {
      const gathered =
        shape.collections.length === 0 ? alone(rows, shape) : await gather(rows, shape, connection, scope);
      const { before, behind } = around;
      const { size } = gathered;
      const write = (out: JsonBytes, row: DataRow) => writeObject(out, row, shape, gathered);
      if (size > LONG) return listInSlices({ rows, size, write }, around);
      const out = new JsonBytes(size + before.length + behind.length);
      out.json(before);
      writeList(out, rows, shape, gathered);
      out.json(behind);
      return out.finish();
    },
    async record(row, connection, scope) {
      const gathered =
        shape.collections.length === 0 ? alone([row], shape) : await gather([row], shape, connection, scope);
      const out = new JsonBytes(gathered.size);
      writeObject(out, row, shape, gathered);
      return out.finish();
    },
    inParts: (rest, connection, scope, around = ALONE) => inParts(rest, shape, connection, scope, around),
  };
}

function inParts(
  rest: RestOfRecords,
  shape: JsonShape,
  connection: DataConnection,
  scope: Scope,
  around: Around,
): Promise<JsonSlices> {
  const read = async (count: number) => {
    const results = new EmptiedResults(laterThan(connection));
    const rows = await rest.read(count, results);
    const gathered = await gather(rows, shape, results, scope);
    const write = (out: JsonBytes, row: DataRow) => writeObject(out, row, shape, gathered);
    const free = () => {
      results.empty();
      gathered.empty();
    };
    return { rows, size: gathered.size, write, free };
  };
  return listInParts(rest, read, around);
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
  readonly collections: Map<Collection, Groups>;
  /** How long the JSON will be, if nothing in it is escaped. */
  size = 0;

  constructor(collections = new Map<Collection, Groups>()) {
    this.collections = collections;
  }

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
  connection: DataConnection,
  scope: Scope,
  gathered = new Gathered(),
): Promise<Gathered> {
  gathered.size += sizeOf(rows, shape);
  if (shape.collections.length === 0 || rows.length === 0) return gathered;
  await Promise.all(shape.collections.map((field) => gatherCollection(field, rows, connection, scope, gathered)));
  return gathered;
}

const NO_COLLECTIONS = new Map<Collection, Groups>();

/** The result without collections: there is nothing to wait for. */
function alone(rows: readonly DataRow[], shape: JsonShape): Gathered {
  const gathered = new Gathered(NO_COLLECTIONS);
  gathered.size = sizeOf(rows, shape);
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
  connection: DataConnection,
  scope: Scope,
  gathered: Gathered,
): Promise<void> {
  const { prepared, keyAt } = collection as Collection;
  const ids = at < 0 ? [] : idsIn(rows, at);
  if (at >= 0 && ids.length === 0) return;
  const { rows: found } = await run(prepared, connection, scope, { ids });
  gathered.collections.set(collection as Collection, groupsOf(found, keyAt));
  await gather(found, shape as JsonShape, connection, scope, gathered);
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

function writeList(out: JsonBytes, rows: readonly DataRow[], shape: JsonShape, gathered: Gathered): void {
  out.byte(OPEN_LIST);
  for (let at = 0; at < rows.length; at++) {
    if (at > 0) out.byte(SEPARATOR);
    writeObject(out, rows[at] as DataRow, shape, gathered);
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
  const { kind, form, shape } = field;
  const start = kind === 'many' ? 0 : row.find(field.at);
  if (start < 0) out.piece(NULL);
  else if (form !== null) form(out, row, start);
  else if (kind === 'one') writeObject(out, row, shape as JsonShape, gathered);
  else writeList(out, recordsOf(row, field, gathered), shape as JsonShape, gathered);
}

const NOTHING: readonly DataRow[] = [];

function recordsOf(row: DataRow, { at, collection }: JsonField, { collections }: Gathered): readonly DataRow[] {
  const groups = collections.get(collection as Collection);
  return groups?.get(at < 0 ? ALL : keyIn(row, at)) ?? NOTHING;
}

// ── Emptied results ─────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A connection whose results are emptied when nobody needs them any more. V8 moves an array that lives for a while to its old
 * generation, which it collects seldom. There it would keep its rows, also those that are younger, and with them what these lead to.
 */
class EmptiedResults implements DataConnection {
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
