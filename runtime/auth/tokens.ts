/** Tokens are opaque and random. The database knows only their hashes, so a copy of it opens no account. */
import { createHash } from 'node:crypto';
import type { Bound } from '../query/database.ts';

/** As Postgres reads bytes. */
export function tokenHash(token: string): Bound {
  return `\\x${createHash('sha256').update(token).digest('hex')}`;
}

/** What stands behind `Bearer`; null where nothing is said, undefined where it cannot be read. */
export function bearerToken(header: string | undefined): string | null | undefined {
  if (header === undefined) return null;
  return /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1];
}
