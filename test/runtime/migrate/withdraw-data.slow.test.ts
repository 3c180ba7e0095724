import { expect } from 'chai';
import pg from 'pg';
import { compatibilitySchema, type Release, type ReleaseChain } from '../../../compiler/definition/migration.ts';
import type { MigrateEvent } from '../../../runtime/migrate/events.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { migrated } from './databases.ts';
import { withdrawingChain as chain } from './withdrawing-chain.ts';

const BEFORE = `model Post {
  field title { type string, was heading }
  field rank { type integer, nullable }
  field level { type integer, default 0 }
  field tags { type [string], default [] }
  drop slug  drop note  drop stars
}`;

/** Renames, retypes, drops and adds. */
const WITHDRAWN = `model Post {
  field heading { type string, unique, was title }
  field rank { type string, nullable }
  field level { type string, default "0" }
  field slug { type string, backfill lower(heading) }
  field note { type string, nullable }
  field stars { type integer, default 0 }
  drop tags
}`;

/** A type only becomes wider, so that part stays. */
const REVERTED = BEFORE.replace('rank { type integer', 'rank { type string').replace(
  'level { type integer, default 0 }',
  'level { type string, default "0" }',
);

describe('data in a database that withdraws a release', () => {
  let database: TestDatabase;
  let first: ReleaseChain;
  let begun: ReleaseChain;
  let whole: ReleaseChain;

  before(async () => {
    [first, begun] = await Promise.all([chain([BEFORE]), chain([BEFORE, WITHDRAWN])]);
    whole = await chain([BEFORE, WITHDRAWN, REVERTED], { by: 3, up: 2 });
  });

  /** At the first release with three rows, and then so many steps of the second one. */
  async function begunWith(steps: number): Promise<void> {
    database = await createDatabase();
    await migrated(first, database.url);
    await database.client.query(
      `INSERT INTO post (title, rank, tags) VALUES ('A', 1, '{x}'), ('B', NULL, '{}'), ('C', 3, '{y,z}')`,
    );
    const { result } = await migrated(begun, database.url, { stopAfter: steps });
    expect(result).to.include({ kind: 'refused', reason: 'stopped' });
  }

  const allSteps = () => (begun.releases[1] as Release).steps.length;

  async function posts(): Promise<readonly unknown[]> {
    const text = 'SELECT title, rank::int, tags FROM post ORDER BY id';
    return (await database.client.query({ text, rowMode: 'array' })).rows;
  }

  /** As servers of the first release are connected. */
  async function asFirst(use: (client: pg.Client) => Promise<void>): Promise<void> {
    const path = `${compatibilitySchema((first.releases[0] as Release).fingerprint)},public`;
    const client = new pg.Client({ connectionString: database.url, options: `-c search_path=${path}` });
    await client.connect();
    await use(client).finally(() => client.end());
  }

  it('keeps what the previous release writes after any of the steps', async () => {
    expect(allSteps()).to.be.greaterThan(5);
    for (let steps = 1; steps < allSteps(); steps++) {
      await begunWith(steps);
      await asFirst(async (client) => {
        await client.query(`INSERT INTO post (title, rank, tags) VALUES ('D', 4, '{d}')`);
        await client.query(`UPDATE post SET title = 'E', rank = 5, tags = '{e}' WHERE title = 'A'`);
        await client.query(`DELETE FROM post WHERE title = 'B'`);
      });
      const { result } = await migrated(whole, database.url);
      expect(result, `after ${steps}: ${JSON.stringify(result)}`).to.deep.include({ kind: 'done', position: 3 });
      expect(await posts(), `after ${steps}`).to.deep.equal([
        ['E', 5, ['e']],
        ['C', 3, ['y', 'z']],
        ['D', 4, ['d']],
      ]);
    }
  });

  describe('that servers of the withdrawn release have written, though they were not ready', () => {
    it('stays where the previous release has it too', async () => {
      await begunWith(allSteps() - 1);
      await database.client.query(`UPDATE post SET heading = 'Z', slug = 'z' WHERE heading = 'A'`);
      expect((await migrated(whole, database.url)).result).to.deep.include({ kind: 'done', position: 3 });
      expect((await posts())[0]).to.deep.equal(['Z', 1, ['x']]);
    });

    const written = [
      ['note', `'mine'`, 'NULL', 'null'],
      ['stars', '5', '0', 'its default'],
      ['rank', `'9'`, 'NULL', 'null'],
      ['rank', `'high'`, 'NULL', 'null'],
      ['level', `'high'`, 'NULL', 'null'],
      ['level', `'7'`, 'NULL', 'null'],
    ] as const;
    for (const [column, value, none, words] of written) {
      it(`is not dropped with "${column}", where it is ${value}: the job stops, and goes on when the value is gone`, async () => {
        await begunWith(allSteps() - 1);
        await database.client.query(`UPDATE post SET ${column} = ${value} WHERE heading = 'C'`);
        const { result } = await migrated(whole, database.url);
        expect(result).to.deep.include({
          kind: 'refused',
          reason: 'failed',
          message: `Records in "post" have values in "${column}", which is to be dropped again: 1 record.`,
        });
        expect(result.kind === 'refused' && result.details[0]).to.equal(
          `Save these values, if somebody needs them. Then set the column to ${words} in these records.`,
        );
        await database.client.query(`UPDATE post SET ${column} = ${none}`);
        expect((await migrated(whole, database.url)).result).to.deep.include({ kind: 'done', position: 3 });
        expect((await posts()).map((row) => (row as unknown[])[0])).to.deep.equal(['A', 'B', 'C']);
      });

      it(`is not dropped with "${column}" either, where it became ${value} after a cut before the drop`, async () => {
        await begunWith(allSteps() - 1);
        const cut = new AbortController();
        const report = (event: MigrateEvent) => {
          if (event.kind === 'statement' && event.says === `drop the column "${column}" of "post"`) cut.abort();
        };
        await migrated(whole, database.url, { signal: cut.signal, report });
        expect(cut.signal.aborted).to.equal(true);
        await database.client.query(`UPDATE post SET ${column} = ${value} WHERE id = 3`);
        expect((await migrated(whole, database.url)).result).to.deep.include({
          kind: 'refused',
          message: `Records in "post" have values in "${column}", which is to be dropped again: 1 record.`,
        });
      });
    }
  });

  it('is the same after jobs of both images at once', async () => {
    for (const steps of [1, allSteps() - 1]) {
      await begunWith(steps);
      const jobs = [whole, begun, whole, begun].map((each) => migrated(each, database.url));
      const results = (await Promise.all(jobs)).map(({ result }) => result);
      // Who comes first decides whether the release is completed or withdrawn. Nobody fails on the way.
      expect(results.filter((result) => result.kind === 'refused' && result.reason !== 'ahead')).to.deep.equal([]);
      const { result } = await migrated(whole, database.url);
      expect(result).to.deep.include({ kind: 'done', position: 3, applied: [] });
      expect((await posts()).map((row) => (row as unknown[])[0])).to.deep.equal(['A', 'B', 'C']);
    }
  });

  it('is not removed by a contraction beside it', async () => {
    await begunWith(allSteps() - 1);
    const before = await migrated(first, database.url, { contract: true });
    expect(before.reason).to.equal('ahead');
    const cut = new AbortController();
    const report = (event: { readonly kind: string; readonly phase?: string }) => {
      if (event.kind === 'statement' && event.phase === 'withdraw') cut.abort();
    };
    await migrated(whole, database.url, { contract: true, signal: cut.signal, report });
    expect((await migrated(begun, database.url, { contract: true })).reason).to.equal('ahead');
    expect((await migrated(first, database.url, { contract: true })).reason).to.equal('ahead');
    const { result } = await migrated(whole, database.url, { contract: true });
    expect(result).to.deep.include({ kind: 'done', position: 3, withdrawn: ['2'.repeat(40)], pending: null });
    expect(await posts()).to.deep.equal([
      ['A', 1, ['x']],
      ['B', null, []],
      ['C', 3, ['y', 'z']],
    ]);
  });
});
