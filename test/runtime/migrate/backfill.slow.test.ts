import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { ReleaseChain } from '../../../compiler/definition/migration.ts';
import { BackfillProgress, paceOf } from '../../../runtime/migrate/backfill-step.ts';
import { BATCHES, type Job, LOCKS } from '../../../runtime/migrate/job.ts';
import { exitCode, runMigrate } from '../../../runtime/migrate/run-migrate.ts';
import { openSession } from '../../../runtime/migrate/session.ts';
import { until } from '../../support/until.ts';
import { eventsOf, firstReleaseWithRows, migrated } from './databases.ts';
import { backfill, FIRST_RELEASE, transaction } from './ten-releases.ts';

/** Each batch is one row and takes so many seconds. */
function slowBackfill(seconds: number): ReleaseChain {
  const steps = [
    transaction('ALTER TABLE "post" ADD COLUMN "slug" text'),
    backfill('post', 'slug', `'post-' || "id" || pg_sleep(${seconds})`),
  ];
  const second = { revision: '02'.repeat(20), fingerprint: 'fingerprint-2', steps };
  return { ...FIRST_RELEASE, releases: [...FIRST_RELEASE.releases, second] };
}

const BY_ROW = { first: 1, most: 1, milliseconds: 1000 };

describe('a backfill', () => {
  describe('says how far it is', () => {
    it('by the ids, which are numbers', () => {
      const progress = new BackfillProgress('1', '1001');
      expect(progress.after(['1', '251'])?.share).to.equal(0.25);
      expect(progress.after(['252', '1001'])?.share).to.equal(1);
      // A row that has come since.
      expect(progress.after(['1002'])?.share).to.equal(1);
      expect(progress.after([])).to.equal(null);
    });

    it('by the ids, which are UUIDs', () => {
      const progress = new BackfillProgress(
        '00000000-0000-4000-8000-000000000000',
        'ffffffff-ffff-4fff-bfff-ffffffffffff',
      );
      const id = '80000000-0000-4000-8000-000000000000';
      expect(progress.after([id])?.share).to.be.closeTo(0.5, 0.001);
    });

    it('and how long it will take, from where this run began', () => {
      const start = performance.now();
      const progress = new BackfillProgress('0', '1000');
      expect(progress.after(['500'], start + 1000)).to.deep.equal({ share: 0.5, secondsLeft: null });
      // A tenth of all in ten seconds, and four tenths are left.
      expect(progress.after(['501', '600'], start + 10_000)?.secondsLeft).to.be.closeTo(40, 1);
    });

    it('with the first and the last id of the table, by number', async () => {
      const { url, client } = await firstReleaseWithRows();
      await client.query(`INSERT INTO post (title) SELECT 'More ' || n FROM generate_series(1, 1481) AS n`);
      const session = await openSession(url, 'test');
      const progress = await BackfillProgress.of(session, 'post');
      expect(progress?.after(['1', '999'])?.share).to.be.within(0.6, 0.7);
      expect(await BackfillProgress.of(session, 'kiln_releases_of_nobody').catch(() => null)).to.equal(null);
      await session.end();
    });

    it('in a table with one row', () => {
      expect(new BackfillProgress('7', '7').after(['7'])?.share).to.equal(1);
    });
  });

  it('draws its progress over itself on a terminal, and writes it now and then elsewhere', async () => {
    const drawn: string[] = [];
    const written: string[] = [];
    const { url } = await firstReleaseWithRows();
    const options = { databaseUrl: url, batches: BY_ROW, writeError: (line: string) => void written.push(line) };
    const write = (line: string) => void written.push(line);
    const redraw = (line: string) => void drawn.push(line);
    expect(await runMigrate(slowBackfill(0.15), { ...options, write, redraw })).to.equal(0);
    const [first] = drawn.filter((line) => line !== '');
    expect(first).to.match(/^ {2}\[2\/2\] filling "post.slug": \d+ %, \d+ rows, \d+ a second(, about \d s left)?$/);
    expect(drawn.at(-1)).to.equal('');
    expect(written.filter((line) => line.includes('filling'))).to.deep.equal([]);
    expect(written.filter((line) => line.includes('filled "post.slug"'))).to.have.length(1);

    const { url: other } = await firstReleaseWithRows();
    const lines: string[] = [];
    const elsewhere = { ...options, databaseUrl: other, write: (line: string) => void lines.push(line) };
    expect(await runMigrate(slowBackfill(0.15), elsewhere)).to.equal(0);
    expect(lines.filter((line) => line.includes('filling'))).to.have.length(1);
  });

  it('waits for a standby that is behind, and gives up where it does not catch up', async () => {
    const { url } = await firstReleaseWithRows();
    const standby = await openStandby(url);
    try {
      const batches = { ...BY_ROW, mostBehind: 1000 };
      const locks = { deadline: 700 };
      const chain = slowBackfill(0.1);
      const refused = await migrated(chain, url, { batches, locks });
      expect(exitCode(refused.result)).to.equal(4);
      expect(refused.result)
        .to.have.property('message')
        .that.matches(/^The standby "replica" is \d+ MB behind/);
      expect(eventsOf(refused.events, 'standby-behind')).to.have.length(1);

      await standby.catchUp();
      expect((await migrated(chain, url, { batches })).result.kind).to.equal('done');
    } finally {
      await standby.end();
    }
  });

  it('rests as long as it works where the database is busy', async () => {
    const { url } = await firstReleaseWithRows();
    const [session, other] = [await openSession(url, 'kiln migrate'), new pg.Client(url)];
    other.on('error', () => undefined);
    await other.connect();
    const busy = other.query('SELECT pg_sleep(60)').catch(() => undefined);
    const place = { position: 1, revision: 'one', step: 1, steps: 1 };
    /** Whether a job that is called off in the middle of its rest is at rest. */
    const rests = async (mostActive: number): Promise<boolean> => {
      const signal = AbortSignal.timeout(1500);
      const job = { session, batches: { ...BATCHES, mostActive }, locks: LOCKS, signal, report: () => undefined };
      const rest = paceOf(job as unknown as Job, place);
      await setTimeout(600);
      return rest(60_000).then(
        () => false,
        (error: Error) => error.name === 'AbortError',
      );
    };
    try {
      expect(await rests(1)).to.equal(true);
      expect(await rests(1000)).to.equal(false);
    } finally {
      await session.client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()",
      );
      await busy;
      await Promise.all([session.end(), other.end().catch(() => undefined)]);
    }
  });
});

/** What Postgres takes for a standby: it says that it has replayed nothing until it is told otherwise. */
async function openStandby(url: string) {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'replica',
    replication: 'true',
  } as pg.ClientConfig);
  const { connection } = client as unknown as {
    connection: pg.Connection & { sendCopyFromChunk(chunk: Buffer): void };
  };
  const watcher = new pg.Client(url);
  await watcher.connect();
  // Of what was written before, Postgres may have removed some.
  const { rows: now } = await watcher.query<{ at: string }>('SELECT pg_current_wal_lsn()::text AS at');
  await client.connect();
  client.on('error', () => undefined);
  client.query(`START_REPLICATION PHYSICAL ${now[0]?.at}`).catch(() => undefined);
  const tell = (position: bigint) => {
    const message = Buffer.alloc(34);
    message.write('r');
    for (const at of [1, 9, 17]) message.writeBigUInt64BE(position, at);
    connection.sendCopyFromChunk(message);
  };
  const replayed = async () => {
    const { rows } = await watcher.query<{ at: string | null }>(
      "SELECT replay_lsn::text AS at FROM pg_stat_replication WHERE application_name = 'replica'",
    );
    return rows[0]?.at ?? null;
  };
  await until(async () => {
    tell(1n);
    return (await replayed()) !== null;
  });
  return {
    /** From now on it has everything. */
    async catchUp() {
      tell(2n ** 62n);
      await until(async () => (await replayed()) !== '0/1');
    },
    async end() {
      await watcher.end();
      (connection as unknown as { stream: { destroy(): void } }).stream.destroy();
    },
  };
}
