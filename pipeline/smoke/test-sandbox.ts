/** The place where an image is tested: a sandbox with a Postgres in it. */
import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import type pg from 'pg';
import { once } from '../../compiler/definition/memo.ts';
import { repeated, SmokeFailure, within } from './deadline.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import type { SandboxContainer } from './sandbox-container.ts';

/** A sandbox with its Postgres. Opening it needs nothing of the image, so Postgres starts while the image is made. */
export interface TestSandbox {
  readonly sandbox: Sandbox;
  readonly postgres: Promise<SmokePostgres>;
  /** The URL for the containers in the sandbox. It is known before Postgres answers. */
  url(database: DatabaseName): string;
  /** Closes the sandbox, with all that still starts in it. All calls wait for the first one. */
  close(): Promise<void>;
}

export interface TestSandboxInput {
  /** The image of Postgres. */
  readonly postgres: string;
  /** The owner of the test. An owner tests one image at a time. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

async function openTestSandbox(docker: Docker, input: TestSandboxInput): Promise<TestSandbox> {
  const { postgres: image, owner } = input;
  const passwords = randomPasswords();
  const sandbox = await openSandbox(docker, owner, Object.values(passwords));
  const over = new AbortController();
  const postgres = startPostgres(sandbox, image, passwords, AbortSignal.any([input.signal, over.signal]));
  // The caller that awaits it gets the error.
  postgres.catch(() => undefined);
  const close = once(() => {
    over.abort();
    return sandbox.close();
  });
  const url = (database: DatabaseName) => urlInSandbox(passwords.test, database);
  return { sandbox, postgres, url, close };
}

/** The sandbox is closed when `use` is through, at the latest. */
export async function withTestSandbox<T>(
  docker: Docker,
  input: TestSandboxInput,
  use: (sandbox: Promise<TestSandbox>) => Promise<T>,
): Promise<T> {
  const opening = openTestSandbox(docker, input);
  opening.catch(() => undefined);
  try {
    return await use(opening);
  } finally {
    await opening.then(
      ({ close }) => close(),
      () => undefined,
    );
  }
}

// ── Postgres ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// The Postgres of a smoke test, in a container that is started for it.

const LONGEST_START = 120_000;
/** The settings of a server whose data may be lost in a crash, and should not grow. */
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=128MB'];

interface Passwords {
  /** The password of the superuser of a server. Nobody in the sandbox knows it. */
  readonly admin: string;
  /** The password of the role that owns the databases. */
  readonly test: string;
}

function randomPasswords(): Passwords {
  const password = () => randomBytes(24).toString('hex');
  return { admin: password(), test: password() };
}

async function startPostgres(sandbox: Sandbox, image: string, passwords: Passwords, signal: AbortSignal) {
  const container = await sandbox.start({
    image,
    name: POSTGRES_NAME,
    port: POSTGRES_PORT,
    command: ['postgres', ...SETTINGS.flatMap((setting) => ['-c', setting])],
    environment: {
      POSTGRES_USER: ADMIN,
      POSTGRES_PASSWORD: passwords.admin,
      POSTGRES_DB: 'postgres',
      POSTGRES_INITDB_ARGS: '--no-sync',
    },
  });
  const failed = async (how: string) => new SmokeFailure(`The Postgres of ${image} ${how}.`, await container.log());
  const adminUrl = `postgres://${ADMIN}:${passwords.admin}@${await container.publishedAddress(POSTGRES_PORT)}/postgres`;
  const answered = repeated(() => answer(container, adminUrl, failed), signal);
  await within(LONGEST_START, () => failed('does not answer'), signal, answered);
  return openSmokePostgres(adminUrl, passwords.test);
}

/** Connects to the server. It accepts no connection while it makes its files, and never will once it has ended. */
async function answer(
  container: SandboxContainer,
  url: string,
  failed: (how: string) => Promise<SmokeFailure>,
): Promise<true | undefined> {
  try {
    await query(url, 'SELECT 1');
    return true;
  } catch {
    if (!(await container.isRunning())) throw await failed('has ended');
    return undefined;
  }
}

// ── Databases ────────────────────────────────────────────────────────────────────────────────────────────────────────

// The databases of one test, in a Postgres of its own.

/** The role that may do everything. Only this process uses it, never a container of a test. */
const ADMIN = 'kiln';
/** How the other containers of the sandbox find the server. */
const POSTGRES_NAME = 'database';
const POSTGRES_PORT = 5432;

/** `empty` and `previous` are there from the beginning. */
export type DatabaseName =
  | 'empty'
  | 'previous'
  | 'before'
  | `live_${number}`
  | `around_${number}`
  | `around_${number}_${number}`;

/** The role that owns the databases, and may do nothing else. */
const ROLE = 'test';

/** The URL of a database for the other containers of the sandbox: it can be given to one before there is a server. */
function urlInSandbox(password: string, database: DatabaseName): string {
  return urlAt(`${POSTGRES_NAME}:${POSTGRES_PORT}`, password, database);
}

function urlAt(address: string, password: string, database: DatabaseName): string {
  return `postgres://${ROLE}:${password}@${address}/${database}`;
}

export type SmokePostgres = Awaited<ReturnType<typeof openSmokePostgres>>;

/** The URL is that of the superuser, from this machine; `password` is that of the role. */
async function openSmokePostgres(adminUrl: string, password: string) {
  const create = async (database: DatabaseName): Promise<void> => {
    await query(adminUrl, `CREATE DATABASE ${database} OWNER ${ROLE}`);
  };
  await query(adminUrl, `CREATE ROLE ${ROLE} LOGIN PASSWORD '${password}'`);
  await create('empty');
  await create('previous');
  return {
    /** The URL for the other containers of the sandbox. */
    url: (database: DatabaseName) => urlInSandbox(password, database),
    create,
    /** Copies a database with all that is in it. Nobody may be connected to it. */
    copy: async (from: DatabaseName, to: DatabaseName): Promise<void> => {
      await query(adminUrl, `CREATE DATABASE ${to} TEMPLATE ${from} OWNER ${ROLE}`);
    },
    /** Runs statements one after the other, and gives the first row of each. */
    firstRows: async (database: DatabaseName, statements: readonly string[]): Promise<readonly (Row | undefined)[]> => {
      const url = urlAt(new URL(adminUrl).host, password, database);
      const results = [await query(url, statements.join('; '))].flat();
      return results.map(({ rows: [first] }) => first);
    },
  };
}

// ── Postgres client ──────────────────────────────────────────────────────────────────────────────────────────────────

// Connections from this machine to the Postgres of a test. They give up after a while.

const LONGEST_CONNECT = 5000;
const LONGEST_STATEMENT = 20_000;

export type Row = Readonly<Record<string, string>>;

/** Runs a query; it returns several results for several statements. */
async function query(url: string, sql: string): Promise<pg.QueryResult<Row> | readonly pg.QueryResult<Row>[]> {
  // It is loaded here: a build without a test need not wait for it.
  const { default: driver } = await import('pg');
  const limits = { connectionTimeoutMillis: LONGEST_CONNECT, query_timeout: LONGEST_STATEMENT };
  const client = new driver.Client({ connectionString: url, ...limits });
  // A connection that breaks is seen by what uses it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.query<Row>(sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}
