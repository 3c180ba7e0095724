/** Every variable that the server reads, in the order in which the documents show them. */
import type { OWN_VARIABLES } from '../../compiler/definition/contract/variables.ts';
import * as reading from './reading.ts';

export interface Variable<T> {
  /** The default as it would be written. */
  readonly default?: string;
  readonly meaning: string;
  readonly read: reading.Reader<T>;
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const VARIABLES = {
  DATABASE_URL: {
    meaning:
      'The database: `postgres://user:password@host:5432/database`. Required. Of several hosts, as in `…@a:5432,b:5432/database?target_session_attrs=read-write`, the one that takes writes is used.',
    read: reading.databaseUrl,
  },
  DATABASE_READ_URL: {
    meaning:
      'Streaming replicas of the database for reads: one address like `DATABASE_URL`, or several, separated by commas. Each must always lead to the same server.',
    read: reading.databaseUrls,
  },
  PORT: {
    default: '3000',
    meaning: 'The port to listen on; `0` chooses a free one.',
    read: reading.wholeNumber(0, 65535),
  },
  METRICS_PORT: {
    meaning:
      'The port for `/metrics`. The value of `PORT` serves it together with the API; `0` chooses a free port. If it is not set, there is no `/metrics`.',
    read: reading.wholeNumber(0, 65535),
  },
  HOST: { default: '0.0.0.0', meaning: 'The network interface to listen on.', read: reading.hostName },
  WORKERS: {
    default: '1',
    meaning:
      'How many processes of an image serve on the port, for a machine with several cores. Each of them has its own connections and limits.',
    read: reading.wholeNumber(1, 256),
  },
  JOBS: {
    default: '5',
    meaning:
      'How many jobs a process works on at the same time, with database connections of their own. `0` for none: then another server has to.',
    read: reading.wholeNumber(0, 1000),
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: `The lowest level that is logged: ${LEVELS.map((level) => `\`${level}\``).join(', ')}.`,
    read: reading.oneOf(LEVELS),
  },
  CORS_ORIGIN: {
    meaning: 'The origins that browsers may call from (CORS), separated by commas, or `*` for all.',
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
      'The most memory for incomplete request bodies of more than 64 KB, of all requests together. Beyond it, the request gets 503. Smaller bodies are always accepted.',
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
    meaning: 'How many requests of one connection run at once. Further ones are read when these are answered.',
    read: reading.wholeNumber(1, 10_000),
  },
  WRITE_TIMEOUT: {
    default: '30s',
    meaning: 'How long a client may stop reading its response before it is disconnected.',
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
      'The most database connections for transactions and slow statements. Two more are shared by quick statements.',
    read: reading.wholeNumber(1, 10_000),
  },
  DATABASE_ACQUIRE_TIMEOUT: {
    default: '5s',
    meaning: 'How long a request may wait for database connections in total. Then it gets 503.',
    read: reading.duration(1),
  },
  DATABASE_STATEMENT_TIMEOUT: {
    default: '30s',
    meaning: 'How long a statement may run. `0` leaves the limit to the database; some poolers need this.',
    read: reading.duration(0),
  },
  HOOK_TIMEOUT: { default: '30s', meaning: 'How long the code of a hook may take.', read: reading.duration(1) },
  SHUTDOWN_GRACE: {
    default: '5s',
    meaning:
      'How long the server still accepts connections and requests after the stop signal. `/readyz` is 503 during that time, and every response has `Connection: close`.',
    read: reading.duration(0),
  },
  SHUTDOWN_TIMEOUT: {
    default: '25s',
    meaning: 'How long running requests may take after `SHUTDOWN_GRACE`.',
    read: reading.duration(1),
  },
  TOKEN_LIFETIME: { default: '30d', meaning: 'How long the token of a login is valid.', read: reading.lifetime },
  LOGIN_LIMIT: {
    default: '20/15m',
    meaning:
      'How often logins to one account from one address may fail, and in what time. For one address and all accounts, the limit is ten times as high. `off` for no limit.',
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
    meaning: 'Whether `/openapi.json` and the console are served: `on` or `off`.',
    read: reading.oneOf(['on', 'off']),
  },
  DOCS_PAGE: {
    default: 'on',
    meaning: 'Whether the console is served, if `DOCS` is `on`: `on` or `off`.',
    read: reading.oneOf(['on', 'off']),
  },
  CONSOLE: {
    default: 'off',
    meaning:
      'Whether the console also shows the records of the database, lets them be changed, and shows requests with their statements: `on` or `off`. With `on`, `CONSOLE_SECRET` must be set, `WORKERS` must be 1, and `DOCS` and `DOCS_PAGE` must be `on`.',
    read: reading.oneOf(['on', 'off']),
  },
  CONSOLE_SECRET: {
    meaning:
      'What the page asks for before it shows data; at least 16 ASCII letters, digits and signs. Use a random text.',
    read: reading.consoleSecret,
  },
  KILN_JWT_JWKS_URL: {
    meaning: 'The URL of the keys of an external identity provider (JWKS).',
    read: reading.webAddress,
  },
  KILN_JWT_SECRET: {
    meaning: 'The shared key of an external identity provider, instead of `KILN_JWT_JWKS_URL`; at least 32 bytes.',
    read: reading.secret,
  },
  KILN_JWT_ISSUER: {
    meaning: 'The required `iss` of such tokens. Must be set together with a key.',
    read: reading.plainText,
  },
  KILN_JWT_AUDIENCE: {
    meaning: 'The required `aud` of such tokens. Must be set together with a key.',
    read: reading.plainText,
  },
  MAIL_URL: {
    meaning:
      'The mail server: `smtp://user:password@host:587`, which uses TLS where the server offers it, or `smtps://`. Required for an application with mail.',
    read: reading.mailUrl,
  },
  MAIL_FROM: {
    meaning:
      'The sender of mails: `shop@example.com`, or `Shop <shop@example.com>`. Required for an application with mail.',
    read: reading.mailAddress,
  },
  WEBHOOK_PRIVATE: {
    default: 'refuse',
    meaning:
      'Whether webhooks may be sent without TLS, and to addresses of this machine and its networks: `allow` or `refuse`. `kiln dev` allows it.',
    read: reading.oneOf(['allow', 'refuse']),
  },
  FILES_URL: {
    meaning:
      'Where files are kept: `file:///var/files` for a folder, or `s3://bucket?endpoint=https://…&region=…` for a bucket. Required for an application with files.',
    read: reading.filesUrl,
  },
  AWS_ACCESS_KEY_ID: { meaning: 'The name of the key for the bucket of `FILES_URL`.', read: reading.plainText },
  AWS_SECRET_ACCESS_KEY: { meaning: 'The key for the bucket of `FILES_URL`.', read: reading.plainText },
  LIVE_MAX: {
    default: '10000',
    meaning:
      'The most live lists that clients follow, those of `/api/live` one by one; further ones get 503. Each stream is a connection, so `CONNECTIONS_MAX` counts it too.',
    read: reading.wholeNumber(0, 1_000_000),
  },
} as const satisfies Readonly<Record<(typeof OWN_VARIABLES)[number], Variable<unknown>>>;

export type VariableName = keyof typeof VARIABLES;

/** The type of a variable that is set or has a default. */
export type ValueOf<N extends VariableName> = (typeof VARIABLES)[N] extends Variable<infer T> ? T : never;
