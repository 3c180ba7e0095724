/** Jobs as a server works on them. */
import { expect } from 'chai';
import type { Expression } from '../../../compiler/definition/expression.ts';
import { until } from '../../support/until.ts';
import { type Running, run, stopAll } from '../operations/running.ts';
import { job, runs, workOf } from './work.ts';

const SHOP = `
model Order { field status { type string, default "open" } }
model Trace { field text { type string } }
api {
  entrypoint Order as order {
    create endpoint {}
    get endpoint {}
    POST many "job-Send" { extra inputs { reference order { to Order }, field note { type string, default "" } } action { update order { set status "sent" } create Trace { set text note } } }
    POST many "job-Refused" { extra inputs { reference order { to Order } } action { create Trace { set text "never" } refuse "no" { message "It is refused." } } }
    POST many "failed-Refused" { extra inputs { reference order { to Order } } action { update order { set status "failed" } } }
  }
}`;

const STRING = { kind: 'string' } as const;
const ORDER: Expression = { kind: 'snapshot', record: 'Order#0', read: 'id', type: { kind: 'integer' } };
const STATUS: Expression = { kind: 'input', path: ['status'], type: STRING };

async function rows({ database }: Running, text: string): Promise<readonly Record<string, unknown>[]> {
  return (await database.client.query(text)).rows;
}

describe('jobs', () => {
  let app: Running;

  before(async () => {
    const definition = await workOf(SHOP, [
      runs('order.create', {
        job: 'Send',
        values: [
          { input: 'order_id', value: ORDER },
          { input: 'note', value: STATUS },
        ],
      }),
      job('Refused', { retry: 3 }),
    ]);
    app = await run(SHOP, { definition });
  });
  after(stopAll);
  afterEach(() => app.database.client.query('TRUNCATE kiln_jobs'));

  const stored = () => rows(app, 'SELECT * FROM kiln_jobs ORDER BY id');
  const store = (kind: string, input: object, more = '') =>
    app.database.client.query(`INSERT INTO kiln_jobs (kind, input${more && ', depth'}) VALUES ($1, $2${more})`, [
      kind,
      JSON.stringify(input),
    ]);

  it('are done with what the request has made, and removed', async () => {
    const { json } = await app.ask('POST /api/order', { status: 'new' });
    await until(async () => (await stored()).length === 0);
    expect((await app.ask(`GET /api/order/${json.id}`)).json.status).to.equal('sent');
    expect(await rows(app, 'SELECT text FROM trace')).to.deep.equal([{ text: 'new' }]);
  });

  it('that are refused are not tried again, and `on failure` is done', async () => {
    const { json } = await app.ask('POST /api/order', { status: 'new' });
    await until(async () => (await stored()).length === 0);
    await store('Refused(order_id integer)', { order_id: json.id });
    await until(async () => (await stored()).some(({ failed_at }) => failed_at !== null));
    expect((await app.ask(`GET /api/order/${json.id}`)).json.status).to.equal('failed');
    expect(
      await rows(app, `SELECT attempt, error, running_on, due_at = 'infinity' AS never FROM kiln_jobs`),
    ).to.deep.equal([{ attempt: '1', error: 'It is refused.', running_on: null, never: true }]);
  });

  it('whose record is gone are removed', async () => {
    await store('Send(note string, order_id integer)', { order_id: 4711 });
    await until(async () => (await stored()).length === 0);
    expect(app.lines.some(({ msg }) => String(msg).startsWith('a job was removed'))).to.equal(true);
  });

  it('deeper than 16 fail without being run', async () => {
    await store('Send(note string, order_id integer)', { order_id: 1 }, ', 17');
    await until(async () => (await stored()).some(({ failed_at }) => failed_at !== null));
    expect((await stored())[0]?.error).to.equal('more than 16 jobs have run each other in a chain');
  });
});
