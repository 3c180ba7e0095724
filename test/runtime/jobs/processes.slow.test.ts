/** Jobs and the processes that work on them: killed, told to stop, several at once, without their database. */
import type { ChildProcess } from 'node:child_process';
import { expect } from 'chai';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { buildOnce } from '../../support/build-once.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { definitionOf } from '../operations/running.ts';
import { ended, ImageProcesses } from './image-processes.ts';

const SOURCE = `
model Trace { field text { type string } }
job Count { input text { type string } action { create Trace { set text text } } }
job Slow { input text { type string } timeout seconds(60), action { execute { hook { arg text text, source slow from "code" } } create Trace { set text text } } }
job Line { input text { type string } one at a time per "only", retry 1, action { create Trace { set text text } refuse "no" when text is "bad" } }
api { entrypoint Trace { create endpoint {} } }`;

const CODE = `
const slow = async ({ text }) => new Promise((resolve) => setTimeout(resolve, Number(text.split(' ')[1])));
export default { 'hooks/code.ts#slow': slow };`;

describe('processes that work on jobs', () => {
  let image: ImageProcesses;
  let database: TestDatabase;

  before(async () => {
    buildOnce();
    const definition = await definitionOf(SOURCE, { slow: () => undefined });
    database = await createDatabase();
    await database.client.query(schemaSql(schemaFromDefinition(definition)));
    image = new ImageProcesses({ definition, code: CODE });
  });

  beforeEach(() => database.client.query('TRUNCATE kiln_jobs, trace'));
  afterEach(() => image.kill());
  after(() => image?.remove());

  const work = (environment: Readonly<Record<string, string>> = {}): ChildProcess =>
    image.start('work', { DATABASE_URL: database.url, ...environment });
  const count = async (from: string) =>
    Number((await database.client.query(`SELECT count(*) FROM ${from}`)).rows[0].count);
  const texts = async () =>
    (await database.client.query('SELECT text FROM trace ORDER BY id')).rows.map(({ text }) => text);
  const otherwise = () => image.output.slice(-3000);

  /** Stores jobs whose texts are `<first> <number>`. */
  const store = (job: string, first: string, many: number, line: string | null = null) =>
    database.client.query(
      `INSERT INTO kiln_jobs (kind, input, line)
       SELECT $1, jsonb_build_object('text', $2::text || ' ' || n), $4 FROM generate_series(1, $3::bigint) AS n`,
      [`${job}(text string)`, first, many, line],
    );

  /** Ends the claims of servers that were killed, for which the table would wait 30 s. */
  const endClaims = () => database.client.query('UPDATE kiln_jobs SET due_at = now() WHERE running_on IS NOT NULL');

  it('killed again and again lose no job, and do none twice', async () => {
    const many = 3000;
    await store('Count', 'n', many);
    for (let kills = 0; kills < 8; kills++) {
      const before = await count('trace');
      const child = work({ JOBS: '20' });
      await until(async () => (await count('trace')) > before + 100 || (await count('kiln_jobs')) === 0, { otherwise });
      await ended(child, 'SIGKILL');
      await endClaims();
    }
    const [first, second] = [work({ JOBS: '20' }), work({ JOBS: '20' })];
    await until(async () => (await count('kiln_jobs')) === 0, { otherwise });
    expect(await count('trace')).to.equal(many);
    expect(await count('(SELECT DISTINCT text FROM trace) AS t')).to.equal(many);
    expect([await ended(first, 'SIGTERM'), await ended(second, 'SIGTERM')]).to.deep.equal([0, 0]);
  });

  it('killed in a job leave it to others, whose claim ends what the first still tries', async () => {
    await store('Slow', '2000', 1);
    await database.client.query(`UPDATE kiln_jobs SET input = '{"text":"n 2500"}'`);
    work();
    await until(async () => (await count('kiln_jobs WHERE attempt = 1')) === 1, { otherwise });
    // As if its claim had not been renewed.
    await database.client.query('UPDATE kiln_jobs SET attempt = 2, due_at = now()');
    await until(async () => (await count('kiln_jobs')) === 0, { otherwise });
    expect(await texts()).to.deep.equal(['n 2500']);
    await until(() => image.output.includes('a job could not be ended'), { otherwise });
  });

  it('told to stop end what they can, and give back the rest', async () => {
    await store('Slow', '', 1);
    await database.client.query(`UPDATE kiln_jobs SET input = '{"text":"short 1500"}'`);
    await database.client.query(
      `INSERT INTO kiln_jobs (kind, input) VALUES ('Slow(text string)', '{"text":"long 50000"}')`,
    );
    const child = work({ SHUTDOWN_TIMEOUT: '6s' });
    await until(async () => (await count('kiln_jobs WHERE running_on IS NOT NULL')) === 2, { otherwise });
    await ended(child, 'SIGTERM');
    expect(await texts()).to.deep.equal(['short 1500']);
    const { rows } = await database.client.query(
      `SELECT attempt, running_on, due_at <= now() AS is_due, error FROM kiln_jobs`,
    );
    expect(rows).to.deep.equal([{ attempt: '0', running_on: null, is_due: true, error: null }]);
  });

  it('work on a long line in order, also where its head fails', async () => {
    await store('Line', 'bad', 1, 'Line only');
    await database.client.query(`UPDATE kiln_jobs SET input = '{"text":"bad"}'`);
    const many = 3000;
    await store('Line', 'n', many, 'Line only');
    await store('Count', 'other', 100);
    work({ JOBS: '5' });
    work({ JOBS: '5' });
    await until(async () => (await count('kiln_jobs WHERE failed_at IS NULL')) === 0, { otherwise });
    const inLine = (await texts()).filter((text) => text.startsWith('n '));
    expect(inLine).to.deep.equal(Array.from({ length: many }, (_, at) => `n ${at + 1}`));
    expect((await texts()).filter((text) => text.startsWith('other')).length).to.equal(100);
    expect(await count('kiln_jobs')).to.equal(1);
  });

  it('go on when their connections were ended', async () => {
    await store('Count', 'n', 2000);
    work();
    for (let times = 0; times < 3; times++) {
      const before = await count('trace');
      await until(async () => (await count('trace')) > before + 100 || (await count('kiln_jobs')) === 0, { otherwise });
      await database.client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      await endClaims();
    }
    await until(
      async () => {
        await endClaims();
        return (await count('kiln_jobs')) === 0;
      },
      { otherwise },
    );
    expect(await count('trace')).to.equal(2000);
  });
});
