/** Tokens are opaque and random. The database knows only their hashes, so a copy of it opens no account. */
import { createHash } from 'node:crypto';
import type { Bound } from '../query/database.ts';

/** As Postgres reads bytes. */
export function digestOf(text: string): Bound {
  return `\\x${createHash('sha256').update(text).digest('hex')}`;
}

type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  /** What is there is no token that could be looked for. */
  | { readonly kind: 'unreadable'; readonly detail: string };

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

export function credentialsIn(header: string | undefined): Credentials {
  if (header === undefined) return { kind: 'none' };
  const token = BEARER.exec(header)?.[1];
  return token === undefined ? { kind: 'unreadable', detail: detailOf(header) } : { kind: 'token', token };
}

/** What stands behind the scheme may be a password, and is not repeated. */
function detailOf(header: string): string {
  const [, scheme, rest = ''] = /^([A-Za-z][A-Za-z0-9-]{0,19})(?:\s+(.*))?$/s.exec(header.trim()) ?? [];
  if (scheme === undefined) return `The header is malformed: ${EXPECTED}`;
  if (scheme.toLowerCase() !== 'bearer') return `The scheme \`${scheme}\` is not supported: ${EXPECTED}`;
  return rest === '' ? `The header has no token: ${EXPECTED}` : BAD_TOKEN;
}

const EXPECTED = 'send `Authorization: Bearer <token>`.';

export const BAD_TOKEN = 'The token is invalid or has expired.';
