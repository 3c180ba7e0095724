/**
 * The Postgres of a project, with its data in `.kiln/postgres`: started where it does not run, kept from run to run,
 * and stopped when the process that started it ends. A second process on the same project uses the server of the first.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { systemReason } from '../../files/system-reason.ts';
import { kilnFolderOf, makeKilnFolder } from '../../files/write-file.ts';
import { DatabaseRefusal } from './connect.ts';
import {
  becomeOwner,
  isPostgres,
  makeDataFolder,
  ownerOf,
  type PostgresUser,
  type Postmaster,
  passwordOf,
  placeForData,
  postgresBinaries,
  postgresUser,
  runningPostmaster,
  SUPERUSER,
  waitFor,
} from './data-folder.ts';

interface ProjectDatabase {
  readonly url: string;
  /** The process that has started Postgres and will stop it, where it is another one. */
  readonly startedBy: number | null;
  stop(): Promise<void>;
}

export const DATA_FOLDER = '.kiln/postgres';

/** The path of the data folder as the project itself was named, relative to the current folder. */
export function shownDataFolder(projectFolder: string): string {
  return join(projectFolder, DATA_FOLDER);
}

const DATABASE = 'kiln';

/** `say` is called only for the first start, which takes longest. */
export async function openProjectDatabase(
  projectFolder: string,
  say: (sentence: string) => void = () => undefined,
): Promise<ProjectDatabase> {
  try {
    return await open(resolve(projectFolder), () => say(`Starting Postgres in ${shownDataFolder(projectFolder)} …`));
  } catch (error) {
    if (error instanceof DatabaseRefusal) throw error;
    throw new DatabaseRefusal(`\`${DATA_FOLDER}\` cannot be used: ${systemReason(error)}`);
  }
}

async function open(projectFolder: string, onFirstStart: () => void): Promise<ProjectDatabase> {
  const refusal = makeKilnFolder(projectFolder);
  if (refusal !== undefined) throw new DatabaseRefusal(refusal);
  const wanted = resolve(projectFolder, DATA_FOLDER);
  const user = postgresUser(wanted);
  const dataFolder = placeForData(wanted, user);
  const binaries = postgresBinaries(user);
  if (!existsSync(dataFolder)) onFirstStart();
  await makeDataFolder(dataFolder, binaries, user);
  const logFile = resolve(kilnFolderOf(projectFolder), 'postgres.log');
  return openData(dataFolder, () => startPostgres({ postgres: binaries.postgres, dataFolder, logFile, user }));
}

/** The URL of a Postgres that another process runs for the project; undefined where none runs. */
export function runningDatabaseUrl(projectFolder: string): string | undefined {
  const folder = resolve(projectFolder, DATA_FOLDER);
  if (!existsSync(folder)) return undefined;
  const dataFolder = realpathSync(folder);
  const running = runningPostmaster(dataFolder);
  const isServed = running?.isReady === true && ownerOf(dataFolder) !== undefined;
  return isServed ? urlOf(dataFolder, running.port) : undefined;
}

async function openData(dataFolder: string, start: () => Promise<PostgresProcess>): Promise<ProjectDatabase> {
  for (let attempt = 1; ; attempt++) {
    const running = await runningForGuests(dataFolder);
    if (running) {
      const url = urlOf(dataFolder, running.running.port);
      return { url, startedBy: running.owner, stop: async () => undefined };
    }
    try {
      const { port, stop } = await start();
      return { url: urlOf(dataFolder, port), startedBy: null, stop };
    } catch (error) {
      if (!(error instanceof PostgresDidNotStart)) throw error;
      if (attempt === ATTEMPTS) throw new DatabaseRefusal(didNotStart(error.message));
    }
  }
}

/** Another process may have been faster, with the data or with the port. */
const ATTEMPTS = 3;

function urlOf(dataFolder: string, port: number): string {
  return `postgres://${SUPERUSER}:${passwordOf(dataFolder)}@127.0.0.1:${port}/${DATABASE}`;
}

/** A server whose owner is gone will not be stopped by anybody else, so it is stopped here. */
async function runningForGuests(dataFolder: string) {
  const found = await waitFor(() => {
    const running = runningPostmaster(dataFolder);
    if (!running) return 'none';
    const owner = ownerOf(dataFolder);
    if (owner === undefined) return running;
    return running.isReady ? { running, owner } : undefined;
  });
  if (found === 'none') return undefined;
  if ('owner' in found) return found;
  await stopOrphan(found);
  return undefined;
}

async function stopOrphan({ pid }: Postmaster): Promise<void> {
  if (isPostgres(pid)) process.kill(pid, 'SIGINT');
  await waitFor(() => (isPostgres(pid) ? undefined : true));
}

function didNotStart(log: string): string {
  const fatal = /FATAL: +(.+)/.exec(log)?.[1] ?? log.trim().split('\n').at(-1);
  return `Postgres does not start on \`${DATA_FOLDER}\`: ${fatal || 'it gave no reason'}; see .kiln/postgres.log`;
}

// ── Postgres process ─────────────────────────────────────────────────────────────────────────────────────────────────

// One running Postgres that belongs to this process. It is in a session of its own, so that Ctrl-C reaches Kiln alone,
// which lets the server finish first; and a watcher stops it when this process ends without a word, however it ends.

interface PostgresProcess {
  readonly port: number;
  stop(): Promise<void>;
}

interface PostgresStart {
  readonly postgres: string;
  readonly dataFolder: string;
  readonly logFile: string;
  readonly user: PostgresUser | undefined;
}

/** Why it did not start: the last lines of its log. */
class PostgresDidNotStart extends Error {}

async function startPostgres(start: PostgresStart): Promise<PostgresProcess> {
  becomeOwner(start.dataFolder);
  const port = await freePort();
  const child = spawnPostgres(start, port);
  const ended = once(child, 'exit').catch(() => undefined);
  if (child.pid === undefined) throw new PostgresDidNotStart(`\`${start.postgres}\` cannot be run`);
  watch(child, child.pid);
  if ((await waitUntilReady(start.dataFolder, child)) === 'ended')
    throw new PostgresDidNotStart(readFileSync(start.logFile, 'utf8'));
  becomeOwner(start.dataFolder);
  return { port, stop: () => stopProcess(child, ended) };
}

function spawnPostgres({ postgres, dataFolder, logFile, user }: PostgresStart, port: number): ChildProcess {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'timezone=UTC', 'log_timezone=UTC'];
  const words = ['-D', dataFolder, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const log = openSync(logFile, 'w');
  const env = { PATH: process.env.PATH };
  const child = spawn(postgres, words, { ...user, cwd: '/', env, detached: true, stdio: ['ignore', log, log] });
  child.unref();
  closeSync(log);
  return child;
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function waitUntilReady(dataFolder: string, child: ChildProcess): Promise<'ready' | 'ended'> {
  return waitFor(() => {
    if (hasEnded(child)) return 'ended';
    const running = runningPostmaster(dataFolder);
    return running?.pid === child.pid && running?.isReady ? 'ready' : undefined;
  });
}

/** Its input is ours to close, and the system closes it when we are gone. */
const WATCHER = "process.stdin.on('close', () => process.kill(Number(process.argv[1]), 'SIGINT')).resume();";

function watch(child: ChildProcess, pid: number): void {
  const watcher = spawn(process.execPath, ['-e', WATCHER, String(pid)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.once('error', () => undefined);
  watcher.unref();
  // The number of the process may be another one's later.
  child.once('exit', () => watcher.kill('SIGKILL'));
}

const LONGEST_STOP = 15_000;

/** SIGINT asks Postgres to send its clients away and to end well. */
async function stopProcess(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (hasEnded(child)) return;
  child.ref();
  child.kill('SIGINT');
  const timer = setTimeout(() => child.kill('SIGQUIT'), LONGEST_STOP);
  await ended;
  clearTimeout(timer);
}

/** Finds a free port on the loopback interface. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
