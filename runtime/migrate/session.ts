/**
 * One connection to Postgres, for all of the job. It is never made anew: with the connection goes the lock, and whoever
 * has lost the lock must not go on.
 */
import pg from 'pg';
import { APPLICATION_SCHEMA } from '../query/application-schema.ts';
import type { Connection } from '../query/database.ts';
import { connectionWords } from './connection-words.ts';
import { Refusal } from './refusal.ts';

export interface Session {
  readonly client: pg.Client;
  readonly pid: number;
  readonly database: string;
  /** That the tables of the application are in. */
  readonly schema: string;
  /** Ends the connection, also under a statement that runs. */
  end(): Promise<void>;
}

const CONNECT_TIMEOUT = 10_000;

export async function openSession(url: string, name: string): Promise<Session> {
  const client = clientFor(url, name);
  // Told by the next statement as well; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Who>(WHO);
    const [{ encoding, ...who }] = rows as [Who];
    if (encoding !== 'UTF8') throw wrongEncoding(who.database, encoding);
    return { client, ...who, end: () => client.end().catch(() => undefined) };
  } catch (cause) {
    await client.end().catch(() => undefined);
    throw cause instanceof Refusal ? cause : new Refusal('unavailable', connectionWords(cause, url), { cause });
  }
}

interface Who {
  readonly pid: number;
  readonly database: string;
  readonly schema: string;
  readonly encoding: string;
}

const SCHEMA = `coalesce(${APPLICATION_SCHEMA}, 'public')`;

const WHO = `
  SELECT pg_backend_pid() AS pid, current_database() AS database, ${SCHEMA} AS schema,
    current_setting('server_encoding') AS encoding`;

/** That the tables of an application are in. Where the search path names none that there is, Postgres refuses to make any. */
export async function applicationSchema(client: pg.Client): Promise<string> {
  const { rows } = await client.query<Pick<Who, 'schema'>>(`SELECT ${SCHEMA} AS schema`);
  return (rows as [Who])[0].schema;
}

/** Postgres would take every text at first, and fail at the first one that it has to compare or to change. */
function wrongEncoding(database: string, encoding: string): Refusal {
  const remedy = `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0 makes one that is right.`;
  return new Refusal('unsuited', `The database "${database}" has the encoding ${encoding}, but Kiln needs UTF8.`, {
    details: [remedy],
  });
}

function clientFor(url: string, name: string): pg.Client {
  try {
    return new pg.Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      keepAlive: true,
    });
  } catch {
    // Without the address: there is a password in it.
    throw new Refusal('unavailable', 'DATABASE_URL is not a valid address.');
  }
}

/** What must not be left to the settings of the server or of the role. Some are not known to every Postgres. */
const SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: '0',
  transaction_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  default_transaction_isolation: 'read committed',
  client_min_messages: 'warning',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
};

const SET = `
  SELECT set_config(wanted.name, wanted.value, false)
  FROM unnest($1::text[], $2::text[]) AS wanted(name, value) JOIN pg_settings ON pg_settings.name = wanted.name`;

export async function prepareSession({ client }: Session, isReadOnly: boolean): Promise<void> {
  const settings = { ...SETTINGS, default_transaction_read_only: isReadOnly ? 'on' : 'off' };
  await client.query(SET, [Object.keys(settings), Object.values(settings)]);
  // A statement of a job that was killed then ends soon, and with it the lock. Not every platform can tell.
  await client.query(SET, [['client_connection_check_interval'], ['1s']]).catch(() => undefined);
}

/** As the rest of the runtime sees a connection: texts in, texts out. */
export function connectionOf({ client }: Session): Connection {
  return {
    run: async ({ text }, values) => {
      const types = { getTypeParser: () => String };
      const { rows, rowCount } = await client.query({ text, values: [...values], rowMode: 'array', types });
      return { rows, count: rowCount ?? 0 };
    },
  };
}
