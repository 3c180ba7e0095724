/** `run`: a job is stored with the change, or not at all. */
import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Create } from '../../../compiler/definition/endpoint.ts';
import type { Expression } from '../../../compiler/definition/expression.ts';
import { MOST_INPUT_BYTES } from '../../../compiler/definition/work.ts';
import { type Running, run, stopAll } from '../operations/running.ts';
import { runs, workOf } from './work.ts';

const SHOP = `
model Order { field status { type string, default "open" } }
model Line { field text { type string } }
api {
  entrypoint Order as order {
    create endpoint {}
    POST many "lines" { extra inputs { field texts { type [string] } } action { for text in texts { create Line { set text text } } } }
    POST many "refused" { action { create Order { } } }
    POST many "job-Send" { extra inputs { reference order { to Order }, field note { type string, default "" } } action { update order { set status "sent" } } }
    POST many "job-Note" { extra inputs { field note { type string } } action { create Line { set text note } } }
  }
}`;

const STRING = { kind: 'string' } as const;
const ORDER: Expression = { kind: 'snapshot', record: 'Order#0', read: 'id', type: { kind: 'integer' } };
const STATUS: Expression = { kind: 'input', path: ['status'], type: STRING };

/** Runs a job for each item, with the value that the loop stores. */
const inLoop = (definition: Definition): Definition => {
  const [create] = definition.endpoints.flatMap(({ id, actions }) => (id === 'order.lines' ? actions : []));
  const { values, each } = create as Create;
  const value = values[0]?.value as Expression;
  return runs('order.lines', { job: 'Note', values: [{ input: 'note', value }], ...(each && { each }) })(definition);
};

function stored({ database }: Running) {
  return database.client
    .query('SELECT kind, input, once, line, attempt, due_at <= now() AS is_due FROM kiln_jobs ORDER BY id')
    .then(({ rows }) => rows);
}

describe('run', () => {
  let app: Running;

  before(async () => {
    const definition = await workOf(SHOP, [
      runs('order.create', {
        job: 'Send',
        values: [
          { input: 'order_id', value: ORDER },
          { input: 'note', value: STATUS },
        ],
        once: STATUS,
        line: STATUS,
      }),
      inLoop,
      (made) =>
        runs('order.refused', {
          job: 'Note',
          values: [{ input: 'note', value: { kind: 'literal', type: STRING, value: 'never' } }],
        })(made),
      (made) => ({
        ...made,
        endpoints: made.endpoints.map((endpoint) =>
          endpoint.id === 'order.refused'
            ? {
                ...endpoint,
                actions: [
                  ...endpoint.actions,
                  { kind: 'refuse', code: 'no', status: 422, when: null, message: null, key: null },
                ],
              }
            : endpoint,
        ),
      }),
    ]);
    app = await run(SHOP, { definition, environment: { JOBS: '0' } });
  });

  after(stopAll);
  afterEach(() => app.database.client.query('TRUNCATE kiln_jobs'));

  it('stores the job with the record that the request makes', async () => {
    expect((await app.ask('POST /api/order', { status: 'new' })).status).to.equal(201);
    expect(await stored(app)).to.deep.equal([
      {
        kind: 'Send(note string, order_id integer)',
        input: { order_id: 1, note: 'new' },
        once: 'Send new',
        line: 'Send new',
        attempt: '0',
        is_due: true,
      },
    ]);
  });

  it('keeps the first of two with the same key', async () => {
    await app.ask('POST /api/order', { status: 'a' });
    await app.ask('POST /api/order', { status: 'a' });
    await app.ask('POST /api/order', { status: 'b' });
    expect((await stored(app)).map(({ input }) => input.note)).to.deep.equal(['a', 'b']);
  });

  it('stores one for each item of a loop, in order', async () => {
    const texts = Array.from({ length: 300 }, (_, at) => `t${at}`);
    expect((await app.ask('POST /api/order/lines', { texts })).status).to.equal(204);
    expect((await stored(app)).map(({ input }) => input.note)).to.deep.equal(texts);
  });

  it('stores none if the request is refused behind it', async () => {
    expect((await app.ask('POST /api/order/refused', {})).status).to.equal(422);
    expect(await stored(app)).to.deep.equal([]);
  });

  it('refuses inputs that are too large to be stored', async () => {
    const { status, text } = await app.ask('POST /api/order', { status: 'x'.repeat(MOST_INPUT_BYTES) });
    expect(status).to.equal(413);
    expect(text).to.contain('The inputs of the job `Send` have');
    expect(await stored(app)).to.deep.equal([]);
  });
});
