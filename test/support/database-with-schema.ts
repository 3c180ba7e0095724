/**
 * A database with a schema, for tests that come one after the other: it is emptied and used again, because making a
 * schema takes Postgres a few milliseconds, and making a database, from a template too, a fifth of a second.
 */
import { createDatabase, type TestDatabase } from './postgres.ts';

let database: Promise<TestDatabase> | undefined;

/** Nothing of the schema before is left. Whoever still holds a lock on it is told so, rather than waited for. */
export async function databaseWithSchema(sql: string): Promise<TestDatabase> {
  database ??= createDatabase();
  const { client, url } = await database;
  await client.query(
    `SET lock_timeout = '5s'; ${DROP_OTHERS} DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${sql}`,
  );
  return { client, url };
}

/** What a release kept for the one before. */
const DROP_OTHERS = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kiln\\_%' LOOP
      EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
  END $$;`;
