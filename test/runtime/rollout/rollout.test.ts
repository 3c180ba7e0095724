import { expect } from 'chai';
import type pg from 'pg';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { expectSchemaOf } from '../../compiler/change/schema-after.ts';
import { buildOnce } from '../../support/build-once.ts';
import { createDatabase } from '../../support/postgres.ts';
import { isSlow, itInBoth } from '../../support/slow.ts';
import { CASES, CASES_AT_ONCE } from './cases.ts';
import { rollOut } from './rollout.ts';

/** KILN_ROLLOUT_SECONDS=30 for a longer look at each phase. */
const PHASE = Number(process.env.KILN_ROLLOUT_SECONDS ?? (isSlow ? 0.8 : 0.4)) * 1000;

describe('a rollout under load', () => {
  const stalls: string[] = [];

  before(async function () {
    this.timeout(0);
    buildOnce();
    await loadGrammar();
  });

  after(() => console.log(`    slowest answers: ${stalls.join(', ')}`));

  for (const rollout of isSlow ? CASES_AT_ONCE : CASES.slice(0, 1)) {
    itInBoth(`fails no request and loses no row: ${rollout.title}`, async function () {
      this.timeout(0);
      const { url, client } = await createDatabase();
      const options = { databaseUrl: url, rows: 3000, requestsPerSecond: 200, clients: 6, phase: PHASE };
      const { counted, examples, slowest, definition } = await rollOut(rollout, options);
      stalls.push(`${Math.round(Math.max(...Object.values(slowest)))} ms (${rollout.title})`);
      expect(examples).to.deep.equal([]);
      expect([counted.old.failed, counted.new.failed]).to.deep.equal([0, 0]);
      expect(counted.old.requests * counted.new.requests).to.be.greaterThan(0);
      await expectAsFresh(client, definition);
    });
  }
});

/** Apart from the ledger, nothing is there that a fresh database of the newer release does not have. */
async function expectAsFresh(client: pg.Client, definition: Definition): Promise<void> {
  await client.query('DROP TABLE kiln_releases, kiln_release_progress');
  await expectSchemaOf(client, definition);
  const { rows } = await client.query(
    `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kiln%' AND EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_namespace.oid)`,
  );
  expect(rows).to.deep.equal([]);
}
