import { expect } from 'chai';
import type pg from 'pg';
import type { JobPage, StoredJob, WorkKind } from '../../runtime/console/work/work-forms.ts';
import { type DataServer, startDataServer } from './data-server.ts';
import { RECEIPT, STORED, UNKNOWN, workApplication } from './work-application.ts';

describe('the work of the console', () => {
  let server: DataServer;
  let client: pg.Client;

  before(async () => {
    const { definition, url, client: connected } = await workApplication();
    client = connected;
    server = await startDataServer(definition, url);
  });

  beforeEach(() => client.query(STORED));

  after(() => server.stop());

  const jobs = async (query = ''): Promise<readonly StoredJob[]> =>
    ((await server.get(`work/jobs${query}`)) as JobPage).jobs;
  const states = async (): Promise<readonly string[]> =>
    (await jobs()).map(({ id, state, attempt }) => `${id} ${state} ${attempt}`);

  it('counts the jobs of each kind by their states, with those that this release cannot read', async () => {
    const kinds = (await server.get('work')) as readonly WorkKind[];
    const counted = kinds.map(({ kind, job, counts, oldest }) => [
      kind,
      job && `${job.name}, ${job.isExactlyOnce ? 'exactly' : 'at least'} once, ${job.tries} tries`,
      Object.values(counts).map(({ count }) => count),
      oldest !== null,
    ]);
    expect(counted).to.deep.equal([
      [UNKNOWN, null, [1, 0, 0, 0], true],
      [RECEIPT, 'SendReceipt, exactly once, 9 tries', [1, 1, 1, 1], true],
      ['Sweep()', 'Sweep, at least once, 9 tries', [0, 0, 0, 0], false],
    ]);
  });

  it('counts up to a limit, and says so', async () => {
    await client.query(`INSERT INTO kiln_jobs (kind, input) SELECT 'Sweep()', '{}' FROM generate_series(1, 10001)`);
    const kinds = (await server.get('work')) as readonly WorkKind[];
    expect(kinds[2]?.counts.waiting).to.deep.equal({ count: 10_000, isExact: false });
  });

  it('lists jobs by kind and state, newest first', async () => {
    expect(await states()).to.deep.equal(['5 waiting 0', '4 failed 9', '3 running 2', '2 later 1', '1 waiting 0']);
    expect((await jobs('?state=waiting')).map(({ id }) => id)).to.deep.equal(['5', '1']);
    expect((await jobs(`?kind=${RECEIPT}&state=waiting`)).map(({ id }) => id)).to.deep.equal(['1']);
    const [failed] = await jobs('?state=failed');
    expect(failed).to.include({ error: 'no such address', input: '{"order_id": 4}', dueAt: null });
  });

  it('has pages that begin behind a job', async () => {
    await client.query(`INSERT INTO kiln_jobs (kind, input) SELECT 'Sweep()', '{}' FROM generate_series(6, 60)`);
    const first = (await server.get('work/jobs')) as JobPage;
    const second = (await server.get(`work/jobs?before=${first.jobs.at(-1)?.id}`)) as JobPage;
    expect([first.jobs.length, first.hasMore, second.jobs.length, second.hasMore]).to.deep.equal([50, true, 10, false]);
    expect(second.jobs[0]?.id).to.equal('10');
  });

  it('cuts off long texts', async () => {
    await client.query(`UPDATE kiln_jobs SET error = repeat('x', 501) WHERE id = 4`);
    expect((await jobs('?state=failed'))[0]?.error).to.have.length(500);
  });

  it('runs a job again that has failed or is due later, with all its tries', async () => {
    for (const id of ['4', '2']) expect((await server.send('POST', 'work/run', { id })).status).to.equal(200);
    expect(await states()).to.deep.equal(['5 waiting 0', '4 waiting 0', '3 running 2', '2 waiting 0', '1 waiting 0']);
    expect((await client.query('SELECT failed_at FROM kiln_jobs WHERE id = 4')).rows).to.deep.equal([
      { failed_at: null },
    ]);
  });

  it('shows jobs behind others of their line as later, and wakes the next one when its head is discarded', async () => {
    const parked = `'Waits for the jobs before it in its line.'`;
    await client.query(`TRUNCATE kiln_jobs RESTART IDENTITY;
      INSERT INTO kiln_jobs (kind, input, line, once, due_at, attempt, error) VALUES
        ('Sweep()', '{}', 'Sweep 1', '=Sweep 1', now() + interval '1 hour', 3, 'it is down'),
        ('Sweep()', '{}', 'Sweep 1', NULL, now() + interval '1 hour', 0, ${parked}),
        ('Sweep()', '{}', 'Sweep 1', NULL, 'infinity', 0, ${parked})`);
    expect(await states()).to.deep.equal(['3 later 0', '2 later 0', '1 later 3']);
    await server.send('POST', 'work/discard', { id: '1' });
    expect(await states()).to.deep.equal(['3 later 0', '2 waiting 0']);
  });

  it('gives a job that is run again its place in its line, and keeps the key of one that was never tried', async () => {
    await client.query(`TRUNCATE kiln_jobs RESTART IDENTITY;
      INSERT INTO kiln_jobs (kind, input, line, once, due_at, attempt, error) VALUES
        ('Sweep()', '{}', 'Sweep 1', '=Sweep 1', now() + interval '1 hour', 3, 'it is down'),
        ('Sweep()', '{}', NULL, 'Sweep all', now() + interval '1 hour', 0, NULL)`);
    for (const id of ['1', '2']) await server.send('POST', 'work/run', { id });
    expect((await client.query('SELECT id, once, attempt, error FROM kiln_jobs ORDER BY id')).rows).to.deep.equal([
      { id: '1', once: null, attempt: '0', error: null },
      { id: '2', once: 'Sweep all', attempt: '0', error: null },
    ]);
  });

  it('discards a job', async () => {
    expect(await server.send('POST', 'work/discard', { id: '1' })).to.deep.equal({ status: 200, body: { count: 1 } });
    expect((await jobs()).map(({ id }) => id)).to.deep.equal(['5', '4', '3', '2']);
  });

  it('changes no job that runs', async () => {
    for (const action of ['run', 'discard']) {
      const { status, body } = await server.send('POST', `work/${action}`, { id: '3' });
      expect([status, body.detail]).to.deep.equal([404, 'The job 3 is done, is running or was discarded.']);
    }
    expect(await states()).to.include('3 running 2');
  });

  it('runs or discards all failed jobs of a kind, and no others', async () => {
    const { rowCount } = await client.query(
      `INSERT INTO kiln_jobs (kind, input, due_at, failed_at) SELECT k, '{}', 'infinity', now() FROM unnest($1::text[]) AS k`,
      [[RECEIPT, 'Sweep()', 'Sweep()']],
    );
    expect(rowCount).to.equal(3);
    expect((await server.send('POST', 'work/run', { kind: RECEIPT })).body).to.deep.equal({ count: 2 });
    expect((await server.send('POST', 'work/discard', { kind: 'Sweep()' })).body).to.deep.equal({ count: 2 });
    expect(await states()).to.deep.equal([
      '6 waiting 0',
      '5 waiting 0',
      '4 waiting 0',
      '3 running 2',
      '2 later 1',
      '1 waiting 0',
    ]);
  });

  it('rejects what it does not know', async () => {
    for (const path of ['work/jobs?state=toString', 'work/jobs?before=x', 'work/jobs?page=2'])
      expect((await server.send('GET', path)).status, path).to.equal(400);
    for (const body of [{}, { id: 4 }, { id: '4 OR true' }])
      expect((await server.send('POST', 'work/discard', body)).status).to.equal(400);
  });

  it('does not exist without jobs', async () => {
    const { definition, url } = await workApplication();
    const { jobs: _, ...plain } = definition;
    const other = await startDataServer(plain, url);
    try {
      expect((await other.send('GET', 'work')).status).to.equal(404);
      expect(await (await fetch(`${other.url}/`)).text()).to.not.include('data-work');
      expect(await (await fetch(`${server.url}/`)).text()).to.include('data-work');
    } finally {
      await other.stop();
    }
  });
});
