/** The tokens of password login: how one is given to an account, with a password or, in development, without. */

import { createHash } from 'node:crypto';
import type { PasswordAuth } from '../../compiler/definition/accounts.ts';
import type { Field, Model } from '../../compiler/definition/definition.ts';
import type { AccountTools } from '../query/account-mails.ts';
import { accountByField, tokensOf } from '../query/accounts.ts';
import type { Bound, Database } from '../query/database.ts';
import { forgettingFailures } from '../query/login-failures.ts';
import { type Given, type QueryScope, scopeOn } from '../query/prepared.ts';
import { binderOf, valueFromText } from '../values/kinds.ts';
import { randomToken } from '../values/uuid.ts';
import type { Value } from '../values/value.ts';

export interface TokenTools extends AccountTools {
  /** The lifetime of tokens, in seconds. */
  readonly tokenLifetime: number;
}

/** The answer of a login. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: string;
}

/** Makes the tokens. With `forgetsFailures`, a successful login also removes the failed attempts before it. */
export function sessionTokens(tools: TokenTools, forgetsFailures: boolean) {
  const { statements, tokenLifetime } = tools;
  const { type } = fieldOf(modelOf(tools), 'id');
  const tokens = tokensOf(
    {
      idType: statements.catalogue.sqlType(type),
      alongside: forgetsFailures ? forgettingFailures() : [],
    },
    statements,
  );
  const bindId = binderOf(type);
  return {
    remove: tokens.remove,
    /** `hash` is that of the account's password: with another one the token is over. */
    async issue(scope: QueryScope, id: Value, hash: string, alongside: Given) {
      const token = randomToken();
      const expiresAt = await tokens.add(scope, {
        hash: digestOf(token),
        account: bindId(id),
        seconds: tokenLifetime,
        digest: digestOf(hash),
        alongside,
      });
      return { token, expiresAt };
    },
  };
}

/** Issues a token for the account with this id, for development. Null where there is none. */
export function signInWithoutPassword(
  tools: TokenTools & { readonly database: Database },
): (id: string) => Promise<IssuedToken | null> {
  const { auth, statements, database } = tools;
  const model = modelOf(tools);
  const id = fieldOf(model, 'id');
  const accounts = accountByField(model, id, accountReads(model, auth), statements);
  const tokens = sessionTokens(tools, false);
  const bindId = binderOf(id.type);
  return async (text) => {
    const checked = valueFromText(text, id.type, () => []);
    if (!checked.ok) return null;
    const scope = scopeOn(database.forRequest());
    const account = await accounts(scope, bindId(checked.value));
    if (account === null) return null;
    return tokens.issue(scope, checked.value, account.reads[auth.password.hash] as string, {});
  };
}

export function modelOf({ definition, auth }: Pick<AccountTools, 'definition' | 'auth'>): Model {
  return definition.models.find(({ name }) => name === auth.model) as Model;
}

export function fieldOf({ fields }: Model, name: string): Field {
  return fields.find((field) => field.name === name) as Field;
}

/** The reads for a token: the account's id and the hash of its password. */
export function accountReads(model: Model, { password }: PasswordAuth) {
  return { reads: [readOf(model, fieldOf(model, 'id')), readOf(model, fieldOf(model, password.hash))], profile: [] };
}

export function readOf(model: Model, { name, type }: Field) {
  return { name, kind: 'value', value: { kind: 'field', path: [], model: model.name, field: name, type } } as const;
}

// ── Tokens ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// Tokens are opaque and random. The database knows only their hashes, so a copy of it opens no account.

/** Computes a digest in the form in which Postgres reads bytes. */
export function digestOf(text: string): Bound {
  return `\\x${createHash('sha256').update(text).digest('hex')}`;
}

type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  /** The header has no token that could be looked up. */
  | { readonly kind: 'unreadable'; readonly detail: string };

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

export function credentialsIn(header: string | undefined): Credentials {
  if (header === undefined) return { kind: 'none' };
  const token = BEARER.exec(header)?.[1];
  return token === undefined ? { kind: 'unreadable', detail: detailOf(header) } : { kind: 'token', token };
}

/** Describes a malformed header. The text after the scheme may be a password, and is not repeated. */
function detailOf(header: string): string {
  const [, scheme, rest = ''] = /^([A-Za-z][A-Za-z0-9-]{0,19})(?:\s+(.*))?$/s.exec(header.trim()) ?? [];
  if (scheme === undefined) return `The header is malformed: ${EXPECTED}`;
  if (scheme.toLowerCase() !== 'bearer') return `The scheme \`${scheme}\` is not supported: ${EXPECTED}`;
  return rest === '' ? `The header has no token: ${EXPECTED}` : BAD_TOKEN;
}

const EXPECTED = 'send `Authorization: Bearer <token>`.';

export const BAD_TOKEN = 'The token is invalid or has expired.';
