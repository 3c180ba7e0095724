import { expect } from 'chai';
import type { MigrationStatement, ReleaseChain } from '../../../compiler/definition/migration.ts';
import { runMigrate } from '../../../runtime/migrate/run-migrate.ts';
import { createDatabase } from '../../support/postgres.ts';
import { firstReleaseWithRows, migrated, remainsIn } from './databases.ts';
import { backfill, chainOf, FIRST_RELEASE, FIRST_SCHEMA, index, TEN_RELEASES, transaction } from './ten-releases.ts';

const DROP: MigrationStatement = {
  sql: 'ALTER TABLE "post" DROP COLUMN "views"',
  says: 'drop the column "views" of "post"',
  hazards: [
    { kind: 'lock', table: 'post', mode: 'ACCESS EXCLUSIVE' },
    { kind: 'data-loss', what: '"views" of every "post"' },
  ],
};

const CHAIN = chainOf(
  [
    ...FIRST_RELEASE.releases,
    {
      revision: 'two',
      steps: [
        { kind: 'transaction', statements: [DROP] },
        index('post_title_idx', '"post" ("title")'),
        backfill('post', 'slug', '"id"'),
      ],
    },
  ],
  FIRST_SCHEMA,
);

describe('migrate --dry-run', () => {
  it('prints what it would run, with its hazards, and changes nothing', async () => {
    const { url, client } = await firstReleaseWithRows();
    const before = await remainsIn(client);
    expect(await dryRun(CHAIN, url)).to.equal(`-- Release 2 (two), step 1 of 3: in a transaction
BEGIN;
-- drop the column "views" of "post"
-- Hazard: lock: "post", ACCESS EXCLUSIVE
-- Hazard: data loss: "views" of every "post"
ALTER TABLE "post" DROP COLUMN "views";
COMMIT;

-- Release 2 (two), step 2 of 3: outside of any transaction
-- build the index "post_title_idx"
CREATE INDEX CONCURRENTLY "post_title_idx" ON "post" ("title");

-- Release 2 (two), step 3 of 3: in batches, each in a transaction
-- fill "slug"
--   UPDATE "post" SET "slug" = "id" WHERE id = ANY ($1::bigint[]);
-- for the ids of:
--   SELECT id FROM "post" WHERE id > $2::bigint AND "slug" IS NULL ORDER BY id LIMIT $1

-- Then it is at release 2 (two).`);
    expect(await remainsIn(client)).to.deep.equal(before);
  });

  it('prints the schema for an empty database, as SQL that runs', async () => {
    const { url, client } = await createDatabase();
    const sql = await dryRun(TEN_RELEASES, url);
    expect(
      (await client.query("SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace")).rows,
    ).to.have.length(0);
    await client.query(sql);
    expect((await client.query('SELECT * FROM post')).rows).to.have.length(0);
  });

  it('begins with the step at which a run before has stopped', async () => {
    const { url } = await firstReleaseWithRows();
    const steps = [transaction('SELECT 1'), transaction('SELECT 1 / 0')];
    const chain = chainOf([...FIRST_RELEASE.releases, { revision: 'two', steps }], FIRST_SCHEMA);
    expect((await migrated(chain, url)).reason).to.equal('failed');
    const sql = await dryRun(chain, url);
    expect(sql).to.include('step 2 of 2').and.not.include('step 1 of 2');
  });

  it('says so where there is nothing to do', async () => {
    const { url } = await firstReleaseWithRows();
    expect(await dryRun(FIRST_RELEASE, url)).to.equal('-- Nothing to do: the database is at release 1 (010101010101).');
  });

  it('gives one JSON object a line where that is asked for', async () => {
    const { url } = await firstReleaseWithRows();
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const code = await runMigrate(CHAIN, { databaseUrl: url, dryRun: true, json: true, write, writeError: write });
    expect(code).to.equal(0);
    const events = lines.map((line) => JSON.parse(line));
    expect(events.map(({ kind, how }) => how ?? kind)).to.deep.equal(['transaction', 'index', 'backfill', 'done']);
    expect(events[0]).to.have.nested.property('statements[0].hazards[1].kind', 'data-loss');
  });
});

async function dryRun(chain: ReleaseChain, databaseUrl: string): Promise<string> {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  expect(await runMigrate(chain, { databaseUrl, dryRun: true, write, writeError: write })).to.equal(0);
  return lines.join('\n');
}
