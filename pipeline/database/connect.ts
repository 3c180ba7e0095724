/** Connections to Postgres, and in words why there is none. */

import pg from 'pg';
import { settleClient } from '../../runtime/query/database-release.ts';

const CONNECTION_TIMEOUT_MS = 10_000;

/** Runs `work` with a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const name = databaseName(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS });
  // A connection that breaks is seen by what uses it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await settleClient(client);
    return await work(client);
  } catch (error) {
    throw refusalFor(error, name);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function refusalFor(error: unknown, { database, server }: DatabaseName): DatabaseRefusal {
  if (error instanceof DatabaseRefusal) return error;
  const reason = tlsReason(error) ?? REASONS[codeOf(error)] ?? reasonOf(error);
  return new DatabaseRefusal(`the database \`${database}\` on ${server} cannot be used: ${reason}`, { cause: error });
}

/**
 * Recognises failures of TLS: errors of the driver, errors of Node about certificates, and refusals of a server that
 * requires encryption.
 */
function tlsReason(error: unknown): string | undefined {
  const isOfTls = /CERT|TLS|SSL/.test(codeOf(error)) || /\bSSL\b|certificate|no encryption/.test(reasonOf(error));
  return isOfTls ? `TLS could not be negotiated (${reasonOf(error)}); check \`sslmode\` in DATABASE_URL` : undefined;
}

export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** Postgres and its driver say nothing of passwords. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : String(first);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server responds there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host cannot be looked up',
  ETIMEDOUT: 'the server does not respond',
  EHOSTUNREACH: 'the host cannot be reached',
  ECONNRESET: 'the server ended the connection',
  '28P01': 'the user or the password is wrong',
  '28000': 'the user may not connect',
  '3D000': 'there is no such database',
  '42501': 'the user may not do that',
  '53300': 'the server has too many connections',
  '57P03': 'the server is starting or stopping',
};

// ── Database refusal ─────────────────────────────────────────────────────────────────────────────────────────────────

/** The database does not do what it is asked. The message is a sentence for the user; no password is ever in it. */
export class DatabaseRefusal extends Error {}

// ── Database url ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** The parts of a database's address that may be shown: never its password. */
export interface DatabaseName {
  readonly database: string;
  /** `db.example:5432` */
  readonly server: string;
}

/** Refuses what is no URL of Postgres. */
export function databaseName(url: string): DatabaseName {
  const parsed = parsedUrl(url);
  const database = decoded(parsed.pathname.slice(1));
  const host = parsed.hostname || parsed.searchParams.get('host') || 'localhost';
  if (database === '') throw new DatabaseRefusal(`DATABASE_URL names no database: ${shown(parsed)}`);
  return { database, server: `${decoded(host)}:${parsed.port || 5432}` };
}

/** The URL of another database on the same server. */
function withDatabase(url: string, database: string): string {
  const other = parsedUrl(url);
  other.pathname = `/${encodeURIComponent(database)}`;
  return other.href;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new DatabaseRefusal(`DATABASE_URL is not a URL of Postgres: \`${part}\` has a \`%\` that encodes nothing`);
  }
}

function parsedUrl(url: string): URL {
  if (!URL.canParse(url)) throw new DatabaseRefusal(`DATABASE_URL is not a URL of Postgres: ${FORM}`);
  const parsed = new URL(url);
  if (parsed.protocol === 'postgres:' || parsed.protocol === 'postgresql:') return parsed;
  throw new DatabaseRefusal(`DATABASE_URL is not a URL of Postgres: it begins with \`${parsed.protocol}\`; ${FORM}`);
}

const FORM = 'it has the form `postgres://user:password@host:5432/database`';

function shown({ protocol, host, pathname }: URL): string {
  return `\`${protocol}//${host}${pathname}\``;
}

// ── Ensure database ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Creates the database of the URL where its server has none of that name, and returns whether it did. */
export async function ensureDatabase(url: string): Promise<boolean> {
  try {
    await withClient(url, async () => undefined);
    return false;
  } catch (error) {
    const isMissing = error instanceof DatabaseRefusal && codeOf(error.cause) === '3D000';
    if (!isMissing) throw error;
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
      if (!ALREADY_THERE.has(codeOf(error))) throw error;
    }
  });
}

/** Another process was faster: before us, or at the same moment. */
const ALREADY_THERE: ReadonlySet<string> = new Set(['42P04', '23505']);
