/**
 * One connection to Postgres, for all of the job. It is never made anew: with the connection goes the lock, and whoever
 * has lost the lock must not go on.
 */
import pg from 'pg';
import { setAll, settleClient } from '../query/application-schema.ts';
import { connectionFrom } from '../query/client-connection.ts';
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
    // Where the search path names none that there is, Postgres refuses to make any tables.
    const schema = (await settleClient(client)) ?? 'public';
    const { rows } = await client.query<Who>(WHO);
    const [{ encoding, ...who }] = rows as [Who];
    if (encoding !== 'UTF8') throw wrongEncoding(who.database, encoding);
    return { client, schema, ...who, end: () => client.end().catch(() => undefined) };
  } catch (cause) {
    await client.end().catch(() => undefined);
    throw cause instanceof Refusal ? cause : new Refusal('unavailable', connectionWords(cause, url), { cause });
  }
}

interface Who {
  readonly pid: number;
  readonly database: string;
  readonly encoding: string;
}

const WHO = `
  SELECT pg_backend_pid() AS pid, current_database() AS database, current_setting('server_encoding') AS encoding`;

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
  client_min_messages: 'warning',
};

/** Somebody has made the database read-only, as during a move to another server, and means it. */
export async function requireWritable({ client, database }: Session): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_setting('default_transaction_read_only')::boolean AS "isReadOnly"`,
  );
  if (!rows[0]?.isReadOnly) return;
  const message = `The database "${database}" is read-only: \`default_transaction_read_only\` is on for it, for the role or for the server.`;
  throw new Refusal('unavailable', message, { details: ['To change it anyway, run `migrate --read-write`.'] });
}

export async function prepareSession({ client }: Session, isReadOnly: boolean): Promise<void> {
  await setAll(client, { ...SETTINGS, default_transaction_read_only: isReadOnly ? 'on' : 'off' });
  // A statement of a job that was killed then ends soon, and with it the lock. Not every platform can tell.
  await setAll(client, { client_connection_check_interval: '1s' }).catch(() => undefined);
}

export function connectionOf({ client }: Session): Connection {
  return connectionFrom(client);
}
