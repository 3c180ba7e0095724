import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { configFromEnvironment } from '../../runtime/config/config.ts';
import type { LiveDetails, LiveEvent, LiveRequest, StatementPlan } from '../../runtime/console/live/live-event.ts';
import { LiveRecorder } from '../../runtime/console/live/live-recorder.ts';
import { createLog } from '../../runtime/observe/log.ts';
import { createApp } from '../../runtime/serve.ts';
import { type Code, modulesOf, type Running, run, stopAll } from '../runtime/operations/running.ts';
import { until } from '../support/until.ts';

const PROGRAM = `
model User { field login { type string, unique }, field hash { type string, secret } }
auth { model User, login login, password hash }
model Post {
  field title { type string, validate { minLength(3) } }
  field pin { type string, secret, default "0000" }
  field paid { type json, nullable, secret }
}
setting PAY_KEY { secret }
api {
  entrypoint Post as post {
    list endpoint { filterable { title } }
    create endpoint {}
    POST many "pay" { action { create Post { set title "paid", set pin "paid by " + setting(PAY_KEY) } } }
    POST many "pay-later" { action { create Post { set title "later", set paid { key: setting(PAY_KEY) } } } }
    GET many "all" { limit 2000 }
    POST many "look" {
      extra inputs { field name { type string } }
      action { execute as found { hook { arg name name, source look from "code" } }, respond { body found } }
    }
  }
}
`;

/** Queries once for each letter, with a pause before each, and logs. */
const look: Code = async ({ name }, { db, log, settings }) => {
  for (const letter of String(name)) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    await db.knex.raw('select title from post where title = ?', [`${letter}-${name}`]);
  }
  log.info({ name, token: 'very-secret', of: { settings } }, 'looked');
  if (name === 'settings') log.info(settings);
  return { name };
};

const KEY = 'the-key-of-the-console';
const SETTINGS = { PAY_KEY: 'pay-secret "1"' };

describe('requests in the console', () => {
  let app: Running;
  let recorder: LiveRecorder;

  before(async () => {
    recorder = new LiveRecorder();
    app = await run(PROGRAM, {
      code: { look },
      environment: SETTINGS,
      console: { key: KEY, place: 'root' },
      live: recorder,
      openApi: '{}',
    });
    await app.ask('POST /api/post', { title: 'First' });
  });
  after(stopAll);

  const console_ = (path: string, headers: Readonly<Record<string, string>> = { 'x-kiln-console': KEY }) =>
    fetch(`http://127.0.0.1:${app.port}/_console/${path}`, { headers });

  async function events(enough: (events: readonly LiveEvent[]) => boolean): Promise<readonly LiveEvent[]> {
    const found: LiveEvent[] = [];
    const { body } = await console_('live');
    let rest = '';
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + Buffer.from(chunk).toString()).split('\n');
      rest = lines.pop() ?? '';
      found.push(...lines.map((line) => JSON.parse(line) as LiveEvent));
      if (enough(found)) return found;
    }
    return found;
  }

  async function recorded(): Promise<readonly LiveRequest[]> {
    const [hello] = await events((found) => found.length > 0);
    return hello?.kind === 'hello' ? hello.requests : [];
  }

  async function detailsOf(isIt: (request: LiveRequest) => boolean): Promise<LiveDetails> {
    await until(async () => (await recorded()).some(isIt));
    const { id } = (await recorded()).findLast(isIt) as LiveRequest;
    return (await (await console_(`live/${id}`)).json()) as LiveDetails;
  }

  it('have their statements, also when many run at the same time', async () => {
    const names = ['ab', 'cdef', 'ghijkl', 'mn', 'opqrst'];
    await Promise.all(names.map((name) => app.ask(`POST /api/post/look?n=${name}`, { name })));
    for (const name of names) {
      const { runs, texts, logs, repeats, transactions, hooks } = await detailsOf(({ query }) => query === `n=${name}`);
      const own = runs.filter(({ text }) => texts[text]?.includes('where title'));
      expect(own.map(({ values }) => values?.[0])).to.deep.equal([...name].map((letter) => `${letter}-${name}`));
      expect(own.every(({ transaction, rows }) => transaction === 0 && rows === 0)).to.equal(true);
      expect(repeats).to.equal(name.length);
      expect(hooks.map((hook) => [hook.kind, hook.name])).to.deep.equal([['hook', '`look` of hooks/code.ts']]);
      expect(hooks[0]?.ms).to.be.at.least(own.reduce((sum, { ms }) => sum + ms, 0));
      expect(transactions.map(({ outcome, attempts }) => [outcome, attempts])).to.deep.equal([['committed', 1]]);
      expect(logs.map(({ message, data }) => [message, JSON.parse(data ?? '').name])).to.deep.equal([['looked', name]]);
    }
  });

  it('come through the stream as they are answered', async () => {
    const streamed = events((found) => found.some((event) => event.kind === 'request'));
    await until(async () => {
      await app.ask('GET /api/post?title=First');
      return Promise.race([streamed.then(() => true), new Promise<false>((resolve) => setTimeout(resolve, 20, false))]);
    });
    const event = (await streamed).at(-1);
    expect(event?.kind === 'request' && event.request).to.include({
      method: 'GET',
      path: '/api/post',
      query: 'title=First',
      route: '/api/post',
      status: 200,
      statements: 1,
    });
  });

  it('have what was invalid', async () => {
    await app.ask('POST /api/post', { title: 'no' });
    const { error, problem } = await detailsOf(({ status }) => status === 422);
    expect(problem).to.equal('validation-failed');
    expect(error?.inputs.map(({ path, code }) => [path, code])).to.deep.equal([['title', 'min-length']]);
  });

  it('are there when no endpoint has their path, and the console itself is not', async () => {
    await app.ask('GET /nowhere');
    expect(await detailsOf(({ path }) => path === '/nowhere')).to.include({ status: 404, route: null });
    expect((await recorded()).filter(({ path }) => path.startsWith('/_console'))).to.deep.equal([]);
    expect(
      app.lines.filter(({ path, level }) => String(path).startsWith('/_console') && level !== 'debug'),
    ).to.deep.equal([]);
  });

  it('have nothing that is secret', async () => {
    await app.ask('POST /api/auth/register?token=query-secret', { login: 'ann', password: 'a-long-password' });
    const { token } = (await app.ask('POST /api/auth/login', { login: 'ann', password: 'a-long-password' })).json;
    expect(token).to.be.a('string');
    await app.ask('GET /api/auth/me', undefined, { authorization: `Bearer ${token}` });
    await app.ask('POST /api/post/look', { name: 'settings' });
    for (const path of ['/api/post/pay', '/api/post/pay-later']) {
      expect((await app.ask(`POST ${path}`)).status).to.equal(204);
      await until(async () => (await recorded()).some((request) => request.path === path));
    }
    const all = await Promise.all((await recorded()).map(async ({ id }) => (await console_(`live/${id}`)).text()));
    const { rows } = await app.database.client.query('SELECT hash FROM "user"');
    for (const secret of [token, 'a-long-password', rows[0].hash, '0000', 'very-secret', 'query-secret', 'pay-secret'])
      expect(all.join('\n')).to.not.include(secret);
    expect(JSON.stringify(app.lines)).to.not.include('pay-secret');
  });

  it('have plans, for which nothing is run', async () => {
    const { id, texts } = await detailsOf(({ path, status }) => path === '/api/post' && status === 201);
    const count = async () => (await app.database.client.query('SELECT count(*) FROM post')).rows[0].count;
    const before = await count();
    const plans = (await (await console_(`live/${id}/plans`)).json()) as readonly StatementPlan[];
    expect(plans).to.have.lengthOf(texts.length);
    expect(plans.map(({ plan }) => plan?.join('\n')).join('\n')).to.include('Insert on post');
    expect(await count()).to.equal(before);
  });

  it('have the statements that read a long list while it is sent', async () => {
    const { client } = app.database;
    await client.query("DELETE FROM post; INSERT INTO post (title) SELECT 'Post' FROM generate_series(1, 1500)");
    await app.ask('GET /api/post/all');
    const { runs, texts } = await detailsOf(({ path }) => path === '/api/post/all');
    // Some records, the ids of all, and the records in parts.
    expect(runs.map(({ rows }) => rows)).to.deep.equal([1001, 1, 200, 1000, 300]);
    expect(runs.slice(2).every(({ text }) => texts[text]?.includes('= ANY('))).to.equal(true);
  });

  it('are for those who have the key', async () => {
    for (const path of ['live', 'live/1', 'live/1/plans', 'models', 'changes']) {
      expect((await console_(path, {})).status, path).to.equal(403);
      expect((await console_(path, { 'x-kiln-console': `${KEY}x` })).status, path).to.equal(403);
    }
    expect((await console_('live/99999')).status).to.equal(404);
  });

  it('are not kept where there is no console', async () => {
    const { port, ask } = await run(PROGRAM, { environment: SETTINGS, code: { look }, openApi: '{}' });
    await ask('GET /api/post');
    const { status } = await fetch(`http://127.0.0.1:${port}/_console/live`, { headers: { 'x-kiln-console': KEY } });
    expect(status).to.equal(404);
  });

  it('do not keep the server from stopping', async () => {
    const { port, application } = await run(PROGRAM, {
      code: { look },
      environment: SETTINGS,
      console: { key: KEY, place: 'root' },
      openApi: '{}',
    });
    const { body } = await fetch(`http://127.0.0.1:${port}/_console/live`, { headers: { 'x-kiln-console': KEY } });
    // Otherwise it would wait as long as it may for a request.
    await Promise.all([application.stop(), new Response(body).text()]);
  });

  it('end for their readers when a mounted application stops', async () => {
    const read = configFromEnvironment({ DATABASE_URL: app.database.url });
    if (!read.ok) throw new Error(read.problems.join('\n'));
    const served = { definition: app.definition, hooks: modulesOf({ look }), openApi: '{}', config: read.config };
    const mounted = await createApp({ ...served, console: { key: KEY, place: 'root' }, log: createLog('silent') });
    const around = createServer(mounted.app).listen(0, '127.0.0.1');
    await once(around, 'listening');
    const { port } = around.address() as AddressInfo;
    const { body } = await fetch(`http://127.0.0.1:${port}/_console/live`, { headers: { 'x-kiln-console': KEY } });
    await mounted.stop();
    expect(await new Response(body).text()).to.include('"kind":"hello"');
    around.close();
  });
});
