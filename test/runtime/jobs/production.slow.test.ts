/** Jobs where applications run: servers that are killed, a pooler, roles, several processes, clocks that differ, releases. */
import { expect } from 'chai';
import pg from 'pg';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { scheduleKey } from '../../../compiler/definition/work.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { startDatabases, withClient } from '../../campaigns/databases.ts';
import { buildOnce } from '../../support/build-once.ts';
import { POOLER_ENVIRONMENT, startPooler, whyNoPooler } from '../../support/pooler.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { skipFor } from '../../support/runtime-base.ts';
import { until } from '../../support/until.ts';
import { ask } from '../http/serving.ts';
import { chainOf } from '../migrate/compiled-chain.ts';
import { migrated } from '../migrate/databases.ts';
import { definitionOf } from '../operations/running.ts';
import { ended, ImageProcesses } from './image-processes.ts';

const MODELS = 'model Note { field text { type string } } model Trace { field text { type string } }';
const WORK = `
job Count { input text { type string } action { create Trace { set text "count " + text } } }
job Line { input text { type string } one at a time per "only", action { create Trace { set text "line " + text } } }
on create of Note as note { run Line { text: note.text } }
schedule Daily every day at "07:30" { catch up all, run Count { text: "scheduled" } }`;
const API = (action: string) =>
  `api { entrypoint Note { list endpoint {} create endpoint as made { action { create {} ${action} } } } }`;
const SOURCE = `${MODELS} ${WORK} ${API('run Count { text: made.text }')}`;

/** So many servers are killed; `KILN_TEST_KILLS=1000` is a campaign. */
const KILLS = Number(process.env.KILN_TEST_KILLS ?? 10);

describe('jobs in production', () => {
  let definition: Definition;
  let database: TestDatabase;
  let image: ImageProcesses;

  before(async () => {
    buildOnce();
    definition = await definitionOf(SOURCE);
    image = new ImageProcesses({ definition });
    database = await createDatabase();
    await database.client.query(schemaSql(schemaFromDefinition(definition)));
  });

  beforeEach(() => database.client.query('TRUNCATE kiln_jobs, trace, note, kiln_schedules'));
  afterEach(() => image.kill());
  after(() => image?.remove());

  const otherwise = () => image.output.slice(-3000);
  const textsOf = async (table: string, client: pg.ClientBase = database.client): Promise<readonly string[]> =>
    (await client.query(`SELECT text FROM ${table} ORDER BY text`)).rows.map(({ text }) => text);
  const countOf = async (from: string, client: pg.ClientBase = database.client) =>
    Number((await client.query(`SELECT count(*) FROM ${from}`)).rows[0].count);

  /** Makes notes, and gives the texts of those that were answered. Each runs one job itself and one by a reaction. */
  async function post(port: number, texts: readonly string[]): Promise<readonly string[]> {
    const answers = texts.map(async (text) => {
      const headers = { 'content-type': 'application/json' };
      const asked = ask(port, '/api/note', { method: 'POST', headers, body: JSON.stringify({ text }) });
      return (await asked.catch(() => null))?.status === 201 ? [text] : [];
    });
    return (await Promise.all(answers)).flat();
  }

  const numbered = (first: string, many: number) => Array.from({ length: many }, (_, at) => `${first} ${at}`);

  /** Waits until no job is left, and compares: each job of each note that is stored was done once. */
  async function expectAllDone(
    acknowledged: readonly string[],
    client: pg.ClientBase = database.client,
  ): Promise<void> {
    await until(async () => (await countOf('kiln_jobs', client)) === 0, { otherwise });
    const notes = await textsOf('note', client);
    expect(acknowledged.filter((text) => !notes.includes(text))).to.deep.equal([]);
    const traces = ['count', 'line'].flatMap((job) => notes.map((text) => `${job} ${text}`));
    expect(await textsOf('trace', client)).to.deep.equal(traces.sort());
  }

  it('are neither lost nor done twice where servers are killed between commit and run', async function () {
    this.timeout(1000 * KILLS + 100_000);
    const serve = () => image.serve({ DATABASE_URL: database.url });
    // Some start while others are killed.
    const ahead = [serve(), serve(), serve()];
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, port } = await (ahead.shift() as ReturnType<typeof serve>);
      const posting = post(port, numbered(`n ${kill}`, 20));
      await until(async () => (await countOf(`note WHERE starts_with(text, 'n ${kill} ')`)) > kill % 20, { otherwise });
      await ended(child, 'SIGKILL');
      acknowledged.push(...(await posting));
      // The table would wait 30 s for what it has claimed.
      await database.client.query(
        `UPDATE kiln_jobs SET due_at = now() WHERE split_part(running_on, ' ', 2) = '${child.pid}'`,
      );
      ahead.push(serve());
    }
    await Promise.all(ahead);
    expect(await countOf('note')).to.be.greaterThan(KILLS);
    await expectAllDone(acknowledged);
  });

  it('are done by four processes of a role that owns nothing', async () => {
    const role = `${database.client.database} server`;
    await database.client.query(`CREATE ROLE "${role}" LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA public TO "${role}";
      GRANT SELECT, INSERT, UPDATE, DELETE ON note, trace, kiln_jobs, kiln_schedules TO "${role}"`);
    await database.client.query(`INSERT INTO kiln_schedules VALUES ($1, now() - interval '1 day')`, [dailyKey()]);
    const address = new URL(database.url);
    address.username = encodeURIComponent(role);
    address.password = 'secret';
    const { child, port } = await image.serve({ DATABASE_URL: address.href, WORKERS: '4' });
    const acknowledged = await post(port, numbered('four', 200));
    expect(acknowledged).to.have.length(200);
    await until(async () => (await countOf(`trace WHERE text = 'count scheduled'`)) === 1, { otherwise });
    await database.client.query(`DELETE FROM trace WHERE text = 'count scheduled'`);
    await expectAllDone(acknowledged);
    expect(await ended(child, 'SIGTERM')).to.equal(0);
  });

  it('are done through a pooler in transaction mode', async function () {
    skipFor(this, 'tests of a pooler', whyNoPooler());
    const address = new URL(database.url);
    address.port = String(await startPooler(address, { default_pool_size: '4' }));
    const { port } = await image.serve({ ...POOLER_ENVIRONMENT, DATABASE_URL: address.href });
    // It learns of jobs that others have stored by looking.
    await database.client.query(
      `INSERT INTO kiln_jobs (kind, input) VALUES ('Count(text string)', '{"text":"looked"}')`,
    );
    await until(async () => (await countOf(`trace WHERE text = 'count looked'`)) === 1, { otherwise });
    await database.client.query('TRUNCATE trace');
    const acknowledged = await post(port, numbered('pooled', 200));
    expect(acknowledged).to.have.length(200);
    await expectAllDone(acknowledged);
  });

  it('leave requests their connections while all of them wait for a lock', async () => {
    const { port } = await image.serve({ DATABASE_URL: database.url, DATABASE_POOL_MAX: '2', JOBS: '5' });
    const blocker = new pg.Client(database.url);
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE trace IN SHARE MODE');
    try {
      const acknowledged = [...(await post(port, numbered('before', 20)))];
      const locked = `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%"trace"%'`;
      await until(async () => (await countOf(locked)) === 5, { otherwise });
      for (let at = 0; at < 20; at++) {
        expect((await ask(port, '/api/note')).status).to.equal(200);
        acknowledged.push(...(await post(port, [`during ${at}`])));
      }
      expect(await countOf(locked)).to.equal(5);
      await blocker.query('COMMIT');
      await expectAllDone(acknowledged);
    } finally {
      await blocker.end();
    }
  });

  function dailyKey(): string {
    const [daily] = definition.schedules ?? [];
    return daily ? scheduleKey(daily) : '';
  }

  /** Sets the clock of a process, in minutes. */
  function clock(minutes: number): Readonly<Record<string, string>> {
    const code = `const now = Date.now, Real = Date;
      globalThis.Date = class extends Real {
        constructor(...given) { super(...(given.length > 0 ? given : [Date.now()])); }
        static now() { return now() + ${minutes * 60_000}; }
      };`;
    return { NODE_OPTIONS: `--import data:text/javascript;base64,${Buffer.from(code).toString('base64')}` };
  }

  it('of schedules are stored once by servers whose clocks are ten minutes apart', async () => {
    await database.client.query(`INSERT INTO kiln_schedules VALUES ($1, now() - interval '3 days')`, [dailyKey()]);
    await Promise.all([-5, 5].map((minutes) => image.serve({ DATABASE_URL: database.url, ...clock(minutes) })));
    const placed = `SELECT count(*) FROM generate_series(date_trunc('day', now()) - interval '4 days', now(), interval '1 day') AS day
      WHERE day + interval '7 hours 30 minutes' > now() - interval '3 days' AND day + interval '7 hours 30 minutes' <= now()`;
    const many = Number((await database.client.query(placed)).rows[0].count);
    await until(async () => (await countOf('trace')) >= many, { otherwise });
    await until(async () => (await countOf('kiln_jobs')) === 0, { otherwise });
    expect(await countOf('trace')).to.equal(many);
    const times = () =>
      [...image.output.matchAll(/"time":"([^"]+)"[^\n]*"listening"/g)].map(([, time]) => String(time));
    await until(() => times().length === 2, { otherwise });
    const [first = 0, second = 0] = times().sort().map(Date.parse);
    expect(second - first).to.be.within(9 * 60_000, 11 * 60_000);
  });

  it('go on after a crash of Postgres', async () => {
    const databases = await startDatabases(['synchronous_commit=on']);
    try {
      const url = await databases.create();
      await withClient(url, (client) => client.query(schemaSql(schemaFromDefinition(definition))));
      const { port } = await image.serve({ DATABASE_URL: url });
      const posting = post(port, numbered('crash', 300));
      await withClient(url, async (client) => {
        await until(async () => (await countOf('trace', client)) > 50, { otherwise });
        const { rows } = await client.query(
          'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
        // Postgres ends all other connections then, and recovers.
        process.kill(rows[0].pid, 'SIGKILL');
      }).catch(() => undefined);
      const acknowledged = await posting;
      await withClient(url, async (client) => {
        await client.query('UPDATE kiln_jobs SET due_at = now() WHERE running_on IS NOT NULL');
        await expectAllDone(acknowledged, client);
      });
    } finally {
      await image.kill();
      await databases.stop();
    }
  });

  it('come with a release to a database that has none, wait after a rollback, and are done when it serves again', async () => {
    const own = await createDatabase();
    const before = await definitionOf(`${MODELS} ${API('')}`);
    const [first, second] = [chainOf([before]), chainOf([before, definition])];
    const old = new ImageProcesses({ definition: before, chain: first });
    const next = new ImageProcesses({ definition, chain: second });
    const environment = { DATABASE_URL: own.url };
    try {
      await migrated(first, own.url);
      const { port: oldPort } = await old.serve(environment);
      expect(await post(oldPort, numbered('old', 5))).to.have.length(5);
      expect((await migrated(second, own.url)).result).to.include({ kind: 'done' });
      // What the release before writes starts no jobs, which it could not do.
      expect(await post(oldPort, numbered('beside', 5))).to.have.length(5);
      const { port } = await next.serve(environment);
      await post(port, numbered('new', 5));
      await until(async () => (await countOf('trace', own.client)) === 10, { otherwise: () => next.output });
      await next.kill();
      await own.client.query(`INSERT INTO kiln_jobs (kind, input) VALUES ('Count(text string)', '{"text":"left"}')`);
      expect(await post(oldPort, ['back'])).to.have.length(1);
      expect(await countOf('kiln_jobs', own.client)).to.equal(1);
      await next.serve(environment);
      await until(async () => (await countOf('kiln_jobs', own.client)) === 0, { otherwise: () => next.output });
      const traces = ['count', 'line'].flatMap((job) => numbered(`${job} new`, 5));
      expect(await textsOf('trace', own.client)).to.deep.equal(['count left', ...traces].sort());
    } finally {
      for (const each of [old, next]) {
        await each.kill();
        each.remove();
      }
    }
  });
});
