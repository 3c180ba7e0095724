import { expect } from 'chai';
import pg from 'pg';
import { connectionName, imageReleaseOf, PRESUMED_GONE } from '../../../runtime/query/database-release.ts';
import { startPooler, whyNoPooler } from '../../support/pooler.ts';
import { createDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { migrated } from './databases.ts';
import { blog, serveRelease } from './side-by-side.ts';

const HERE = 'FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()';
/** The pooler's, or all but those of a server that looks at its database. */
const UNUSED = `SELECT count(*)::integer AS count ${HERE} AND state_change < clock_timestamp() - interval '${PRESUMED_GONE} ms'`;
const ALL = `SELECT count(*)::integer AS count ${HERE}`;

describe('servers of an older release', () => {
  it('count for as long as they run, and not what a pooler keeps of others that have stopped', async function () {
    this.timeout(0);
    const { url, client } = await createDatabase();
    const count = async (sql: string) => (await client.query(sql, [name])).rows[0].count;
    await migrated(await blog(1), url);
    const name = connectionName(imageReleaseOf(await blog(1)));
    const left = await leftByPooler(url, name, 3);
    await until(async () => (await count(ALL)) === 3);
    const server = await serveRelease(1, url);
    try {
      await migrated(await blog(2), url);
      await until(async () => (await count(UNUSED)) >= 3);
      const { reason } = await migrated(await blog(2), url, { contract: true, contractWait: 0 });
      expect(reason).to.equal('blocked');
    } finally {
      await server.application.stop();
    }
    const { result } = await migrated(await blog(2), url, { contract: true });
    expect(result.kind, JSON.stringify(result)).to.equal('done');
    expect(await count(ALL), 'the pooler still has them').to.equal(3);
    await Promise.all(left.map((each) => each.end()));
  });
});

/** Without a pooler, connections that nobody uses: Postgres sees the same. */
async function leftByPooler(url: string, application_name: string, size: number): Promise<readonly pg.Client[]> {
  const address = new URL(url);
  const hasPooler = whyNoPooler() === undefined;
  if (hasPooler) address.port = String(await startPooler(address));
  const clients = Array.from(
    { length: size },
    () => new pg.Client({ connectionString: address.href, application_name }),
  );
  await Promise.all(clients.map((each) => each.connect()));
  // At once, so that each has a connection of its own.
  await Promise.all(clients.map((each) => each.query('BEGIN')));
  await Promise.all(clients.map((each) => each.query('COMMIT')));
  if (!hasPooler) return clients;
  await Promise.all(clients.map((each) => each.end()));
  return [];
}
