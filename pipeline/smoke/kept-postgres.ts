/**
 * The Postgres that a repository keeps between its pushes: a container that is on a network only while an image is
 * tested, and ends by itself when it was not used for a while. Its password is in its own environment, so only those
 * know it who may use the Docker engine.
 */
import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import { engineHost } from '../image/docker-context.ts';
import { KEPT_LABEL } from '../image/owner-label.ts';
import type { ContainerSpec, Room } from './room.ts';
import { RoomContainer } from './room-container.ts';

const SETTINGS = `${KEPT_LABEL}.settings`;

/** In milliseconds. Logs and statistics grow, though databases are removed. */
const LONGEST_LIFE = 24 * 3600 * 1000;

/**
 * In the container, written each time that its Postgres is used. Not in `/tmp` itself: in a folder that is sticky, Linux
 * may keep one user from writing the files of another.
 */
export const USED_FILE = '/tmp/kiln/used';

/**
 * Ends the first process of the container, which becomes that of Postgres, so many seconds after the last use, or when it
 * cannot tell that time any more. The shell is all that this needs: whoever started the container may be gone. In an image
 * that lacks one of the commands, Postgres does not start.
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

export interface Keeping {
  /** Whose it is. One owner tests one image at a time. */
  readonly owner: string;
  /** How long it runs on after its last use; 0 where it is not kept. */
  readonly seconds: number;
}

/** What a container is made of that is kept; without what differs from one to the next. */
export async function keptSpec(docker: Docker, spec: ContainerSpec, keeping: Keeping): Promise<ContainerSpec> {
  const wrapper = ['sh', '-c', WATCH, 'kiln', String(keeping.seconds)];
  const labels = { [KEPT_LABEL]: keeping.owner, [SETTINGS]: await settingsOf(docker, spec, wrapper) };
  return { ...spec, wrapper, keptAs: labels };
}

/** Another image, or other words, make another Postgres. */
async function settingsOf(docker: Docker, spec: ContainerSpec, wrapper: readonly string[]): Promise<string> {
  const { Id } = await docker.getImage(spec.image).inspect();
  const { POSTGRES_PASSWORD: _, ...environment } = spec.environment;
  const parts = JSON.stringify([Id, wrapper, spec.command, environment]);
  return `${Id} ${createHash('sha256').update(parts).digest('hex').slice(0, 16)}`;
}

export interface KeptPostgres {
  readonly container: RoomContainer;
  readonly password: string;
}

/**
 * The one that runs, as a member of the room; undefined where there is none that is made like `wanted`. All others of its
 * owner are removed.
 */
export async function findKept(
  docker: Docker,
  room: Room,
  owner: string,
  wanted: ContainerSpec,
  signal: AbortSignal,
): Promise<KeptPostgres | undefined> {
  const found = await docker.listContainers({ all: true, filters: { label: [`${KEPT_LABEL}=${owner}`] } });
  const settings = wanted.keptAs?.[SETTINGS];
  const usable = found.find((each) => isUsable(each, settings));
  const others = found.filter((each) => each !== usable);
  await Promise.allSettled(others.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
  return usable && admitted(docker.getContainer(usable.Id), room, wanted.name ?? '', signal);
}

/** Those that a test has left on its network. */
export async function keptInRooms(docker: Docker, owner: string): Promise<readonly KeptPostgres[]> {
  const found = await docker.listContainers({ filters: { label: [`${KEPT_LABEL}=${owner}`] } });
  const inRooms = found.filter(({ NetworkSettings }) => Object.keys(NetworkSettings.Networks).length > 0);
  return Promise.all(
    inRooms.map(async ({ Id }) => {
      const container = docker.getContainer(Id);
      const password = passwordIn((await container.inspect()).Config.Env);
      return { container: new RoomContainer(container, [], [password], engineHost()), password };
    }),
  );
}

function isUsable({ State, Labels, Created }: Docker.ContainerInfo, settings: string | undefined): boolean {
  const isYoung = Date.now() - Created * 1000 < LONGEST_LIFE;
  return settings !== undefined && State === 'running' && Labels[SETTINGS] === settings && isYoung;
}

/** One that cannot be used is removed. One that nobody waits for any more is kept. */
async function admitted(
  container: Docker.Container,
  room: Room,
  name: string,
  signal: AbortSignal,
): Promise<KeptPostgres | undefined> {
  try {
    const password = passwordIn((await container.inspect()).Config.Env);
    return { container: await room.admit(container, name, [password]), password };
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
