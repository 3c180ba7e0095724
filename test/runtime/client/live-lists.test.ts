/** Live lists of a client: against a server whose every byte is known, and against a real one. */
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { loadClient } from '../../compiler/client/loaded-client.ts';
import { definitionOf } from '../../compiler/openapi/documents.ts';
import { startApplication } from '../../support/application.ts';
import { until } from '../../support/until.ts';
import { type Running, run, stopAll } from '../operations/running.ts';
import { failureOf } from './failure.ts';
import { type SmallServer, startServer } from './live.ts';

const CHAT = `
model Room { field title { type string }  relation messages { from Message, through room } }
model Message { reference room { to Room }  field text { type string }  field hidden { type boolean, default false } }
api {
  entrypoint Room as room {
    create endpoint {}
    get endpoint {}
    list endpoint { order by { id asc }  paginable { pageSize 2 }  live }
    entrypoint messages as message {
      create endpoint {}
      list endpoint { filter { hidden is false }  order by { id asc }  response { text }  live }
    }
  }
  entrypoint Message as message { update endpoint {} }
}`;

interface LiveOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Message {
  readonly text: string;
}

interface ChatClient {
  readonly room: {
    (
      id: number,
    ): {
      readonly messages: {
        readonly list: { live(options?: LiveOptions): AsyncGenerator<readonly Message[]> };
        create(body: object): Promise<{ readonly id: number }>;
      };
    };
    readonly list: { live(query?: object, options?: LiveOptions): AsyncGenerator<Readonly<Record<string, unknown>>> };
    create(body: object): Promise<{ readonly id: number }>;
  };
  readonly message: (id: number) => { update(body: object): Promise<unknown> };
}

async function chatClient(baseUrl: string, options: object = {}): Promise<ChatClient> {
  const { createClient } = await loadClient(definitionOf([{ path: 'main.kiln', text: CHAT }]));
  return createClient({ baseUrl, ...options }) as ChatClient;
}

/** The next list of a loop. */
async function next<T>(list: AsyncGenerator<T>): Promise<T> {
  const { value, done } = await list.next();
  expect(done).to.equal(false);
  return value;
}

describe('live lists of a client', () => {
  let server: SmallServer;
  /** The streams that were opened, the last one last. */
  let streams: ServerResponse[];
  let aborts: AbortController;
  let answer: (response: ServerResponse, count: number) => void;
  const problem = (status: number, code: string) => ({
    type: 'about:blank',
    title: code,
    status,
    code,
    requestId: 'r',
  });
  const send = (event: string, data: unknown, id = 0) =>
    streams.at(-1)?.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const messages = async (options: object = {}) =>
    (await chatClient(server.url, options)).room(1).messages.list.live({ signal: aborts.signal });

  before(() => loadGrammar());

  beforeEach(async () => {
    streams = [];
    aborts = new AbortController();
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write(':\n\n');
      streams.push(response);
    };
    server = await startServer((_, response, count) => answer(response, count));
  });

  afterEach(() => {
    aborts.abort();
    server.stop();
  });

  it('are there only for lists that are live', async () => {
    const { room } = await chatClient(server.url);
    expect(room.list).to.have.property('live');
    expect(room.create).not.to.have.property('live');
  });

  it('are the whole list after each change, and never half of one', async () => {
    const list = await messages();
    const first = next(list);
    await until(() => streams.length === 1);
    send('list', [{ text: 'a' }, { text: 'b' }]);
    expect(await first).to.deep.equal([{ text: 'a' }, { text: 'b' }]);
    send('put', { at: 2, item: { text: 'c' }, new: true });
    expect(await next(list)).to.deep.equal([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    send('put', { at: 0, item: { text: 'é' }, new: false });
    expect(await next(list)).to.deep.equal([{ text: 'é' }, { text: 'b' }, { text: 'c' }]);
    const moved = next(list);
    send('remove', { at: 0, more: true });
    await new Promise((resolve) => setTimeout(resolve, 30));
    send('put', { at: 1, item: { text: 'é' }, new: true });
    expect(await moved).to.deep.equal([{ text: 'b' }, { text: 'é' }, { text: 'c' }]);
    expect(server.requests).to.deep.equal(['GET /api/live?list=%2Fapi%2Froom%2F1%2Fmessages']);
  });

  it('are pages with their other members, where the list has pages', async () => {
    const list = (await chatClient(server.url)).room.list.live({ page: 1 }, { signal: aborts.signal });
    const first = next(list);
    await until(() => streams.length === 1);
    send('list', { page: 1, totalCount: 1, data: [{ id: 1 }] });
    expect(await first).to.deep.equal({ page: 1, totalCount: 1, data: [{ id: 1 }] });
    send('put', { at: 1, item: { id: 2 }, new: true, more: true });
    send('page', { page: 1, totalCount: 2, data: [] });
    expect(await next(list)).to.deep.equal({ page: 1, totalCount: 2, data: [{ id: 1 }, { id: 2 }] });
    expect(server.requests).to.deep.equal(['GET /api/live?list=%2Fapi%2Froom%3Fpage%3D1']);
  });

  it('share one connection, and one that comes later joins it', async () => {
    const { room } = await chatClient(server.url);
    const lists = [1, 2].map((id) => room(id).messages.list.live({ signal: aborts.signal }));
    const firsts = lists.map(next);
    await until(() => streams.length === 1);
    send('list', [{ text: 'one' }], 0);
    send('list', [{ text: 'two' }], 1);
    expect(await Promise.all(firsts)).to.deep.equal([[{ text: 'one' }], [{ text: 'two' }]]);
    const third = next(room(3).messages.list.live({ signal: aborts.signal }));
    const seconds = lists.map(next);
    await until(() => streams.length === 2 && streams[0]?.destroyed === true);
    for (const [id, text] of ['one', 'TWO', 'three'].entries()) send('list', [{ text }], id);
    expect(await third).to.deep.equal([{ text: 'three' }]);
    expect(await seconds[1]).to.deep.equal([{ text: 'TWO' }]);
    // The first is as it was, so nothing is told.
    send('put', { at: 0, item: { text: 'ONE' }, new: false }, 0);
    expect(await seconds[0]).to.deep.equal([{ text: 'ONE' }]);
  });

  it('are on a second connection from the 33rd on, and where they have other headers', async () => {
    const { room } = await chatClient(server.url);
    const { signal } = aborts;
    for (let id = 1; id <= 33; id++) void room(id).messages.list.live({ signal }).next();
    void room(1)
      .messages.list.live({ signal, headers: { 'x-part': 'b' } })
      .next();
    await until(() => streams.length === 3);
    const counts = server.requests.map((request) => request.match(/list=/g)?.length);
    expect(counts.sort()).to.deep.equal([1, 1, 32]);
  });

  it('come back when the connection is lost, and after the time that a server names when it stops', async () => {
    const list = await messages();
    const first = next(list);
    await until(() => streams.length === 1);
    send('list', [{ text: 'a' }]);
    await first;
    const second = next(list);
    streams[0]?.destroy();
    await until(() => streams.length === 2);
    send('list', [{ text: 'b' }]);
    expect(await second).to.deep.equal([{ text: 'b' }]);
    const third = next(list);
    const stopped = performance.now();
    send('bye', { after: 700 });
    await until(() => streams.length === 3);
    expect(performance.now() - stopped).to.be.greaterThan(650);
    send('list', [{ text: 'c' }]);
    expect(await third).to.deep.equal([{ text: 'c' }]);
  });

  it('wait for a server that is away, and send a token that is asked for again', async () => {
    const open = answer;
    answer = (response, count) => (count < 3 ? response.writeHead(503).end() : open(response, count));
    let asked = 0;
    const first = next(await messages({ token: () => `token-${++asked}` }));
    await until(() => streams.length === 1);
    send('list', []);
    expect(await first).to.deep.equal([]);
    expect(streams[0]?.req.headers.authorization).to.equal('Bearer token-3');
    expect(streams[0]?.req.headers.accept).to.equal('text/event-stream');
  });

  it('throw the error of a list, and the others go on', async () => {
    const { room } = await chatClient(server.url);
    const { signal } = aborts;
    const [good, bad] = [room(1).messages.list.live({ signal }), room(2).messages.list.live({ signal })];
    const [first, failure] = [next(good), failureOf(bad.next(), Error)];
    await until(() => streams.length === 1);
    send('error', problem(404, 'not-found'), 1);
    send('list', [], 0);
    expect(await first).to.deep.equal([]);
    expect(await failure).to.include({ code: 'not-found', status: 404 });
    expect(streams).to.have.length(1);
  });

  it('can be followed after a list that was refused, whose connection is closed', async () => {
    const { room } = await chatClient(server.url);
    const { signal } = aborts;
    for (const index of [0, 2]) {
      const failure = failureOf(room(1).messages.list.live({ signal }).next(), Error);
      await until(() => streams.length === index + 1);
      send('error', problem(404, 'not-found'));
      streams[index]?.end();
      expect(await failure).to.include({ code: 'not-found' });
      await until(() => streams[index]?.destroyed === true, { limit: 5000 });
      const list = room(2).messages.list.live({ signal });
      const first = next(list);
      await until(() => streams.length === index + 2, { limit: 5000 });
      send('list', [{ text: 'a' }]);
      expect(await first).to.deep.equal([{ text: 'a' }]);
      await list.return(undefined);
      await until(() => streams[index + 1]?.destroyed === true, { limit: 5000 });
    }
  });

  it('are asked for once more after an error of a list that was sent, and then fail', async () => {
    const list = await messages();
    const first = next(list);
    await until(() => streams.length === 1);
    send('list', []);
    await first;
    const failure = failureOf(list.next(), Error);
    send('error', problem(401, 'unauthenticated'));
    await until(() => streams.length === 2);
    send('error', problem(401, 'unauthenticated'));
    expect(await failure).to.include({ code: 'unauthenticated' });
  });

  it('fail where a proxy answers with a page', async () => {
    answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
    const list = await messages();
    expect(await failureOf(list.next(), Error)).to.include({ code: 'unexpected-answer' });
  });

  it('close the connection with their signal, also while nobody waits for the next list', async () => {
    const list = await messages();
    const first = next(list);
    await until(() => streams.length === 1);
    send('list', []);
    await first;
    aborts.abort();
    await until(() => streams[0]?.destroyed === true, { limit: 5000 });
    expect(await list.next()).to.deep.equal({ value: undefined, done: true });
  });

  it('end with their signal, and when the loop is left, and close the connection then', async () => {
    const { room } = await chatClient(server.url);
    const pending = room(1).messages.list.live({ signal: aborts.signal }).next();
    await until(() => streams.length === 1);
    aborts.abort();
    expect(await pending).to.deep.equal({ value: undefined, done: true });
    await until(() => streams[0]?.destroyed === true);
    expect(await room(1).messages.list.live({ signal: aborts.signal }).next()).to.include({ done: true });
    const sending = until(() => streams.length === 2).then(() => send('list', []));
    for await (const rows of room(1).messages.list.live()) {
      expect(rows).to.deep.equal([]);
      break;
    }
    await sending;
    await until(() => streams[1]?.destroyed === true);
    expect(streams).to.have.length(2);
  });
});

describe('live lists of clients of a real server', () => {
  let app: Running;
  let aborts: AbortController;

  before(async () => {
    await loadGrammar();
    app = await run(CHAT);
  });
  beforeEach(() => {
    aborts = new AbortController();
  });
  afterEach(() => aborts.abort());
  after(stopAll);

  /** The list once it is as wanted: some changes may be seen together, others one by one. */
  async function listWith(list: AsyncGenerator<readonly Message[]>, texts: readonly string[]): Promise<void> {
    let rows: readonly Message[];
    do rows = await next(list);
    while (rows.map(({ text }) => text).join() !== texts.join());
  }

  it('show each the writes of the other, and no record that has left the filter', async () => {
    const [one, two] = [await chatClient(app.application.url), await chatClient(app.application.url)];
    const { id } = await one.room.create({ title: 'Tea' });
    const [ofOne, ofTwo] = [one, two].map((client) =>
      client.room(id).messages.list.live({ signal: aborts.signal }),
    ) as [AsyncGenerator<readonly Message[]>, AsyncGenerator<readonly Message[]>];
    await Promise.all([listWith(ofOne, []), listWith(ofTwo, [])]);
    const first = await one.room(id).messages.create({ text: 'from one' });
    await Promise.all([listWith(ofOne, ['from one']), listWith(ofTwo, ['from one'])]);
    await two.room(id).messages.create({ text: 'from two' });
    await Promise.all([listWith(ofOne, ['from one', 'from two']), listWith(ofTwo, ['from one', 'from two'])]);
    await two.message(first.id).update({ hidden: true });
    await Promise.all([listWith(ofOne, ['from two']), listWith(ofTwo, ['from two'])]);
  });

  it('are pages with the total of now, beside a list that does not exist', async () => {
    const client = await chatClient(app.application.url);
    const { signal } = aborts;
    const pages = client.room.list.live({ page: 1 }, { signal });
    const failure = failureOf(client.room(999_999).messages.list.live({ signal }).next(), Error);
    const { totalCount } = await next(pages);
    await client.room.create({ title: 'Coffee' });
    expect((await next(pages)).totalCount).to.equal(Number(totalCount) + 1);
    expect(await failure).to.include({ code: 'not-found' });
  });

  for (const beside of [false, true])
    it(`can be followed after a list that was refused${beside ? ' beside another one' : ''}`, async () => {
      const client = await chatClient(app.application.url);
      const { signal } = aborts;
      const { id } = await client.room.create({ title: 'Tea' });
      const other = client.room(id).messages.list.live({ signal });
      if (beside) await listWith(other, []);
      for (let round = 1; round <= 2; round++) {
        const refused = client.room(999_999).messages.list.live({ signal });
        expect(await failureOf(refused.next(), Error)).to.include({ code: 'not-found' });
        const room = await client.room.create({ title: `Tea ${round}` });
        await client.room(room.id).messages.create({ text: 'new' });
        await listWith(client.room(room.id).messages.list.live({ signal }), ['new']);
      }
      await client.room(id).messages.create({ text: 'here' });
      await listWith(other, ['here']);
    });

  it('go on after the server has been restarted, with what was written in the meantime', async () => {
    const { definition, database } = app;
    const start = () => startApplication({ definition, databaseUrl: database.url, hooks: {} });
    let server = await start();
    // The address stays that of the client, as with a proxy before the servers.
    const client = await chatClient('http://server', {
      fetch: (url: string, init: RequestInit) => fetch(url.replace('http://server', server.url), init),
    });
    try {
      const { id } = await client.room.create({ title: 'Tea' });
      const list = client.room(id).messages.list.live({ signal: aborts.signal });
      await listWith(list, []);
      await server.stop();
      await database.client.query('INSERT INTO message (room_id, text) VALUES ($1, $2)', [id, 'meanwhile']);
      server = await start();
      await listWith(list, ['meanwhile']);
      await client.room(id).messages.create({ text: 'afterwards' });
      await listWith(list, ['meanwhile', 'afterwards']);
    } finally {
      aborts.abort();
      await server.stop();
    }
  });
});
