import { expect } from 'chai';
import pg from 'pg';
import { type Cluster, PASSWORD, USER } from '../../support/postgres-cluster.ts';
import { startEmbeddedCluster } from '../../support/postgres-embedded.ts';
import { until } from '../../support/until.ts';
import { eventsOf, migrated } from './databases.ts';
import { FIRST_RELEASE, ROWS, TEN_RELEASES } from './ten-releases.ts';

/** One that would take hours, begun as soon as rows are gone. */
const SLOW_VACUUM = `
  ALTER TABLE post SET (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1);
  INSERT INTO post (title) SELECT repeat('x', 500) FROM generate_series(1, 5000);
  DELETE FROM post WHERE id > 20`;

describe('migrate, beside a vacuum of Postgres itself', () => {
  let cluster: Cluster | undefined;
  let client: pg.Client | undefined;

  after(async () => {
    await client?.end();
    await cluster?.stop();
  });

  it('waits for it without holding up anybody, until Postgres ends it', async () => {
    cluster = await startEmbeddedCluster(['autovacuum=on', 'autovacuum_naptime=1s']);
    const url = `postgres://${USER}:${PASSWORD}@${cluster.host}:${cluster.port}/postgres`;
    await migrated(FIRST_RELEASE, url);
    client = new pg.Client(url);
    await client.connect();
    await client.query(ROWS);
    await client.query(SLOW_VACUUM);
    const asked = client;
    await until(async () => (await asked.query('SELECT FROM pg_stat_progress_vacuum')).rows.length > 0);
    const { result, events } = await migrated(TEN_RELEASES, url, { locks: { pause: 10, deadline: 60_000 } });
    expect(result).to.include({ kind: 'done' });
    const [blocked] = eventsOf(events, 'blocked');
    expect(blocked?.blockers.map(({ name }) => name)).to.deep.equal(['autovacuum worker']);
  });
});
