/**
 * One running Postgres that belongs to this process. It is in a session of its own, so that Ctrl-C reaches Kiln alone,
 * which lets the server finish first; and a watcher stops it when this process ends without a word, however it ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import type { PostgresUser } from './postgres-user.ts';
import { becomeOwner, runningPostmaster, waitFor } from './postmaster.ts';

export interface PostgresProcess {
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
export class PostgresDidNotStart extends Error {}

export async function startPostgres(start: PostgresStart): Promise<PostgresProcess> {
  becomeOwner(start.dataFolder);
  const port = await freePort();
  const child = spawnPostgres(start, port);
  const ended = endOf(child);
  if (child.pid === undefined) throw new PostgresDidNotStart(`\`${start.postgres}\` cannot be run`);
  watch(child, child.pid);
  if ((await waitUntilReady(start.dataFolder, child)) === 'ended') {
    throw new PostgresDidNotStart(readFileSync(start.logFile, 'utf8'));
  }
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

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
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

const PATIENCE = 15_000;

/** SIGINT asks Postgres to send its clients away and to end well. */
async function stopProcess(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (hasEnded(child)) return;
  child.ref();
  child.kill('SIGINT');
  const impatient = setTimeout(() => child.kill('SIGQUIT'), PATIENCE);
  await ended;
  clearTimeout(impatient);
}

/** On the loopback interface. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
