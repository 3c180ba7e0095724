import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import pg from 'pg';
import type { MigrationStep, ReleaseChain } from '../../../compiler/definition/migration.ts';
import { releaseJobLock, requireJobLock, takeJobLock } from '../../../runtime/migrate/job-lock.ts';
import { exitCode } from '../../../runtime/migrate/run-migrate.ts';
import { openSession } from '../../../runtime/migrate/session.ts';
import { until } from '../../support/until.ts';
import { openStartupProxy } from '../database/startup-proxy.ts';
import { eventsOf, firstReleaseWithRows, migrated, remainsIn } from './databases.ts';
import { backfill, FIRST_RELEASE, TEN_RELEASES, transaction } from './ten-releases.ts';

const IMPATIENT = { timeout: 100, pause: 10, deadline: 1000 };
const PATIENT = { timeout: 100, pause: 10, deadline: 60_000, betweenReports: 0 };

/** For how long a lock is waited for, in milliseconds, as a statement sees it. */
const WAITS = "(SELECT setting::bigint FROM pg_settings WHERE name = 'lock_timeout')";

/** A second release with these steps. */
function withSteps(steps: readonly MigrationStep[]): ReleaseChain {
  const second = { revision: '02'.repeat(20), fingerprint: 'fingerprint-2', steps };
  return { ...FIRST_RELEASE, releases: [...FIRST_RELEASE.releases, second] };
}

describe('migrate, beside others', () => {
  const others: pg.Client[] = [];

  afterEach(async () => {
    await Promise.all(others.splice(0).map((client) => client.end()));
  });

  /** Somebody who has begun a transaction, and has not ended it. */
  async function holder(url: string, sql: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, application_name: 'nightly report' });
    await client.connect();
    others.push(client);
    await client.query('BEGIN');
    await client.query(sql);
    return client;
  }

  it('lets one of two jobs work, while the other waits and finds nothing to do', async () => {
    const { url, client } = await firstReleaseWithRows();
    const reader = await holder(url, 'SELECT * FROM post');
    const told = new EventEmitter();
    const first = migrated(TEN_RELEASES, url, { locks: PATIENT, report: ({ kind }) => told.emit(kind) });
    await once(told, 'blocked');
    const second = migrated(TEN_RELEASES, url, { report: (event) => told.emit(`second ${event.kind}`, event) });
    const [waiting] = await once(told, 'second waiting-for-lock');
    expect(waiting).to.have.nested.property('holder.name', 'kiln migrate');
    await reader.query('COMMIT');
    expect((await first).result.applied).to.have.length(9);
    expect((await second).result).to.deep.include({ kind: 'done', applied: [] });
    expect(eventsOf((await first).events, 'waiting-for-lock')).to.deep.equal([]);
    expect((await remainsIn(client)).audit).to.have.length(20);
  });

  it('tries again until a lock is to be had', async () => {
    const { url } = await firstReleaseWithRows();
    const reader = await holder(url, 'SELECT * FROM post');
    const { result, events } = await migrated(TEN_RELEASES, url, {
      locks: PATIENT,
      report: (event) => void (event.kind === 'blocked' && event.attempt >= 3 && reader.query('COMMIT')),
    });
    expect(eventsOf(events, 'blocked').at(-1)?.attempt).to.be.at.least(3);
    expect(result).to.include({ kind: 'done' });
  });

  it('gives up in the end, and names who is in the way but not what they run', async () => {
    const { url, client } = await firstReleaseWithRows();
    const reader = await holder(url, "SELECT 'private' FROM post");
    const { result, events } = await migrated(TEN_RELEASES, url, { locks: IMPATIENT });
    expect(result).to.include({ kind: 'refused', reason: 'blocked' });
    expect(exitCode(result)).to.equal(4);
    expect(result)
      .to.have.property('message')
      .that.matches(
        /tried \d+ times to ALTER TABLE "post" ADD COLUMN "author_id" bigint\. Blocked by "nightly report" \(pid \d+, idle in transaction, for \d+ s\)\.$/,
      );
    expect(JSON.stringify(events)).not.to.include('private');
    expect(eventsOf(events, 'blocked')).to.have.length(1);
    expect((await client.query('SELECT * FROM kiln_releases')).rows).to.have.length(1);
    expect((await client.query("SELECT to_regclass('author') AS author")).rows).to.deep.equal([{ author: null }]);
    await reader.query('COMMIT');
    expect((await migrated(TEN_RELEASES, url)).result.kind).to.equal('done');
  });

  it('says once that it has to wait, however often it tries', async () => {
    const { url } = await firstReleaseWithRows();
    await holder(url, 'SELECT * FROM post');
    const { result, events } = await migrated(TEN_RELEASES, url, { locks: { ...IMPATIENT, longest: 100 } });
    expect(Number(/tried (\d+) times/.exec(result.kind === 'refused' ? result.message : '')?.[1])).to.be.greaterThan(3);
    const told = eventsOf(events, 'blocked');
    expect(told.map(({ blockers }) => blockers.map(({ name }) => name))).to.deep.equal([['nightly report']]);
  });

  it('lets others write while somebody is in the way for long', async () => {
    const { url, client } = await firstReleaseWithRows();
    const reader = await holder(url, 'SELECT * FROM post');
    const told = new EventEmitter();
    const job = migrated(TEN_RELEASES, url, {
      locks: { ...PATIENT, pause: 200 },
      report: ({ kind }) => told.emit(kind),
    });
    for (let round = 1; round <= 3; round++) {
      await once(told, 'blocked');
      await client.query("INSERT INTO post (title, views) VALUES ('Meanwhile', '1')");
    }
    await reader.query('COMMIT');
    expect((await job).result.kind).to.equal('done');
    expect((await remainsIn(client)).posts).to.have.length(23);
  });

  it('waits for 100 ms, later for up to 200 ms, by all statements of a transaction together', async () => {
    const { url, client } = await firstReleaseWithRows();
    // Sequences are not taken back with the transaction.
    await client.query(
      'CREATE SEQUENCE first MINVALUE 0; CREATE SEQUENCE last MINVALUE 0; CREATE SEQUENCE longest MINVALUE 0',
    );
    const note = (name: string) => `SELECT setval('${name}', ${WAITS})`;
    const longest = `SELECT setval('longest', greatest(${WAITS}, (SELECT last_value FROM longest)))`;
    const steps = [
      transaction(longest, 'SELECT pg_sleep(0.25)', note('last'), 'ALTER TABLE post ADD COLUMN a text'),
      transaction(note('first')),
    ];
    const reader = await holder(url, 'SELECT * FROM post');
    await migrated(withSteps(steps), url, {
      locks: { pause: 10, betweenReports: 0 },
      report: (event) => void (event.kind === 'blocked' && event.attempt === 5 && reader.query('COMMIT')),
    });
    const { rows } = await client.query(
      'SELECT first.last_value::int AS first, last.last_value::int AS last, longest.last_value::int AS longest FROM first, last, longest',
    );
    expect(rows).to.deep.equal([{ first: 100, last: 20, longest: 200 }]);
  });

  it('fills the rows before one that is locked, and then waits for that one alone', async () => {
    const { url, client } = await firstReleaseWithRows();
    await client.query('ALTER TABLE post ADD COLUMN slug text');
    const writer = await holder(url, 'UPDATE post SET title = title WHERE id = 11');
    const told = new EventEmitter();
    const job = migrated(withSteps([backfill('post', 'slug', `'post-' || "id"`)]), url, {
      locks: PATIENT,
      report: (event) => event.kind === 'blocked' && event.attempt === 4 && told.emit('alone'),
    });
    await once(told, 'alone');
    await client.query(
      "SET statement_timeout = '10s'; UPDATE post SET title = 'Mine' WHERE id <> 11; RESET statement_timeout",
    );
    await writer.query('COMMIT');
    await job;
    const { rows } = await client.query('SELECT count(*)::int AS filled FROM post WHERE slug IS NOT NULL');
    expect(rows).to.deep.equal([{ filled: 20 }]);
  });

  it('waits for a transaction that keeps an index from being built, with a budget of its own', async () => {
    const { url, client } = await firstReleaseWithRows();
    const two = { ...TEN_RELEASES, releases: TEN_RELEASES.releases.slice(0, 2) };
    await migrated(two, url);
    const writer = await holder(
      url,
      "INSERT INTO author (name) VALUES ('Ada'); UPDATE post SET views = '0' WHERE id = 1",
    );
    const { result, events } = await migrated(TEN_RELEASES, url, { indexLocks: IMPATIENT });
    expect(result).to.include({ kind: 'refused', reason: 'blocked' });
    expect(eventsOf(events, 'blocked').flatMap(({ blockers }) => blockers.map(({ name }) => name))).to.deep.equal([
      'nightly report',
    ]);
    await writer.query('ROLLBACK');
    expect((await migrated(TEN_RELEASES, url)).result.kind).to.equal('done');
    expect((await remainsIn(client)).oddities).to.deep.equal([]);
  });

  it('tells how far an index has come', async () => {
    const { url } = await firstReleaseWithRows();
    const two = { ...TEN_RELEASES, releases: TEN_RELEASES.releases.slice(0, 2) };
    await migrated(two, url);
    const writer = await holder(url, "UPDATE post SET views = '0' WHERE id = 1");
    const phases: string[] = [];
    const { result } = await migrated(TEN_RELEASES, url, {
      report: (event) => {
        if (event.kind !== 'index') return;
        if (phases.length === 0) void writer.query('COMMIT');
        phases.push(event.phase);
      },
    });
    expect(result.kind).to.equal('done');
    expect(phases[0]).to.match(/^waiting for writers/);
  });

  it('takes back what it was doing when it is called off', async () => {
    const { url, client } = await firstReleaseWithRows();
    await holder(url, 'SELECT * FROM post');
    const caller = new AbortController();
    const { result } = await migrated(TEN_RELEASES, url, {
      locks: PATIENT,
      signal: caller.signal,
      report: (event) => event.kind === 'blocked' && caller.abort(),
    });
    expect(result).to.deep.include({
      reason: 'stopped',
      details: ['Known to be applied: 1 of 10 releases. Run it again to continue.'],
    });
    expect((await client.query('SELECT * FROM kiln_releases')).rows).to.have.length(1);
  });

  it('does not go on where the connection is not the one that holds the lock', async () => {
    const { url } = await firstReleaseWithRows();
    const session = await openSession(url, 'test');
    const refusal = await requireJobLock(session).catch((error: unknown) => error);
    expect(refusal).to.have.property('reason', 'unavailable');
    await takeJobLock(session, { report: () => undefined, wait: 0, signal: undefined });
    await requireJobLock(session);
    await session.end();
  });

  it('leaves no lock to a pooler that keeps the connection', async () => {
    const { url, client } = await firstReleaseWithRows();
    const pooler = await openStartupProxy(url, (parameters) => parameters, { keeps: true });
    try {
      expect((await migrated(TEN_RELEASES, pooler.url)).result.kind).to.equal('done');
      expect(await connectionsOfJobs(client)).to.have.length(1);
      expect(await locksHeld(client)).to.deep.equal([]);
    } finally {
      await pooler.close();
    }
  });

  it('ends the idle connection with the lock where a pooler has given it another one', async () => {
    const { url, client } = await firstReleaseWithRows();
    const [first, second] = [await openSession(url, 'kiln migrate'), await openSession(url, 'kiln migrate')];
    const lock = await takeJobLock(first, { report: () => undefined, wait: 0, signal: undefined });
    await takeJobLock(first, { report: () => undefined, wait: 0, signal: undefined });
    await releaseJobLock(second, lock);
    await until(async () => (await locksHeld(client)).length === 0);
    const again = await takeJobLock(second, { report: () => undefined, wait: 0, signal: undefined });
    await takeJobLock(second, { report: () => undefined, wait: 0, signal: undefined });
    await releaseJobLock(second, again);
    expect(await locksHeld(client)).to.deep.equal([]);
    await Promise.all([first.end(), second.end()]);
  });

  it('does not wait for ever for another job, and says who holds the lock', async () => {
    const { url } = await firstReleaseWithRows();
    const other = await openSession(url, 'kiln migrate');
    await takeJobLock(other, { report: () => undefined, wait: 0, signal: undefined });
    const { result } = await migrated(TEN_RELEASES, url, { jobWait: 100 });
    await other.end();
    expect(exitCode(result)).to.equal(4);
    expect(result)
      .to.have.property('message')
      .that.matches(
        /^The lock for migrations is held by "kiln migrate" \(pid \d+, idle, for \d+ s\), and was not released within \d+ s\.$/,
      );
    expect(result).to.have.nested.property('details[0]').that.includes(`pg_terminate_backend(${other.pid})`);
  });
});

async function connectionsOfJobs(client: pg.Client): Promise<readonly unknown[]> {
  const { rows } = await client.query(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'kiln migrate' AND datname = current_database()",
  );
  return rows;
}

async function locksHeld(client: pg.Client): Promise<readonly unknown[]> {
  const { rows } = await client.query(
    "SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE locktype = 'advisory' AND datname = current_database()",
  );
  return rows;
}
