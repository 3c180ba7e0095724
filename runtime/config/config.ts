/**
 * The environment becomes a `Config`, or a list of all that is wrong with it: one sentence each, with the name of the
 * variable and never with a secret. A variable that is empty counts as not set.
 */
import type { BucketAddress, FilesAddress } from './reading.ts';
import { VARIABLES, type ValueOf, type Variable, type VariableName } from './variables.ts';

/** How the server runs, from the environment alone. `VARIABLES` says what each of them means. */
export type Config = Readonly<ReturnType<typeof configFrom>>;

/** How often logins to one account from one address may fail, and after how many seconds that is forgotten. */
export type LoginLimit = NonNullable<Config['loginLimit']>;

export interface JwtConfig {
  readonly key: { readonly kind: 'jwks'; readonly url: string } | { readonly kind: 'secret'; readonly secret: string };
  readonly issuer: string;
  readonly audience: string;
}

export interface BucketConfig extends BucketAddress {
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Where files are kept. */
export type FilesConfig = Exclude<FilesAddress, BucketAddress> | BucketConfig;

type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

export type Environment = Readonly<Record<string, string | undefined>>;

type Values = { readonly [N in VariableName]: ValueOf<N> | null };

export function configFromEnvironment(env: Environment): ConfigResult {
  const problems: string[] = [];
  const values = valuesFrom(env, problems);
  problems.push(...missing(env), ...consoleContradictions(env), ...jwtContradictions(env), ...keysMissing(env, values));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: configFrom(values) };
}

function valuesFrom(env: Environment, problems: string[]): Values {
  const entries = Object.entries<Variable<unknown>>(VARIABLES).map(([name, variable]) => {
    const text = textOf(env, name) ?? variable.default ?? null;
    const reading = text === null ? null : variable.read(text);
    if (reading?.ok === false) problems.push(`${name} ${reading.problem}`);
    return [name, reading?.ok ? reading.value : null];
  });
  return Object.fromEntries(entries) as Values;
}

function textOf(env: Environment, name: string): string | null {
  const text = env[name]?.trim();
  return text === undefined || text === '' ? null : text;
}

function missing(env: Environment): readonly string[] {
  if (textOf(env, 'DATABASE_URL') !== null) return [];
  return ['DATABASE_URL is not set: it must look like `postgres://user:password@host:5432/database`.'];
}

function consoleContradictions(env: Environment): readonly string[] {
  const isWord = (name: VariableName, word: string): boolean => textOf(env, name)?.toLowerCase() === word;
  if (!isWord('CONSOLE', 'on')) return [];
  const problems: string[] = [];
  // Everybody who reaches the server could read and change everything.
  if (textOf(env, 'CONSOLE_SECRET') === null)
    problems.push('CONSOLE is `on`, but CONSOLE_SECRET is not set: set it to a random text of at least 16 characters.');
  if (Number(textOf(env, 'WORKERS') ?? 1) > 1)
    problems.push('CONSOLE is `on`, which needs WORKERS=1: each worker has records of its own requests only.');
  const off = (['DOCS', 'DOCS_PAGE'] as const).find((name) => isWord(name, 'off'));
  if (off !== undefined)
    problems.push(`CONSOLE is \`on\`, but ${off} is \`off\`: without the page nobody can see the data.`);
  return problems;
}

function jwtContradictions(env: Environment): readonly string[] {
  const keys = ['KILN_JWT_JWKS_URL', 'KILN_JWT_SECRET'].filter((name) => textOf(env, name) !== null);
  if (keys.length === 2) return ['KILN_JWT_JWKS_URL and KILN_JWT_SECRET are both set: only one of them can be used.'];
  const [key] = keys;
  const names = ['KILN_JWT_ISSUER', 'KILN_JWT_AUDIENCE'];
  const isSet = (name: string) => textOf(env, name) !== null;
  // These are required, because a token that the provider has signed for another application would be valid here too.
  if (key !== undefined) return names.filter((name) => !isSet(name)).map((name) => lacking(name, key));
  return names
    .filter(isSet)
    .map((name) => `${name} is set, but there is no key: set KILN_JWT_JWKS_URL or KILN_JWT_SECRET too.`);
}

function keysMissing(env: Environment, { FILES_URL: address }: Values): readonly string[] {
  const names = address?.kind === 'bucket' ? ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] : [];
  return names
    .filter((name) => textOf(env, name) === null)
    .map((name) => `FILES_URL names a bucket, but ${name} is not set.`);
}

function lacking(name: string, key: string): string {
  const claim = name === 'KILN_JWT_ISSUER' ? '`iss`' : '`aud`';
  return `${key} is set, but ${name} is not: set it to the ${claim} of the tokens that are meant for this application.`;
}

/**
 * Makes the configuration once nothing is wrong, so variables with a default have a value. Times are in milliseconds,
 * the lifetime of tokens is in seconds, sizes are in bytes.
 */
function configFrom(values: Values) {
  return {
    databaseUrl: present(values.DATABASE_URL),
    databaseReadUrls: values.DATABASE_READ_URL ?? [],
    port: present(values.PORT),
    metricsPort: values.METRICS_PORT,
    host: present(values.HOST),
    workers: present(values.WORKERS),
    jobs: present(values.JOBS),
    logLevel: present(values.LOG_LEVEL),
    corsOrigins: values.CORS_ORIGIN ?? [],
    poolMax: present(values.DATABASE_POOL_MAX),
    bodyLimit: present(values.BODY_LIMIT),
    connectionsMax: present(values.CONNECTIONS_MAX),
    connectionRequestsMax: present(values.CONNECTION_REQUESTS_MAX),
    requestsMax: present(values.REQUESTS_MAX),
    writeTimeout: present(values.WRITE_TIMEOUT),
    bodiesLimit: present(values.BODIES_LIMIT),
    unreadLimit: present(values.UNREAD_LIMIT),
    listLimit: present(values.LIST_LIMIT),
    statementTimeout: present(values.DATABASE_STATEMENT_TIMEOUT),
    acquireTimeout: present(values.DATABASE_ACQUIRE_TIMEOUT),
    hookTimeout: present(values.HOOK_TIMEOUT),
    shutdownGrace: present(values.SHUTDOWN_GRACE),
    shutdownTimeout: present(values.SHUTDOWN_TIMEOUT),
    tokenLifetime: present(values.TOKEN_LIFETIME),
    loginLimit: values.LOGIN_LIMIT === 'off' ? null : present(values.LOGIN_LIMIT),
    trustedProxies: present(values.TRUST_PROXY),
    docs: values.DOCS === 'on',
    docsPage: values.DOCS === 'on' && values.DOCS_PAGE === 'on',
    consoleSecret: values.CONSOLE === 'on' ? present(values.CONSOLE_SECRET) : null,
    jwt: jwtFrom(values),
    mailUrl: values.MAIL_URL,
    mailFrom: values.MAIL_FROM,
    files: filesFrom(values),
    webhookPrivate: values.WEBHOOK_PRIVATE === 'allow',
    liveMax: present(values.LIVE_MAX),
  };
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error('a variable without a value and without a problem');
  return value;
}

function filesFrom({
  FILES_URL: address,
  AWS_ACCESS_KEY_ID: id,
  AWS_SECRET_ACCESS_KEY: key,
}: Values): FilesConfig | null {
  if (address?.kind !== 'bucket') return address;
  return { ...address, credentials: { accessKeyId: present(id), secretAccessKey: present(key) } };
}

function jwtFrom(values: Values): JwtConfig | null {
  const key = jwtKeyFrom(values);
  return key && { key, issuer: present(values.KILN_JWT_ISSUER), audience: present(values.KILN_JWT_AUDIENCE) };
}

function jwtKeyFrom({ KILN_JWT_JWKS_URL: url, KILN_JWT_SECRET: secret }: Values): JwtConfig['key'] | null {
  if (url !== null) return { kind: 'jwks', url };
  return secret === null ? null : { kind: 'secret', secret };
}
