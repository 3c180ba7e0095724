/**
 * One connection to Postgres, for all of the job. It is never reopened: the lock is lost with the connection, and a job
 * without the lock must not continue.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { addressesOf, serversOf } from '../config/reading.ts';
import { sqlStateOf, unknownHost } from '../query/connections/database-error-from.ts';
import { configsFor } from '../query/connections/driver.ts';
import { connectPrimary, end } from '../query/connections/primary.ts';
import { type Connection, connectionFrom } from '../query/database.ts';
import { setAll, settleClient } from '../query/database-release.ts';
import type { Report } from './events.ts';
import { Refusal } from './refusal.ts';

export interface Session {
  readonly client: pg.Client;
  readonly pid: number;
  readonly database: string;
  /** The schema of the application's tables. */
  readonly schema: string;
  /** Ends the connection, also under a statement that runs. */
  end(): Promise<void>;
}

const CONNECT_TIMEOUT = 10_000;

export async function openSession(url: string, name: string): Promise<Session> {
  const configs = configsOf(url, name);
  let client: pg.Client | null = null;
  try {
    client = await connectPrimary(configs);
    // If the search path names no existing schema, Postgres refuses to make tables.
    const schema = (await settleClient(client)) ?? 'public';
    const { rows } = await client.query<Who>(WHO);
    const [{ encoding, ...who }] = rows as [Who];
    if (encoding !== 'UTF8') throw wrongEncoding(who.database, encoding);
    const own = client;
    return { client, schema, ...who, end: () => own.end().catch(() => undefined) };
  } catch (cause) {
    if (client) end(client);
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

function configsOf(url: string, name: string): readonly pg.ClientConfig[] {
  try {
    return configsFor(url, { application_name: name, connectionTimeoutMillis: CONNECT_TIMEOUT, keepAlive: true });
  } catch (cause) {
    throw new Refusal('unavailable', `${(cause as Error).message}.`);
  }
}

/** The settings that must not be left to the server or the role. Some are not known to every Postgres. */
const SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: '0',
  transaction_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  client_min_messages: 'warning',
};

/** Rejects a database that somebody has made read-only on purpose, as during a move to another server. */
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

// A Postgres that was started just before the job may not answer yet. It is waited for, and that is told.

export interface StartWait {
  readonly databaseUrl: string;
  readonly report: Report;
  /** How long to wait for a Postgres that does not answer yet, in milliseconds; 0 where the first attempt decides. */
  readonly startWait?: number;
  /** Calls the job off: what is not committed is taken back. */
  readonly signal?: AbortSignal;
}

const PAUSE = 250;

export async function sessionWhenUp(name: string, { databaseUrl, report, startWait = 0, signal }: StartWait) {
  const end = performance.now() + startWait;
  for (let tries = 1; ; tries++) {
    try {
      return await openSession(databaseUrl, name);
    } catch (error) {
      if (!mayComeUp(error) || performance.now() >= end) throw error;
    }
    if (tries === 1)
      report({ kind: 'waiting-for-postgres', server: namesIn(databaseUrl).server, milliseconds: startWait });
    await sleep(PAUSE, undefined, signal && { signal });
  }
}

/**
 * The codes of failures that may pass: nobody listens yet, or Postgres is starting. Wrong names and passwords do not
 * pass.
 */
const PASSING: ReadonlySet<string> = new Set(['ECONNREFUSED', '57P03']);

function mayComeUp(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  const causes: readonly unknown[] = error.cause instanceof AggregateError ? error.cause.errors : [error.cause];
  return causes.some((cause) => PASSING.has(sqlStateOf(cause) ?? ''));
}

// Why there is no connection to Postgres, in a sentence that says what to do about it.

/** `url` is asked for names alone: its password is never told. */
export function connectionWords(error: unknown, url: string): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const names = namesIn(url);
  const { server } = names;
  const message = first instanceof Error ? first.message : String(first);
  if (isOfTls(first, message))
    return `Postgres at ${server} and this program could not agree on TLS: ${message}. Check \`sslmode\` in DATABASE_URL.`;
  const host = unknownHost(first);
  if (host !== null) return `${host}. Check DATABASE_URL.`;
  const words = BY_STATE[sqlStateOf(first) ?? ''];
  return words?.(names) ?? `Postgres cannot be reached at ${server}: ${message}.`;
}

interface Names {
  readonly server: string;
  readonly database: string;
  readonly user: string;
}

function namesIn(url: string): Names {
  const server = serversOf(url);
  const [first = ''] = addressesOf(url);
  if (!URL.canParse(first)) return { server, database: '', user: '' };
  const { pathname, username } = new URL(first);
  return { server, database: pathname.slice(1), user: username };
}

const WRONG_LOGIN = ({ server, user }: Names) =>
  `Postgres at ${server} rejects the user \`${user}\` or its password. Check DATABASE_URL.`;

const BY_STATE: Readonly<Record<string, (names: Names) => string>> = {
  '28P01': WRONG_LOGIN,
  '28000': WRONG_LOGIN,
  '3D000': ({ server, database }) =>
    `Postgres at ${server} has no database \`${database}\`. Create it first, or check DATABASE_URL.`,
};

/**
 * Recognises failures of TLS: errors of the driver, errors of Node about certificates, and refusals of a server that
 * requires encryption.
 */
function isOfTls(error: unknown, message: string): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return /CERT|TLS|SSL/.test(code) || /\bSSL\b|certificate|no encryption/.test(message);
}
