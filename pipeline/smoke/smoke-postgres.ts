/**
 * The databases of one test. They belong to a role of their own, which may do nothing else, so a test leaves nothing in
 * the server for the next one. Their names are fresh: what an earlier test has left is not taken for theirs.
 */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { SandboxContainer } from './sandbox-container.ts';

/** The role that may do everything. Only this process uses it, never a container of a test. */
export const ADMIN = 'kiln';
/** How the other containers of the sandbox find the server. */
export const POSTGRES_NAME = 'database';
export const POSTGRES_PORT = 5432;

/**
 * The file in the container that is written each time its Postgres is used. It is not in `/tmp` itself: in a sticky
 * folder, Linux may keep one user from writing the files of another.
 */
export const USED_FILE = '/tmp/kiln/used';

const BETWEEN_USES = 30_000;

/** `empty` and `previous` are there from the beginning. */
export type DatabaseName =
  | 'empty'
  | 'previous'
  | 'before'
  | `live_${number}`
  | `around_${number}`
  | `around_${number}_${number}`;

/**
 * The URL of a database for the other containers of the sandbox. Names follow from the password of the role, so a
 * container can be given the URL before there is a server.
 */
export function urlInSandbox(password: string, database: DatabaseName): string {
  return urlAt(`${POSTGRES_NAME}:${POSTGRES_PORT}`, password, database);
}

function urlAt(address: string, password: string, database: DatabaseName): string {
  const id = idOf(password);
  return `postgres://${ADMIN}_${id}:${password}@${address}/${database}_${id}`;
}

function idOf(password: string): string {
  return createHash('sha256').update(password).digest('hex').slice(0, 8);
}

export interface PostgresServer {
  readonly container: SandboxContainer;
  /** The URL from this machine, as the superuser. */
  readonly adminUrl: string;
  /** It runs on after the test. */
  readonly isKept: boolean;
  /** It was kept by an earlier push. */
  readonly isReused: boolean;
}

export class SmokePostgres {
  readonly #server: PostgresServer;
  readonly #admin: pg.Client;
  readonly #password: string;
  readonly #id: string;
  readonly #role: string;
  #using: NodeJS.Timeout | undefined;

  private constructor(server: PostgresServer, admin: pg.Client, password: string) {
    this.#server = server;
    this.#admin = admin;
    this.#password = password;
    this.#id = idOf(password);
    this.#role = `${ADMIN}_${this.#id}`;
  }

  /** `password` is that of the role. */
  static async open(server: PostgresServer, password: string): Promise<SmokePostgres> {
    const admin = await connected(server.adminUrl);
    const postgres = new SmokePostgres(server, admin, password);
    try {
      await postgres.#prepare();
      return postgres;
    } catch (error) {
      await admin.end().catch(() => undefined);
      throw error;
    }
  }

  async #prepare(): Promise<void> {
    if (this.#server.isKept) await this.#use();
    if (this.#server.isReused) await removeLeftOver(this.#admin);
    await closeOthers(this.#admin);
    await this.#admin.query(`CREATE ROLE ${this.#role} LOGIN PASSWORD '${this.#password}'`);
    await this.create('empty');
    await this.create('previous');
    if (this.#server.isKept) this.#using = setInterval(() => void this.#use().catch(ignored), BETWEEN_USES).unref();
  }

  /** The container counts from here how long nobody needs it. */
  async #use(): Promise<void> {
    await this.#admin.query(`COPY (SELECT 1) TO '${USED_FILE}'`);
  }

  get isReused(): boolean {
    return this.#server.isReused;
  }

  /** The URL for the other containers of the sandbox. */
  url(database: DatabaseName): string {
    return urlInSandbox(this.#password, database);
  }

  async create(database: DatabaseName): Promise<void> {
    await this.#admin.query(`CREATE DATABASE ${database}_${this.#id} OWNER ${this.#role}`);
  }

  /** Copies a database with all that is in it. Nobody may be connected to it. */
  async copy(from: DatabaseName, to: DatabaseName): Promise<void> {
    await this.#admin.query(`CREATE DATABASE ${to}_${this.#id} TEMPLATE ${from}_${this.#id} OWNER ${this.#role}`);
  }

  /** Runs statements one after the other, and gives the first row of each. */
  async firstRows(database: DatabaseName, statements: readonly string[]): Promise<readonly (Row | undefined)[]> {
    const url = urlAt(new URL(this.#server.adminUrl).host, this.#password, database);
    const results = [await query(url, statements.join('; '))].flat();
    return results.map(({ rows: [first] }) => first);
  }

  /** Whether the server has ended, or has no space for another database. */
  async isBroken(): Promise<boolean> {
    const name = `probe_${this.#id}`;
    try {
      await query(this.#server.adminUrl, `CREATE DATABASE ${name} OWNER ${this.#role}`);
      await query(this.#server.adminUrl, `DROP DATABASE ${name}`);
      return false;
    } catch {
      return true;
    }
  }

  /** Leaves nothing of the test in a server that is kept. One that cannot be used any more is removed. */
  async close(): Promise<void> {
    try {
      if (this.#server.isKept) await removeLeftOver(this.#admin).then(() => this.#use());
    } catch {
      await this.remove();
    } finally {
      clearInterval(this.#using);
      await this.#admin.end().catch(ignored);
    }
  }

  async remove(): Promise<void> {
    clearInterval(this.#using);
    await this.#server.container.remove().catch(ignored);
  }
}

/** Removes the roles of tests with their databases. Anything else came with the image. */
async function removeLeftOver(admin: pg.Client): Promise<void> {
  await runEach(
    admin,
    `WITH role AS (SELECT oid, rolname FROM pg_roles WHERE rolname ~ '^${ADMIN}_[0-9a-f]{8}$')
    SELECT format('DROP DATABASE %I WITH (FORCE)', datname) AS statement
    FROM pg_database JOIN role ON role.oid = datdba
    UNION ALL SELECT format('DROP ROLE %I', rolname) FROM role
    ORDER BY statement`,
  );
}

/** The databases that came with the image are none of a test. */
async function closeOthers(admin: pg.Client): Promise<void> {
  await runEach(
    admin,
    `SELECT format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', datname) AS statement
    FROM pg_database WHERE datallowconn`,
  );
}

/** Runs the statements that a query gives. */
async function runEach(admin: pg.Client, statements: string): Promise<void> {
  const { rows } = await admin.query<{ readonly statement: string }>(statements);
  for (const { statement } of rows) await admin.query(statement);
}

function ignored(): void {}

// ── Postgres client ──────────────────────────────────────────────────────────────────────────────────────────────────

// Connections from this machine to the Postgres of a test. They give up after a while.

const LONGEST_CONNECT = 5000;
const LONGEST_STATEMENT = 20_000;

export type Row = Readonly<Record<string, string>>;

/** Runs a query; it returns several results for several statements. */
export async function query(url: string, sql: string): Promise<pg.QueryResult<Row> | readonly pg.QueryResult<Row>[]> {
  const client = await connected(url);
  try {
    return await client.query<Row>(sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function connected(url: string): Promise<pg.Client> {
  // It is loaded here: a build without a test need not wait for it.
  const { default: driver } = await import('pg');
  const limits = { connectionTimeoutMillis: LONGEST_CONNECT, query_timeout: LONGEST_STATEMENT };
  const client = new driver.Client({ connectionString: url, ...limits });
  // A connection that breaks is seen by what uses it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}
