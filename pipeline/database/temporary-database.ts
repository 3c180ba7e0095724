import { randomBytes } from 'node:crypto';
import { withClient } from './connect.ts';
import { withDatabase } from './database-url.ts';

/** A database of its own beside the one of the URL, which is not touched. It is there for as long as the work takes. */
export async function withTemporaryDatabase<T>(url: string, work: (url: string) => Promise<T>): Promise<T> {
  const name = `kiln_temporary_${randomBytes(8).toString('hex')}`;
  // Every server has the database `postgres`, for this.
  const server = withDatabase(url, 'postgres');
  await withClient(server, (client) => client.query(`CREATE DATABASE ${name}`));
  try {
    return await work(withDatabase(url, name));
  } finally {
    await withClient(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
  }
}
