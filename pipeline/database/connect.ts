/** Connections to Postgres, and in words why there is none. */

import pg from 'pg';
import { addressesOf } from '../../runtime/config/reading.ts';
import { connectionWords } from '../../runtime/migrate/session.ts';
import { settleClient } from '../../runtime/query/database-release.ts';

const CONNECTION_TIMEOUT_MS = 10_000;

/** Runs `work` with a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { database, server } = databaseName(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS });
  // A connection that breaks is seen by what uses it.
  client.on('error', () => undefined);
  try {
    await client.connect().catch((cause: unknown) => {
      throw new DatabaseRefusal(connectionWords(cause, url).replace(/\.$/, ''), { cause });
    });
    await settleClient(client);
    return await work(client);
  } catch (cause) {
    if (cause instanceof DatabaseRefusal) throw cause;
    // Postgres and its driver say nothing of passwords.
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseRefusal(`the database \`${database}\` on ${server} cannot be used: ${reason}`, { cause });
  } finally {
    await client.end().catch(() => undefined);
  }
}

export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

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
  if (addressesOf(url).length > 1)
    throw new DatabaseRefusal('DATABASE_URL names several hosts, but development takes one');
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
