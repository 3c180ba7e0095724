/** The place where an image is tested: a sandbox with a Postgres in it. */
import type Docker from 'dockerode';
import { openPostgres, randomPasswords } from './postgres-server.ts';
import { Sandbox } from './sandbox.ts';
import { type DatabaseName, type SmokePostgres, urlInSandbox } from './smoke-postgres.ts';

/** A sandbox with its Postgres. Opening it needs nothing of the image, so Postgres starts while the image is made. */
export interface TestSandbox {
  readonly sandbox: Sandbox;
  readonly postgres: Promise<SmokePostgres>;
  /** The URL for the containers in the sandbox. It is known before Postgres answers. */
  url(database: DatabaseName): string;
  /** Another one in place of one that an earlier push has kept, where that is broken. */
  replacement(): Promise<SmokePostgres | undefined>;
  /** Closes the sandbox, with all that still starts in it. All calls wait for the first one. */
  close(): Promise<void>;
}

export interface TestSandboxInput {
  /** The image of Postgres. */
  readonly postgres: string;
  /** The owner of the test. An owner tests one image at a time. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** How long its Postgres runs on for the next test of the owner, in seconds. */
  readonly keepPostgres?: number;
}

async function openTestSandbox(docker: Docker, input: TestSandboxInput): Promise<TestSandbox> {
  const { postgres: image, owner, keepPostgres: seconds = 0 } = input;
  const passwords = randomPasswords();
  const sandbox = await Sandbox.open(docker, owner, Object.values(passwords));
  const over = new AbortController();
  const signal = AbortSignal.any([input.signal, over.signal]);
  const opened = () => openPostgres(docker, sandbox, { image, owner, seconds, passwords }, signal);
  let postgres = opened();
  // The caller that awaits it gets the error.
  postgres.catch(() => undefined);
  const replacement = async () => {
    const before = await postgres;
    if (!before.isReused || !(await before.isBroken())) return undefined;
    await before.remove();
    postgres = opened();
    return postgres;
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    over.abort();
    closing ??= sandbox.close(async () => (await postgres).close());
    return closing;
  };
  const url = (database: DatabaseName) => urlInSandbox(passwords.test, database);
  return { sandbox, postgres, url, replacement, close };
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
