/**
 * One connection to Postgres, for all of the job. It is never made anew: with the connection goes the lock, and whoever
 * has lost the lock must not go on.
 */
import pg from 'pg';
import type { Connection } from '../query/database.ts';
import { Refusal } from './refusal.ts';

export interface Session {
  readonly client: pg.Client;
  readonly pid: number;
  readonly database: string;
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
    const { rows } = await client.query<{ pid: number; database: string }>(WHO);
    const [who] = rows as [{ pid: number; database: string }];
    return { client, ...who, end: () => client.end().catch(() => undefined) };
  } catch (cause) {
    await client.end().catch(() => undefined);
    throw new Refusal('unavailable', `Postgres cannot be reached: ${reasonOf(cause)}.`, { cause });
  }
}

const WHO = 'SELECT pg_backend_pid() AS pid, current_database() AS database';

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
    throw new Refusal('unavailable', 'The address of the database cannot be read.');
  }
}

/** Where a name stands for several addresses, the message of the whole is empty. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
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
