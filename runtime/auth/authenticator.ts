/** From the `Authorization` header of a request to the record behind `@auth`. */
import type { Definition, Endpoint, Field, Model, Read, Selected } from '../../compiler/definition/definition.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Scope } from '../expressions/scope.ts';
import { type Account, type AccountLookup, accountByField, accountByToken } from '../query/accounts.ts';
import type { DataConnection } from '../query/database.ts';
import type { Statements } from '../query/statements.ts';
import { binderOf } from '../values/bind.ts';
import { valueFromText } from '../values/text-value.ts';
import type { Value } from '../values/value.ts';
import { looksLikeJwt, type OutsideTokens } from './outside-tokens.ts';
import { bearerToken, tokenHash } from './tokens.ts';

export interface Authenticator {
  /** Null for an anonymous caller. A token that is bad or has ended is refused, whatever is asked for. */
  authenticate(header: string | undefined, connection: DataConnection, scope: Scope): Promise<Account | null>;
  /** The account as it is now, and as it stays until the transaction is over; null where it is gone. */
  lock(account: Account, connection: DataConnection, scope: Scope): Promise<Account | null>;
  /** The account as the transaction sees it; null where it is gone. */
  readAgain(account: Account, connection: DataConnection, scope: Scope): Promise<Account | null>;
}

const nobody = async () => null;

export const ANYBODY: Authenticator = { authenticate: nobody, lock: nobody, readAgain: nobody };

export interface AuthenticatorOptions {
  readonly definition: Definition;
  readonly endpoint: Pick<Endpoint, 'authReads'>;
  /** Whether hooks see the record. */
  readonly needsProfile: boolean;
  readonly outside: OutsideTokens | null;
  readonly statements: Statements;
}

export function authenticatorOf(options: AuthenticatorOptions): Authenticator {
  const { definition, endpoint, needsProfile, outside, statements } = options;
  const { auth } = definition;
  if (auth === null) return ANYBODY;
  const model = definition.models.find(({ name }) => name === auth.model) as Model;
  const wants = { reads: withId(endpoint.authReads, model), profile: needsProfile ? profileOf(model) : [] };
  const id = model.fields.find(({ name }) => name === 'id') as Field;
  const locked = accountByField(model, id, wants, statements, true);
  let again: AccountLookup | null = null;
  const bindId = binderOf(id.type);
  const byToken = auth.password ? accountByToken(model, wants, statements) : null;
  const subject = model.fields.find(({ name }) => name === auth.subject);
  const bySubject =
    subject && outside ? subjectLookup(outside, subject, accountByField(model, subject, wants, statements)) : null;
  return {
    async authenticate(header, connection, scope) {
      const token = bearerToken(header);
      if (token === null) return null;
      const account = token === undefined ? null : await accountOf(token, connection, scope);
      if (account === null)
        throw new ApiError('unauthenticated', { detail: 'The token is not valid, or has expired.' });
      return account;
    },
    lock: ({ reads }, connection, scope) => locked.find(connection, scope, bindId(reads.id as Value)),
    readAgain({ reads }, connection, scope) {
      again ??= accountByField(model, id, wants, statements);
      return again.find(connection, scope, bindId(reads.id as Value));
    },
  };

  async function accountOf(token: string, connection: DataConnection, scope: Scope): Promise<Account | null> {
    if (bySubject && looksLikeJwt(token)) return bySubject(token, connection, scope);
    return byToken ? byToken.find(connection, scope, tokenHash(token)) : null;
  }
}

type FindByToken = (token: string, connection: DataConnection, scope: Scope) => Promise<Account | null>;

function subjectLookup(outside: OutsideTokens, field: Field, lookup: AccountLookup): FindByToken {
  const bind = binderOf(field.type);
  return async (token, connection, scope) => {
    const subject = await outside.subjectOf(token);
    const value = subject === null ? null : valueFromText(subject, field.type, () => []);
    return value?.ok ? lookup.find(connection, scope, bind(value.value)) : null;
  };
}

/** Whether anybody is there is asked of every account, so something must be read of it. */
function withId(reads: readonly Read[], model: Model): readonly Read[] {
  if (reads.some(({ name }) => name === 'id')) return reads;
  return [
    ...reads,
    { name: 'id', kind: 'value', value: fieldValue(model, model.fields.find(({ name }) => name === 'id') as Field) },
  ];
}

/** The direct fields without secrets. */
function profileOf(model: Model): readonly Selected[] {
  const shown = model.fields.filter(({ secret }) => !secret);
  return shown.map((field) => ({ kind: 'value', name: field.name, doc: null, value: fieldValue(model, field) }));
}

function fieldValue(model: Model, { name, type }: Field) {
  return { kind: 'field', path: [], model: model.name, field: name, type } as const;
}
