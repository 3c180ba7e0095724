import { DatabaseRefusal } from '../database/database-refusal.ts';
import { databaseName } from '../database/database-url.ts';
import { ensureDatabase } from '../database/ensure-database.ts';
import { openProjectDatabase, shownDataFolder } from '../database/project-database.ts';
import { note } from './terminal.ts';

export interface LocalDatabase {
  readonly url: string;
  /** As it is called when it is spoken of. */
  readonly name: string;
  stop(): Promise<void>;
}

/** The database of DATABASE_URL, or the project's own Postgres, which is started for it. */
export async function localDatabase(folder: string, databaseUrl: string | null): Promise<LocalDatabase> {
  const database = databaseUrl === null ? await ownDatabase(folder) : givenDatabase(databaseUrl);
  try {
    const isNew = await ensureDatabase(database.url);
    // A slip in the URL looks the same, so it is never done in silence.
    if (isNew && databaseUrl !== null)
      note(`Created the database ${database.name}: DATABASE_URL names it, and it did not exist`);
    return database;
  } catch (error) {
    await database.stop();
    if (databaseUrl !== null && error instanceof DatabaseRefusal) throw withOrigin(error);
    throw error;
  }
}

/** The variable may have been exported for something else, long ago in the same terminal. */
function withOrigin({ message, cause }: DatabaseRefusal): DatabaseRefusal {
  return new DatabaseRefusal(`${message}. DATABASE_URL names it; unset it to use Kiln's own Postgres.`, { cause });
}

/** The database is there for as long as the work takes. */
export async function withLocalDatabase<T>(
  folder: string,
  databaseUrl: string | null,
  work: (database: LocalDatabase) => Promise<T>,
): Promise<T> {
  const database = await localDatabase(folder, databaseUrl);
  try {
    return await work(database);
  } finally {
    await database.stop();
  }
}

async function ownDatabase(folder: string): Promise<LocalDatabase> {
  const { url, startedBy, stop } = await openProjectDatabase(folder, note);
  const place = shownDataFolder(folder);
  return { url, name: startedBy === null ? place : `${place}, run by process ${startedBy}`, stop };
}

function givenDatabase(url: string): LocalDatabase {
  const { database, server } = databaseName(url);
  return { url, name: `${database} on ${server}`, stop: async () => undefined };
}

/** The sentence of a database that refuses, or of rows that cannot be made; undefined for anything else. */
export function databaseSentence(error: unknown): string | undefined {
  const isExpected = error instanceof DatabaseRefusal || (error instanceof Error && error.name === 'PopulateError');
  return isExpected ? (error as Error).message : undefined;
}
