/**
 * A real Postgres for the tests: one cluster a run, started when the first test asks for a database, gone with its data
 * when the run is over, however it ends. It runs in Docker where an engine answers that has the image, and otherwise as
 * the embedded one; `KILN_TEST_POSTGRES` says `docker` or `embedded` where that is not to be found out.
 */
import pg from 'pg';
import { type Cluster, PASSWORD, USER } from './postgres-cluster.ts';
import { startEmbeddedCluster } from './postgres-embedded.ts';
import { hasImage, startDockerCluster } from './postgres-in-docker.ts';

export interface TestDatabase {
  /** For `DATABASE_URL`. */
  readonly url: string;
  /** Connected, and closed when the run is over. */
  readonly client: pg.Client;
}

interface RunningCluster extends Cluster {
  /** The first one may make databases. */
  readonly clients: pg.Client[];
}

let cluster: Promise<RunningCluster> | undefined;
let databases = 0;

/** An empty database that no other test knows of. */
export function createDatabase(): Promise<TestDatabase> {
  return createFrom('template1');
}

/** Another database with the same content. Nobody may be connected to the first one, so its client is closed. */
export async function copyOf({ url, client }: TestDatabase): Promise<TestDatabase> {
  await client.end();
  return createFrom(new URL(url).pathname.slice(1));
}

async function createFrom(template: string): Promise<TestDatabase> {
  cluster ??= startCluster();
  const { clients, ...address } = await cluster;
  const name = `test_${++databases}`;
  await clients[0]?.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const url = urlOf(address, name);
  const client = await connect(url);
  clients.push(client);
  return { url, client };
}

// At the top of a module this is a hook of the whole run. A start that failed has been reported by then.
after('stops Postgres', async () => {
  await cluster?.then(stopCluster, () => undefined);
});

async function startCluster(): Promise<RunningCluster> {
  const started = await (usesDocker() ? startDockerCluster() : startEmbeddedCluster());
  // Whoever connects to a database first prepares a file there, which copies of it have then.
  await (await connect(urlOf(started, 'template1'))).end();
  return { ...started, clients: [await connect(urlOf(started, 'postgres'))] };
}

function usesDocker(): boolean {
  const { KILN_TEST_POSTGRES: wish = '' } = process.env;
  switch (wish) {
    case 'docker':
      return true;
    case 'embedded':
      return false;
    case '':
      return hasImage();
    default:
      throw new Error(`KILN_TEST_POSTGRES must be \`docker\` or \`embedded\`, but it is \`${wish}\``);
  }
}

function urlOf({ host, port }: Pick<Cluster, 'host' | 'port'>, database: string): string {
  return `postgres://${USER}:${PASSWORD}@${host}:${port}/${database}`;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

async function stopCluster({ stop, clients }: RunningCluster): Promise<void> {
  await Promise.all(clients.map((client) => client.end()));
  await stop();
}
