/** Connections to Postgres, and in words why there is none. */
import pg from 'pg';
import { settleClient } from '../../runtime/query/application-schema.ts';
import { DatabaseRefusal } from './database-refusal.ts';
import { type DatabaseName, databaseName } from './database-url.ts';

const PATIENCE = 10_000;

/** Runs `work` with a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const name = databaseName(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE });
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

export function isMissingDatabase(error: unknown): boolean {
  return error instanceof DatabaseRefusal && codeOf(error.cause) === '3D000';
}

function refusalFor(error: unknown, { database, server }: DatabaseName): DatabaseRefusal {
  if (error instanceof DatabaseRefusal) return error;
  const reason = tlsReason(error) ?? REASONS[codeOf(error)] ?? reasonOf(error);
  return new DatabaseRefusal(`the database \`${database}\` on ${server} cannot be used: ${reason}`, { cause: error });
}

/** What the driver says, what Node says of certificates, and what a server says that takes nothing else. */
function tlsReason(error: unknown): string | undefined {
  const isOfTls = /CERT|TLS|SSL/.test(codeOf(error)) || /\bSSL\b|certificate|no encryption/.test(reasonOf(error));
  return isOfTls ? `TLS could not be negotiated (${reasonOf(error)}); check \`sslmode\` in DATABASE_URL` : undefined;
}

function codeOf(error: unknown): string {
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
