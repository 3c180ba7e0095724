import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import pg from 'pg';
import { requireJobLock, takeJobLock } from '../../../runtime/migrate/job-lock.ts';
import { exitCode } from '../../../runtime/migrate/run-migrate.ts';
import { openSession } from '../../../runtime/migrate/session.ts';
import { eventsOf, firstReleaseWithRows, migrated, remainsIn } from './databases.ts';
import { TEN_RELEASES } from './ten-releases.ts';

const IMPATIENT = { timeout: 150, attempts: 2, pause: 10 };
const PATIENT = { timeout: 150, attempts: 50, pause: 10 };

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
      report: (event) => void (event.kind === 'blocked' && event.attempt === 2 && reader.query('COMMIT')),
    });
    expect(eventsOf(events, 'blocked')).to.have.length.greaterThan(1);
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
        /tried 2 times to ALTER TABLE "post" ADD COLUMN "author_id" bigint\. Held up by "nightly report" \(pid \d+, idle in transaction, for \d+ s\)\.$/,
      );
    expect(JSON.stringify(events)).not.to.include('private');
    expect(eventsOf(events, 'blocked')).to.have.length(1);
    expect((await client.query('SELECT * FROM kiln_releases')).rows).to.have.length(1);
    expect((await client.query("SELECT to_regclass('author') AS author")).rows).to.deep.equal([{ author: null }]);
    await reader.query('COMMIT');
    expect((await migrated(TEN_RELEASES, url)).result.kind).to.equal('done');
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
      details: ['Known to be applied: 1 of 10 releases. A second run goes on from there.'],
    });
    expect((await client.query('SELECT * FROM kiln_releases')).rows).to.have.length(1);
  });

  it('does not go on where the connection is not the one that holds the lock', async () => {
    const { url } = await firstReleaseWithRows();
    const session = await openSession(url, 'test');
    const refusal = await requireJobLock(session).catch((error: unknown) => error);
    expect(refusal).to.have.property('reason', 'unavailable');
    await takeJobLock(session, () => undefined, undefined);
    await requireJobLock(session);
    await session.end();
  });
});
