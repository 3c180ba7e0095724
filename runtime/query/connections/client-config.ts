import pg from 'pg';
import type { ImageRelease } from '../image-release.ts';

export interface ClientOptions {
  readonly url: string;
  /** In milliseconds; 0 leaves it to the server, as a pooler in transaction mode demands. */
  readonly statementTimeout: number;
  /** In milliseconds: how long a caller waits for a connection. */
  readonly acquireTimeout: number;
  readonly applicationName: string;
  /** The one whose tables Postgres looks for before it looks where it would have looked anyway. */
  readonly release?: ImageRelease;
}

/** In milliseconds: how long after the server should have given a statement up its connection is taken for dead. */
const GRACE = 2000;
/** In milliseconds: the limit where it is left to the database, which a network that is silent does not reach. */
const LONGEST_STATEMENT = 30_000;
/** In milliseconds: how long a statement waits for records that another transaction has changed. */
const LOCK_WAIT = 5000;
/** The same where statements of others wait behind it. */
const SHARED_LOCK_WAIT = 100;
const KEEP_ALIVE_DELAY = 10_000;

/** Throws where the address cannot be read, without the address: there is a password in it. */
export function clientConfigFrom(options: ClientOptions): pg.ClientConfig {
  const config = configFrom(options);
  try {
    new pg.Client(config);
    return config;
  } catch {
    throw new Error('DATABASE_URL is not a valid address');
  }
}

function configFrom({ url, statementTimeout, acquireTimeout, applicationName }: ClientOptions): pg.ClientConfig {
  return {
    connectionString: url,
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
    application_name: applicationName,
    connectionTimeoutMillis: acquireTimeout,
    query_timeout: (statementTimeout || LONGEST_STATEMENT) + GRACE,
    ...(statementTimeout > 0 && { statement_timeout: statementTimeout, lock_timeout: LOCK_WAIT }),
  };
}

export function sharedConfig(config: pg.ClientConfig): pg.ClientConfig {
  return config.lock_timeout === undefined ? config : { ...config, lock_timeout: SHARED_LOCK_WAIT };
}
