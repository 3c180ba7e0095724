/** A Postgres in a container. `images/build.sh` makes an image where none can be fetched. */
import { spawnSync } from 'node:child_process';
import { type Cluster, IN_A_HURRY, INITDB_FLAGS, PASSWORD, ROOM_FOR_ALL, USER } from './postgres-cluster.ts';

const IMAGE = process.env.KILN_TEST_POSTGRES_IMAGE || 'postgres:18';

/** Whether a Docker engine answers and need not fetch the image first. */
export function hasImage(): boolean {
  return spawnSync('docker', ['image', 'inspect', IMAGE], { stdio: 'ignore' }).status === 0;
}

export async function startDockerCluster(): Promise<Cluster> {
  // It would fetch an image of its own, to remove what is left behind. That is done below.
  process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true';
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const container = await new PostgreSqlContainer(IMAGE)
    .withUsername(USER)
    .withPassword(PASSWORD)
    .withDatabase('postgres')
    .withEnvironment({ POSTGRES_INITDB_ARGS: INITDB_FLAGS.join(' ') })
    .withCommand(['postgres', ...IN_A_HURRY, ...ROOM_FOR_ALL])
    .start();
  const remove = (): void => removeContainer(container.getId());
  process.once('exit', remove);
  const stop = async (): Promise<void> => {
    process.off('exit', remove);
    await container.stop();
  };
  return { host: addressOf(container.getHost()), port: container.getPort(), stop };
}

/** Docker publishes ports for IPv4, and `localhost` may mean something else first. */
function addressOf(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** Where the run ended without its hooks. */
function removeContainer(id: string): void {
  spawnSync('docker', ['rm', '--force', '--volumes', id], { stdio: 'ignore' });
}
