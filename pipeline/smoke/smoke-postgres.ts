/** The databases of one test, in a Postgres of its own. */
import type pg from 'pg';

/** The role that may do everything. Only this process uses it, never a container of a test. */
export const ADMIN = 'kiln';
/** How the other containers of the sandbox find the server. */
export const POSTGRES_NAME = 'database';
export const POSTGRES_PORT = 5432;

/** `empty` and `previous` are there from the beginning. */
export type DatabaseName =
  | 'empty'
  | 'previous'
  | 'before'
  | `live_${number}`
  | `around_${number}`
  | `around_${number}_${number}`;

/** The role that owns the databases, and may do nothing else. */
const ROLE = 'test';

/** The URL of a database for the other containers of the sandbox: it can be given to one before there is a server. */
export function urlInSandbox(password: string, database: DatabaseName): string {
  return urlAt(`${POSTGRES_NAME}:${POSTGRES_PORT}`, password, database);
}

function urlAt(address: string, password: string, database: DatabaseName): string {
  return `postgres://${ROLE}:${password}@${address}/${database}`;
}

export type SmokePostgres = Awaited<ReturnType<typeof openSmokePostgres>>;

/** The URL is that of the superuser, from this machine; `password` is that of the role. */
export async function openSmokePostgres(adminUrl: string, password: string) {
  const create = async (database: DatabaseName): Promise<void> => {
    await query(adminUrl, `CREATE DATABASE ${database} OWNER ${ROLE}`);
  };
  await query(adminUrl, `CREATE ROLE ${ROLE} LOGIN PASSWORD '${password}'`);
  await create('empty');
  await create('previous');
  return {
    /** The URL for the other containers of the sandbox. */
    url: (database: DatabaseName) => urlInSandbox(password, database),
    create,
    /** Copies a database with all that is in it. Nobody may be connected to it. */
    copy: async (from: DatabaseName, to: DatabaseName): Promise<void> => {
      await query(adminUrl, `CREATE DATABASE ${to} TEMPLATE ${from} OWNER ${ROLE}`);
    },
    /** Runs statements one after the other, and gives the first row of each. */
    firstRows: async (database: DatabaseName, statements: readonly string[]): Promise<readonly (Row | undefined)[]> => {
      const url = urlAt(new URL(adminUrl).host, password, database);
      const results = [await query(url, statements.join('; '))].flat();
      return results.map(({ rows: [first] }) => first);
    },
  };
}

// ── Postgres client ──────────────────────────────────────────────────────────────────────────────────────────────────

// Connections from this machine to the Postgres of a test. They give up after a while.

const LONGEST_CONNECT = 5000;
const LONGEST_STATEMENT = 20_000;

export type Row = Readonly<Record<string, string>>;

/** Runs a query; it returns several results for several statements. */
export async function query(url: string, sql: string): Promise<pg.QueryResult<Row> | readonly pg.QueryResult<Row>[]> {
  // It is loaded here: a build without a test need not wait for it.
  const { default: driver } = await import('pg');
  const limits = { connectionTimeoutMillis: LONGEST_CONNECT, query_timeout: LONGEST_STATEMENT };
  const client = new driver.Client({ connectionString: url, ...limits });
  // A connection that breaks is seen by what uses it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.query<Row>(sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}
