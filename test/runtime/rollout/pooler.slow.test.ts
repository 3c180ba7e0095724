import { expect } from 'chai';
import pg from 'pg';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { buildOnce } from '../../support/build-once.ts';
import { POOLER_ENVIRONMENT, startPooler, whyNoPooler } from '../../support/pooler.ts';
import { createDatabase } from '../../support/postgres.ts';
import { skipFor } from '../../support/runtime-base.ts';
import { CASES } from './cases.ts';
import { rollOut } from './rollout.ts';

/** Few connections, so that both releases have the same ones; and those that nobody uses are soon closed. */
const ONE_POOL = { default_pool_size: '4', server_idle_timeout: '1' };
const TITLES = ['field renamed', 'integer to string', 'renamed, retyped, filled and dropped at once'];

describe('two releases through one pooler in transaction mode', () => {
  before(async function () {
    this.timeout(0);
    skipFor(this, 'tests of a pooler', whyNoPooler());
    buildOnce();
    await loadGrammar();
  });

  it('each keep their own search path', async () => {
    const { url } = await createDatabase();
    const address = new URL(url);
    address.port = String(await startPooler(address, { default_pool_size: '1' }));
    // A space more, as the pooler gives it to Postgres.
    const paths = ['kiln_0123456789ab, public', 'kiln_ba9876543210, public'];
    const clients = paths.map(
      (path) => new pg.Client({ connectionString: address.href, options: `-c search_path=${path.replace(' ', '')}` }),
    );
    await Promise.all(clients.map((client) => client.connect()));
    const seen = new Set<number>();
    for (let round = 0; round < 5; round++) {
      for (const [at, client] of clients.entries()) {
        const { rows } = await client.query("SELECT current_setting('search_path') AS path, pg_backend_pid() AS pid");
        expect(rows[0].path).to.equal(paths[at]);
        seen.add(rows[0].pid);
      }
    }
    await Promise.all(clients.map((client) => client.end()));
    expect(seen.size).to.equal(1);
  });

  for (const rollout of CASES.filter(({ title }) => TITLES.includes(title))) {
    it(`fail no request and lose no row: ${rollout.title}`, async function () {
      this.timeout(0);
      const { url } = await createDatabase();
      const address = new URL(url);
      address.port = String(await startPooler(address, ONE_POOL));
      const served = { ...POOLER_ENVIRONMENT, DATABASE_URL: address.href };
      const options = { databaseUrl: url, served, rows: 1000, requestsPerSecond: 150, clients: 6, phase: 400 };
      const { counted, examples } = await rollOut(rollout, options);
      expect(examples).to.deep.equal([]);
      expect([counted.old.failed, counted.new.failed]).to.deep.equal([0, 0]);
    });
  }
});
