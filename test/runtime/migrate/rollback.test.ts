import { expect } from 'chai';
import type { ReleaseChain } from '../../../compiler/definition/migration.ts';
import { runMigrate } from '../../../runtime/migrate/run-migrate.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { migrated } from './databases.ts';
import { blog } from './side-by-side.ts';
import { transaction } from './ten-releases.ts';

describe('rollback: `migrate` of the image before', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createDatabase();
  });

  async function run(chain: ReleaseChain, more: { readonly dryRun?: boolean; readonly contract?: boolean } = {}) {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const code = await runMigrate(chain, { databaseUrl: database.url, write, writeError: write, ...more });
    return { code, lines };
  }

  async function at(...positions: readonly number[]): Promise<void> {
    for (const position of positions) await migrated(await blog(position), database.url);
  }

  it('ends well where the database is one release ahead, and says so', async () => {
    await at(1, 2);
    const { code, lines } = await run(await blog(1));
    const says =
      'Nothing to do: the database is one release ahead, at release 2 (222222222222), and works with this image too.';
    expect(code).to.equal(0);
    expect(lines).to.deep.equal([
      `The database "${database.client.database}" is at release 2, and this image is release 1.`,
      says,
    ]);
    expect(await run(await blog(1), { dryRun: true })).to.deep.equal({ code: 0, lines: [`-- ${says}`] });
  });

  it('changes nothing', async () => {
    await at(1, 2);
    const ledger = async () => (await database.client.query('SELECT * FROM kiln_releases ORDER BY 1')).rows;
    const before = await ledger();
    await run(await blog(1));
    expect(await ledger()).to.deep.equal(before);
  });

  it('ends well where the database is several releases ahead with the same tables', async () => {
    await at(4);
    const third = await blog(3);
    await database.client.query(
      `INSERT INTO kiln_releases SELECT 5, 'five', fingerprint, checksum, now(), 0, fingerprint FROM kiln_releases WHERE position = 4`,
    );
    const { code, lines } = await run(third);
    expect(code).to.equal(0);
    expect(lines.at(-1)).to.equal(
      'Nothing to do: the database is 2 releases ahead, at release 5 (five), and works with this image too.',
    );
  });

  it('is refused after the contraction, and says what to do', async () => {
    await at(1, 2);
    await migrated(await blog(2), database.url, { contract: true });
    expect(await run(await blog(1))).to.deep.equal({
      code: 3,
      lines: [
        'Refused (ahead): The database is ahead: it is at release 2 (222222222222), and the last one here is 1 (111111111111). What this image needs was removed with the contraction. Use the image of that release or a later one.',
      ],
    });
  });

  it('is refused where the database was made at once by a later release that changes tables', async () => {
    await at(2);
    expect((await run(await blog(1))).code).to.equal(3);
  });

  it('is refused two releases back', async () => {
    await at(1, 2, 3);
    expect((await run(await blog(1))).code).to.equal(3);
  });

  it('ends well in the middle of a release that works beside it', async () => {
    await at(1);
    const chain = await blog(2);
    const [first, second] = chain.releases;
    if (!first || !second) throw new Error('there are two releases');
    const failing = { ...second, steps: [transaction('SELECT 1'), transaction('SELECT 1 / 0')] };
    await migrated({ ...chain, releases: [first, failing] }, database.url);
    const { code, lines } = await run(await blog(1));
    expect(code).to.equal(0);
    expect(lines).to.deep.equal([
      `The database "${database.client.database}" is at release 1 of 1.`,
      'Nothing to do: the database is on its way to release 2 (222222222222), and works with this image too.',
    ]);
  });

  it('leaves the contraction to the image that knows it', async () => {
    await at(1, 2);
    const { code, lines } = await run(await blog(1), { contract: true });
    expect(code).to.equal(3);
    expect(lines.at(-1)).to.include('Run `migrate --contract` with the image of release 2.');
  });
});
