/** The place where an image is tested: a sandbox with a Postgres in it. */

import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { once } from '../../compiler/definition/memo.ts';
import { repeated, SmokeFailure, within } from './deadline.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import type { SandboxContainer } from './sandbox-container.ts';
import {
  ADMIN,
  type DatabaseName,
  openSmokePostgres,
  POSTGRES_NAME,
  POSTGRES_PORT,
  query,
  type SmokePostgres,
  urlInSandbox,
} from './smoke-postgres.ts';

/** A sandbox with its Postgres. Opening it needs nothing of the image, so Postgres starts while the image is made. */
export interface TestSandbox {
  readonly sandbox: Sandbox;
  readonly postgres: Promise<SmokePostgres>;
  /** The URL for the containers in the sandbox. It is known before Postgres answers. */
  url(database: DatabaseName): string;
  /** Closes the sandbox, with all that still starts in it. All calls wait for the first one. */
  close(): Promise<void>;
}

export interface TestSandboxInput {
  /** The image of Postgres. */
  readonly postgres: string;
  /** The owner of the test. An owner tests one image at a time. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

async function openTestSandbox(docker: Docker, input: TestSandboxInput): Promise<TestSandbox> {
  const { postgres: image, owner } = input;
  const passwords = randomPasswords();
  const sandbox = await openSandbox(docker, owner, Object.values(passwords));
  const over = new AbortController();
  const postgres = startPostgres(sandbox, image, passwords, AbortSignal.any([input.signal, over.signal]));
  // The caller that awaits it gets the error.
  postgres.catch(() => undefined);
  const close = once(() => {
    over.abort();
    return sandbox.close();
  });
  const url = (database: DatabaseName) => urlInSandbox(passwords.test, database);
  return { sandbox, postgres, url, close };
}

/** The sandbox is closed when `use` is through, at the latest. */
export async function withTestSandbox<T>(
  docker: Docker,
  input: TestSandboxInput,
  use: (sandbox: Promise<TestSandbox>) => Promise<T>,
): Promise<T> {
  const opening = openTestSandbox(docker, input);
  opening.catch(() => undefined);
  try {
    return await use(opening);
  } finally {
    await opening.then(
      ({ close }) => close(),
      () => undefined,
    );
  }
}

// ── Postgres ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// The Postgres of a smoke test, in a container that is started for it.

const LONGEST_START = 120_000;
/** The settings of a server whose data may be lost in a crash, and should not grow. */
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=128MB'];

interface Passwords {
  /** The password of the superuser of a server. Nobody in the sandbox knows it. */
  readonly admin: string;
  /** The password of the role that owns the databases. */
  readonly test: string;
}

function randomPasswords(): Passwords {
  const password = () => randomBytes(24).toString('hex');
  return { admin: password(), test: password() };
}

async function startPostgres(
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
