import { request } from 'node:http';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { bearer, gate, run, stopAll, waiting } from './running.ts';
import { expectUnavailable, POSTS } from './unavailable.ts';

describe('connections that are all in use', () => {
  afterEach(stopAll);

  it('are waited for as long as DATABASE_ACQUIRE_TIMEOUT says, then it is a 503', async () => {
    const { passed, open } = gate();
    let isIn = false;
    const slow = () => {
      isIn = true;
      return passed;
    };
    const environment = { DATABASE_POOL_MAX: '1', DATABASE_ACQUIRE_TIMEOUT: '3s' };
    const app = await run(POSTS, { code: { slow }, environment });
    const first = app.ask('POST /api/post/slow', {});
    await until(() => isIn);
    expectUnavailable(await app.ask('POST /api/post/slow', {}), 'Too many requests are waiting for the database.');
    open();
    expect((await first).status).to.equal(204);
    expect((await app.ask('POST /api/post/slow', {})).status).to.equal(204);
  });

  it('are free again when a client has gone away in the middle of a statement', async () => {
    let calls = 0;
    const environment = { DATABASE_POOL_MAX: '1' };
    const slow: Parameters<typeof run>[1] = {
      environment,
      code: {
        slow: async (_, { db }) => {
          calls++;
          if (calls === 1) await db.knex.raw('SELECT pg_sleep(600)');
        },
      },
    };
    const app = await run(POSTS, slow);
    const sleeping = async () =>
      (
        await app.database.client.query(
          "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)' AND state = 'active' AND datname = current_database()",
        )
      ).rowCount;
    const client = request({ port: app.port, host: '127.0.0.1', path: '/api/post/slow', method: 'POST' });
    client.on('error', () => undefined).end();
    await until(async () => (await sleeping()) !== 0);
    client.destroy();
    expect((await app.ask('POST /api/post/slow', {})).status).to.equal(204);
    expect(await sleeping()).to.equal(0);
    const { rows } = await app.database.client.query('SELECT title FROM post');
    expect(rows, 'what the first one made was rolled back').to.have.length(1);
    await until(() => app.lines.some(({ status }) => status === 499));
  });

  it('are free again when a client has gone away while a hook waited', async () => {
    const { passed, open } = gate();
    let calls = 0;
    const slow = async () => {
      calls++;
      if (calls === 1) await passed;
    };
    const app = await run(POSTS, { code: { slow }, environment: { DATABASE_POOL_MAX: '1' } });
    const client = request({ port: app.port, host: '127.0.0.1', path: '/api/post/slow', method: 'POST' });
    client.on('error', () => undefined).end();
    await until(() => calls === 1);
    client.destroy();
    expect((await app.ask('POST /api/post/slow', {})).status).to.equal(204);
    open();
  });
});

const ACCOUNTS = `
model User { field email { type string, unique }, field hash { type string, secret } }
auth { model User, login email, password hash }
model Post { field title { type string } }
api {
  entrypoint Post {
    POST many "two" { authorize { @auth is not null }, action { create Post { set title "a" }, create Post { set title "b" } } }
  }
}
`;

describe('a caller who is slow to be found', () => {
  afterEach(stopAll);

  it('is looked for before a connection is taken, so that requests never wait for one another', async () => {
    const app = await run(ACCOUNTS, { environment: { DATABASE_POOL_MAX: '1', DATABASE_ACQUIRE_TIMEOUT: '2s' } });
    const { client } = app.database;
    const ada = { email: 'ada', password: 'a long password' };
    await app.ask('POST /api/auth/register', ada);
    const { json } = await app.ask('POST /api/auth/login', ada);
    const two = async () => (await app.ask('POST /api/post/two', {}, bearer(json.token))).status;
    expect(await two()).to.equal(204);
    await client.query('BEGIN; LOCK TABLE kiln_tokens');
    const slow = two();
    await until(async () => (await waiting(app)) !== 0);
    await client.query('SELECT pg_sleep(0.2); COMMIT');
    expect(await slow).to.equal(204);
    expect([await two(), await two()]).to.deep.equal([204, 204]);
  });
});

describe('a statement that takes too long', () => {
  afterEach(stopAll);

  it('is a 503', async () => {
    const app = await run(POSTS, { code: { slow: () => null }, environment: { DATABASE_STATEMENT_TIMEOUT: '200ms' } });
    const { client } = app.database;
    await app.ask('POST /api/post', { title: 'x' });
    await client.query('BEGIN; LOCK TABLE post');
    expectUnavailable(await app.ask('GET /api/post'), 'The database took too long.');
    expectUnavailable(await app.ask('PATCH /api/post/1', { title: 'y' }), 'The database took too long.');
    await client.query('ROLLBACK');
    expect((await app.ask('GET /api/post')).json).to.have.length(1);
  });

  it('is never a 500, also where its connection is lost and it then waits for a lock', async () => {
    const { passed, open } = gate();
    let isIn = false;
    const slow = () => {
      isIn = true;
      return passed;
    };
    const elsewhere = POSTS.replace('create Post {', 'create Log {').concat(
      'model Log { field title { type string } }',
    );
    const app = await run(elsewhere, { code: { slow }, environment: { DATABASE_POOL_MAX: '1' } });
    const { client } = app.database;
    expect((await app.ask('GET /api/post')).status).to.equal(200);
    // It takes the only connection that is not shared.
    const holding = app.ask('POST /api/post/slow', {});
    await until(() => isIn);
    await client.query('BEGIN; LOCK TABLE post');
    const waits = async (): Promise<readonly number[]> =>
      (await client.query('SELECT pid FROM pg_locks WHERE NOT granted')).rows.map(({ pid }) => pid);
    let isAnswered = false;
    const answer = app.ask('GET /api/post').finally(() => {
      isAnswered = true;
    });
    await until(async () => (await waits()).length > 0);
    const [first] = await waits();
    await client.query('SELECT pg_terminate_backend($1)', [first]);
    const isAgain = (pids: readonly number[]) => pids.some((pid) => pid !== first);
    await until(async () => isAnswered || isAgain(await waits()));
    await until(async () => isAnswered || (await waits()).length === 0);
    await client.query('ROLLBACK');
    open();
    expect((await answer).status).to.be.oneOf([200, 503]);
    await holding;
  });

  it('rolls back what was done before it in a hook', async () => {
    const app = await run(POSTS, {
      environment: { DATABASE_STATEMENT_TIMEOUT: '200ms' },
      code: { slow: async (_, { db }) => void (await db.knex.raw('SELECT pg_sleep(600)')) },
    });
    const { status, json } = await app.ask('POST /api/post/slow', {});
    expect(status).to.equal(503);
    expect(json).to.not.include.keys('errors');
    expect((await app.ask('GET /api/post')).json).to.deep.equal([]);
  });
});
