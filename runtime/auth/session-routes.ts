/** `login` and `logout`: a token for a password, and the end of a token. */
import { loginInputs, NOT_VERIFIED } from '../../compiler/definition/accounts.ts';
import { ACCOUNT_METHODS, accountPath } from '../../compiler/definition/contract/routes.ts';
import type { LoginLimit } from '../config/config.ts';
import { ApiError, Refusal } from '../errors/api-error.ts';
import type { ValidationEnvironment } from '../expressions/compiled.ts';
import { fitsHash, tooManyHashes } from '../expressions/passwords.ts';
import { unverifiedCount } from '../query/account-mails.ts';
import { accountByField } from '../query/accounts.ts';
import type { Bound, Database } from '../query/database.ts';
import { type AttemptKeys, loginFailuresOf } from '../query/login-failures.ts';
import { type QueryScope, scopeOn } from '../query/prepared.ts';
import { clientAddress, countedNetwork, networkOf } from '../request/client-address.ts';
import { type Answer, type Exchange, plainRoute, type Route } from '../request/exchange.ts';
import { inputCheckOf } from '../request/inputs.ts';
import { binderOf } from '../values/kinds.ts';
import { isHashingFull, nobodysHash } from '../values/password.ts';
import type { Value } from '../values/value.ts';
import type { Authenticator } from './authenticator.ts';
import {
  accountReads,
  credentialsIn,
  digestOf,
  fieldOf,
  modelOf,
  sessionTokens,
  type TokenTools,
} from './session-tokens.ts';

export interface SessionTools extends TokenTools {
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
  const guard = attemptGuard(tools, 'login');
  const unverified = auth.password.verify ? unverifiedCount(tools) : null;
  const bindId = binderOf(fieldOf(model, 'id').type);
  const tokens = sessionTokens(tools, guard !== null);
  const inputs = inputCheckOf({ from: 'body', inputs: loginInputs(auth, tools.definition) }, environment);
  return async (exchange) => {
    const scope = scopeOn(tools.database.forRequest());
    const errors = await inputs(await exchange.readBody(), scope, []);
    if (errors.length > 0) throw new ApiError('validation-failed', { errors });
    // An attempt that cannot be answered now does not count as one that has failed.
    if (isHashingFull()) throw tooManyHashes();
    const name = scope.inputs[login.name] as string;
    const attempt = await guard?.admit(exchange, name, scope);
    const account = await accounts(scope, name);
    const hash = (account?.reads[auth.password.hash] ?? NOBODYS_HASH) as string;
    // The check also runs for an account that does not exist, so that the time reveals nothing.
    const isRight = await fitsHash(scope.inputs.password as string, hash).catch(async (error: unknown) => {
      if (attempt) await guard?.takeBack(attempt, scope);
      throw error;
    });
    if (account === null || !isRight)
      throw new ApiError('unauthenticated', { detail: 'The login or the password is wrong.' });
    // The attempt counts, because the answer tells that the address was free.
    if (unverified && (await unverified(scope.connection, { id: bindId(account.reads.id as Value) })) > 0)
      throw notVerified();
    const issued = await tokens.issue(scope, account.reads.id as Value, hash, attempt ?? {});
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(issued) };
  };
}

const NOBODYS_HASH = nobodysHash();

function notVerified(): Refusal {
  const { code, status } = NOT_VERIFIED;
  return new Refusal(status, 'The address of this account is not verified.', undefined, { code, errors: [] });
}

function logoutOf(tools: SessionTools): Handle {
  const { authenticator } = tools;
  const tokens = sessionTokens(tools, false);
  return async ({ request }) => {
    const scope = scopeOn(tools.database.forRequest());
    const header = request.headers.authorization;
    const caller = await authenticator.authenticate(header, scope);
    const credentials = credentialsIn(header);
    if (caller === null || credentials.kind !== 'token') throw new ApiError('unauthenticated');
    if (caller.isFromOutside) throw new ApiError('conflict', { detail: NOT_OURS });
    await tokens.remove(scope, digestOf(credentials.token));
    return { status: 204, headers: null, body: null };
  };
}

const NOT_OURS =
  'This token was issued by an identity provider and cannot be revoked here. It stays valid until it expires; log out at the provider.';

// ── Login limit ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The limits of failed logins: one for an account from one address, and ten times as many for an address. The attempts
// of others from elsewhere never lock anybody out, and whether an account exists makes no difference.

const ADDRESS_FACTOR = 10;

/** A login, or a mail to an account. */
type Attempted = 'login' | 'mail';

type GuardTools = Pick<SessionTools, 'statements' | 'loginLimit' | 'trustedProxies'>;

/** The guard of attempts; null where there is no limit. */
export function attemptGuard(tools: GuardTools, what: Attempted) {
  const { statements, loginLimit, trustedProxies } = tools;
  if (loginLimit === null) return null;
  const { failures: ofAccount, seconds } = loginLimit;
  const failures = loginFailuresOf({ ofAccount, ofAddress: ofAccount * ADDRESS_FACTOR, seconds }, statements);
  const warn = warnOnce();
  return {
    /** Counts the attempt, and gives what takes it back; throws where there were too many. */
    async admit(exchange: Exchange, login: string, scope: QueryScope) {
      if (trustedProxies === 0) warn(exchange);
      const keys = keysOf(what, login, clientAddress(exchange.request, trustedProxies), trustedProxies);
      const wait = await failures.count(scope, keys);
      if (wait !== null) throw tooManyAttempts(what, wait);
      return keys;
    },
    /** The attempt does not count: its password was not looked at. */
    takeBack: (attempt: AttemptKeys, scope: QueryScope) => failures.takeBack(scope, attempt),
  };
}

/** Chooses the keys of an attempt. Mails to one account are limited wherever the requests come from. */
function keysOf(what: Attempted, login: string, address: string, trustedProxies: number): AttemptKeys {
  const counted = countedNetwork(address, trustedProxies);
  const isMail = what === 'mail';
  return {
    accountKey: isMail ? keyOf('mail', login) : keyOf('account', login, networkOf(address)),
    addressKey: counted === null ? null : keyOf(isMail ? 'mail address' : 'address', counted),
  };
}

/** The table has neither logins nor addresses in it. */
function keyOf(...parts: readonly string[]): Bound {
  return digestOf(JSON.stringify(parts));
}

function warnOnce(): (exchange: Exchange) => void {
  let isDone = false;
  return ({ request, log }) => {
    if (isDone || request.headers['x-forwarded-for'] === undefined) return;
    isDone = true;
    log.warn(
      'requests come through a proxy, but TRUST_PROXY is not set: failed logins of all clients are counted for one address',
    );
  };
}

function tooManyAttempts(what: Attempted, seconds: number): ApiError {
  const detail = `Too many ${what === 'mail' ? 'mails were asked for' : 'failed logins'}. Try again in ${seconds} seconds.`;
  return new ApiError('too-many-requests', { detail, retryAfter: seconds });
}
