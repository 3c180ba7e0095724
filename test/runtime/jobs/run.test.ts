/** `run`: a job is stored with the change, or not at all. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Endpoint } from '../../../compiler/definition/endpoint.ts';
import { MOST_INPUT_BYTES } from '../../../compiler/definition/work.ts';
import { planOf } from '../../../runtime/plan/endpoint-plan.ts';
import { type Running, run, stopAll } from '../operations/running.ts';

const SHOP = `
model Order { field status { type string, default "open" } }
model Line { field text { type string } }
job Send {
  input order { to Order }
  input note { type string, default "" }
  one at a time per note
  action { update order { set status "sent" } }
}
model Mark { field text { type string } }
job Tell { input mark { to Mark } input note { type string } one at a time per note, action { update mark { set text note } } }
job Note { input note { type string } action { create Line { set text note } } }
model Tag { field name { type string } }
on create of Tag as tag { run Note { note: tag.name } once per tag.name }
api {
  entrypoint Tag {
    create endpoint {}
    POST many "note" { extra inputs { field name { type string } } action { run Note { note: name } once per name } }
  }
  entrypoint Order as order {
    create endpoint as made { action { create {} run Send { order: made, note: made.status } once per made.status } }
    POST many "lines" {
      extra inputs { field texts { type [string] } }
      action { for text in texts { create Line { set text text } run Note { note: text } } }
    }
    POST many "refused" { action { create Order {} run Note { note: "never" } refuse "no" } }
    POST many "later" { action { run Note { note: "later" } after days(3) } }
  }
  entrypoint Mark { create endpoint as made { action { create {} run Tell { mark: made, note: "plain" } } } }
}`;

function stored({ database }: Running) {
  return database.client
    .query(
      `SELECT kind, input, once, line, attempt, round(extract(epoch FROM due_at - now()) / 3600) AS hours FROM kiln_jobs ORDER BY id`,
    )
    .then(({ rows }) => rows);
}

describe('run', () => {
  let app: Running;

  before(async () => {
    app = await run(SHOP, { environment: { JOBS: '0' } });
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
        hours: '0',
      },
    ]);
  });

  it('stores the job in the statement that makes the record, if it needs only the id', async () => {
    const { status, json } = await app.ask('POST /api/mark', { text: 'new' });
    expect([status, json.text]).to.deep.equal([201, 'new']);
    const [job] = await stored(app);
    expect(job).to.deep.include({
      input: { mark_id: json.id, note: 'plain' },
      once: null,
      line: 'Tell plain',
    });
    const endpoint = app.definition.endpoints.find(({ id }) => id === 'mark.create') as Endpoint;
    expect(planOf(endpoint, app.definition).needsTransaction).to.equal(false);
  });

  it('keeps the first of two with the same key', async () => {
    for (const status of ['a', 'a', 'b']) await app.ask('POST /api/order', { status });
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

  it('stores the moment before which it is not done', async () => {
    expect((await app.ask('POST /api/order/later', {})).status).to.equal(204);
    expect((await stored(app)).map(({ hours }) => hours)).to.deep.equal(['72']);
  });

  it('reckons that moment by the clock of Postgres', async () => {
    const { now } = Date;
    const real = globalThis.Date;
    globalThis.Date = class extends real {
      constructor(...given: []) {
        super(...(given.length > 0 ? given : ([now() + 6 * 3_600_000] as unknown as [])));
      }
    } as DateConstructor;
    try {
      await app.ask('POST /api/order/later', {});
    } finally {
      globalThis.Date = real;
    }
    expect((await stored(app)).map(({ hours }) => hours)).to.deep.equal(['72']);
  });

  it('refuses inputs that are too large to be stored', async () => {
    const { status, text } = await app.ask('POST /api/order', { status: 'x'.repeat(MOST_INPUT_BYTES) });
    expect(status).to.equal(413);
    expect(text).to.contain('The inputs of the job `Send` have');
    expect(await stored(app)).to.deep.equal([]);
  });

  it('refuses inputs that are too large also where a reaction runs the job', async () => {
    const { status, text } = await app.ask('POST /api/tag', { name: 'x'.repeat(MOST_INPUT_BYTES) });
    expect(status).to.equal(413);
    expect(text).to.match(/The inputs of the job `Note` have 655\d\d bytes as JSON, but at most 65536 are stored\./);
    expect((await app.database.client.query('SELECT FROM tag')).rowCount).to.equal(0);
  });

  it('stores a long key as its hash, the same for requests and reactions', async () => {
    const long = Array.from({ length: 5000 }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7919) % 20000))).join('');
    for (const name of ['é'.repeat(97), 'é'.repeat(98), long]) {
      expect((await app.ask('POST /api/tag', { name })).status).to.equal(201);
      expect((await app.ask('POST /api/tag/note', { name })).status).to.equal(204);
    }
    const keys = (await stored(app)).map(({ once }) => once);
    const hash = createHash('sha256')
      .update(`Note ${'é'.repeat(98)}`)
      .digest('hex');
    expect(keys).to.deep.equal([
      `Note ${'é'.repeat(97)}`,
      hash,
      createHash('sha256').update(`Note ${long}`).digest('hex'),
    ]);
  });
});
