/** Jobs with custom code: it can neither block nor end the server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { importHooks } from '../../../runtime/hooks/hook-code.ts';
import { buildOnce } from '../../support/build-once.ts';
import { until } from '../../support/until.ts';
import { type Running, run, stopAll } from '../operations/running.ts';

const SOURCE = `
setting SHOP { type string, default "here" }
setting TOKEN { type string, secret }
model Trace { field text { type string } }
job Code {
  input what { type string }
  retry 1, timeout seconds(2)
  action { execute as result { hook { arg what what, source work from "code", returns { text: string } } } create Trace { set text result.text } }
  on failure { create Trace { set text "failed " + what } }
}
job Called {
  input what { type string }
  action { create Trace { set text "before" } call { hook { arg what what, source work from "code" } } create Trace { set text "after" } }
}
job Plain { input text { type string } action { create Trace { set text text } } }
api { entrypoint Trace { list endpoint {} } }`;

const CODE = `
async function work({ what }, context) {
  const { job, request } = context;
  if (what === 'throw') throw new Error('thrown on purpose');
  if (what === 'exit') process.exit(0);
  if (what === 'block') for (;;) {}
  if (what === 'stray') { setTimeout(() => { throw new Error('stray'); }, 1); await new Promise(() => {}); }
  if (what === 'signal') await new Promise((_, reject) => job.signal.addEventListener('abort', () => reject(job.signal.reason)));
  if (what === 'settings') return { text: [context.settings.SHOP, context.settings.TOKEN, JSON.stringify(context.settings)].join(' ') };
  if (what === 'write') await context.db.Trace.query().insert({ text: 'written' });
  return { text: [what, typeof job.id, job.attempt, request === undefined].join(' ') };
}
export default { 'hooks/code.ts#work': work };
`;

/** The code for threads takes longer to be ready than a try may take. */
const SLOW_START = `
import { isMainThread } from 'node:worker_threads';
if (!isMainThread) await new Promise((resolve) => setTimeout(resolve, 2500));
`;

const SOON = { limit: 20_000 };

describe('jobs with code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-jobs-'));
  let app: Running;

  before(async () => {
    buildOnce();
    const file = join(folder, 'hooks.mjs');
    writeFileSync(file, SLOW_START + CODE);
    const hooks = await importHooks(pathToFileURL(file).href);
    app = await run(SOURCE, { code: { work: () => undefined }, hooks, environment: { TOKEN: 'a-token' } });
  });
  after(async () => {
    await stopAll();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => app.database.client.query('TRUNCATE kiln_jobs, trace'));

  const query = async (text: string) => (await app.database.client.query(text)).rows;
  const store = (kind: string, input: object) =>
    app.database.client.query('INSERT INTO kiln_jobs (kind, input) VALUES ($1, $2)', [kind, JSON.stringify(input)]);
  const traces = async () => (await query('SELECT text FROM trace ORDER BY id')).map(({ text }) => text);
  const errors = async () =>
    (await query('SELECT error FROM kiln_jobs WHERE error IS NOT NULL')).map(({ error }) => error);

  it('has all of its time when its thread is ready, however long that takes', async () => {
    for (let count = 0; count < 5; count++) await store('Code(what string)', { what: 'late' });
    await until(async () => (await traces()).length === 5, SOON);
    expect(new Set(await traces())).to.deep.equal(new Set(['late string 1 true']));
  });

  it('runs beside the server, and is told its id and attempt', async () => {
    await store('Code(what string)', { what: 'write' });
    await until(async () => (await traces()).length === 2, SOON);
    expect(await traces()).to.deep.equal(['written', 'write string 1 true']);
    expect(await query('SELECT FROM kiln_jobs')).to.deep.equal([]);
  });

  it('has the settings, of which secret ones cannot be enumerated', async () => {
    await store('Code(what string)', { what: 'settings' });
    await until(async () => (await traces()).length === 1, SOON);
    expect(await traces()).to.deep.equal(['here a-token {"SHOP":"here"}']);
  });

  const WRONG = {
    throw: 'the hook `work` of hooks/code.ts failed: thrown on purpose',
    exit: 'the code has ended the thread of the job',
    block: 'it took longer than 2 s',
    signal: 'it took longer than 2 s',
    stray: 'stray',
  };
  const ENDLESS = ['block', 'signal'];
  for (const [what, error] of Object.entries(WRONG))
    it(`that does \`${what}\` fails after its tries, while others go on`, async () => {
      await store('Code(what string)', { what });
      await store('Plain(text string)', { text: 'plain' });
      await until(async () => (await errors()).length === 1 && (await traces()).length === 1, SOON);
      expect(await traces()).to.deep.equal(['plain']);
      expect((await errors())[0]).to.contain(error);
      // Postgres numbers transactions in the order in which they write.
      const [order] = await query(
        'SELECT trace.xmin::text::int < kiln_jobs.xmin::text::int AS before FROM trace, kiln_jobs',
      );
      if (ENDLESS.includes(what)) expect(order).to.deep.equal({ before: true });
      expect((await app.ask('GET /api/trace')).status).to.equal(200);
      await app.database.client.query('UPDATE kiln_jobs SET due_at = now()');
      await until(async () => (await traces()).includes(`failed ${what}`), SOON);
      const [failed] = await query('SELECT attempt, failed_at IS NOT NULL AS failed FROM kiln_jobs');
      expect(failed).to.deep.equal({ attempt: '2', failed: true });
    });

  it('took longer than the job may, also where the server was busy when that time was over', async () => {
    // Its thread goes on with the next one at once.
    await store('Code(what string)', { what: 'first' });
    await until(async () => (await traces()).length === 1, SOON);
    await store('Code(what string)', { what: 'signal' });
    await until(async () => (await query('SELECT FROM kiln_jobs WHERE attempt > 0')).length === 1, SOON);
    for (const end = performance.now() + 3500; performance.now() < end; );
    await until(async () => (await errors()).length === 1, SOON);
    expect(await errors()).to.deep.equal(['it took longer than 2 s']);
    await query('DELETE FROM kiln_jobs');
  });

  it('of a `call` runs between two transactions', async () => {
    await store('Called(what string)', { what: 'fine' });
    await until(async () => (await traces()).includes('after'), SOON);
    expect(await traces()).to.deep.equal(['before', 'after']);
    expect(await query('SELECT FROM kiln_jobs')).to.deep.equal([]);
  });
});
