/** Finds the record behind `@auth` from the `Authorization` header of a request. */

import { passwordAuthOf } from '../../compiler/definition/accounts.ts';
import type { Definition, Field, Model } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import type { Read, Selected } from '../../compiler/definition/expression.ts';
import { once } from '../../compiler/definition/memo.ts';
import { ApiError } from '../errors/api-error.ts';
import { type Account, type AccountLookup, accountByField, accountByToken } from '../query/accounts.ts';
import type { QueryScope } from '../query/prepared.ts';
import type { Statements } from '../query/statements.ts';
import { binderOf, valueFromText } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { looksLikeJwt, type OutsideTokens } from './outside-tokens.ts';
import { BAD_TOKEN, credentialsIn, digestOf, fieldOf, readOf } from './session-tokens.ts';

/** The caller of a request. */
interface Caller extends Account {
  /** Whether the token is one of an outside provider, which alone can end it. */
  readonly isFromOutside: boolean;
}

export interface Authenticator {
  /**
   * Finds the caller; null for an anonymous one. A token that is bad or has ended is rejected, whatever is asked for.
   */
  authenticate(header: string | undefined, scope: QueryScope): Promise<Caller | null>;
  /** The account as it is now, and as it stays until the transaction is over; null where it is gone. */
  lock(account: Account, scope: QueryScope): Promise<Account | null>;
  /** The account as the transaction sees it; null where it is gone. */
  readAgain(account: Account, scope: QueryScope): Promise<Account | null>;
}

const nobody = async () => null;

const ANYBODY: Authenticator = { authenticate: nobody, lock: nobody, readAgain: nobody };

interface AuthenticatorOptions {
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
  const id = fieldOf(model, 'id');
  const locked = accountByField(model, id, wants, statements, true);
  const again = once(() => accountByField(model, id, wants, statements));
  const bindId = binderOf(id.type);
  const passwords = passwordAuthOf(definition);
  const byToken = passwords ? accountByToken(model, fieldOf(model, passwords.password.hash), wants, statements) : null;
  const subject = model.fields.find(({ name }) => name === auth.subject);
  const bySubject =
    subject && outside ? subjectLookup(outside, subject, accountByField(model, subject, wants, statements)) : null;
  return {
    async authenticate(header, scope) {
      const credentials = credentialsIn(header);
      if (credentials.kind === 'none') return null;
      if (credentials.kind === 'unreadable') throw new ApiError('unauthenticated', { detail: credentials.detail });
      const caller = await callerWith(credentials.token, scope);
      if (caller === null) throw new ApiError('unauthenticated', { detail: BAD_TOKEN });
      return caller;
    },
    lock: ({ reads }, scope) => locked(scope, bindId(reads.id as Value)),
    readAgain: ({ reads }, scope) => again()(scope, bindId(reads.id as Value)),
  };

  async function callerWith(token: string, scope: QueryScope): Promise<Caller | null> {
    const isFromOutside = bySubject !== null && looksLikeJwt(token);
    const account = isFromOutside ? await bySubject(token, scope) : ((await byToken?.(scope, digestOf(token))) ?? null);
    return account && { ...account, isFromOutside };
  }
}

type FindByToken = (token: string, scope: QueryScope) => Promise<Account | null>;

function subjectLookup(outside: OutsideTokens, field: Field, lookup: AccountLookup): FindByToken {
  const bind = binderOf(field.type);
  return async (token, scope) => {
    const claims = await outside(token);
    if (scope.request) scope.request.claims = claims;
    const value = claims && valueFromText(claims.sub, field.type, () => []);
    return value?.ok ? lookup(scope, bind(value.value)) : null;
  };
}

/** Whether anybody is there is asked of every account, so something must be read of it. */
function withId(reads: readonly Read[], model: Model): readonly Read[] {
  return reads.some(({ name }) => name === 'id') ? reads : [...reads, readOf(model, fieldOf(model, 'id'))];
}

/** The direct fields, without secrets. */
function profileOf(model: Model): readonly Selected[] {
  const shown = model.fields.filter(({ secret }) => !secret);
  return shown.map((field) => ({ ...readOf(model, field), doc: null }));
}
