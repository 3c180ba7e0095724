/** The Postgres of a smoke test: in a container that is started for it, or that an earlier push has kept. */
import { createHash, randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { repeated, SmokeFailure, within } from './deadline.ts';
import { type ContainerSpec, KEPT_LABEL, type Sandbox } from './sandbox.ts';
import type { SandboxContainer } from './sandbox-container.ts';
import { ADMIN, POSTGRES_NAME, POSTGRES_PORT, query, SmokePostgres, USED_FILE } from './smoke-postgres.ts';

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

export interface WantedPostgres extends Keeping {
  readonly image: string;
  readonly passwords: Passwords;
}

/** Opens a Postgres. A running one that cannot be used is replaced. */
export async function openPostgres(
  docker: Docker,
  sandbox: Sandbox,
  wanted: WantedPostgres,
  signal: AbortSignal,
): Promise<SmokePostgres> {
  const { owner, passwords } = wanted;
  const plain = specOf(wanted);
  const spec = wanted.seconds > 0 ? await keptSpec(docker, plain, wanted) : plain;
  const kept = await findKept(docker, sandbox, owner, spec, signal);
  const reused = kept && (await openedAgain(kept, passwords.test, signal));
  if (reused) return reused;
  return startedPostgres(sandbox, spec, passwords, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    // An image without a shell and its usual commands has nothing that would end it.
    if (spec === plain) throw error;
    return startedPostgres(sandbox, plain, passwords, signal);
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

/** Opens a Postgres again; undefined where it cannot be used, and is removed. */
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
  sandbox: Sandbox,
  spec: ContainerSpec,
  passwords: Passwords,
  signal: AbortSignal,
): Promise<SmokePostgres> {
  const container = await sandbox.start(spec);
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

async function adminUrlOf(container: SandboxContainer, password: string): Promise<string> {
  return `postgres://${ADMIN}:${password}@${await container.publishedAddress(POSTGRES_PORT)}/postgres`;
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

// ── Kept postgres ────────────────────────────────────────────────────────────────────────────────────────────────────

// The Postgres that a repository keeps between its pushes: a container that is on a network only while an image is
// tested, and ends by itself when it was not used for a while. Its password is in its own environment, so only those
// know it who may use the Docker engine.

const SETTINGS_LABEL = `${KEPT_LABEL}.settings`;

/** The longest life of a server, in milliseconds: logs and statistics grow, even if databases are removed. */
const LONGEST_LIFE = 24 * 3600 * 1000;

/**
 * Ends the first process of the container, which becomes that of Postgres, so many seconds after the last use, or when
 * it cannot tell that time any more. It needs only the shell: the process that started the container may be gone. In an
 * image that lacks one of the commands, Postgres does not start.
 */
const WATCH = `limit=$1
shift
is_used() (
  [ $(($(date +%s) - $(stat -c %Y ${USED_FILE}))) -lt "$limit" ]
)
mkdir -m 777 /tmp/kiln && : > ${USED_FILE} && chmod 666 ${USED_FILE} && sleep 0 && is_used || exit 1
(
  trap 'kill -INT 1' EXIT
  while sleep 5; do
    is_used || kill -INT 1
  done
) > /dev/null 2>&1 &
exec "$@"`;

interface Keeping {
  /** The owner of the server. An owner tests one image at a time. */
  readonly owner: string;
  /** How long it runs on after its last use; 0 where it is not kept. */
  readonly seconds: number;
}

/** The specification of a container that stays for the next build, without what differs from one to the next. */
async function keptSpec(docker: Docker, spec: ContainerSpec, keeping: Keeping): Promise<ContainerSpec> {
  const wrapper = ['sh', '-c', WATCH, 'kiln', String(keeping.seconds)];
  const labels = { [KEPT_LABEL]: keeping.owner, [SETTINGS_LABEL]: await settingsOf(docker, spec, wrapper) };
  return { ...spec, wrapper, keptAs: labels };
}

/** The settings of a Postgres: another image, or another command, makes another one. */
async function settingsOf(docker: Docker, spec: ContainerSpec, wrapper: readonly string[]): Promise<string> {
  const { Id } = await docker.getImage(spec.image).inspect();
  const { POSTGRES_PASSWORD: _, ...environment } = spec.environment;
  const parts = JSON.stringify([Id, wrapper, spec.command, environment]);
  return `${Id} ${createHash('sha256').update(parts).digest('hex').slice(0, 16)}`;
}

interface KeptPostgres {
  readonly container: SandboxContainer;
  readonly password: string;
}

/**
 * Finds the running Postgres, as a member of the sandbox; undefined where none is made like `wanted`. All others of its
 * owner are removed.
 */
async function findKept(
  docker: Docker,
  sandbox: Sandbox,
  owner: string,
  wanted: ContainerSpec,
  signal: AbortSignal,
): Promise<KeptPostgres | undefined> {
  const found = await docker.listContainers({ all: true, filters: { label: [`${KEPT_LABEL}=${owner}`] } });
  const settings = wanted.keptAs?.[SETTINGS_LABEL];
  const usable = found.find((each) => isUsable(each, settings));
  const others = found.filter((each) => each !== usable);
  await Promise.allSettled(others.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
  return usable && admitted(docker.getContainer(usable.Id), sandbox, wanted.name ?? '', signal);
}

function isUsable({ State, Labels, Created }: Docker.ContainerInfo, settings: string | undefined): boolean {
  const isYoung = Date.now() - Created * 1000 < LONGEST_LIFE;
  return settings !== undefined && State === 'running' && Labels[SETTINGS_LABEL] === settings && isYoung;
}

/** Admits a Postgres. One that cannot be used is removed; one that nobody waits for any more stays. */
async function admitted(
  container: Docker.Container,
  sandbox: Sandbox,
  name: string,
  signal: AbortSignal,
): Promise<KeptPostgres | undefined> {
  try {
    const password = passwordIn((await container.inspect()).Config.Env);
    return { container: await sandbox.admit(container, name, [password]), password };
  } catch {
    signal.throwIfAborted();
    await container.remove({ force: true, v: true }).catch(() => undefined);
    return undefined;
  }
}

function passwordIn(environment: readonly string[]): string {
  const [, password] = environment.map((line) => line.split('=')).find(([name]) => name === 'POSTGRES_PASSWORD') ?? [];
  if (password === undefined) throw new Error('the container has no POSTGRES_PASSWORD');
  return password;
}
