/** Postgres refuses to run as root. Where Kiln does, it starts Postgres as the owner of its data, or as `postgres`. */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { DatabaseRefusal } from './database-refusal.ts';

export interface PostgresUser {
  readonly uid: number;
  readonly gid: number;
}

/** Nothing where Postgres can run as whoever runs Kiln. */
export function postgresUser(dataFolder: string): PostgresUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ownerOf(dataFolder) ?? userOfSystem() ?? newUser();
}

/** Whether the user can get to a file or into a folder; those of root are often closed. */
export function canReach({ uid, gid }: PostgresUser, path: string): boolean {
  return spawnSync('sh', ['-c', 'test -x "$1"', 'sh', path], { uid, gid, cwd: '/' }).status === 0;
}

function ownerOf(folder: string): PostgresUser | undefined {
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
  const way = 'run kiln as another user, or set DATABASE_URL';
  throw new DatabaseRefusal(`Postgres does not run as root, and no user \`postgres\` could be made; ${way}`);
}
