import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { createProxy, type TcpProxy } from '../database/tcp-proxy.ts';
import { type Received, type Running, run, stopAll } from './running.ts';
import { expectUnavailable, POSTS } from './unavailable.ts';

/** Until it is so, for what mends itself by and by. */
async function eventually(app: Running, methodAndPath: string, status: number): Promise<Received> {
  let answer = await app.ask(methodAndPath);
  await until(async () => {
    if (answer.status !== status) answer = await app.ask(methodAndPath);
    return answer.status === status;
  });
  return answer;
}

describe('a database that goes away', () => {
  let proxy: TcpProxy;
  let app: Running;

  beforeEach(async () => {
    app = await run(POSTS, {
      code: { slow: () => null },
      databaseUrl: async (url) => {
        proxy = await createProxy(url);
        await proxy.open();
        return proxy.url;
      },
    });
  });

  afterEach(async () => {
    await stopAll();
    await proxy.shut();
  });

  for (const [what, methodAndPath, body] of [
    ['a read', 'GET /api/post', undefined],
    ['a write', 'POST /api/post', { title: 'x' }],
    ['a transaction', 'POST /api/post/slow', {}],
  ] as const) {
    it(`is a 503 with Retry-After for ${what}, and no more once it is back`, async () => {
      expect((await app.ask(methodAndPath, body)).status).to.be.lessThan(300);
      await proxy.shut();
      expectUnavailable(await app.ask(methodAndPath, body), 'The database cannot be reached.');
      await proxy.open();
      await eventually(app, 'GET /readyz', 200);
      expect((await app.ask(methodAndPath, body)).status).to.be.lessThan(300);
    });
  }

  it('makes the server unready, with a reason, but not dead', async () => {
    expect((await app.ask('GET /readyz')).status).to.equal(200);
    await proxy.shut();
    expectUnavailable(await app.ask('GET /readyz'), 'The database cannot be reached.');
    expect((await app.ask('GET /healthz')).status).to.equal(200);
    await proxy.open();
    expect((await eventually(app, 'GET /readyz', 200)).json).to.deep.equal({ status: 'ok' });
  });

  it('is told in the log, when it goes and when it is back', async () => {
    await app.ask('GET /api/post');
    await proxy.shut();
    await app.ask('GET /api/post');
    await proxy.open();
    await eventually(app, 'GET /api/post', 200);
    const said = app.lines.map(({ msg }) => msg);
    expect(said).to.include('the database cannot be reached').and.include('the database can be reached again');
  });
});

describe('a database that is not that of the release', () => {
  afterEach(stopAll);

  it('is a 503 that says so for every request that needs what is missing, and the log has the rest', async () => {
    const schemas: string[] = [];
    const app = await run(POSTS, { code: { slow: () => null }, prepare: async (_, schema) => schemas.push(schema) });
    const detail =
      'The database does not have the tables of this release. If it is behind, run `migrate`. If it is ahead, use a newer image. `/readyz` says which.';
    expectUnavailable(await app.ask('GET /api/post'), detail);
    expectUnavailable(await app.ask('POST /api/post', { title: 'x' }), detail);
    expectUnavailable(await app.ask('POST /api/post/slow', {}), detail);
    expect(app.lines.find(({ status }) => status === 503)).to.nested.include({
      level: 'error',
      'err.type': 'DatabaseError',
    });
    await app.database.client.query(`${schemas.join('')}; ALTER TABLE post DROP COLUMN votes`);
    expectUnavailable(await app.ask('GET /api/post'), detail);
    await app.database.client.query('ALTER TABLE post ADD COLUMN votes bigint NOT NULL DEFAULT 0');
    expect((await app.ask('GET /api/post')).json).to.deep.equal([]);
  });
});
