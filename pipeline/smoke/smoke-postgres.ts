/** The Postgres of a smoke test: in a container, with a password that nobody knows, in a hurry since nothing is kept. */
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { repeated, within } from './patience.ts';
import type { Room } from './room.ts';
import type { RoomContainer } from './room-container.ts';
import { SmokeFailure } from './smoke-failure.ts';

const USER = 'kiln';
const NAME = 'database';
const PORT = 5432;
const LONGEST_START = 120_000;
const IN_A_HURRY = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** `empty` is there from the beginning. */
export type DatabaseName = 'empty' | 'previous' | 'before';

export interface SmokePostgres {
  /** As the other containers of the room reach it. */
  readonly url: (database: DatabaseName) => string;
  readonly create: (database: DatabaseName) => Promise<void>;
  /** Runs statements one after the other, and gives the first row of each. */
  readonly firstRows: (database: DatabaseName, statements: readonly string[]) => Promise<readonly (Row | undefined)[]>;
}

export type Row = Readonly<Record<string, string>>;

export function randomPassword(): string {
  return randomBytes(24).toString('hex');
}

export async function startPostgres(
  room: Room,
  image: string,
  password: string,
  signal: AbortSignal,
): Promise<SmokePostgres> {
  const container = await room.start({
    image,
    name: NAME,
    port: PORT,
    command: ['postgres', ...IN_A_HURRY.flatMap((setting) => ['-c', setting])],
    environment: {
      POSTGRES_USER: USER,
      POSTGRES_PASSWORD: password,
      POSTGRES_DB: 'empty' satisfies DatabaseName,
      POSTGRES_INITDB_ARGS: '--no-sync',
    },
  });
  const address = await container.publishedAddress(PORT);
  const at = (database: DatabaseName) => `postgres://${USER}:${password}@${address}/${database}`;
  const fromHere = at('empty');
  const failed = async (how: string) => new SmokeFailure(`The Postgres of ${image} ${how}.`, await container.log());
  const answered = repeated(() => answer(container, fromHere, failed), signal);
  await within(LONGEST_START, () => failed('does not answer'), signal, answered);
  return {
    url: (database) => `postgres://${USER}:${password}@${NAME}:${PORT}/${database}`,
    create: async (database) => void (await query(fromHere, `CREATE DATABASE ${database}`)),
    firstRows: async (database, statements) => {
      const results = [await query(at(database), statements.join('; '))].flat();
      return results.map(({ rows: [first] }) => first);
    },
  };
}

/** While it makes its files it takes no connection; when it has ended it never will. */
async function answer(
  container: RoomContainer,
  url: string,
  failed: (how: string) => Promise<SmokeFailure>,
): Promise<true | undefined> {
  try {
    await query(url, 'SELECT 1');
    return true;
  } catch {
    if (!(await container.isRunning())) throw await failed('has ended');
    return undefined;
  }
}

/** Several results where there are several statements. */
async function query(url: string, sql: string): Promise<pg.QueryResult<Row> | readonly pg.QueryResult<Row>[]> {
  // Loaded here: a build without a test need not wait for it.
  const { default: driver } = await import('pg');
  const client = new driver.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // A connection that breaks is seen by what uses it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.query<Row>(sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}
