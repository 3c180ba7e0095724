/** Databases for a campaign that runs outside of the tests: a Postgres of its own, stopped when the campaign ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PASSWORD, USER } from '../support/postgres-cluster.ts';
import { startEmbeddedCluster } from '../support/postgres-embedded.ts';

/** A client, or a pool where several may ask at once. */
export type Queryable = pg.Client | pg.Pool;

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

/** Waits for a Postgres that recovers from a crash. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connected(url, performance.now() + RECOVERY_MS);
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const RECOVERY_MS = 60_000;

async function connected(url: string, latest: number): Promise<pg.Client> {
  const client = new pg.Client(url);
  // A connection that is killed while nobody waits for it must not end the campaign.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    if (performance.now() > latest) throw error;
    await sleep(50);
    return connected(url, latest);
  }
}
