/** What a running Postgres says of itself in its data folder, and what Kiln adds: who has started it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly isReady: boolean;
}

/** Nothing where no Postgres runs on the data. What a crash has left behind is removed. */
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
  // While it is being written, it is not whole.
  if (!pid) return undefined;
  return { pid: Math.abs(Number(pid)), port: Number(port ?? 0), isReady: state === 'ready' };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
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

/** Asks again and again; `until` gives something when the wait is over. */
export async function waitFor<T>(until: () => T | undefined): Promise<T> {
  for (let found = until(); ; found = until()) {
    if (found !== undefined) return found;
    await wait(A_MOMENT);
  }
}
