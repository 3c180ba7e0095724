/**
 * Reads the catalog and holds it against what a release needs. `kiln dev` does so with every edit, and most tables stay as
 * they are: these are known by a digest of all that the catalog has about them, and only the others are read and compared.
 */
import type pg from 'pg';
import type { Schema, Table } from '../../compiler/definition/schema.ts';
import { schemaInCatalog, type TableNames } from './catalog.ts';
import { tableDigests } from './catalog-digests.ts';
import { type Drift, driftBetween } from './drift.ts';
import { oddities } from './oddities.ts';

interface DriftOptions {
  readonly isExpanded?: boolean;
  /** The names of the tables of `schema`, where the database has many others. */
  readonly among?: TableNames;
}

export async function driftIn(
  client: pg.Client,
  schema: Schema,
  { isExpanded = false, among = null }: DriftOptions = {},
): Promise<Drift> {
  return driftBetween(schema, await schemaInCatalog(client, among), await oddities(client, among), isExpanded);
}

interface Checked {
  readonly table: Table;
  readonly digest: string | undefined;
}

export class CheckedTables {
  /** Tables that were found as they should be, by their names. */
  #right: ReadonlyMap<string, Checked> = new Map();

  /** The same as `driftIn`. */
  async drift(client: pg.Client, schema: Schema): Promise<Drift> {
    // Before the rest of the catalog: what somebody changes in between has another digest the next time.
    const digests = await tableDigests(client);
    const others = schema.tables.filter((table) => !this.#isRight(table, digests.get(table.name)));
    const among = others.map(({ name }) => name);
    const drift = await driftIn(client, { ...schema, tables: others }, { among });
    const isRight = drift.wrong.length === 0 && drift.besides.length === 0;
    this.#right = new Map(
      isRight ? schema.tables.map((table) => [table.name, { table, digest: digests.get(table.name) }]) : [],
    );
    return isRight ? drift : driftIn(client, schema);
  }

  #isRight(table: Table, digest: string | undefined): boolean {
    const checked = this.#right.get(table.name);
    return digest !== undefined && checked?.digest === digest && checked.table === table;
  }
}
