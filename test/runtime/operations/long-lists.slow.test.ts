/** Lists with more records than a client should get at once. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { type Received, type Running, type RunOptions, run, stopAll } from './running.ts';

const NOTES = `
model Topic { field name { type string }, relation notes { from Note, through topic } }
model Note {
  reference topic { to Topic }
  field text { type string }
  hook shout { arg text text, source shout from "code" }
}
api {
  entrypoint Topic as topic {
    response { name, notes { text } }
    list endpoint {}
    entrypoint notes as note { response { text } list endpoint { order by { text desc } } }
  }
  entrypoint Note as note { response { id, text, topic { name } } list endpoint {} }
  entrypoint Note as page { path "pages" response { text } list endpoint { paginable } }
  entrypoint Note as loud { path "loud" response { id, shout } list endpoint {} }
}
`;

const ITEMS = `
model Item {
  field id { type uuid }
  field rank { type integer, index }
  field kind { type integer }
  field text { type string }
  field open { type boolean, default true }
}
api {
  entrypoint Item as item {
    response { id, rank }
    list endpoint { order by { rank desc }, filterable { rank }, sortable { rank, kind }, searchable { text } }
  }
  entrypoint Item as open { path "open" response { rank, text } list endpoint { filter { open }, order by { rank } } }
  entrypoint Item as first { path "first" response { rank } list endpoint { order by { rank }, limit 1100 } }
}
`;

const code = { shout: ({ text }: Readonly<Record<string, unknown>>) => `${text}!` };

async function withNotes(count: number, length: number, options: Pick<RunOptions, 'environment' | 'lane'> = {}) {
  const app = await run(NOTES, { code, ...options });
  await app.database.client.query(`
    INSERT INTO topic (name) VALUES ('all');
    INSERT INTO note (topic_id, text) SELECT 1, repeat('"ü', ${length}) || lpad(n::text, 6, '0') FROM generate_series(1, ${count}) AS n`);
  return app;
}

/** A client that has read the first bytes of a response, and waits before it reads the rest. */
async function begun(app: Running, path: string) {
  const socket = connect(app.port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined).write(`GET ${path} HTTP/1.0\r\nHost: x\r\n\r\n`);
  await once(socket, 'readable');
  const rest = async () => {
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const [, body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
    return body;
  };
  return { socket, rest };
}

const listOf = ({ json }: Received) => json as unknown as readonly Readonly<Record<string, unknown>>[];

const header = 'kiln-list-truncated';

describe('a list that is not paginable', () => {
  afterEach(stopAll);

  it('has at most LIST_LIMIT records, and says so where there are more', async () => {
    const app = await withNotes(4, 0, { environment: { LIST_LIMIT: '3' } });
    const { json, headers } = await app.ask('GET /api/note');
    expect(json).to.deep.equal([1, 2, 3].map((id) => ({ id, text: `00000${id}`, topic: { name: 'all' } })));
    expect(headers[header]).to.equal('3');
    const below = await app.ask('GET /api/topic/1/notes');
    expect(below.json).to.deep.equal(['000004', '000003', '000002'].map((text) => ({ text })));
    expect(below.headers[header]).to.equal('3');
    const loud = await app.ask('GET /api/loud');
    expect([loud.json, loud.headers[header]]).to.deep.equal([
      [1, 2, 3].map((id) => ({ id, shout: `00000${id}!` })),
      '3',
    ]);
  });

  it('says nothing where there are as many as it may have', async () => {
    const app = await withNotes(3, 0, { environment: { LIST_LIMIT: '3' } });
    const answer = await app.ask('GET /api/note');
    const { headers } = answer;
    expect([listOf(answer).length, headers[header]]).to.deep.equal([3, undefined]);
  });

  it('has 1,000 by default, while pages, and what belongs to a record, are not cut', async () => {
    const app = await withNotes(1005, 0);
    const answer = await app.ask('GET /api/note');
    const { headers } = answer;
    expect([listOf(answer).length, headers[header]]).to.deep.equal([1000, '1000']);
    const pages = await app.ask('GET /api/pages?pageSize=10');
    expect([pages.json.totalCount, pages.headers[header]]).to.deep.equal([1005, undefined]);
    expect(listOf(await app.ask('GET /api/topic'))[0]?.notes).to.have.length(1005);
  });
});

describe('a long list', () => {
  afterEach(stopAll);
  const COUNT = 900;
  const LENGTH = 1000;
  const texts = (behind: string) =>
    Array.from({ length: COUNT }, (_, at) => `${'"ü'.repeat(LENGTH)}${String(at + 1).padStart(6, '0')}${behind}`);

  for (const lane of ['fast', 'express'] as const) {
    it(`comes whole, though in slices, ${lane}`, async () => {
      const app = await withNotes(COUNT, LENGTH, { lane });
      const answer = await app.ask('GET /api/note');
      const { headers } = answer;
      expect(headers['transfer-encoding']).to.equal('chunked');
      expect(headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(listOf(answer).map(({ text }) => text)).to.deep.equal(texts(''));
      const loud = await app.ask('GET /api/loud');
      expect(loud.headers['transfer-encoding']).to.equal('chunked');
      expect(listOf(loud).map(({ shout }) => shout)).to.deep.equal(texts('!'));
      const head = await app.ask('HEAD /api/note');
      expect([head.status, head.text]).to.deep.equal([200, '']);
      const line = app.lines.find(({ path, method }) => path === '/api/note' && method === 'GET');
      expect(line).to.include({ status: 200, level: 'info' });
      expect(line?.bytes).to.be.greaterThan(COUNT * LENGTH * 3);
    });
  }

  it('comes whole to a client of HTTP/1.0 too', async () => {
    const app = await withNotes(COUNT, LENGTH);
    const socket = connect(app.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.write('GET /api/note HTTP/1.0\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    const [, body = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n');
    expect(JSON.parse(body)).to.have.length(COUNT);
  });
});

describe('a list with very many records', () => {
  afterEach(stopAll);
  const TOPICS = 1300;

  /** Each with two notes. */
  async function withTopics(length: number, environment: Readonly<Record<string, string>>, lane?: RunOptions['lane']) {
    const app = await run(NOTES, { code, environment, ...(lane ? { lane } : {}) });
    await app.database.client.query(`
      INSERT INTO topic (name) SELECT 't' || n FROM generate_series(1, ${TOPICS}) AS n;
      INSERT INTO note (topic_id, text)
        SELECT t, repeat('x', ${length}) || t || '/' || n FROM generate_series(1, 2) AS n, generate_series(1, ${TOPICS}) AS t`);
    return app;
  }

  async function withItems(count: number, length: number) {
    const app = await run(ITEMS, { environment: { LIST_LIMIT: '2000' } });
    await app.database.client.query(`
      INSERT INTO item (id, rank, kind, text) SELECT gen_random_uuid(), n, n % 3, repeat('x', ${length}) || ' word' FROM generate_series(0, ${count - 1}) AS n`);
    return app;
  }

  const lineOf = async ({ lines }: Running) => {
    const find = () => lines.find(({ path }) => path === '/api/topic');
    await until(() => find() !== undefined);
    return find();
  };

  const topics = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      name: `t${at + 1}`,
      notes: [{ text: `${at + 1}/1` }, { text: `${at + 1}/2` }],
    }));

  for (const lane of ['fast', 'express'] as const) {
    it(`has what belongs to each of them, though that is read in parts, ${lane}`, async () => {
      const app = await withTopics(0, { LIST_LIMIT: '2000' }, lane);
      const answer = await app.ask('GET /api/topic');
      expect(listOf(answer)).to.deep.equal(topics(TOPICS));
      expect([answer.headers['transfer-encoding'], answer.headers[header]]).to.deep.equal(['chunked', undefined]);
      expect((await app.ask('HEAD /api/topic')).text).to.equal('');
    });
  }

  it('says where it was cut off', async () => {
    const app = await withTopics(0, { LIST_LIMIT: '1200' });
    const answer = await app.ask('GET /api/topic');
    expect([listOf(answer), answer.headers[header]]).to.deep.equal([topics(1200), '1200']);
  });

  it('has the records and the order of one moment, and leaves out what is gone by the time it is read', async () => {
    const app = await withTopics(10_000, { LIST_LIMIT: '2000' });
    const reading = await begun(app, '/api/topic');
    await app.database.client.query(`
      DELETE FROM note WHERE topic_id BETWEEN 1000 AND 1099;
      DELETE FROM topic WHERE id BETWEEN 1000 AND 1099;
      UPDATE topic SET name = 'new' WHERE id = ${TOPICS};
      INSERT INTO topic (name) VALUES ('later')`);
    const names = JSON.parse(await reading.rest()).map(({ name }: { readonly name: string }) => name);
    const expected = topics(TOPICS).map(({ name }) => name);
    expect(names).to.deep.equal([...expected.slice(0, 999), ...expected.slice(1099, -1), 'new']);
  });

  it('leaves out what its filter does not let through any more', async () => {
    const app = await withItems(1500, 10_000);
    const reading = await begun(app, '/api/open');
    await app.database.client.query('UPDATE item SET open = false WHERE rank >= 1400');
    expect(JSON.parse(await reading.rest())).to.have.length(1400);
  });

  it('holds no connection for clients that do not read', async () => {
    const app = await withTopics(10_000, { LIST_LIMIT: '2000', DATABASE_POOL_MAX: '2' });
    const readers = await Promise.all(Array.from({ length: 12 }, () => begun(app, '/api/topic')));
    const { rows } = await app.database.client.query(
      "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'",
    );
    expect(rows).to.deep.equal([]);
    expect((await app.ask('GET /api/pages?pageSize=1')).status).to.equal(200);
    const [first, ...others] = readers;
    expect(JSON.parse((await first?.rest()) ?? '')).to.have.length(TOPICS);
    for (const { socket } of others) socket.destroy();
  });

  it('is read at once where code of the application takes part', async () => {
    const app = await withNotes(1300, 0, { environment: { LIST_LIMIT: '1200' } });
    const loud = await app.ask('GET /api/loud');
    expect([listOf(loud).at(-1), listOf(loud).length, loud.headers[header]]).to.deep.equal([
      { id: 1200, shout: '001200!' },
      1200,
      '1200',
    ]);
  });

  it('has the order, the filters and the words that its client asks for, also with UUIDs as ids', async () => {
    const app = await withItems(1500, 0);
    const ranks = async (query: string) => listOf(await app.ask(`GET /api/item${query}`)).map(({ rank }) => rank);
    const all = Array.from({ length: 1500 }, (_, at) => at);
    expect(await ranks('')).to.deep.equal(all.toReversed());
    expect(await ranks('?sort=rank')).to.deep.equal(all);
    expect(await ranks('?sort=rank&rank[gte]=300')).to.deep.equal(all.slice(300));
    expect(await ranks('?sort=rank&rank[gte]=600')).to.deep.equal(all.slice(600));
    expect(await ranks('?sort=kind,rank&q=word')).to.deep.equal(
      [0, 1, 2].flatMap((kind) => all.filter((n) => n % 3 === kind)),
    );
  });

  it('ends at its own limit', async () => {
    const app = await withItems(1500, 0);
    const answer = await app.ask('GET /api/first');
    expect(listOf(answer).map(({ rank }) => rank)).to.deep.equal(Array.from({ length: 1100 }, (_, at) => at));
    expect(answer.headers[header]).to.equal('1100');
  });

  it('is broken off where the database fails in its middle, which is in the log', async () => {
    const app = await withTopics(10_000, { LIST_LIMIT: '2000' });
    const socket = connect(app.port, '127.0.0.1');
    socket.write('GET /api/topic HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    await app.database.client.query('ALTER TABLE note RENAME TO gone');
    const chunks: Buffer[] = [];
    for await (const chunk of socket.on('error', () => undefined)) chunks.push(chunk as Buffer);
    const received = Buffer.concat(chunks).toString();
    expect(received).to.match(/^HTTP\/1\.1 200 OK/);
    expect(received.endsWith('\r\n0\r\n\r\n')).to.equal(false);
    const line = await lineOf(app);
    expect(line).to.include({ status: 500, level: 'error' });
    expect(JSON.stringify(line)).to.include('other-schema');
    await app.database.client.query('ALTER TABLE gone RENAME TO note');
    expect((await app.ask('GET /api/note')).status).to.equal(200);
  });

  it('is not read to its end for a client that has gone', async () => {
    const app = await withTopics(10_000, { LIST_LIMIT: '2000' });
    const socket = connect(app.port, '127.0.0.1');
    socket.write('GET /api/topic HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    socket.destroy();
    const line = await lineOf(app);
    expect(line).to.include({ status: 499 });
    expect(line?.bytes).to.be.lessThan(TOPICS * 2 * 10_000);
  });
});
