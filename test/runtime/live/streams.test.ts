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
  const follow = async (url: string) => {
    const follower = new Follower(url);
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
