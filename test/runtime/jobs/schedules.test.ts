/** Schedules as servers run them: once for each due time, by the clock of Postgres. */
import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { configFromEnvironment } from '../../../runtime/config/config.ts';
import { scheduleRoutes } from '../../../runtime/endpoints/application.ts';
import { Scheduler } from '../../../runtime/jobs/scheduler.ts';
import { createLog } from '../../../runtime/observe/log.ts';
import { openDatabase } from '../../../runtime/query/connections/open-database.ts';
import { type ImageRelease, imageReleaseOf } from '../../../runtime/query/database-release.ts';
import { databaseOptions } from '../../../runtime/serve.ts';
import { type Application, startApplication } from '../../support/application.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { chainOf } from '../migrate/compiled-chain.ts';
import { migrated } from '../migrate/databases.ts';
import { definitionOf } from '../operations/running.ts';

const MODEL = 'model Trace { field text { type string } }';
const job = (name: string) =>
  `job ${name} { input text { type string, default "" } action { create Trace { set text text } } }`;
const SHOP = `
${MODEL} ${job('Last')} ${job('All')} ${job('None')}
setting GREETING { type string, default "hello" }
schedule Last every day at "07:30" { run Last { text: setting(GREETING) } }
schedule All every day at "07:30" { catch up all, run All { text: "a" } run All { text: "b" } after days(3) }
schedule None every day at "07:30" { catch up none, run None {} }`;

describe('schedules', () => {
  let definition: Definition;
  let database: TestDatabase;
  const open: { stop(): Promise<unknown> }[] = [];

  before(async () => {
    definition = await definitionOf(SHOP);
  });
  beforeEach(async () => {
    database = await createDatabase();
    await database.client.query(schemaSql(schemaFromDefinition(definition)));
  });
  const stopAll = () => Promise.all(open.splice(0).map((each) => each.stop()));
  afterEach(stopAll);

  /** The scheduler of a server, which looks only when it is told to. */
  function server(served = definition, release?: ImageRelease): Scheduler {
    const read = configFromEnvironment({ DATABASE_URL: database.url });
    if (!read.ok) throw new Error(read.problems.join('\n'));
    const { config } = read;
    const log = createLog('silent');
    const connections = openDatabase({ ...databaseOptions(config, release), poolMax: 3, log });
    const settings = { GREETING: 'hello' };
    const options = { ...config, definition: served, hooks: {}, settings, database: connections };
    const scheduler = new Scheduler({ database: connections, log, release });
    scheduler.replace(scheduleRoutes({ ...options, overflowed: () => undefined }));
    // The first look of its own is at the end of this turn of the event loop.
    void scheduler.stop();
    open.push({ stop: () => connections.close() });
    return scheduler;
  }

  const query = async (text: string) => (await database.client.query(text)).rows as readonly Record<string, unknown>[];
  const jobs = async () =>
    (
      await query(
        `SELECT split_part(kind, '(', 1) || ' ' || coalesce(input->>'text', '') AS job FROM kiln_jobs ORDER BY 1`,
      )
    ).map(({ job: each }) => String(each).trim());
  /** Makes it seem that no server has looked since then. */
  const lookedLast = (interval: string) =>
    database.client.query(`UPDATE kiln_schedules SET due_at = now() - interval '${interval}'`);

  it('begin at the first due time after they are there', async () => {
    const wait = await server().look();
    expect(await jobs()).to.deep.equal([]);
    expect(wait).to.be.within(1, 30_000);
    expect(await query('SELECT name, due_at <= now() AS begun FROM kiln_schedules ORDER BY name')).to.deep.equal([
      { name: 'All 30 7 * * * UTC', begun: true },
      { name: 'Last 30 7 * * * UTC', begun: true },
      { name: 'None 30 7 * * * UTC', begun: true },
    ]);
  });

  it('make up for two days of outage as `catch up` says', async () => {
    const own = server();
    await own.look();
    await lookedLast('2 days');
    // The schedule without catching up must not be due in this very minute.
    await until(async () => (await query("SELECT now()::time BETWEEN '07:29' AND '07:31' AS soon"))[0]?.soon === false);
    await own.look();
    expect(await jobs()).to.deep.equal(['All a', 'All a', 'All b', 'All b', 'Last hello']);
    const later = await query(
      `SELECT count(*)::integer AS later FROM kiln_jobs WHERE due_at > now() + interval '2 days'`,
    );
    expect(later).to.deep.equal([{ later: 2 }]);
    await own.look();
    expect(await jobs()).to.have.length(5);
  });

  it('run once for a due time, whichever servers look, and whatever their clocks say', async () => {
    const servers = Array.from({ length: 6 }, () => server());
    await servers[0]?.look();
    await lookedLast('2 days');
    const now = Date.now;
    try {
      const looks = servers.flatMap((each) => [each.look(), each.look()]);
      Date.now = () => now() + 10 * 60_000;
      await Promise.all(looks);
      await Promise.all(servers.map((each) => each.look()));
    } finally {
      Date.now = now;
    }
    expect((await jobs()).filter((each) => each !== 'None')).to.deep.equal([
      'All a',
      'All a',
      'All b',
      'All b',
      'Last hello',
    ]);
  });

  it('that are due now run although nothing is made up for', async () => {
    const minutely = await definitionOf(
      `${MODEL} ${job('Sweep')} schedule Sweep every minute { catch up none, run Sweep {} }`,
    );
    const own = server(minutely);
    await own.look();
    await lookedLast('2 days');
    await own.look();
    expect(await jobs()).to.deep.equal(['Sweep']);
  });

  it('that a release has changed begin again, and those that it has dropped are forgotten', async () => {
    const own = server();
    await own.look();
    await lookedLast('2 days');
    const next = await definitionOf(
      `${MODEL} ${job('Last')} schedule Last every day at "07:31" { catch up all, run Last {} }`,
    );
    await server(next).look();
    expect(await jobs()).to.deep.equal([]);
    expect(await query('SELECT name FROM kiln_schedules')).to.deep.equal([{ name: 'Last 31 7 * * * UTC' }]);
  });

  it('are run by servers of the newest migrated release alone', async () => {
    await database.client.query(
      `CREATE TABLE kiln_releases (position integer PRIMARY KEY, revision text NOT NULL, fingerprint text NOT NULL,
         checksum text NOT NULL, applied_at timestamptz NOT NULL, duration_ms bigint NOT NULL DEFAULT 0, beside text,
         contract_steps integer NOT NULL DEFAULT 0, contract_done integer NOT NULL DEFAULT 0, contracted_at timestamptz);
       CREATE TABLE kiln_release_progress (position integer PRIMARY KEY, revision text NOT NULL, checksum text NOT NULL,
         steps_done integer NOT NULL, started_at timestamptz NOT NULL DEFAULT now(), duration_ms bigint NOT NULL, beside text);
       INSERT INTO kiln_releases (position, revision, fingerprint, checksum, applied_at)
       VALUES (1, 'a', 'f', 'c', now() - interval '9 days'), (2, 'b', 'f', 'c', now() - interval '2 days')`,
    );
    const release = (position: number) => ({ position, revision: 'ab'[position - 1] as string, fingerprint: 'f' });
    await server(definition, release(1)).look();
    expect(await query('SELECT * FROM kiln_schedules')).to.deep.equal([]);
    // No server has run since the release was migrated.
    await server(definition, release(2)).look();
    expect((await jobs()).filter((each) => each === 'All a')).to.have.length(2);
  });

  it('of a release are left to the next one as soon as it is migrated', async () => {
    database = await createDatabase();
    const next = await definitionOf(`${MODEL} ${job('Last')} ${job('All')} ${job('None')}
setting GREETING { type string, default "hello" }
api { entrypoint Trace { POST many "x" { action { run Last { text: setting(GREETING) } run All {} run None {} } } } }`);
    const [first, second] = [chainOf([definition]), chainOf([definition, next])];
    await migrated(first, database.url);
    const old = server(definition, imageReleaseOf(first));
    await old.look();
    await lookedLast('2 days');
    expect((await migrated(second, database.url)).result).to.include({ kind: 'done', position: 2 });
    await old.look();
    expect(await jobs()).to.deep.equal([]);
    // The contraction waits until no server of the first release is connected.
    await stopAll();
    expect((await migrated(second, database.url, { contract: true })).result).to.include({ kind: 'done' });
    expect(await query("SELECT to_regclass('kiln_schedules') AS found")).to.deep.equal([{ found: null }]);
  });

  it('run jobs of a whole application', async () => {
    const start = async (): Promise<Application> => {
      const application = await startApplication({ definition, databaseUrl: database.url });
      open.push(application);
      return application;
    };
    const first = await start();
    await until(async () => (await query('SELECT FROM kiln_schedules')).length === 3);
    await first.stop();
    open.pop();
    await lookedLast('2 days');
    await start();
    const traces = async () => (await query('SELECT text FROM trace ORDER BY text')).map(({ text }) => text);
    await until(async () => (await traces()).filter((text) => text !== '').length >= 3);
    expect((await traces()).filter((text) => text !== '')).to.deep.equal(['a', 'a', 'hello']);
  });
});
