/** Why there is no connection to Postgres, in a sentence that says what to do about it. */
import { sqlStateOf, unknownHost } from '../query/connections/database-error-from.ts';

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

/** Where the address leads: `db:5432`. */
export function serverIn(url: string): string {
  return namesIn(url).server;
}

interface Names {
  readonly server: string;
  readonly database: string;
  readonly user: string;
}

function namesIn(url: string): Names {
  if (!URL.canParse(url)) return { server: 'the address of DATABASE_URL', database: '', user: '' };
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const host = hostname || searchParams.get('host') || 'localhost';
  return { server: `${host}:${port || 5432}`, database: pathname.slice(1), user: username };
}

const WRONG_LOGIN = ({ server, user }: Names) =>
  `Postgres at ${server} rejects the user \`${user}\` or its password. Check DATABASE_URL.`;

const BY_STATE: Readonly<Record<string, (names: Names) => string>> = {
  '28P01': WRONG_LOGIN,
  '28000': WRONG_LOGIN,
  '3D000': ({ server, database }) =>
    `Postgres at ${server} has no database \`${database}\`. Create it first, or check DATABASE_URL.`,
};

/** What the driver says, what Node says of certificates, and what a server says that takes nothing else. */
function isOfTls(error: unknown, message: string): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return /CERT|TLS|SSL/.test(code) || /\bSSL\b|certificate|no encryption/.test(message);
}
