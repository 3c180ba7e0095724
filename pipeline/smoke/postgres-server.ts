/** The Postgres of a smoke test, in a container that is started for it. */
import { randomBytes } from 'node:crypto';
import { repeated, SmokeFailure, within } from './deadline.ts';
import type { Sandbox } from './sandbox.ts';
import type { SandboxContainer } from './sandbox-container.ts';
import { ADMIN, openSmokePostgres, POSTGRES_NAME, POSTGRES_PORT, query, type SmokePostgres } from './smoke-postgres.ts';

const LONGEST_START = 120_000;
/** The settings of a server whose data may be lost in a crash, and should not grow. */
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=128MB'];

export interface Passwords {
  /** The password of the superuser of a server. Nobody in the sandbox knows it. */
  readonly admin: string;
  /** The password of the role that owns the databases. */
  readonly test: string;
}

export function randomPasswords(): Passwords {
  const password = () => randomBytes(24).toString('hex');
  return { admin: password(), test: password() };
}

export async function startPostgres(
  sandbox: Sandbox,
  image: string,
  passwords: Passwords,
  signal: AbortSignal,
): Promise<SmokePostgres> {
  const container = await sandbox.start({
    image,
    name: POSTGRES_NAME,
    port: POSTGRES_PORT,
    command: ['postgres', ...SETTINGS.flatMap((setting) => ['-c', setting])],
    environment: {
      POSTGRES_USER: ADMIN,
      POSTGRES_PASSWORD: passwords.admin,
      POSTGRES_DB: 'postgres',
      POSTGRES_INITDB_ARGS: '--no-sync',
    },
  });
  const failed = async (how: string) => new SmokeFailure(`The Postgres of ${image} ${how}.`, await container.log());
  const adminUrl = `postgres://${ADMIN}:${passwords.admin}@${await container.publishedAddress(POSTGRES_PORT)}/postgres`;
  const answered = repeated(() => answer(container, adminUrl, failed), signal);
  await within(LONGEST_START, () => failed('does not answer'), signal, answered);
  return openSmokePostgres(adminUrl, passwords.test);
}

/** Connects to the server. It accepts no connection while it makes its files, and never will once it has ended. */
async function answer(
  container: SandboxContainer,
  url: string,
  failed: (how: string) => Promise<SmokeFailure>,
): Promise<true | undefined> {
  try {
    await query(url, 'SELECT 1');
    return true;
  } catch {
    if (!(await container.isRunning())) throw await failed('has ended');
    return undefined;
  }
}
