/** `login` and `logout`: a token for a password, and the end of a token. */
import { hasBoundTokens, loginInputs } from '../../compiler/definition/accounts.ts';
import { ACCOUNT_METHODS, accountPath } from '../../compiler/definition/contract/routes.ts';
import type { LoginLimit } from '../config/config.ts';
import { ApiError } from '../errors/api-error.ts';
import type { ValidationEnvironment } from '../expressions/compiled-validation.ts';
import { fitsHash, tooManyHashes } from '../expressions/passwords.ts';
import { emptyScope } from '../expressions/scope.ts';
import { accountByField } from '../query/accounts.ts';
import type { Database } from '../query/database.ts';
import { type Answer, type Exchange, plainRoute, type Route } from '../request/exchange.ts';
import { inputCheckOf } from '../request/inputs.ts';
import { isHashingFull, nobodysHash } from '../values/password.ts';
import type { Value } from '../values/value.ts';
import type { Authenticator } from './authenticator.ts';
import { type LoginGuard, loginGuard } from './login-limit.ts';
import { accountReads, fieldOf, modelOf, sessionTokens, type TokenTools } from './session-tokens.ts';
import { credentialsIn, digestOf } from './tokens.ts';

interface SessionTools extends TokenTools {
  readonly database: Database;
  readonly environment: ValidationEnvironment;
  readonly authenticator: Authenticator;
  readonly loginLimit: LoginLimit | null;
  /** How many proxies stand in front of the server. */
  readonly trustedProxies: number;
}

export function sessionRoutes(tools: SessionTools): readonly Route[] {
  return [
    plainRoute(ACCOUNT_METHODS.login, accountPath('login'), loginOf(tools)),
    plainRoute(ACCOUNT_METHODS.logout, accountPath('logout'), logoutOf(tools)),
  ];
}

type Handle = (exchange: Exchange) => Promise<Answer>;

function loginOf(tools: SessionTools): Handle {
  const { auth, statements, environment } = tools;
  const model = modelOf(tools);
  const login = fieldOf(model, auth.password.login);
  const accounts = accountByField(model, login, accountReads(model, auth), statements);
  const guard = guardOf(tools);
  const tokens = sessionTokens(tools, guard !== null);
  const inputs = inputCheckOf({ from: 'body', inputs: loginInputs(auth, tools.definition) }, environment);
  return async (exchange) => {
    const scope = emptyScope();
    const errors = await inputs.check(await exchange.readBody(), scope);
    if (errors.length > 0) throw new ApiError('validation-failed', { errors });
    // An attempt that cannot be answered now does not count as one that has failed.
    if (isHashingFull()) throw tooManyHashes();
    const name = scope.inputs[login.name] as string;
    const database = tools.database.forRequest();
    const attempt = await guard?.admit(exchange, name, database, scope);
    const account = await accounts.find(database, scope, name);
    const hash = (account?.reads[auth.password.hash] ?? NOBODYS_HASH) as string;
    // Also for an account that is not there, so that the time tells nothing.
    const isRight = await fitsHash(scope.inputs.password as string, hash).catch(async (error: unknown) => {
      if (attempt) await guard?.takeBack(attempt, database, scope);
      throw error;
    });
    if (account === null || !isRight) throw wrongCredentials();
    const issued = await tokens.issue(database, scope, account.reads.id as Value, hash, attempt ?? {});
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(issued) };
  };
}

/** Null where there is no limit, or where the database is of a release that does not count failures. */
function guardOf({ auth, statements, loginLimit, trustedProxies }: SessionTools): LoginGuard | null {
  if (loginLimit === null || !hasBoundTokens(auth)) return null;
  return loginGuard({ limit: loginLimit, trustedProxies, statements });
}

const NOBODYS_HASH = nobodysHash();

function wrongCredentials(): ApiError {
  return new ApiError('unauthenticated', { detail: 'The login or the password is wrong.' });
}

function logoutOf(tools: SessionTools): Handle {
  const { authenticator } = tools;
  const tokens = sessionTokens(tools, false);
  return async ({ request }) => {
    const scope = emptyScope();
    const database = tools.database.forRequest();
    const header = request.headers.authorization;
    const caller = await authenticator.authenticate(header, database, scope);
    const credentials = credentialsIn(header);
    if (caller === null || credentials.kind !== 'token') throw new ApiError('unauthenticated');
    if (caller.isFromOutside) throw new ApiError('conflict', { detail: NOT_OURS });
    await tokens.remove(database, scope, digestOf(credentials.token));
    return { status: 204, headers: null, body: null };
  };
}

const NOT_OURS =
  'This token was issued by an identity provider and cannot be revoked here. It stays valid until it expires; log out at the provider.';
