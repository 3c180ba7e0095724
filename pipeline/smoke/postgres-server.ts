/** The Postgres of a smoke test: in a container that is started for it, or that an earlier push has kept. */
import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { findKept, type Keeping, type KeptPostgres, keptInRooms, keptSpec } from './kept-postgres.ts';
import { repeated, within } from './patience.ts';
import { query } from './postgres-client.ts';
import type { ContainerSpec, Room } from './room.ts';
import type { RoomContainer } from './room-container.ts';
import { SmokeFailure } from './smoke-failure.ts';
import { ADMIN, cleanServer, POSTGRES_NAME, POSTGRES_PORT, SmokePostgres } from './smoke-postgres.ts';

const LONGEST_START = 120_000;
/** Nothing in it is missed after a crash. What is kept should not grow. */
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=128MB'];

export interface Passwords {
  /** Of a server that is started. Nobody in the room knows it. */
  readonly admin: string;
  /** Of the role that has the databases. */
  readonly test: string;
}

export function randomPasswords(): Passwords {
  return { admin: randomPassword(), test: randomPassword() };
}

function randomPassword(): string {
  return randomBytes(24).toString('hex');
}

export interface WantedPostgres extends Keeping {
  readonly image: string;
  readonly passwords: Passwords;
}

/** One that was kept but cannot be used is replaced. */
export async function openPostgres(
  docker: Docker,
  room: Room,
  wanted: WantedPostgres,
  signal: AbortSignal,
): Promise<SmokePostgres> {
  const { owner, passwords } = wanted;
  const plain = specOf(wanted);
  const spec = wanted.seconds > 0 ? await keptSpec(docker, plain, wanted) : plain;
  const kept = await findKept(docker, room, owner, spec, signal);
  const reused = kept && (await openedAgain(kept, passwords.test, signal));
  if (reused) return reused;
  return startedPostgres(room, spec, passwords, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    // An image without a shell and its usual commands has nothing that would end it.
    if (spec === plain) throw error;
    return startedPostgres(room, plain, passwords, signal);
  });
}

function specOf({ image, passwords }: WantedPostgres): ContainerSpec {
  return {
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
  };
}

/** Undefined where it cannot be used; then it is removed. */
async function openedAgain(
  { container, password }: KeptPostgres,
  test: string,
  signal: AbortSignal,
): Promise<SmokePostgres | undefined> {
  try {
    const adminUrl = await adminUrlOf(container, password);
    return await SmokePostgres.open({ container, adminUrl, isKept: true, isReused: true }, test);
  } catch {
    signal.throwIfAborted();
    await container.remove().catch(() => undefined);
    return undefined;
  }
}

async function startedPostgres(
  room: Room,
  spec: ContainerSpec,
  passwords: Passwords,
  signal: AbortSignal,
): Promise<SmokePostgres> {
  const container = await room.start(spec);
  const failed = async (how: string) =>
    new SmokeFailure(`The Postgres of ${spec.image} ${how}.`, await container.log());
  try {
    const adminUrl = await adminUrlOf(container, passwords.admin);
    const answered = repeated(() => answer(container, adminUrl, failed), signal);
    await within(LONGEST_START, () => failed('does not answer'), signal, answered);
    const server = { container, adminUrl, isKept: spec.keptAs !== undefined, isReused: false };
    return await SmokePostgres.open(server, passwords.test);
  } catch (error) {
    // Another one gets its name. One that is kept would stay.
    await container.remove().catch(() => undefined);
    throw error;
  }
}

/** Drops what tests of the owner have left. A server of which that cannot be done is removed. */
export async function cleanKept(docker: Docker, owner: string): Promise<void> {
  for (const { container, password } of await keptInRooms(docker, owner)) {
    const cleaned = adminUrlOf(container, password).then(cleanServer);
    await cleaned.catch(() => container.remove());
  }
}

async function adminUrlOf(container: RoomContainer, password: string): Promise<string> {
  return `postgres://${ADMIN}:${password}@${await container.publishedAddress(POSTGRES_PORT)}/postgres`;
}

/** While it makes its files it takes no connection; when it has ended it never will. */
async function answer(
  container: RoomContainer,
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
