/**
 * What a migration must not do to tables that others use: read all rows under a lock for which writers wait, or write a
 * table anew.
 */
import { expect } from 'chai';
import type pg from 'pg';

interface TableFile {
  readonly oid: number;
  readonly name: string;
  /** Another one once the table is written anew. */
  readonly file: number;
}

interface TableScans {
  readonly oid: number;
  readonly name: string;
  /** How often all of its rows were read. */
  readonly scans: number;
}

const TABLES = `
  SELECT pg_class.oid::int AS oid, relname AS name, relfilenode::bigint::int AS file
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE relkind = 'r' AND (nspname = 'public' OR nspname LIKE 'kiln\\_%')`;

/**
 * What this session has not told to others yet, so transactions of before may be among it. The view of Postgres would also
 * look up what nobody asks for, of all tables, and take longer than most statements of a migration.
 */
const SCANS = `
  SELECT oid::int AS oid, relname AS name, pg_stat_get_xact_numscans(oid)::int AS scans FROM pg_class
  WHERE oid = ANY ($1::oid[])`;

const LOCKED = `
  SELECT relation::int AS oid FROM pg_locks WHERE pid = pg_backend_pid() AND granted AND locktype = 'relation'
    AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;

export class RowsInUse {
  readonly #client: pg.Client;
  readonly #tables: readonly TableFile[];
  readonly #hint: string;

  private constructor(client: pg.Client, tables: readonly TableFile[], hint: string) {
    this.#client = client;
    this.#tables = tables;
    this.#hint = hint;
  }

  static async of(client: pg.Client, hint: string): Promise<RowsInUse> {
    return new RowsInUse(client, (await client.query<TableFile>(TABLES)).rows, hint);
  }

  /** `work` is all of a transaction. */
  async expectNotReadUnderLock(work: () => Promise<void>, statements: readonly string[]): Promise<void> {
    const before = new Map((await this.#scans()).map(({ oid, scans }) => [oid, scans]));
    await work();
    const read = (await this.#scans()).filter(({ oid, scans }) => scans > (before.get(oid) ?? 0));
    if (read.length === 0) return;
    const { rows } = await this.#client.query<{ oid: number }>(LOCKED);
    const locked = new Set(rows.map(({ oid }) => oid));
    const hint = `${this.#hint}\n${statements.join('\n')}\nreads all rows of tables that writers wait for`;
    expect(
      read.filter(({ oid }) => locked.has(oid)),
      hint,
    ).to.deep.equal([]);
  }

  /** Of the tables that were there at first. */
  async #scans(): Promise<readonly TableScans[]> {
    return (await this.#client.query<TableScans>(SCANS, [this.#tables.map(({ oid }) => oid)])).rows;
  }

  async expectNotRewritten(): Promise<void> {
    const before = new Map(this.#tables.map(({ oid, file }) => [oid, file]));
    const { rows } = await this.#client.query<TableFile>(TABLES);
    const rewritten = rows.filter(({ oid, file }) => before.has(oid) && before.get(oid) !== file);
    expect(rewritten, `${this.#hint}\ntables that were written anew`).to.deep.equal([]);
  }
}
