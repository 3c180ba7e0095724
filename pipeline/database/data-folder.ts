/** The folder in which Postgres keeps the data of a project: found, or made so that it is there whole or not at all. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseRefusal } from './database-refusal.ts';
import { type PostgresBinaries, SHARED_FOLDER } from './postgres-binaries.ts';
import { canReach, type PostgresUser } from './postgres-user.ts';
import { isAlive } from './postmaster.ts';

export const SUPERUSER = 'postgres';
const PASSWORD_FILE = 'kiln-password';

/** Where the user cannot reach `wanted`, it becomes a link to a folder that the user can reach. */
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

/** Does nothing where the folder is there. */
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

/** Of processes that were interrupted. */
function removeDrafts(folder: string): void {
  const parent = dirname(folder);
  const drafts = readdirSync(parent).filter((name) => name.startsWith(`${basename(folder)}.`));
  for (const draft of drafts) {
    const pid = /\.(\d+)(\.password)?$/.exec(draft)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(parent, draft), { recursive: true, force: true });
  }
}

/** What is sorted and printed does not depend on the machine. */
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
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new DatabaseRefusal(`Postgres cannot create its data folder: ${firstLine(said.join(''))}`);
}

function firstLine(text: string): string {
  return (
    text
      .trim()
      .split('\n')[0]
      ?.replace(/^initdb: error: /, '') || 'it gave no reason'
  );
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
