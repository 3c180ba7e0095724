/**
 * The contents of the tables before the first row is added, read in the transaction of the run. The tables that get
 * rows are locked against other writers, so that these facts stay true; readers are not disturbed.
 */
import type pg from 'pg';
import type { Field, Model } from '../../compiler/definition/definition.ts';
import { quotedName } from '../../compiler/definition/sql/names.ts';
import { parserOf } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { type FreeNumbers, Ids } from './candidates.ts';
import { PopulateError } from './populate-error.ts';
import { REFERENCE_TIME, timedUuids } from './random.ts';

/** The number of existing records that references choose from. */
const SAMPLE = 10_000;
const MOST_TAKEN = 200_000;
const LOCK_TIMEOUT = 30_000;
const END_OF_UUID_TIME = 2 ** 48;

export class StartingState {
  readonly #client: pg.Client;
  readonly #seed: number;
  readonly #ids = new Map<string, Promise<Ids>>();
  readonly #first = new Map<string, Promise<number>>();
  readonly #greatest = new Map<string, Promise<string | null>>();

  constructor(client: pg.Client, seed: number) {
    this.#client = client;
    this.#seed = seed;
  }

  /** Locks the tables in one order whatever the populator, so that two runs never deadlock. */
  async lock(models: readonly Model[]): Promise<void> {
    const tables = [...new Set(models.map(({ table }) => table))].sort().map(quotedName);
    await this.#client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
    await this.#client.query('SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0');
    if (tables.length === 0) return;
    const lock = this.#client.query(`LOCK TABLE ${tables.join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
    await lock.catch((error: unknown) => {
      throw lockFailure(error);
    });
  }

  ids(model: Model): Promise<Ids> {
    return remembered(this.#ids, model.name, () => this.#readIds(model));
  }

  /** The number of the first id: itself, or the milliseconds in a UUID. */
  first(model: Model): Promise<number> {
    return remembered(this.#first, model.name, () => (isUuid(model) ? this.#firstTime(model) : this.#firstId(model)));
  }

  /** The first number of a candidate whose values are free. */
  async firstFree(model: Model, { column }: Field, free: FreeNumbers): Promise<number> {
    const text = `SELECT ${free.sql(quotedName(column))} FROM ${quotedName(model.table)}`;
    const found = await remembered(this.#greatest, text, async () => (await this.#texts(text))[0]?.[0] ?? null);
    return found === null ? 1 : free.after(Number(found));
  }

  /** The keys of the rows that are there. */
  async taken(model: Model, fields: readonly Field[]): Promise<ReadonlySet<string>> {
    const columns = fields.map(({ column }) => quotedName(column)).join(', ');
    const rows = await this.#texts(`SELECT ${columns} FROM ${quotedName(model.table)} LIMIT ${MOST_TAKEN + 1}`);
    if (rows.length > MOST_TAKEN) throw new PopulateError(tooMany(model, fields));
    const parsers = fields.map(({ type }) => parserOf(type));
    return new Set(rows.map((row) => keyOf(parsers.map((parse, index) => parse(row[index] ?? null)))));
  }

  /** Advances the sequences past the new rows. Only a commit comes after this: sequences are not rolled back. */
  async advanceSequences(models: readonly Model[]): Promise<void> {
    for (const model of models) {
      const { made } = await this.ids(model);
      if (isUuid(model) || made === 0) continue;
      const last = (await this.first(model)) + made - 1;
      await this.#client.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [
        quotedName(model.table),
        'id',
        last,
      ]);
    }
  }

  async #readIds(model: Model): Promise<Ids> {
    const [id] = model.fields;
    const parse = parserOf(id?.type ?? { kind: 'integer' });
    const rows = await this.#texts(`SELECT id FROM ${quotedName(model.table)} ORDER BY id LIMIT ${SAMPLE}`);
    const existing = rows.map(([text]) => parse(text ?? null));
    const first = await this.first(model);
    const uuid = timedUuids(`${this.#seed} ${model.table}`);
    return new Ids(existing, isUuid(model) ? (index) => uuid(first + index) : (index) => first + index);
  }

  async #firstId({ table }: Model): Promise<number> {
    const sequence = await this.#texts('SELECT pg_get_serial_sequence($1, $2)', [quotedName(table), 'id']);
    const counted = `SELECT last_value + is_called::int FROM ${sequence[0]?.[0]}`;
    const [row] = await this.#texts(`SELECT greatest((${counted}), (SELECT max(id) + 1 FROM ${quotedName(table)}))`);
    return Number(row?.[0]);
  }

  async #firstTime({ table }: Model): Promise<number> {
    const [row] = await this.#texts(`SELECT id FROM ${quotedName(table)} ORDER BY id DESC LIMIT 1`);
    const latest = Number.parseInt((row?.[0] ?? '').replace('-', '').slice(0, 12) || '0', 16);
    // No time follows the last one; the random part still distinguishes the ids.
    return latest > END_OF_UUID_TIME - 2 ** 40 ? REFERENCE_TIME : Math.max(REFERENCE_TIME, latest + 1);
  }

  async #texts(text: string, values: readonly string[] = []): Promise<readonly (readonly (string | null)[])[]> {
    const types = { getTypeParser: () => (found: string) => found };
    const query = { text, values: [...values], rowMode: 'array' as const, types };
    return (await this.#client.query<(string | null)[]>(query)).rows;
  }
}

function lockFailure(error: unknown): unknown {
  const { code, message = '' } = error as { readonly code?: string; readonly message?: string };
  if (code === '42P01')
    return new PopulateError(`the database does not match this application: ${message}`, null, error);
  if (code !== '55P03') return error;
  return new PopulateError(
    `other transactions are writing to the tables and did not end within ${LOCK_TIMEOUT / 1000} s`,
    null,
    error,
  );
}

/** Returns the value for the key, made on first use. */
export function remembered<T extends object>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

function tooMany({ name }: Model, fields: readonly Field[]): string {
  const names = fields.map((field) => `\`${name}.${field.name}\``).join(' and ');
  return `there are already more than ${MOST_TAKEN} records, too many to find unused values for ${names}: set these fields`;
}

function isUuid({ fields: [id] }: Model): boolean {
  return id?.type.kind === 'uuid';
}

export function keyOf(values: readonly Value[]): string {
  return values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value))).join('\u001f');
}
