import { isMissingDatabase, withClient } from './connect.ts';
import { databaseName, withDatabase } from './database-url.ts';

/** Creates the database of the URL where its server has none of that name; whether that was so is the result. */
export async function ensureDatabase(url: string): Promise<boolean> {
  try {
    await withClient(url, async () => undefined);
    return false;
  } catch (error) {
    if (!isMissingDatabase(error)) throw error;
    await createDatabase(url);
    return true;
  }
}

/** Every server has the database `postgres`, for this. */
async function createDatabase(url: string): Promise<void> {
  const { database } = databaseName(url);
  await withClient(withDatabase(url, 'postgres'), async (client) => {
    try {
      await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && ALREADY_THERE.has(String(error.code)))) throw error;
    }
  });
}

/** Another process was faster: before us, or at the same moment. */
const ALREADY_THERE: ReadonlySet<string> = new Set(['42P04', '23505']);
