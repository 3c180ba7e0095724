/** Live lists where applications run: a pooler, roles, several processes, a crash of Postgres, releases, and many clients at once. */
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { freePort } from '../../../bench/api/free-port.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { startDatabases, withClient } from '../../campaigns/databases.ts';
import { buildOnce } from '../../support/build-once.ts';
import { POOLER_ENVIRONMENT, startPooler, whyNoPooler } from '../../support/pooler.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { skipFor } from '../../support/runtime-base.ts';
import { until } from '../../support/until.ts';
import { ask } from '../http/serving.ts';
import { ended, ImageProcesses } from '../jobs/image-processes.ts';
import { chainOf } from '../migrate/compiled-chain.ts';
import { migrated } from '../migrate/databases.ts';
import { definitionOf } from '../operations/running.ts';
import { Follower } from './follow.ts';

const source = (live: string) => `
model Board { field title { type string }  relation notes { from Note, through board } }
model Note { reference board { to Board }  field text { type string } }
api {
  entrypoint Board {
    create endpoint { authorize { true } }
    entrypoint notes {
      create endpoint { authorize { true } }
      list endpoint { order by { id asc }  ${live} }
    }
  }
}`;

describe('live lists in production', () => {
  let definition: Definition;
  let database: TestDatabase;
  let image: ImageProcesses;
  const followers: Follower[] = [];

  before(async () => {
    buildOnce();
    definition = await definitionOf(source('live'));
    image = new ImageProcesses({ definition, chain: chainOf([definition]) });
  });
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    for (const follower of followers.splice(0)) follower.stop();
    await image.kill();
  });
  after(() => image?.remove());

  const otherwise = () => image.output.slice(-3000);
  const pathOf = (board: number) => `/api/board/${board}/notes`;

  async function tables(): Promise<void> {
    await migrated(chainOf([definition]), database.url);
  }

  /** Boards 1, 2, … with a note each. */
  async function boards(many: number, client: pg.ClientBase = database.client): Promise<readonly number[]> {
    await client.query(`INSERT INTO board (title) SELECT n::text FROM generate_series(1, ${many}) AS n`);
    await client.query(`INSERT INTO note (board_id, text) SELECT id, 'first' FROM board`);
    return Array.from({ length: many }, (_, at) => at + 1);
  }

  function begin(port: number, board: number): Follower {
    const follower = new Follower(`http://127.0.0.1:${port}${pathOf(board)}`);
    followers.push(follower);
    return follower;
  }

  async function follow(port: number, board: number): Promise<Follower> {
    const follower = await begin(port, board).first();
    expect(follower.status).to.equal(200);
    return follower;
  }

  async function write(port: number, board: number, text: string): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const answer = await ask(port, pathOf(board), { method: 'POST', headers, body: JSON.stringify({ text }) });
    expect(answer.status).to.equal(201);
  }

  async function got(port: number, board: number): Promise<unknown> {
    return JSON.parse((await ask(port, pathOf(board))).text);
  }

  /** Waits until a follower has what a GET answers. */
  async function converged(port: number, board: number, each: readonly Follower[]): Promise<void> {
    const wanted = JSON.stringify(await got(port, board));
    await until(() => each.every((follower) => JSON.stringify(follower.rows()) === wanted), { otherwise });
    expect(each.filter(({ isClosed }) => isClosed)).to.have.length(0);
  }

  /** A server, with the number of its streams. */
  async function counted() {
    const metrics = await freePort();
    // Streams are requests until they are open, and requests come beside a thousand of them.
    const environment = { DATABASE_URL: database.url, METRICS_PORT: String(metrics), REQUESTS_MAX: '2000' };
    const { port } = await image.serve(environment);
    const streams = async () =>
      Number(/^kiln_live\{of="streams"\} (\d+)$/m.exec((await ask(metrics, '/metrics')).text)?.[1]);
    return { port, streams };
  }

  it('are sent by four processes of a role that owns nothing, and all clients are told when to come back', async () => {
    const name = String(database.client.database);
    await database.client.query(`
      CREATE ROLE "${name} owner" LOGIN PASSWORD 'secret'; CREATE ROLE "${name} server" LOGIN PASSWORD 'secret';
      GRANT USAGE, CREATE ON SCHEMA public TO "${name} owner"; GRANT CREATE ON DATABASE ${name} TO "${name} owner";
      GRANT USAGE ON SCHEMA public TO "${name} server";
      ALTER DEFAULT PRIVILEGES FOR ROLE "${name} owner" GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO "${name} server"`);
    const urlOf = (role: string) => {
      const address = new URL(database.url);
      address.username = encodeURIComponent(`${name} ${role}`);
      address.password = 'secret';
      return address.href;
    };
    const migrating = image.start('migrate', { DATABASE_URL: urlOf('owner') });
    await until(() => migrating.exitCode !== null, { otherwise });
    expect(migrating.exitCode, otherwise()).to.equal(0);
    const { child, port } = await image.serve({ DATABASE_URL: urlOf('server'), WORKERS: '4' });
    await until(() => image.output.split('"listening"').length - 1 === 4, { otherwise });
    const [first = 0, second = 0] = await boards(2);
    const all = await Promise.all(Array.from({ length: 40 }, (_, at) => follow(port, at % 2 ? first : second)));
    await Promise.all(Array.from({ length: 100 }, (_, at) => write(port, at % 3 ? first : second, `note ${at}`)));
    await converged(
      port,
      first,
      all.filter((_, at) => at % 2),
    );
    await converged(
      port,
      second,
      all.filter((_, at) => at % 2 === 0),
    );
    // Each reads by itself, so that none of them was left out.
    const { rows } = await database.client.query(
      `SELECT count(DISTINCT pid)::int FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%kiln_changes%'`,
    );
    expect(rows[0].count).to.equal(4);
    expect(await ended(child, 'SIGTERM')).to.equal(0);
    await until(() => all.every(({ isClosed }) => isClosed));
    const last = all.map(({ events }) => events.at(-1));
    expect(new Set(last.map((each) => each?.event))).to.deep.equal(new Set(['bye']));
    const times = last.map((each) => Number(each?.data.after));
    for (const time of times) expect(time).to.be.within(0, 10_000);
    expect(Math.max(...times) - Math.min(...times)).to.be.greaterThan(3000);
  });

  it('are not begun by a server that stops, which tells clients when to come back', async () => {
    await tables();
    const [board = 0] = await boards(1);
    const { child, port } = await image.serve({ DATABASE_URL: database.url, SHUTDOWN_GRACE: '30s' });
    child.kill('SIGTERM');
    await until(async () => (await ask(port, '/readyz')).status === 503, { otherwise });
    const follower = begin(port, board);
    await until(() => follower.isClosed, { otherwise });
    expect([follower.status, follower.names()]).to.deep.equal([200, ['bye']]);
  });

  it('are sent through a pooler in transaction mode', async function () {
    skipFor(this, 'tests of a pooler', whyNoPooler());
    await tables();
    const [board = 0] = await boards(1);
    const address = new URL(database.url);
    address.port = String(await startPooler(address, { default_pool_size: '4' }));
    const { port } = await image.serve({ ...POOLER_ENVIRONMENT, DATABASE_URL: address.href });
    const all = await Promise.all(Array.from({ length: 20 }, () => follow(port, board)));
    // Of what others have written it learns by looking.
    await database.client.query(`INSERT INTO note (board_id, text) VALUES (${board}, 'of somebody else')`);
    await until(() => all.every((follower) => follower.rows().length === 2), { otherwise, limit: 5000 });
    await Promise.all(Array.from({ length: 100 }, (_, at) => write(port, board, `note ${at}`)));
    await converged(port, board, all);
    expect(all.some((follower) => follower.names().includes('resync'))).to.equal(false);
  });

  it('are sent again after a crash of Postgres, which empties the table of changes', async () => {
    const databases = await startDatabases(['synchronous_commit=on']);
    try {
      const url = await databases.create();
      await migrated(chainOf([definition]), url);
      await withClient(url, (client) => boards(1, client));
      const { port } = await image.serve({ DATABASE_URL: url });
      const follower = await follow(port, 1);
      await write(port, 1, 'before');
      await until(() => follower.rows().length === 2, { otherwise });
      await withClient(url, async (client) => {
        const { rows } = await client.query(
          'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
        // Postgres ends all other connections then, and recovers.
        process.kill(rows[0].pid, 'SIGKILL');
        await until(() =>
          client.query('SELECT 1').then(
            () => false,
            () => true,
          ),
        );
      }).catch(() => undefined);
      await withClient(url, (client) => client.query(`INSERT INTO note (board_id, text) VALUES (1, 'recovered')`));
      await until(() => follower.rows().length === 3, { otherwise });
      expect(follower.names()).to.include('resync');
      await write(port, 1, 'after');
      await until(() => follower.rows().length === 4, { otherwise });
      await converged(port, 1, [follower]);
    } finally {
      await image.kill();
      await databases.stop();
    }
  });

  it('show what a release without them writes beside them, and go when it serves alone again', async () => {
    const before = await definitionOf(source(''));
    const [first, second] = [chainOf([before]), chainOf([before, definition])];
    const old = new ImageProcesses({ definition: before, chain: first });
    const next = new ImageProcesses({ definition, chain: second });
    const environment = { DATABASE_URL: database.url };
    try {
      await migrated(first, database.url);
      const [board = 0] = await boards(1);
      const { port: oldPort } = await old.serve(environment);
      expect((await migrated(second, database.url)).result).to.include({ kind: 'done' });
      const { port } = await next.serve(environment);
      const follower = await follow(port, board);
      await write(oldPort, board, 'of the old one');
      await until(() => follower.rows().length === 2, { otherwise: () => next.output });
      await write(port, board, 'of the new one');
      await converged(oldPort, board, [follower]);
      const plain = await ask(oldPort, pathOf(board), { headers: { accept: 'text/event-stream, */*' } });
      expect([plain.status, JSON.parse(plain.text)]).to.deep.equal([200, await got(port, board)]);
      await next.kill();
      await until(() => follower.isClosed);
      await write(oldPort, board, 'alone');
      expect(await got(oldPort, board)).to.have.length(4);
    } finally {
      for (const each of [old, next]) {
        await each.kill();
        each.remove();
      }
    }
  });

  it('are sent to all others while 1,000 clients never read', async () => {
    await tables();
    const all = await boards(10);
    const { port, streams } = await counted();
    const silent: Socket[] = [];
    try {
      for (const board of all)
        for (let many = 0; many < 100; many++) {
          const socket = connect(port, '127.0.0.1').on('error', () => undefined);
          socket.pause();
          socket.write(`GET ${pathOf(board)} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`);
          silent.push(socket);
        }
      await until(async () => (await streams()) === 1000, { otherwise });
      // One board after another: what the kernel keeps for 1,000 of them would be gigabytes.
      const text = 'x'.repeat(100_000);
      for (const [at, board] of all.entries()) {
        const reading = await follow(port, board);
        for (let notes = 1; (await streams()) > 1000 - 100 * (at + 1) + at + 1; notes++) {
          if (notes === 200) throw new Error(`${await streams()} streams are open`);
          await write(port, board, text);
          await until(() => reading.rows().length === notes + 1, { otherwise });
        }
        expect(reading.isClosed).to.equal(false);
      }
      for (const follower of followers) expect(follower.isClosed).to.equal(false);
      expect(await streams()).to.equal(10);
    } finally {
      for (const socket of silent) socket.destroy();
    }
  });

  it('are there for 1,000 clients who come back at once, and requests are answered meanwhile', async () => {
    await tables();
    const all = await boards(100);
    const { port, streams } = await counted();
    const come = () => Array.from({ length: 1000 }, (_, at) => begin(port, all[at % 100] as number));
    const before = come();
    for (const follower of before) await follower.first();
    await Promise.all(all.map((board) => write(port, board, 'second')));
    await until(() => before.every((follower) => follower.rows().length === 2), { otherwise });
    for (const follower of before) follower.stop();
    const again = come();
    const statuses = await Promise.all(all.map(async (board) => (await ask(port, pathOf(board))).status));
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    for (const follower of again) await follower.first();
    expect(new Set(again.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(again.every((follower) => follower.rows().length === 2)).to.equal(true);
    // Those who have gone keep no place.
    await until(async () => (await streams()) === 1000, { otherwise, limit: 10_000 });
    await Promise.all(all.map((board) => write(port, board, 'third')));
    await until(() => again.every((follower) => follower.rows().length === 3), { otherwise });
    expect(again.some(({ isClosed }) => isClosed)).to.equal(false);
  });

  it('converge after 25,000 changes, made as fast as Postgres takes them', async () => {
    await tables();
    const all = await boards(10);
    const { port } = await image.serve({ DATABASE_URL: database.url });
    const each = await Promise.all(Array.from({ length: 50 }, (_, at) => follow(port, all[at % 10] as number)));
    await Promise.all(Array.from({ length: 4 }, (_, at) => changes(at)));
    for (const board of all)
      await converged(
        port,
        board,
        each.filter((_, at) => all[at % 10] === board),
      );
    expect(each.every(({ events }) => events.length > 1)).to.equal(true);
  });

  /** Makes 6,300 changes, each a transaction of its own: notes come, change, move and go. */
  async function changes(seed: number): Promise<void> {
    const client = new pg.Client(database.url);
    await client.connect();
    for (let round = 0; round < 21; round++)
      await client.query(`DO $$ BEGIN FOR n IN 1..100 LOOP
        INSERT INTO note (board_id, text) VALUES (1 + (random() * 9)::int, 'note of ${seed}'); COMMIT;
        UPDATE note SET text = 'text ' || n, board_id = 1 + (random() * 9)::int WHERE id = (SELECT max(id) - (random() * 20)::int FROM note); COMMIT;
        DELETE FROM note WHERE id = (SELECT id FROM note ORDER BY id OFFSET 40 LIMIT 1); COMMIT;
      END LOOP; END $$`);
    await client.end();
  }
});
