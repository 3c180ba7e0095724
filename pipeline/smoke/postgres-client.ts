/** Connections from this machine to the Postgres of a test. They give up after a while. */
import type pg from 'pg';

const LONGEST_CONNECT = 5000;
const LONGEST_STATEMENT = 20_000;

export type Row = Readonly<Record<string, string>>;

/** Several results where there are several statements. */
export async function query(url: string, sql: string): Promise<pg.QueryResult<Row> | readonly pg.QueryResult<Row>[]> {
  const client = await connected(url);
  try {
    return await client.query<Row>(sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Not with the rest: a build without a test need not wait for it. */
export async function loadDriver() {
  return await import('pg');
}

export async function connected(url: string): Promise<pg.Client> {
  const { default: driver } = await loadDriver();
  const limits = { connectionTimeoutMillis: LONGEST_CONNECT, query_timeout: LONGEST_STATEMENT };
  const client = new driver.Client({ connectionString: url, ...limits });
  // A connection that breaks is seen by what uses it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}
