/**
 * How often a login may fail: of one account from one address, and ten times as often of one address. What others do
 * from elsewhere never keeps anybody out, and whether an account exists makes no difference.
 */
import type { LoginLimit } from '../config/config.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Scope } from '../expressions/scope.ts';
import type { Bound, DataConnection } from '../query/database.ts';
import { type AttemptKeys, loginFailuresOf } from '../query/login-failures.ts';
import type { Statements } from '../query/statements.ts';
import { clientAddress, isPrivateAddress, networkOf } from '../request/client-address.ts';
import type { Exchange } from '../request/exchange.ts';
import { digestOf } from './tokens.ts';

export interface LoginGuard {
  /** Counts the attempt, and gives what takes it back; throws where there were too many. */
  admit(exchange: Exchange, login: string, database: DataConnection, scope: Scope): Promise<AttemptKeys>;
  /** The attempt does not count: its password was not looked at. */
  takeBack(attempt: AttemptKeys, database: DataConnection, scope: Scope): Promise<void>;
}

interface LoginGuardOptions {
  readonly limit: LoginLimit;
  /** How many proxies stand in front of the server. */
  readonly trustedProxies: number;
  readonly statements: Statements;
}

const ADDRESS_FACTOR = 10;

export function loginGuard({ limit, trustedProxies, statements }: LoginGuardOptions): LoginGuard {
  const { failures: ofAccount, seconds } = limit;
  const failures = loginFailuresOf({ ofAccount, ofAddress: ofAccount * ADDRESS_FACTOR, seconds }, statements);
  const warn = warnOnce();
  return {
    async admit(exchange, login, database, scope) {
      if (trustedProxies === 0) warn(exchange);
      const keys = keysOf(login, clientAddress(exchange.request, trustedProxies), trustedProxies);
      const wait = await failures.count(database, scope, keys);
      if (wait !== null) throw tooManyFailures(wait);
      return keys;
    },
    takeBack: (attempt, database, scope) => failures.takeBack(database, scope, attempt),
  };
}

/** Without TRUST_PROXY, a private address is probably a proxy's, shared by all clients: it gets no limit of its own. */
function keysOf(login: string, address: string, trustedProxies: number): AttemptKeys {
  const network = networkOf(address);
  const isAnybodys = trustedProxies === 0 && isPrivateAddress(address);
  return {
    accountKey: keyOf('account', login, network),
    addressKey: isAnybodys ? null : keyOf('address', network),
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

function tooManyFailures(seconds: number): ApiError {
  const detail = `Too many failed logins. Try again in ${seconds} seconds.`;
  return new ApiError('too-many-requests', { detail, retryAfter: seconds });
}
