/** Many servers on one Postgres are replaced by those of the next release, four at a time, while clients write, read and follow lists. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { type Databases, startDatabases } from '../../campaigns/databases.ts';
import { buildOnce } from '../../support/build-once.ts';
import { POOLER_ENVIRONMENT, startPooler, whyNoPooler } from '../../support/pooler.ts';
import { skipFor } from '../../support/runtime-base.ts';
import { until } from '../../support/until.ts';
import { ask } from '../http/serving.ts';
import { ended, ImageProcesses } from '../jobs/image-processes.ts';
import { Follower } from '../live/follow.ts';
import { chainOf } from '../migrate/compiled-chain.ts';
import { migrated } from '../migrate/databases.ts';
import { definitionOf } from '../operations/running.ts';

const MANY = 20;
/** Through a pooler: what it does does not depend on how many they are. */
const SOME = 8;
const AT_ONCE = 4;
const WRITERS = 4;
/** Between two writes, in milliseconds: the processors are for the servers that start. */
const PAUSE = 100;
/** Each of a board of its own, so that the lists stay short. */
const FOLLOWERS = 20;
/** As docs/operations.md computes them: of requests, and of jobs. */
const [POOL_MAX, JOBS] = [2, 1];
const CONNECTIONS_OF_A_SERVER = POOL_MAX + 2 + JOBS + 6;

const source = (field: string) => `
model Board { field title { type string }  relation notes { from Note, through board } }
model Note { reference board { to Board }  field ${field} { type string${field === 'body' ? ', was text' : ''} } }
model Seen { reference note { to Note } }
job See {
  input note { to Note }
  action { create Seen { set note note } }
}
on create of Note as note { run See { note: note } }
api {
  entrypoint Board {
    get endpoint { authorize { true } }
    entrypoint notes {
      create endpoint { authorize { true } }
      list endpoint { order by { id asc }  response { id }  live }
    }
  }
}`;

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly field: 'text' | 'body';
}

/** Asks every server whether it is ready, as a load balancer does, and sends requests only to those that are. */
class Balancer {
  readonly failures: string[] = [];
  #ready: Server[] = [];
  #next = 0;

  set(servers: readonly Server[]): void {
    this.#ready = [...servers];
  }

  async look(servers: readonly Server[]): Promise<void> {
    const answers = await Promise.all(servers.map(({ port }) => ask(port, '/readyz').catch(() => null)));
    this.#ready = servers.filter((_, at) => answers[at]?.status === 200);
  }

  server(): Server {
    const server = this.#ready[this.#next++ % this.#ready.length];
    if (server === undefined) throw new Error('no server is ready');
    return server;
  }

  async send(path: string, expected: number, body?: (server: Server) => unknown): Promise<void> {
    const server = this.server();
    const options = body && { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body(server)) };
    const answer = await ask(server.port, path, options).catch((error) => ({ status: String(error), text: '' }));
    if (answer.status !== expected) this.failures.push(`${server.field} ${path}: ${answer.status} ${answer.text}`);
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

describe('twenty servers', () => {
  let databases: Databases;
  before(async () => {
    buildOnce();
    databases = await startDatabases(['max_connections=300']);
  });
  after(() => databases?.stop());

  it('are replaced under load without a failed request, within the budget of connections', async function () {
    this.timeout(300_000);
    await replaced(MANY, await databases.create(), (url) => url);
  });

  it('are replaced under load through a pooler in transaction mode', async function () {
    this.timeout(300_000);
    skipFor(this, 'tests of a pooler', whyNoPooler());
    const url = new URL(await databases.create());
    const pooler = new URL(url);
    pooler.port = String(await startPooler(url, { default_pool_size: '20', max_client_conn: '1000' }));
    await replaced(SOME, url.href, () => pooler.href, POOLER_ENVIRONMENT);
  });
});

async function replaced(
  many: number,
  url: string,
  reached: (url: string) => string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [first, second] = [await definitionOf(source('text')), await definitionOf(source('body'))];
  const chains = [chainOf([first]), chainOf([first, second])] as const;
  const old = new ImageProcesses({ definition: first, chain: chains[0] });
  const next = new ImageProcesses({ definition: second, chain: chains[1] });
  const environment = {
    ...more,
    DATABASE_URL: reached(url),
    DATABASE_POOL_MAX: String(POOL_MAX),
    JOBS: String(JOBS),
    SHUTDOWN_GRACE: '1s',
    LOG_LEVEL: 'warn',
  };
  const otherwise = () => `${old.output.slice(-2000)}\n${next.output.slice(-2000)}`;
  const balancer = new Balancer();
  const watched = new pg.Client(url);
  const followers: Follower[] = [];
  let isOver = false;
  try {
    await migrated(chains[0], url);
    await watched.connect();
    await watched.query(`INSERT INTO board (title) SELECT n::text FROM generate_series(1, ${FOLLOWERS}) AS n`);
    const servers: Server[] = [];
    const add = async (image: ImageProcesses, field: Server['field']) => {
      servers.push({ ...(await image.serve(environment)), field });
    };
    for (let started = 0; started < many; started += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => add(old, 'text')));
    balancer.set(servers);
    let [most, sent, written] = [0, 0, 0];

    const looking = repeated(async () => {
      await balancer.look(servers);
      const { rows } = await watched.query(
        `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'kiln %'`,
      );
      most = Math.max(most, rows[0].count);
      await sleep(200);
    });
    const writers = Array.from({ length: WRITERS }, () =>
      repeated(async () => {
        const board = 1 + (sent++ % FOLLOWERS);
        await balancer.send(`/api/board/${board}/notes`, 201, ({ field }) => ({ [field]: 'a note' }));
        written++;
        await balancer.send(`/api/board/${board}`, 200);
        await sleep(PAUSE);
      }),
    );
    const following = Array.from({ length: FOLLOWERS }, (_, at) =>
      repeated(async () => {
        const follower = new Follower(`http://127.0.0.1:${balancer.server().port}/api/board/${at + 1}/notes`);
        followers[at] = follower;
        await until(() => follower.isClosed || isOver, { otherwise, limit: 250_000 });
        if (isOver) return;
        const last = follower.events.at(-1);
        if (last?.event !== 'bye') balancer.failures.push(`a stream ended: ${follower.status}`);
        await sleep(Number(last?.data.after ?? 0));
      }),
    );

    await until(() => written > 50, { otherwise });
    expect((await migrated(chains[1], url)).result).to.include({ kind: 'done' });
    for (let replacedBefore = 0; replacedBefore < many; replacedBefore += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => add(next, 'body')));
      const stopped = await Promise.all(servers.slice(0, AT_ONCE).map(({ child }) => ended(child, 'SIGTERM')));
      expect(new Set(stopped), otherwise()).to.deep.equal(new Set([0]));
      servers.splice(0, AT_ONCE);
    }
    expect(servers.map(({ field }) => field)).to.deep.equal(Array.from({ length: many }, () => 'body'));
    await until(() => followers.every((follower) => follower.status === 200 && !follower.isClosed), { otherwise });
    isOver = true;
    await Promise.all([looking, ...writers]);
    expect(balancer.failures).to.deep.equal([]);
    expect(most).to.be.at.most((many + AT_ONCE) * CONNECTIONS_OF_A_SERVER);
    // Each job is done once, whichever server and release has done it.
    const seen = async () => (await watched.query('SELECT count(*)::int FROM seen')).rows[0].count;
    await until(async () => (await seen()) >= written, { otherwise });
    expect(await seen()).to.equal(written);
    const notes = async (board: number) =>
      (await watched.query('SELECT id::int FROM note WHERE board_id = $1 ORDER BY id', [board])).rows;
    for (const [at, follower] of followers.entries()) {
      const wanted = JSON.stringify(await notes(at + 1));
      await until(() => JSON.stringify(follower.rows()) === wanted, { otherwise });
    }
    await Promise.all(following);
  } finally {
    isOver = true;
    for (const follower of followers) follower.stop();
    for (const image of [old, next]) {
      await image.kill();
      image.remove();
    }
    await watched.end();
  }

  /** Until the test is over. */
  async function repeated(once: () => Promise<void>): Promise<void> {
    while (!isOver) await once();
  }
}
