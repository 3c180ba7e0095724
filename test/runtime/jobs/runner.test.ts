/** Jobs as a server works on them. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { LONGEST_KIND } from '../../../compiler/definition/work.ts';
import { HookRefusal } from '../../../runtime/errors/api-error.ts';
import {
  claimJobs,
  forgetFailed,
  removeJob,
  renewClaims,
  wakeAllLines,
  wakeLines,
} from '../../../runtime/jobs/job-table.ts';
import { waitAfter } from '../../../runtime/jobs/runner.ts';
import { errorText } from '../../../runtime/jobs/try-job.ts';
import { connectionFrom } from '../../../runtime/query/database.ts';
import { startApplication } from '../../support/application.ts';
import { until } from '../../support/until.ts';
import { withClient } from '../../support/with-client.ts';
import { ask } from '../http/serving.ts';
import { type Running, run, stopAll } from '../operations/running.ts';

const SHOP = `
model Order { field status { type string, default "open" } }
model Trace { field text { type string } }
model Number { field n { type integer, unique } }
job Send {
  input order { to Order }
  input note { type string, default "" }
  action { update order { set status "sent" } create Trace { set text note } }
}
job Refused {
  input order { to Order }
  retry 3
  action { create Trace { set text "never" } refuse "no" { message "It is refused." } }
  on failure { update order { set status "failed" } }
}
job Silent { action { refuse "done" } }
model Note { field text { type string } }
job Copy { input note { to Note } action { create Trace { set text note.text } } }
on update of Note as note { run Copy { note: note } once per note.id }
model Buy { reference order { to Order } }
job Buy { input order_id { type integer } action { create Buy { set order_id order_id } } }
job Count { input n { type integer } retry 1, action { create Number { set n n } } }
job Slow { timeout seconds(1), retry 0, action { create Trace { set text "slow" } } }
job Again { action { create Trace { set text "again" } run Again {} } }
job Daily { action { create Trace { set text "daily" } run Daily {} after days(1) } }
model Alarm { field rings { type integer, default 0 } }
job Ring { input alarm { to Alarm } action { update alarm { set rings alarm.rings + 1 } } }
on update of Alarm as alarm when alarm.rings < 40 { run Ring { alarm: alarm } after days(1) }
job Line { input of { type string } input text { type string } one at a time per of, retry 1, action { create Trace { set text text } } }
api {
  entrypoint Order as order {
    create endpoint as made { action { create {} run Send { order: made, note: made.status } } }
    get endpoint {}
  }
}`;

describe('jobs', () => {
  let app: Running;

  before(async () => {
    app = await run(SHOP, { environment: { METRICS_PORT: '0' } });
  });
  after(stopAll);
  beforeEach(async () => {
    // One after the other: a job that is still running has one of them, and waits for the other.
    await app.database.client.query('TRUNCATE kiln_jobs');
    await app.database.client.query('TRUNCATE trace');
  });

  const rows = async (text: string): Promise<readonly Record<string, unknown>[]> =>
    (await app.database.client.query(text)).rows;
  const stored = () => rows('SELECT * FROM kiln_jobs ORDER BY id');
  const traces = async () => (await rows('SELECT text FROM trace ORDER BY id')).map(({ text }) => text);
  const store = (kind: string, input: object, others: Readonly<Record<string, unknown>> = {}) => {
    const columns = Object.entries({ kind, input: JSON.stringify(input), ...others });
    const names = columns.map(([name]) => name).join(', ');
    const places = columns.map((_, at) => `$${at + 1}`).join(', ');
    const values = columns.map(([, value]) => value);
    return app.database.client.query(`INSERT INTO kiln_jobs (${names}) VALUES (${places})`, values);
  };
  const made = async (status: string) => (await app.ask('POST /api/order', { status })).json.id;
  const isEmpty = async () => (await stored()).length === 0;
  const hasFailed = async () => (await stored()).some(({ failed_at }) => failed_at !== null);

  it('are done with what the request has made, and removed', async () => {
    const id = await made('new');
    await until(isEmpty);
    const line = () => app.lines.find(({ msg }) => msg === 'job');
    await until(() => line() !== undefined);
    expect(line()).to.include({ level: 'info', job: 'Send', attempt: 1 }).and.to.have.property('durationMs');
    expect((await app.ask(`GET /api/order/${id}`)).json.status).to.equal('sent');
    expect(await traces()).to.deep.equal(['new']);
  });

  it('of the longest kind that a program can have are stored', async () => {
    await store(randomBytes(LONGEST_KIND / 2).toString('hex'), {});
    expect(await stored()).to.have.length(1);
  });

  it('that are refused are not tried again, and `on failure` is done', async () => {
    const id = await made('new');
    await until(isEmpty);
    await store('Refused(order_id integer)', { order_id: id });
    await until(hasFailed);
    expect((await app.ask(`GET /api/order/${id}`)).json.status).to.equal('failed');
    const [failed] = await rows(`SELECT attempt, error, running_on, due_at = 'infinity' AS never FROM kiln_jobs`);
    expect(failed).to.deep.equal({ attempt: '1', error: 'It is refused.', running_on: null, never: true });
    expect(await traces()).to.deep.equal(['new']);
  });

  it('that fail keep the code of a `refuse`, and each message once', async () => {
    await store('Silent()', {});
    await until(hasFailed);
    expect((await stored()).map(({ error }) => error)).to.deep.equal(['done: The request was rejected.']);
    const thrown = Object.assign(new Error('nope 1', { cause: new Error('why') }), { status: 409 });
    expect(errorText(new HookRefusal(thrown.status, thrown.message, thrown))).to.equal('nope 1: why');
  });

  it('that fail are tried again later', async () => {
    await app.database.client.query('INSERT INTO number (n) VALUES (7)');
    await store('Count(n integer)', { n: 7 });
    await until(async () => (await stored())[0]?.error !== null);
    const [job] = await rows('SELECT attempt, failed_at, extract(epoch FROM due_at - now()) AS wait FROM kiln_jobs');
    expect(job).to.include({ attempt: '1', failed_at: null });
    expect(Number(job?.wait)).to.be.within(2, 6);
    await app.database.client.query('UPDATE kiln_jobs SET due_at = now()');
    await until(hasFailed);
    expect((await stored())[0]?.attempt).to.equal('2');
  });

  it('whose record is gone are removed', async () => {
    await store('Send(note string, order_id integer)', { order_id: 4711 });
    await until(isEmpty);
    expect(app.lines.some(({ msg }) => String(msg).startsWith('a job was removed'))).to.equal(true);
  });

  it('that write the id of a record that does not exist fail', async () => {
    await store('Buy(order_id integer)', { order_id: 4711 });
    await until(async () => (await stored())[0]?.error !== null);
    expect((await stored())[0]).to.include({ attempt: '1', failed_at: null });
  });

  it('that a transaction relies on by `once per` cannot be claimed before its commit', async () => {
    const [note] = await rows(`INSERT INTO note (text) VALUES ('old') RETURNING id`);
    await store(
      'Copy(note_id integer)',
      { note_id: Number(note?.id) },
      { once: `Copy ${note?.id}`, due_at: '2100-01-01' },
    );
    await withClient(app.database.url, async (other) => {
      await other.query('BEGIN');
      await other.query(`UPDATE note SET text = 'new'`);
      expect(await rows('SELECT id FROM kiln_jobs FOR UPDATE SKIP LOCKED')).to.deep.equal([]);
      await other.query('COMMIT');
    });
    expect((await stored()).length).to.equal(1);
    await app.database.client.query('UPDATE kiln_jobs SET due_at = now()');
    await until(isEmpty);
    expect(await traces()).to.deep.equal(['new']);
  });

  it('that have ended are not claimed for longer', async () => {
    await store('Count(n integer)', { n: 1 }, { attempt: 1, failed_at: '2020-01-01', due_at: 'infinity' });
    await store('Count(n integer)', { n: 1 }, { attempt: 1, due_at: '2100-01-01' });
    await store('Count(n integer)', { n: 1 }, { attempt: 1, due_at: '2100-01-01', running_on: 'here' });
    const tries = (await stored()).map(({ id }) => ({ id: String(id), attempt: 1 }));
    expect([...(await renewClaims(connectionFrom(app.database.client), tries))]).to.deep.equal([tries[2]?.id]);
  });

  it('that run each other are stopped at a depth of 16', async () => {
    await store('Again()', {});
    await until(hasFailed);
    expect((await stored()).map(({ error }) => error)).to.deep.equal([
      'more than 16 jobs have run each other in a chain',
    ]);
    expect((await traces()).length).to.equal(17);
  });

  it('that run themselves again after a time do so without an end', async () => {
    await store('Daily()', {});
    await store('Ring(alarm_id integer)', {
      alarm_id: (await rows('INSERT INTO alarm DEFAULT VALUES RETURNING id'))[0]?.id,
    });
    for (let day = 1; day <= 20; day += 1) {
      await until(
        async () => (await rows(`SELECT FROM kiln_jobs WHERE due_at > now() + interval '1 hour'`)).length === 2,
      );
      await until(async () => (await stored()).length === 2);
      expect((await stored()).map(({ depth }) => depth)).to.deep.equal(['0', '0']);
      expect((await traces()).filter((text) => text === 'daily').length).to.equal(day);
      await app.database.client.query('UPDATE kiln_jobs SET due_at = now()');
      await made('wakes the server');
    }
  });

  it('that a server has not ended are run again, also after the last try', async () => {
    await store('Slow()', {}, { attempt: 1, running_on: 'a server that was killed' });
    await until(isEmpty);
    expect(await traces()).to.deep.equal(['slow']);
  });

  it('that no server ends fail some tries later', async () => {
    await store('Count(n integer)', { n: 1 }, { attempt: 12 });
    await until(hasFailed);
    expect((await stored())[0]?.error).to.equal('the servers that ran it stopped before it ended');
  });

  it('that take too long are cancelled', async () => {
    await withClient(app.database.url, async (other) => {
      await other.query('BEGIN');
      await other.query('LOCK TABLE trace');
      await store('Slow()', {});
      await until(hasFailed);
    });
    expect((await stored())[0]?.error).to.equal('it took longer than 1 s');
  });

  it('of kinds that no job reads are left alone, and counted', async () => {
    await store('Unknown(x string)', { x: '1' });
    await until(async () => (await ask(app.port, '/readyz')).json.unreadableJobs === 1);
    expect((await stored())[0]?.attempt).to.equal('0');
  });

  it('of a line are done one after the other, and its head holds only its own line', async () => {
    const line = (of: string, text: string) =>
      store('Line(of string, text string)', { of, text }, { line: `Line ${of}` });
    await store(
      'Line(of string, text string)',
      { of: 'a', text: 'head' },
      { line: 'Line a', attempt: 1, once: '=Line a', due_at: '2100-01-01' },
    );
    for (let at = 0; at < 20; at++) await line('a', `a${at}`);
    await line('b', 'b0');
    await line('b', 'b1');
    await until(async () => (await traces()).length === 2);
    await sleep(1500);
    expect(await traces()).to.deep.equal(['b0', 'b1']);
    await app.database.client.query(`UPDATE kiln_jobs SET due_at = now() WHERE attempt = 1`);
    await until(isEmpty);
    expect((await traces()).slice(2)).to.deep.equal(['head', ...Array.from({ length: 20 }, (_, at) => `a${at}`)]);
  });

  it('of lines that wait do not keep others waiting', async () => {
    const kind = 'Line(of string, text string)';
    await app.database.client.query(`INSERT INTO kiln_jobs (kind, input, line, attempt, once, due_at)
      SELECT '${kind}', '{}', 'Line ' || n, 1, '=Line ' || n, '2100-01-01' FROM generate_series(1, 1000) AS n`);
    await app.database.client.query(`INSERT INTO kiln_jobs (kind, input, line, due_at)
      SELECT '${kind}', '{}', 'Line ' || n, '2020-01-01' FROM generate_series(1, 1000) AS n`);
    await store('Line(of string, text string)', { of: 'x', text: 'other' }, { line: 'Line x' });
    await until(async () => (await traces()).length === 1);
    expect(await traces()).to.deep.equal(['other']);
  });

  for (const isParkedFirst of [true, false])
    it(`of a line go on if one ends while another server parks the next, which is ${isParkedFirst ? 'first' : 'last'} to commit`, async () => {
      const kind = 'Elsewhere()';
      await store(kind, {}, { line: 'a', error: 'parked', due_at: '2020-01-01' });
      await store(kind, {}, { line: 'a' });
      await withClient(app.database.url, (one) =>
        withClient(app.database.url, async (other) => {
          const [ending, parking] = [connectionFrom(one), connectionFrom(other)];
          await one.query('BEGIN');
          const { jobs } = await claimJobs(ending, [kind], 1, 'one');
          await other.query('BEGIN');
          const { parked } = await claimJobs(parking, [kind], 1, 'other');
          expect(parked).to.deep.equal(['a']);
          await one.query('COMMIT');
          if (isParkedFirst) await other.query('COMMIT');
          await removeJob(ending, jobs[0] as (typeof jobs)[0]);
          await wakeLines(ending, ['a']);
          if (!isParkedFirst) await other.query('COMMIT');
          await wakeLines(parking, parked);
          expect((await claimJobs(ending, [kind], 1, 'one')).jobs.length).to.equal(1);
        }),
      );
    });

  it('of a line whose head was removed go on', async () => {
    await store('Elsewhere()', {}, { line: 'a', error: 'parked', due_at: 'infinity' });
    await store('Elsewhere()', {}, { line: 'b', error: 'parked', due_at: 'infinity' });
    await store('Elsewhere()', {}, { line: 'b', once: '=b', attempt: 1, due_at: '2100-01-01' });
    const connection = connectionFrom(app.database.client);
    await wakeAllLines(connection, ['Elsewhere()']);
    expect((await claimJobs(connection, ['Elsewhere()'], 5, 'one')).jobs.map(({ line }) => line)).to.deep.equal(['a']);
  });

  it('that failed long ago are removed, of any kind', async () => {
    await store('Gone()', {}, { failed_at: '2020-01-01', due_at: 'infinity' });
    await forgetFailed(connectionFrom(app.database.client));
    expect(await stored()).to.deep.equal([]);
  });

  it('are counted by `/metrics`', async () => {
    await made('new');
    await until(isEmpty);
    const { text } = await ask(Number(app.application.metricsPort), '/metrics');
    expect(text).to.match(/kiln_job_duration_seconds_count\{job="Send",result="done"\} \d/);
    expect(text).to.match(/kiln_jobs_waiting 0/);
  });

  it('do without their table for a while: the log says so once, and metrics do without their count', async () => {
    const said = (word: string) => app.lines.filter(({ msg }) => String(msg).includes(word)).length;
    await app.database.client.query('ALTER TABLE kiln_jobs RENAME TO kiln_jobs_away');
    await until(() => said('cannot be used') === 1);
    const { status, text } = await ask(Number(app.application.metricsPort), '/metrics');
    expect(status).to.equal(200);
    expect(text).not.to.match(/^kiln_jobs_waiting /m);
    await app.database.client.query('ALTER TABLE kiln_jobs_away RENAME TO kiln_jobs');
    await until(() => said('jobs are run again') === 1);
    expect(said('cannot be used')).to.equal(1);
  });

  it('say nothing of the database where the server cannot listen', async () => {
    const lines: string[] = [];
    const started = startApplication({
      definition: app.definition,
      databaseUrl: app.database.url,
      environment: { PORT: String(app.port) },
      log: (line) => lines.push(line),
    });
    expect(String(await started.catch((error: unknown) => error))).to.include(`Port ${app.port} is in use.`);
    await sleep(500);
    expect(lines).to.deep.equal([]);
  });

  it('wait longer after each try', () => {
    expect([1, 2, 3, 8].map((attempt) => waitAfter(attempt, 0.5))).to.deep.equal([5, 20, 80, 21_600]);
    expect([waitAfter(1, 0), waitAfter(1, 1)].map(Math.round)).to.deep.equal([4, 6]);
  });
});
