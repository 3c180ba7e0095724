/** Streams of live lists under strain: many, slow ones, several servers, a database that goes away. */
import { connect } from 'node:net';
import { expect } from 'chai';
import { startApplication } from '../../support/application.ts';
import { until } from '../../support/until.ts';
import { type Running, run, stopAll } from '../operations/running.ts';
import { Follower } from './follow.ts';

const NOTES = `
model Board { field title { type string }  relation notes { from Note, through board } }
model Note { reference board { to Board }  field text { type string } }
api {
  entrypoint Board {
    create endpoint { authorize { true } }
    entrypoint notes {
      create endpoint { authorize { true } }
      list endpoint { order by { id asc }  live }
    }
  }
}`;

describe('streams of live lists', () => {
  let app: Running;
  const followers: Follower[] = [];
  const follow = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
    const follower = new Follower(url, headers);
    followers.push(follower);
    return follower.first();
  };
  const notesOf = (board: number, url = app.application.url) => `${url}/api/board/${board}/notes`;
  const newBoard = async () => Number((await app.ask('POST /api/board', { title: 'a' })).json.id);
  const write = (board: number, text: string) => app.ask(`POST /api/board/${board}/notes`, { text });

  beforeEach(async () => {
    app = await run(NOTES, { environment: { LIVE_MAX: '300' } });
  });
  afterEach(async () => {
    for (const follower of followers.splice(0)) follower.stop();
    await stopAll();
  });

  it('are refused beyond LIVE_MAX, and have a place again when others end', async () => {
    const url = notesOf(await newBoard());
    const all = await Promise.all(Array.from({ length: 300 }, () => follow(url)));
    expect(all.filter(({ status }) => status === 200)).to.have.length(300);
    expect((await follow(url)).status).to.equal(503);
    all[0]?.stop();
    await until(async () => (await follow(url)).status === 200);
  });

  it('of one network carry 256 lists, which LIVE_MAX counts one by one; a stream whose lists have all failed ends', async () => {
    const own = await run(NOTES, { environment: { LIVE_MAX: '300', TRUST_PROXY: '1' } });
    const { id } = (await own.ask('POST /api/board', { title: 'a' })).json;
    const lists = (count: number) => Array(count).fill(`list=/api/board/${id}/notes`).join('&');
    const from = (address: string, count: number) =>
      follow(`${own.application.url}/api/live?${lists(count)}`, { 'x-forwarded-for': address });
    for (let streams = 0; streams < 8; streams++) await from('203.0.113.7', 32);
    await until(() => followers.every(({ bodies }) => bodies.size === 32));
    const further = new Follower(`${own.application.url}/api/live?${lists(2)}`, { 'x-forwarded-for': '203.0.113.7' });
    await until(() => further.isClosed);
    expect(further.events.map(({ event, data }) => [event, data.status])).to.deep.equal([
      ['error', 429],
      ['error', 429],
    ]);
    const single = `${own.application.url}/api/board/${id}/notes`;
    expect((await follow(single, { 'x-forwarded-for': '203.0.113.7' })).status).to.equal(429);
    expect((await from('203.0.113.8', 32)).status).to.equal(200);
    expect((await from('203.0.113.9', 13)).status).to.equal(503);
    expect((await from('203.0.113.9', 12)).status).to.equal(200);
    followers[0]?.stop();
    await until(async () => (await follow(single, { 'x-forwarded-for': '203.0.113.7' })).status === 200);
  });

  it('with other names in the query, which nothing takes, have the same list', async () => {
    const own = await run(NOTES, { environment: { METRICS_PORT: '0' } });
    const { id } = (await own.ask('POST /api/board', { title: 'a' })).json;
    for (let other = 0; other < 5; other++) await follow(`${own.application.url}/api/board/${id}/notes?x=${other}`);
    const metrics = await (await fetch(`http://127.0.0.1:${own.application.metricsPort}/metrics`)).text();
    expect(metrics).to.match(/kiln_live\{[^}]*streams[^}]*\} 5/);
    expect(metrics).to.match(/kiln_live\{[^}]*groups[^}]*\} 1/);
  });

  it('on a slow line may begin with a long list', async () => {
    const board = await newBoard();
    await app.database.client.query(
      `INSERT INTO note (board_id, text) SELECT ${board}, repeat('x', 100000) FROM generate_series(1, 150)`,
    );
    let received = '';
    const socket = connect(app.port, '127.0.0.1').on('error', () => undefined);
    socket.on('data', (data) => {
      received = (received + data).slice(-1000);
    });
    socket.pause();
    socket.write(`GET /api/board/${board}/notes HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`);
    const follower = await follow(notesOf(board));
    for (const [at, text] of ['first', 'second', 'third'].entries()) {
      await write(board, text);
      await until(() => follower.rows().length === 151 + at);
    }
    socket.resume();
    await until(() => received.includes('"third"') || socket.destroyed);
    expect(received).to.include('"third"');
    socket.destroy();
  });

  it('need no other list after changes could not be read once', async () => {
    const board = await newBoard();
    const follower = await follow(notesOf(board));
    const { client } = app.database;
    await client.query('ALTER TABLE kiln_changes RENAME TO kiln_changes_away');
    await until(() => app.lines.some(({ msg }) => String(msg).startsWith('changes for live lists could not be read')));
    await client.query('ALTER TABLE kiln_changes_away RENAME TO kiln_changes');
    await write(board, 'a');
    await until(() => follower.rows().length === 1);
    expect(follower.names()).to.deep.equal(['list', 'put']);
  });

  it('are told when to come back when the server stops', async () => {
    const follower = await follow(notesOf(await newBoard()));
    await app.application.stop();
    await until(() => follower.isClosed);
    const { event, data } = follower.events.at(-1) ?? { event: '', data: {} };
    expect(event).to.equal('bye');
    expect(data.after).to.be.within(0, 10_000);
  });

  it('that are never read are closed, and the others get every change', async () => {
    const board = await newBoard();
    const port = app.port;
    const silent = Array.from({ length: 100 }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.pause();
      socket.write(`GET /api/board/${board}/notes HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`);
      return socket;
    });
    const follower = await follow(notesOf(board));
    const text = 'x'.repeat(100_000);
    for (let notes = 0; notes < 80; notes++) {
      await write(board, text);
      await until(() => follower.rows().length === notes + 1);
    }
    // Those that were not closed would stay open when they are read.
    for (const socket of silent) socket.resume();
    await until(() => silent.every(({ closed, destroyed }) => closed || destroyed));
    expect(follower.isClosed).to.equal(false);
  });

  it('of two servers converge to what a GET answers while both write', async () => {
    const other = await startApplication({ definition: app.definition, databaseUrl: app.database.url });
    try {
      const board = await newBoard();
      const both = [await follow(notesOf(board)), await follow(notesOf(board, other.url))];
      const send = (url: string) =>
        fetch(notesOf(board, url), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"text":"a"}',
        });
      for (let round = 0; round < 20; round++)
        await Promise.all([...Array(10)].flatMap(() => [send(app.application.url), send(other.url)]));
      await until(() => both.every((follower) => follower.rows().length === 400));
      const { json } = await app.ask(`GET /api/board/${board}/notes`);
      for (const follower of both) expect(follower.rows()).to.deep.equal(json);
    } finally {
      await other.stop();
    }
  });

  it('converge after all connections of the server to Postgres were cut', async () => {
    const board = await newBoard();
    const follower = await follow(notesOf(board));
    const { client } = app.database;
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await client.query(`INSERT INTO note (board_id, text) VALUES (${board}, 'meanwhile')`);
    await until(() => follower.rows().length === 1);
    expect(follower.isClosed).to.equal(false);
  });

  it('take many changes of one statement as one', async () => {
    const [board, other] = [await newBoard(), await newBoard()];
    const [first, second] = [await follow(notesOf(board)), await follow(notesOf(other))];
    await app.database.client.query(
      `INSERT INTO note (board_id, text) SELECT CASE WHEN n % 2 = 0 THEN ${board} ELSE ${other} END, n::text FROM generate_series(1, 600) AS n`,
    );
    await until(() => first.rows().length === 300 && second.rows().length === 300);
    const { rows } = await app.database.client.query("SELECT count(*)::int FROM kiln_changes WHERE source = 'note'");
    expect(rows[0].count).to.equal(1);
  });
});
