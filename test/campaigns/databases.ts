/** Databases for a campaign that runs outside of the tests: a Postgres of its own, stopped when the campaign ends. */
import pg from 'pg';
import { PASSWORD, USER } from '../support/postgres-cluster.ts';
import { startEmbeddedCluster } from '../support/postgres-embedded.ts';

export interface Databases {
  /** The address of an empty database. */
  create(): Promise<string>;
  stop(): Promise<void>;
}

export async function startDatabases(settings: readonly string[] = []): Promise<Databases> {
  const { host, port, stop } = await startEmbeddedCluster(settings);
  const url = (name: string) => `postgres://${USER}:${PASSWORD}@${host}:${port}/${name}`;
  let count = 0;
  return {
    async create() {
      const name = `campaign_${++count}`;
      await withClient(url('postgres'), (client) => client.query(`CREATE DATABASE ${name}`));
      return url(name);
    },
    stop,
  };
}

export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  // A connection that is killed while nobody waits for it must not end the campaign.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
