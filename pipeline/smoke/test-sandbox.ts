/** The place where an image is tested: a sandbox with a Postgres in it. */

import type Docker from 'dockerode';
import { once } from '../../compiler/definition/memo.ts';
import { randomPasswords, startPostgres } from './postgres-server.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import { type DatabaseName, type SmokePostgres, urlInSandbox } from './smoke-postgres.ts';

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
