/** Every variable that the server reads, in the order in which the documents show them. */
import * as reading from './reading.ts';

export interface Variable<T> {
  /** As it would be written; null where there is none. */
  readonly default: string | null;
  readonly meaning: string;
  readonly read: reading.Reader<T>;
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const VARIABLES = {
  DATABASE_URL: {
    default: null,
    meaning: 'Where the database is: `postgres://user:password@host:5432/database`. It must be set.',
    read: reading.databaseUrl,
  },
  PORT: {
    default: '3000',
    meaning: 'The port to listen on; `0` takes any that is free.',
    read: reading.wholeNumber(0, 65535),
  },
  METRICS_PORT: {
    default: null,
    meaning:
      'The port that `/metrics` is served on; the same as `PORT` puts it beside the API, and `0` takes any that is free. Without it there is no `/metrics`.',
    read: reading.wholeNumber(0, 65535),
  },
  HOST: { default: '0.0.0.0', meaning: 'The network interface to listen on.', read: reading.hostName },
  WORKERS: {
    default: '1',
    meaning:
      'How many processes of an image serve on the port, for a machine with several cores. Each of them has its own connections and limits.',
    read: reading.wholeNumber(1, 256),
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: `The least level that is logged: ${LEVELS.map((level) => `\`${level}\``).join(', ')}.`,
    read: reading.oneOf(LEVELS),
  },
  CORS_ORIGIN: {
    default: null,
    meaning: 'The origins that a browser may call from, with commas between them, or `*` for all.',
    read: reading.origins,
  },
  BODY_LIMIT: {
    default: '1mb',
    meaning: 'The largest body of a request: `1mb`, `512kb` or a number of bytes.',
    read: reading.size,
  },
  BODIES_LIMIT: {
    default: '128mb',
    meaning:
      'The most memory for bodies of more than 64 KB that are still arriving, of all requests; beyond it, the request gets 503. Smaller ones always pass.',
    read: reading.size,
  },
  LIST_LIMIT: {
    default: '1000',
    meaning: 'The most records of a list that is not `paginable` and has no `limit`.',
    read: reading.wholeNumber(1, 1_000_000),
  },
  REQUESTS_MAX: {
    default: '1000',
    meaning: 'The most requests in progress at the same time; further ones get 503.',
    read: reading.wholeNumber(1, 1_000_000),
  },
  CONNECTIONS_MAX: {
    default: '5000',
    meaning: 'The most open connections of clients; further ones are closed immediately.',
    read: reading.wholeNumber(1, 1_000_000),
  },
  CONNECTION_REQUESTS_MAX: {
    default: '16',
    meaning: 'How many requests of one connection are worked on at once; more are read when these are answered.',
    read: reading.wholeNumber(1, 10_000),
  },
  WRITE_TIMEOUT: {
    default: '30s',
    meaning: 'How long a client may read nothing of its answer before it is disconnected.',
    read: reading.duration(1),
  },
  UNREAD_LIMIT: {
    default: '128mb',
    meaning:
      'The most memory for responses of 512 KB or more that clients have not read yet. Beyond it, clients that have read nothing for a second are disconnected; if that is not enough, the request gets 503.',
    read: reading.size,
  },
  DATABASE_POOL_MAX: {
    default: '10',
    meaning:
      'How many connections there are at most for transactions and slow statements; two more are shared by quick ones.',
    read: reading.wholeNumber(1, 10_000),
  },
  DATABASE_ACQUIRE_TIMEOUT: {
    default: '5s',
    meaning: 'How long a request may wait for connections, all its waits together; then it gets 503.',
    read: reading.duration(1),
  },
  DATABASE_STATEMENT_TIMEOUT: {
    default: '30s',
    meaning: 'How long a statement may run; `0` leaves it to the database, as poolers need it.',
    read: reading.duration(0),
  },
  HOOK_TIMEOUT: { default: '30s', meaning: 'How long the code of a hook may take.', read: reading.duration(1) },
  SHUTDOWN_GRACE: {
    default: '5s',
    meaning:
      'How long the server still accepts connections and requests after it was told to stop. `/readyz` is 503 during that time, and every response has `Connection: close`.',
    read: reading.duration(0),
  },
  SHUTDOWN_TIMEOUT: {
    default: '25s',
    meaning: 'How long running requests may take after `SHUTDOWN_GRACE`.',
    read: reading.duration(1),
  },
  TOKEN_LIFETIME: { default: '30d', meaning: 'How long a token of a login is good for.', read: reading.lifetime },
  LOGIN_LIMIT: {
    default: '20/15m',
    meaning:
      'How often a login to one account may fail from one address, and in what time; from one address to any account, ten times as often. `off` for no limit.',
    read: reading.loginLimit,
  },
  TRUST_PROXY: {
    default: '0',
    meaning:
      "The number of proxies in front of the server. The client's address is that entry of `X-Forwarded-For`, counted from its end; with `0` it is the address of the connection.",
    read: reading.wholeNumber(0, 16),
  },
  DOCS: {
    default: 'on',
    meaning: 'Whether `/openapi.json` and the documentation page are served: `on` or `off`.',
    read: reading.oneOf(['on', 'off']),
  },
  DOCS_PAGE: {
    default: 'on',
    meaning: 'Whether the documentation page is served, if `DOCS` is `on`: `on` or `off`.',
    read: reading.oneOf(['on', 'off']),
  },
  KILN_JWT_JWKS_URL: {
    default: null,
    meaning: 'Where the keys of an outside provider of tokens are.',
    read: reading.webAddress,
  },
  KILN_JWT_SECRET: {
    default: null,
    meaning: 'The shared key of an outside provider, in place of `KILN_JWT_JWKS_URL`; at least 32 bytes.',
    read: reading.secret,
  },
  KILN_JWT_ISSUER: {
    default: null,
    meaning: 'What `iss` of such a token must be; needed with a key.',
    read: reading.plainText,
  },
  KILN_JWT_AUDIENCE: {
    default: null,
    meaning: 'What `aud` of such a token must contain; needed with a key.',
    read: reading.plainText,
  },
} as const satisfies Readonly<Record<string, Variable<unknown>>>;

export type VariableName = keyof typeof VARIABLES;

/** What a variable gives where it is set or has a default. */
export type ValueOf<N extends VariableName> = (typeof VARIABLES)[N] extends Variable<infer T> ? T : never;
