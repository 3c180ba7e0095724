/**
 * The destination of rows: a buffer for each table, emptied by COPY in the order of the tables when all of them
 * together are full. While one batch is sent the next is made; there are never more than these two.
 */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import type { Field, Model } from '../../compiler/definition/definition.ts';
import { quotedName } from '../../compiler/definition/sql/sql.ts';
import type { Block } from './blocks.ts';
import { PopulateError } from './populate-error.ts';

/** The sizes in characters. A frame is sent at once, a batch is checked by Postgres at once. */
const FRAME = 1 << 16;
const BATCH = 1 << 21;

interface Buffered {
  readonly model: Model;
  text: string;
  frames: Buffer[];
  stretches: Stretch[];
  rows: number;
}

interface SinkEvents {
  /** Called when the rows so far are on their way, before all that are added later. */
  frozen(): void;
  /** Postgres has taken the rows. */
  stored(model: Model, rows: number): void;
}

export class Sink {
  readonly #client: pg.Client;
  readonly #tables: readonly Buffered[];
  readonly #byModel: ReadonlyMap<string, Buffered>;
  readonly #events: SinkEvents;
  #size = 0;
  #sending: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(client: pg.Client, order: readonly Model[], events: SinkEvents) {
    this.#client = client;
    this.#tables = order.map(emptyBuffer);
    this.#byModel = new Map(this.#tables.map((table) => [table.model.name, table]));
    this.#events = events;
  }

  /** Whether to wait for `turn` before more is added. */
  add(block: Block, line: string): boolean {
    const table = this.#byModel.get(block.model.name) as Buffered;
    table.text += `${line}\n`;
    table.rows++;
    this.#size += line.length;
    stretch(table, block);
    if (table.text.length >= FRAME) pack(table);
    else return this.#size >= BATCH;
    return true;
  }

  /** Lets the previous batch continue, and sends this one when it is full. */
  async turn(): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    if (this.#size >= BATCH) return this.flush();
    if (this.#sending) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Sends the rows so far, before all that are added later. */
  async flush(): Promise<void> {
    await this.#sending;
    if (this.#failure) throw this.#failure.error;
    const batch = this.#tables.filter(({ rows }) => rows > 0).map(taken);
    this.#size = 0;
    this.#events.frozen();
    this.#sending = this.#send(batch).catch((error) => {
      this.#failure = { error };
    });
  }

  async finish(): Promise<void> {
    await this.flush();
    await this.#sending;
    if (this.#failure) throw this.#failure.error;
  }

  /** Waits until the connection is free again. Its failure was reported already, or no longer matters. */
  async abandon(): Promise<void> {
    await this.#sending;
  }

  async #send(batch: readonly Buffered[]): Promise<void> {
    for (const { model, frames, stretches, rows } of batch) {
      try {
        await pipeline(Readable.from(frames), this.#client.query(from(copySql(model))));
      } catch (error) {
        throw failureOfCopy(error, model, stretches);
      }
      this.#events.stored(model, rows);
    }
  }
}

function emptyBuffer(model: Model): Buffered {
  return { model, text: '', frames: [], stretches: [], rows: 0 };
}

function pack(table: Buffered): void {
  if (table.text !== '') table.frames.push(Buffer.from(table.text));
  table.text = '';
}

function taken(table: Buffered): Buffered {
  pack(table);
  const { model, frames, stretches, rows } = table;
  Object.assign(table, emptyBuffer(model));
  return { model, text: '', frames, stretches, rows };
}

function stretch({ stretches }: Buffered, block: Block): void {
  const last = stretches.at(-1);
  if (last && last.block === block && last.first + last.count === block.made) last.count++;
  else stretches.push({ block, first: block.made, count: 1 });
}

function copySql({ table, fields }: Model): string {
  return `COPY ${quotedName(table)} (${fields.map(({ column }) => quotedName(column)).join(', ')}) FROM STDIN`;
}

// ── Failures ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// The refusals of Postgres in the words of the program: the constraint's columns as fields, its line as a record.

/** Records of one block that lie one after the other in a COPY. */
interface Stretch {
  readonly block: Block;
  readonly first: number;
  count: number;
}

interface PostgresError {
  readonly code?: string;
  readonly message: string;
  readonly detail?: string;
  readonly where?: string;
  readonly column?: string;
}

function failureOfCopy(error: unknown, model: Model, stretches: readonly Stretch[]): PopulateError {
  const said = error as PostgresError;
  const fields = fieldsOf(said, model);
  const line = Number(/^COPY .*?, line (\d+)/.exec(said.where ?? '')?.[1] ?? 0);
  const found = line > 0 ? recordAt(line, stretches) : null;
  const block = found?.block ?? stretches[0]?.block;
  const field = fields.map(({ name, reference }) => reference ?? name).join(', ') || null;
  const place = { block: block?.path ?? model.name, model: model.name, record: found?.record ?? null, field };
  return new PopulateError(reasonOf(said, fields), place, error);
}

function recordAt(line: number, stretches: readonly Stretch[]): { block: Block; record: number } | null {
  let rest = line - 1;
  for (const { block, first, count } of stretches) {
    if (rest < count) return { block, record: first + rest };
    rest -= count;
  }
  return null;
}

/** `Key (organisation_id, number)=(1, 2) already exists.` */
function fieldsOf({ detail = '', where = '', column }: PostgresError, { fields }: Model): readonly Field[] {
  const key = /^Key \((.+?)\)=\(/.exec(detail)?.[1]?.split(', ') ?? [];
  const inLine = /, column ([^:]+):/.exec(where)?.[1];
  const columns = [...key, ...(key.length === 0 ? [column ?? inLine ?? ''] : [])].map(unquoted);
  return columns.flatMap((name) => fields.find((field) => field.column === name) ?? []);
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

function reasonOf({ code, message, detail = '' }: PostgresError, fields: readonly Field[]): string {
  const value = fields.some(({ secret }) => secret) ? '' : (/\)=\((.*)\) /s.exec(detail)?.[1] ?? '');
  const shown = value === '' ? '' : ` ${value}`;
  if (code === '23505') return `the value${shown} already exists, but must be unique`;
  if (code === '23503') return `there is no record${shown} to refer to`;
  return fields.some(({ secret }) => secret) ? 'Postgres rejects the value' : `Postgres says: ${message}`;
}
