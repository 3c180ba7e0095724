/**
 * The parts of pg that its published types leave out, in one place: what we use of its client and of its protocol. They
 * may change with any version, so pg is pinned, and `test/packaging/private-parts.test.ts` checks that they are there.
 */
import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import pg, { type TransactionStatus } from 'pg';
import { addressesOf } from '../../config/reading.ts';
import type { ImageRelease } from '../database-release.ts';

/** The protocol over one socket. */
export interface Wire extends EventEmitter {
  readonly stream: Duplex;
  /** The texts of statements by name: first those that were sent, then those that the server has accepted. */
  readonly submittedNamedStatements: Record<string, string>;
  readonly parsedStatements: Record<string, string>;
  /** Reads the server's messages from here on. */
  attachListeners: (stream: EventEmitter) => void;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
  parse(statement: { readonly name: string; readonly text: string; readonly types: readonly number[] }): void;
  close(statement: { readonly type: 'S'; readonly name: string }): void;
}

/** The event `parameterStatus` of a wire. */
export interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

export interface DriverClient extends EventEmitter {
  readonly connection: Wire;
  /** Where `connect` goes. */
  host: string;
  port: number;
  readonly ssl: boolean | object;
  readonly sslNegotiation: string;
  readonly processID: number | null;
  readonly secretKey: number | null;
  connect(callback: (error: Error | null) => void): void;
  /** The parameters in the first message to the server. */
  getStartupConf(): Record<string, string>;
  /** `I` where there is no transaction. */
  getTransactionStatus(): TransactionStatus;
  query(
    text: string | { readonly text: string; readonly query_timeout?: number | undefined },
  ): Promise<{ readonly command: string }>;
  query(query: { submit(wire: Wire): Error | null }): void;
  query(config: object, done: (error: Error | null, result: object) => void): void;
  /** Waits for what is in flight. */
  end(): Promise<void>;
}

export const DriverClient = pg.Client as unknown as new (config: pg.ClientConfig) => DriverClient;

interface WireOptions {
  readonly ssl: boolean | object;
  readonly sslNegotiation: string;
}

export const DriverWire = pg.Connection as unknown as new (options: WireOptions) => Wire;

/** The prototype that pg asks for before it lets a query into a pipeline. */
export const queryPrototype: object = pg.Query.prototype;

// ── Client config ───────────────────────────────────────────────────────────────────────────────────────────────────

export interface ClientOptions {
  readonly url: string;
  /** The variable that has the address; `DATABASE_URL` if it is left out. */
  readonly variable?: string;
  /** The limit in milliseconds; 0 leaves it to the server, as a pooler in transaction mode demands. */
  readonly statementTimeout: number;
  /** How long a caller waits for a connection, in milliseconds. */
  readonly acquireTimeout: number;
  readonly applicationName: string;
  /** The one whose tables Postgres looks for before it looks where it would have looked anyway. */
  readonly release?: ImageRelease;
}

/** How long after the end of a statement's time its connection is taken for dead, in milliseconds. */
const GRACE = 2000;
/** The limit in milliseconds where it is left to the database, which cannot be reached over a silent network. */
const LONGEST_STATEMENT = 30_000;
/** How long a statement waits for records that another transaction has changed, in milliseconds. */
const LOCK_WAIT = 5000;
/** The same where statements of others wait behind it. */
const SHARED_LOCK_WAIT = 100;
const KEEP_ALIVE_DELAY = 10_000;

/** The address, with a config for each of its hosts. */
export type ClientConfigs = readonly [pg.ClientConfig, ...pg.ClientConfig[]];

/** Throws where the address cannot be read, without the address: there is a password in it. */
export function configsFor(url: string, others: pg.ClientConfig, variable = 'DATABASE_URL'): ClientConfigs {
  const configs = addressesOf(url).map((connectionString) => ({ ...others, connectionString }));
  try {
    for (const config of configs) new pg.Client(config);
  } catch {
    throw new Error(`${variable} is not a valid address`);
  }
  return configs as readonly pg.ClientConfig[] as ClientConfigs;
}

export function clientConfigsFrom(options: ClientOptions): ClientConfigs {
  const { url, statementTimeout, acquireTimeout, applicationName, variable } = options;
  const config = {
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
    application_name: applicationName,
    connectionTimeoutMillis: acquireTimeout,
    query_timeout: (statementTimeout || LONGEST_STATEMENT) + GRACE,
    ...(statementTimeout > 0 && { statement_timeout: statementTimeout, lock_timeout: LOCK_WAIT }),
  };
  return configsFor(url, config, variable);
}

export function sharedConfig(config: pg.ClientConfig): pg.ClientConfig {
  return config.lock_timeout === undefined ? config : { ...config, lock_timeout: SHARED_LOCK_WAIT };
}
