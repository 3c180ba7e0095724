/** Databases that copy one another, and all that a migration leaves in one. */
import type pg from 'pg';
import type { Release, ReleaseChain } from '../../../compiler/definition/migration.ts';
import { schemaInCatalog } from '../../../runtime/migrate/catalog.ts';
import { oddities } from '../../../runtime/migrate/drift.ts';
import type { MigrateEvent } from '../../../runtime/migrate/events.ts';
import { createLedger, recordRelease } from '../../../runtime/migrate/ledger.ts';
import { type MigrateOptions, migrate } from '../../../runtime/migrate/migrate.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { FIRST_RELEASE, ROWS } from './ten-releases.ts';

const SMALL_BATCHES = { first: 12, most: 12 };

/** The result with the events that led to it. */
export async function migrated(chain: ReleaseChain, databaseUrl: string, more: Partial<MigrateOptions> = {}) {
  const events: MigrateEvent[] = [];
  const report = (event: MigrateEvent) => {
    events.push(event);
    more.report?.(event);
  };
  const result = await migrate(chain, { databaseUrl, batches: SMALL_BATCHES, ...more, report });
  return { result, events, reason: result.kind === 'refused' ? result.reason : undefined };
}

type EventOf<Kind extends MigrateEvent['kind']> = Extract<MigrateEvent, { kind: Kind }>;

export function eventsOf<Kind extends MigrateEvent['kind']>(
  events: readonly MigrateEvent[],
  kind: Kind,
): readonly EventOf<Kind>[] {
  return events.filter((event): event is EventOf<Kind> => event.kind === kind);
}

/** At the first of the ten releases, with rows. */
export async function firstReleaseWithRows() {
  const database = await createDatabase();
  await migrated(FIRST_RELEASE, database.url);
  await database.client.query(ROWS);
  return database;
}

/** A database that can be brought back to the first release with its rows. Nobody else is connected to it then. */
export class ResettableDatabase {
  readonly url: string;
  readonly #client: pg.Client;

  private constructor({ url, client }: TestDatabase) {
    this.url = url;
    this.#client = client;
  }

  static async create(): Promise<ResettableDatabase> {
    return new ResettableDatabase(await createDatabase());
  }

  async reset(): Promise<void> {
    const client = this.#client;
    const session = { client, pid: 0, database: '', schema: 'public', end: async () => undefined };
    const [release] = FIRST_RELEASE.releases as [Release];
    await client.query(`DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT nspname FROM pg_namespace WHERE nspname ~ '^(public$|kiln_)' LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', name);
      END LOOP;
    END $$; CREATE SCHEMA public`);
    await client.query(`${FIRST_RELEASE.schemaSql};${ROWS}`);
    await createLedger(session);
    await recordRelease(session, 1, release, 0);
  }

  /** Ends the session of the job, as an administrator can, and waits until it is gone. */
  async terminateJob(): Promise<void> {
    await this.#client.query(`
      SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'kiln migrate'`);
  }

  /** Catalog, ledger and data: all that may not depend on how often a job was cut off. */
  remains(): Promise<Remains> {
    return remainsIn(this.#client);
  }
}

export type Remains = Awaited<ReturnType<typeof remainsIn>>;

export async function remainsIn(client: pg.Client) {
  return {
    catalog: await schemaInCatalog(client),
    oddities: await oddities(client),
    releases: await rowsOf(client, 'SELECT position, revision, fingerprint, checksum FROM kiln_releases ORDER BY 1'),
    progress: await rowsOf(client, 'SELECT * FROM kiln_release_progress'),
    posts: await rowsOf(client, 'SELECT * FROM post ORDER BY id'),
    audit: await rowsOf(client, 'SELECT * FROM audit ORDER BY 1, 2'),
  };
}

async function rowsOf(client: pg.Client, sql: string): Promise<readonly unknown[]> {
  return (await client.query(sql)).rows;
}
