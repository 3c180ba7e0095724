import { DatabaseRefusal } from './database-refusal.ts';

/** What may be said of a database: never its password. */
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

/** The same server, another database. */
export function withDatabase(url: string, database: string): string {
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
