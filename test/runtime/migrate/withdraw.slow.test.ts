import { expect } from 'chai';
import pg from 'pg';
import type { Release } from '../../../compiler/definition/migration.ts';
import { runMigrate } from '../../../runtime/migrate/run-migrate.ts';
import { connectionName, imageReleaseOf } from '../../../runtime/query/database-release.ts';
import { startApplication } from '../../support/application.ts';
import { copyOf, createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { ask } from '../http/serving.ts';
import { definitionOf } from '../operations/running.ts';
import { eventsOf, migrated } from './databases.ts';
import { openMessageProxy } from './message-proxy.ts';
import { withdrawingChain as chain } from './withdrawing-chain.ts';

const API = 'api { entrypoint Post as post { list endpoint {} create endpoint {} } }';

/** Before the change that cannot be completed, and after it was reverted. */
const BEFORE = `model Post { field title { type string, was heading }  field tags { type [string], default [] }  drop slug } ${API}`;

/** Two posts with the same heading stand in the way of the key, after most other steps. */
const FAILING = `model Post {
  field heading { type string, unique, was title }
  field slug { type string, backfill lower(heading) }
  drop tags
} ${API}`;

/** Without the key, and with all else. */
const WITHOUT_KEY = FAILING.replace('unique, ', '');

/** Fails as well. */
const OTHER_KEY = WITHOUT_KEY.replace('backfill', 'unique, backfill');

const ROWS = `INSERT INTO post (title, tags) VALUES ('A', '{x}'), ('A', '{}'), ('B', '{y,z}')`;

describe('a release that was withdrawn', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createDatabase();
  });

  /** At release 1, with rows that release 2 fails on after some of its steps. */
  async function halfDone(url = database.url) {
    await migrated(await chain([BEFORE]), url);
    await database.client.query(ROWS);
    const { result } = await migrated(await chain([BEFORE, FAILING]), url);
    expect(result).to.have.nested.property('failure.constraint', 'post_heading_key');
    return result;
  }

  async function ledger() {
    const { rows } = await database.client.query(
      'SELECT position, revision, fingerprint, checksum FROM kiln_releases ORDER BY position',
    );
    const progress = await database.client.query('SELECT * FROM kiln_release_progress');
    return { rows, progress: progress.rows };
  }

  async function posts(columns = 'title, tags') {
    return (await database.client.query({ text: `SELECT ${columns} FROM post ORDER BY id`, rowMode: 'array' })).rows;
  }

  async function keptSchemas() {
    const { rows } = await database.client.query(
      "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kiln\\_%' AND EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_namespace.oid)",
    );
    return rows;
  }

  const REVERTED = [BEFORE, FAILING, BEFORE] as const;
  const THIRD = { by: 3, up: 2 };

  it('is named where it fails, with what to write to give it up', async () => {
    const result = await halfDone();
    expect(result.kind === 'refused' && result.details.at(-1)).to.equal(
      'To give release 2 up instead, revert it in a commit with the line `Withdraws: 222222222222`, and run `migrate` with the image of that commit.',
    );
  });

  it('keeps the next release from coming where nothing withdraws it', async () => {
    await halfDone();
    const { result } = await migrated(await chain(REVERTED), database.url);
    expect(result).to.have.nested.property('failure.position', 2);
  });

  it('is undone where it was begun, and the database goes on from the previous release', async () => {
    await halfDone();
    const whole = await chain(REVERTED, THIRD);
    const { result, events } = await migrated(whole, database.url);
    const [one, two, three] = whole.releases.map(({ revision }) => revision) as [string, string, string];
    expect(result).to.deep.include({ kind: 'done', position: 3, applied: [three], withdrawn: [two], pending: null });
    expect(eventsOf(events, 'withdraw')[0]).to.include({ position: 2, revision: two, by: 3 });
    expect(eventsOf(events, 'warning')).to.deep.equal([]);
    expect(await posts()).to.deep.equal([
      ['A', ['x']],
      ['A', []],
      ['B', ['y', 'z']],
    ]);
    expect(await keptSchemas()).to.deep.equal([]);
    const { rows, progress } = await ledger();
    const [first] = rows;
    expect(progress).to.deep.equal([]);
    expect(rows.map(({ revision }) => revision)).to.deep.equal([one, two, three]);
    expect(rows[1]).to.deep.include({ checksum: `withdrawn by ${three}`, fingerprint: first.fingerprint });
    expect((await migrated(whole, database.url)).events.map(({ kind }) => kind)).to.deep.equal(['start', 'done']);
  });

  it('is passed over where it was not begun', async () => {
    await migrated(await chain([BEFORE]), database.url);
    await database.client.query(ROWS);
    const { result, events } = await migrated(await chain(REVERTED, THIRD), database.url);
    expect(result).to.deep.include({ kind: 'done', position: 3, withdrawn: ['2'.repeat(40)] });
    expect(eventsOf(events, 'statement')).to.deep.equal([]);
    expect(await posts('title')).to.deep.equal([['A'], ['A'], ['B']]);
  });

  it('is followed by the next one where it was completed', async () => {
    await migrated(await chain([BEFORE]), database.url);
    await database.client.query(`INSERT INTO post (title, tags) VALUES ('A', '{x}')`);
    await migrated(await chain([BEFORE, FAILING]), database.url);
    const { result } = await migrated(await chain(REVERTED, THIRD), database.url);
    expect(result).to.deep.include({ kind: 'done', position: 3, withdrawn: [] });
    // What release 2 has dropped is gone: its contraction has come before release 3.
    expect(await posts()).to.deep.equal([['A', []]]);
  });

  it('is part of an empty database like any other', async () => {
    const { result } = await migrated(await chain(REVERTED, THIRD), database.url);
    expect(result).to.deep.include({ kind: 'done', position: 3, withdrawn: [] });
    const next = await chain([...REVERTED, WITHOUT_KEY], THIRD);
    expect((await migrated(next, database.url)).result).to.deep.include({ kind: 'done', position: 4 });
  });

  it('is passed over by a release that keeps some of it', async () => {
    await halfDone();
    const whole = await chain([BEFORE, FAILING, WITHOUT_KEY], THIRD);
    const { result } = await migrated(whole, database.url);
    expect(result).to.deep.include({ kind: 'done', position: 3, contracted: [] });
    expect(result.kind === 'done' && result.pending?.position).to.equal(3);
    expect(await posts('heading, slug')).to.deep.equal([
      ['A', 'a'],
      ['A', 'a'],
      ['B', 'b'],
    ]);
    const contracted = await migrated(whole, database.url, { contract: true });
    expect(contracted.result).to.deep.include({ kind: 'done', contracted: ['3'.repeat(40)] });
    expect(await keptSchemas()).to.deep.equal([]);
    const next = await chain([BEFORE, FAILING, WITHOUT_KEY, BEFORE], THIRD);
    expect((await migrated(next, database.url)).result).to.deep.include({ kind: 'done', position: 4 });
  });

  it('is passed over by a way with nothing to contract, and the release after that waits for the servers that it breaks', async () => {
    const first = `model Post { field title { type string } } ${API}`;
    const failing = `model Post {
      field title { type string, unique }
      field note { type string, nullable }
      field x { type string, default "a" }
    } ${API}`;
    const kept = `model Post { field title { type string }  field note { type string, nullable }  drop x } ${API}`;
    const renamed = `model Post { field heading { type string, was title }  field note { type string, nullable } } ${API}`;
    const sources = [first, failing, kept, renamed];
    const before = await chain([first]);
    await migrated(before, database.url);
    await database.client.query(`INSERT INTO post (title) VALUES ('A'), ('A')`);
    expect((await migrated(await chain(sources.slice(0, 2)), database.url)).result.kind).to.equal('refused');
    const whole = await chain(sources, THIRD);
    const third = whole.releases[2] as Release;
    expect(third.contract).not.to.deep.equal([]);
    expect(third.withdraws?.map(({ contract }) => contract)).to.deep.equal([[]]);
    const server = new pg.Client({
      connectionString: database.url,
      application_name: connectionName(imageReleaseOf(before)),
    });
    await server.connect();
    try {
      for (const reached of [[third.revision], []]) {
        const { result } = await migrated(whole, database.url, { contractWait: 0 });
        expect(result).to.deep.include({
          kind: 'refused',
          reason: 'blocked',
          message:
            'Release 4 cannot be applied yet: servers of releases before release 3 are connected and would stop working.',
        });
        expect(result, JSON.stringify(result)).to.deep.include({ applied: reached });
      }
    } finally {
      await server.end();
    }
    expect((await migrated(whole, database.url)).result).to.deep.include({ kind: 'done', position: 4 });
  });

  it('is passed over with those after it', async () => {
    await halfDone();
    const whole = await chain([BEFORE, FAILING, OTHER_KEY, BEFORE], { by: 4, up: 2 });
    const { result } = await migrated(whole, database.url);
    expect(result).to.deep.include({ kind: 'done', position: 4, withdrawn: ['2'.repeat(40), '3'.repeat(40)] });
    expect((await ledger()).rows).to.have.length(4);
  });

  it('is withdrawn again by a later release where the one that withdrew it fails as well', async () => {
    await halfDone();
    const failed = await migrated(await chain([BEFORE, FAILING, OTHER_KEY], THIRD), database.url);
    expect(failed.result).to.have.nested.property('failure.constraint', 'post_slug_key');
    expect(failed.result.kind === 'refused' && failed.result.details.at(-1)).to.include(
      'give release 3 up instead, revert it in a commit with the line `Withdraws: 222222222222`',
    );
    const whole = await chain([BEFORE, FAILING, OTHER_KEY, BEFORE], THIRD, { by: 4, up: 2 });
    const { result } = await migrated(whole, database.url);
    expect(result).to.deep.include({ kind: 'done', position: 4, applied: ['4'.repeat(40)] });
    expect(await posts()).to.deep.equal([
      ['A', ['x']],
      ['A', []],
      ['B', ['y', 'z']],
    ]);
    expect(await keptSchemas()).to.deep.equal([]);
  });

  it('leaves no index that was built by a job which was killed before it could say so', async () => {
    const unique = BEFORE.replace('title { type string', 'title { type string, unique');
    await migrated(await chain([BEFORE]), database.url);
    await database.client.query('CREATE UNIQUE INDEX post_title_key ON post (title)');
    const { result, events } = await migrated(await chain([BEFORE, unique, BEFORE], THIRD), database.url);
    expect(result.kind).to.equal('done');
    expect(eventsOf(events, 'statement').map(({ says }) => says)).to.deep.equal([
      'drop the index "post_title_key", if it is there',
    ]);
    await database.client.query(ROWS);
  });

  it('is undone in the schema of the application, with the tables and enums that it had put aside', async () => {
    await database.client.query('CREATE SCHEMA app; SET search_path = app');
    const address = new URL(database.url);
    address.searchParams.set('options', '-c search_path=app');
    const withNotes = `enum State { open  closed }  model Note { field state { type State } }  ${BEFORE}`;
    const sources = [withNotes, `drop model Note  ${FAILING}`];
    await migrated(await chain(sources.slice(0, 1)), address.href);
    await database.client.query(`${ROWS}; INSERT INTO note (state) VALUES ('open')`);
    const failed = await migrated(await chain(sources), address.href);
    expect(failed.result).to.have.nested.property('failure.constraint', 'post_heading_key');
    expect((await database.client.query("SELECT to_regclass('app.note') AS note")).rows).to.deep.equal([
      { note: null },
    ]);
    const { result } = await migrated(await chain([...sources, withNotes], THIRD), address.href);
    expect(result, JSON.stringify(result)).to.have.property('kind', 'done');
    expect((await database.client.query('SELECT state FROM app.note')).rows).to.deep.equal([{ state: 'open' }]);
    expect(await keptSchemas()).to.deep.equal([]);
  });

  it('is undone no further where that would delete what somebody has written', async () => {
    const sources = [BEFORE, `model Note { field text { type string } }  ${FAILING}`, `drop model Note  ${BEFORE}`];
    const whole = await chain(sources, THIRD);
    await migrated(await chain(sources.slice(0, 1)), database.url);
    await database.client.query(ROWS);
    await migrated(await chain(sources.slice(0, 2)), database.url);
    await database.client.query(`INSERT INTO note (text) VALUES ('written')`);
    const { result } = await migrated(whole, database.url);
    expect(result).to.deep.include({
      kind: 'refused',
      reason: 'failed',
      message: '"note", which is to be dropped again, has records: 1 record.',
      details: [
        'Delete these records first, if nobody needs them.',
        'Known to be applied: 1 of 3 releases. When the cause is removed, run it again to continue.',
      ],
    });
    expect(result).to.have.nested.property('failure.phase', 'withdraw');
    await database.client.query('DELETE FROM note');
    expect((await migrated(whole, database.url)).result).to.deep.include({ kind: 'done', position: 3 });
  });

  it('says which values it leaves as they were changed', async () => {
    const nullable = `model Post { field title { type string }  field note { type string, nullable }  drop x } ${API}`;
    const failing = nullable
      .replace('nullable', 'backfill "none"')
      .replace('drop x', 'field x { type string, unique, backfill "x" }');
    await migrated(await chain([nullable]), database.url);
    await database.client.query(`INSERT INTO post (title) VALUES ('A'), ('B')`);
    await migrated(await chain([nullable, failing]), database.url);
    const { result, events } = await migrated(await chain([nullable, failing, nullable], THIRD), database.url);
    expect(result.kind).to.equal('done');
    expect(eventsOf(events, 'warning')).to.deep.equal([
      {
        kind: 'warning',
        message:
          'This is not undone: rows of "post" that had no value in "note" keep the one that the `backfill` gave them.',
      },
    ]);
    expect(await posts('note')).to.deep.equal([['none'], ['none']]);
  });

  it('is told by a dry run, which undoes nothing', async () => {
    await halfDone();
    const before = await ledger();
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const options = { databaseUrl: database.url, dryRun: true, write, writeError: write };
    expect(await runMigrate(await chain(REVERTED, THIRD), options)).to.equal(0);
    expect(lines[0]).to.match(/^-- Release 2 \(222222222222\), withdrawal step \d+ of \d+: in a transaction$/);
    expect(lines.join('\n')).to.include('RENAME COLUMN "heading" TO "title"');
    expect(lines.at(-1)).to.equal('-- Then it is at release 3 (333333333333).');
    expect(await ledger()).to.deep.equal(before);
  });

  it('is refused from the moment on when it is undone, and so is its server; the previous release is not', async () => {
    await halfDone();
    const whole = await chain(REVERTED, THIRD);
    const withdrawn = await chain([BEFORE, FAILING]);
    let isChecked = false;
    const cut = new AbortController();
    const report = (event: { readonly kind: string; readonly phase?: string }) => {
      if (event.kind === 'statement' && event.phase === 'withdraw') cut.abort();
    };
    for (const options of [{ signal: cut.signal, report }, {}]) {
      await migrated(whole, database.url, options);
      const refused = await migrated(withdrawn, database.url);
      expect(refused.reason).to.equal('ahead');
      isChecked ||= refused.result.kind === 'refused' && refused.result.message.includes('is being withdrawn');
      expect((await migrated(await chain([BEFORE]), database.url)).result.kind).to.equal('done');
    }
    expect(isChecked).to.equal(true);
  });

  /** What a server says that is started from the image of the last one of these. */
  async function readiness(sources: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
    const application = await startApplication({
      definition: await definitionOf(sources.at(-1) as string),
      databaseUrl: database.url,
      release: imageReleaseOf(await chain(sources)),
    });
    try {
      const { status, json } = await ask(Number(new URL(application.url).port), '/readyz', {});
      return { ...json, status };
    } finally {
      await application.stop();
    }
  }

  it('is said by its server to be withdrawn from the first step on that is undone', async () => {
    await halfDone();
    expect((await readiness([BEFORE, FAILING])).detail).to.match(/Run `migrate` first\.$/);
    const cut = new AbortController();
    const report = (event: { readonly kind: string; readonly phase?: string }) => {
      if (event.kind === 'statement' && event.phase === 'withdraw') cut.abort();
    };
    const { result } = await migrated(await chain(REVERTED, THIRD), database.url, { signal: cut.signal, report });
    expect(result).to.include({ kind: 'refused', reason: 'stopped' });
    expect(await readiness([BEFORE, FAILING])).to.deep.include({
      status: 503,
      detail:
        'The database is at release 1: release 2, which this image is, is being withdrawn by a later release. Use the image of that release.',
    });
    expect(await readiness([BEFORE])).to.deep.include({ status: 200, databaseRelease: 1 });
  });

  it('is not what a database is at where the release that withdraws it fails as well', async () => {
    await halfDone();
    const failed = await migrated(await chain([BEFORE, FAILING, OTHER_KEY], THIRD), database.url);
    expect(failed.result.kind).to.equal('refused');
    expect(await readiness([BEFORE, FAILING])).to.deep.include({
      status: 503,
      detail:
        'The database is at release 1: release 2, which this image is, was withdrawn by 333333333333. Use the image of that revision or a later one.',
    });
    expect(await readiness([BEFORE])).to.deep.include({ status: 200, databaseRelease: 1 });
    expect((await readiness([BEFORE, FAILING, OTHER_KEY])).detail).to.include('The database is at release 1,');
  });

  it('is undone in a second run when the first one was cut off at any statement', async function () {
    this.timeout(300_000);
    const whole = await chain(REVERTED, THIRD);
    await halfDone();
    const prepared = database;
    database = await copyOf(prepared);
    const proxy = await openMessageProxy(database.url);
    await migrated(whole, proxy.url);
    await proxy.close();
    const [undisturbed, rows] = [await ledger(), await posts()];
    expect(proxy.seen()).to.be.greaterThan(20);
    for (let at = 1; at <= proxy.seen(); at++) {
      database = await copyOf(prepared);
      const cutting = await openMessageProxy(database.url, { at, when: 'inside', act: () => undefined });
      await migrated(whole, cutting.url);
      await cutting.close();
      const { result } = await migrated(whole, database.url);
      expect(result.kind, `after ${at}: ${JSON.stringify(result)}`).to.equal('done');
      expect(await ledger(), `after ${at}`).to.deep.equal(undisturbed);
      expect(await posts(), `after ${at}`).to.deep.equal(rows);
      expect(await keptSchemas(), `after ${at}`).to.deep.equal([]);
    }
  });

  it('is undone while servers of the previous release answer every request', async () => {
    await halfDone();
    const first = await chain([BEFORE]);
    const definition = await definitionOf(BEFORE);
    const application = await startApplication({
      definition,
      databaseUrl: database.url,
      release: imageReleaseOf(first),
    });
    try {
      const port = Number(new URL(application.url).port);
      const statuses = new Set<number>();
      let isOver = false;
      const clients = Array.from({ length: 3 }, async () => {
        while (!isOver) {
          const body = JSON.stringify({ title: 'C', tags: ['t'] });
          const headers = { 'content-type': 'application/json' };
          statuses.add((await ask(port, '/api/post', { method: 'POST', body, headers })).status);
          statuses.add((await ask(port, '/api/post', {})).status);
          statuses.add((await ask(port, '/readyz', {})).status);
        }
      });
      const { result } = await migrated(await chain(REVERTED, THIRD), database.url, { contractWait: 0 });
      isOver = true;
      await Promise.all(clients);
      expect(result.kind, JSON.stringify(result)).to.equal('done');
      expect([...statuses].toSorted()).to.deep.equal([200, 201]);
      const { rows } = await database.client.query(`SELECT count(*) FROM post WHERE title = 'C' AND tags <> '{t}'`);
      expect(rows).to.deep.equal([{ count: '0' }]);
    } finally {
      await application.stop();
    }
  });
});
