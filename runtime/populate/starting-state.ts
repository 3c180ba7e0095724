/**
 * The contents of the tables before the first row is added, read in the transaction of the run. The tables that get
 * rows are locked against other writers, so that these facts stay true; readers are not disturbed.
 */
import type pg from 'pg';
import type { Field, Model } from '../../compiler/definition/definition.ts';
import { quotedName } from '../../compiler/definition/sql/sql.ts';
import { parserOf } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { type FreeNumbers, type Ids, idsFrom } from './candidates.ts';
import { PopulateError } from './populate-error.ts';
import { REFERENCE_TIME, timedUuids } from './random.ts';

/** The number of existing records that references choose from. */
const SAMPLE = 10_000;
const MOST_TAKEN = 200_000;
const LOCK_TIMEOUT = 30_000;
const END_OF_UUID_TIME = 2 ** 48;

export type StartingState = ReturnType<typeof startingState>;

export function startingState(client: pg.Client, seed: number) {
  const allIds = new Map<string, Promise<Ids>>();
  const firsts = new Map<string, Promise<number>>();
  const greatest = new Map<string, Promise<string | null>>();

  const texts = async (
    text: string,
    values: readonly string[] = [],
  ): Promise<readonly (readonly (string | null)[])[]> => {
    const types = { getTypeParser: () => (found: string) => found };
    const query = { text, values: [...values], rowMode: 'array' as const, types };
    return (await client.query<(string | null)[]>(query)).rows;
  };

  const firstId = async ({ table }: Model): Promise<number> => {
    const sequence = await texts('SELECT pg_get_serial_sequence($1, $2)', [quotedName(table), 'id']);
    const counted = `SELECT last_value + is_called::int FROM ${sequence[0]?.[0]}`;
    const [row] = await texts(`SELECT greatest((${counted}), (SELECT max(id) + 1 FROM ${quotedName(table)}))`);
    return Number(row?.[0]);
  };

  const firstTime = async ({ table }: Model): Promise<number> => {
    const [row] = await texts(`SELECT id FROM ${quotedName(table)} ORDER BY id DESC LIMIT 1`);
    const latest = Number.parseInt((row?.[0] ?? '').replace('-', '').slice(0, 12) || '0', 16);
    // No time follows the last one; the random part still distinguishes the ids.
    return latest > END_OF_UUID_TIME - 2 ** 40 ? REFERENCE_TIME : Math.max(REFERENCE_TIME, latest + 1);
  };

  /** The number of the first id: itself, or the milliseconds in a UUID. */
  const first = (model: Model): Promise<number> =>
    remembered(firsts, model.name, () => (isUuid(model) ? firstTime(model) : firstId(model)));

  const readIds = async (model: Model): Promise<Ids> => {
    const [id] = model.fields;
    const parse = parserOf(id?.type ?? { kind: 'integer' });
    const rows = await texts(`SELECT id FROM ${quotedName(model.table)} ORDER BY id LIMIT ${SAMPLE}`);
    const existing = rows.map(([text]) => parse(text ?? null));
    const begin = await first(model);
    const uuid = timedUuids(`${seed} ${model.table}`);
    return idsFrom(existing, isUuid(model) ? (index) => uuid(begin + index) : (index) => begin + index);
  };

  const ids = (model: Model): Promise<Ids> => remembered(allIds, model.name, () => readIds(model));

  return {
    ids,
    first,
    /** Locks the tables in one order whatever the populator, so that two runs never deadlock. */
    async lock(models: readonly Model[]): Promise<void> {
      const tables = [...new Set(models.map(({ table }) => table))].sort().map(quotedName);
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
      await client.query('SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0');
      if (tables.length === 0) return;
      await client.query(`LOCK TABLE ${tables.join(', ')} IN SHARE ROW EXCLUSIVE MODE`).catch((error: unknown) => {
        throw lockFailure(error);
      });
    },
    /** The first number of a candidate whose values are free. */
    async firstFree(model: Model, { column }: Field, free: FreeNumbers): Promise<number> {
      const text = `SELECT ${free.sql(quotedName(column))} FROM ${quotedName(model.table)}`;
      const found = await remembered(greatest, text, async () => (await texts(text))[0]?.[0] ?? null);
      return found === null ? 1 : free.after(Number(found));
    },
    /** The keys of the rows that are there. */
    async taken(model: Model, fields: readonly Field[]): Promise<ReadonlySet<string>> {
      const columns = fields.map(({ column }) => quotedName(column)).join(', ');
      const rows = await texts(`SELECT ${columns} FROM ${quotedName(model.table)} LIMIT ${MOST_TAKEN + 1}`);
      if (rows.length > MOST_TAKEN) throw new PopulateError(tooMany(model, fields));
      const parsers = fields.map(({ type }) => parserOf(type));
      return new Set(rows.map((row) => keyOf(parsers.map((parse, index) => parse(row[index] ?? null)))));
    },
    /** Advances the sequences past the new rows. Only a commit comes after this: sequences are not rolled back. */
    async advanceSequences(models: readonly Model[]): Promise<void> {
      for (const model of models) {
        const made = (await ids(model)).made();
        if (isUuid(model) || made === 0) continue;
        const last = (await first(model)) + made - 1;
        const sequence = [quotedName(model.table), 'id', last];
        await client.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', sequence);
      }
    },
  };
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
