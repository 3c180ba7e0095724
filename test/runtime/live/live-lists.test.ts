/** Live lists: what clients are sent, and who is sent what. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { liveReads } from '../../../compiler/definition/live.ts';
import { until } from '../../support/until.ts';
import { type Running, run, stopAll } from '../operations/running.ts';
import { Follower } from './follow.ts';

const CHAT = `
model User { field name { type string, unique }  field password_hash { type string, secret }  reference room { to Room, nullable, internal } }
model Room { field title { type string }  field open { type boolean, default true }  relation messages { from Message, through room } }
model Message { reference room { to Room }  reference author { to User, nullable }  field text { type string }  field hidden { type boolean, default false, index } }
auth { model User, login name, password password_hash }
api {
  entrypoint Room as room {
    create endpoint { authorize { true } }
    update endpoint { authorize { true } }
    delete endpoint { authorize { true } }
    entrypoint messages as message {
      authorize { room.open }
      create endpoint {}
      list endpoint { filter { hidden is false }  order by { id asc }  response { id, text, author { name } }  live }
    }
  }
  entrypoint Message as message {
    update endpoint {}
    delete endpoint {}
    list endpoint { authorize { @auth is not null }  filter { room is @auth.room }  order by { id desc }  paginable { pageSize 3 }  live }
  }
}`;

/** Its tokens come from elsewhere. */
const PROVIDER = `
model Member { field name { type string }  field subject { type string, unique } }
auth { model Member, subject subject }
api { entrypoint Member { list endpoint { authorize { @auth is not null }  live } } }`;
const SECRET = 'a secret that is long enough for HS256!';
const PROVIDED = { KILN_JWT_SECRET: SECRET, KILN_JWT_ISSUER: 'https://id.example', KILN_JWT_AUDIENCE: 'chat' };

function tokenUntil(exp: number): string {
  const claims = { sub: 'ada', iss: PROVIDED.KILN_JWT_ISSUER, aud: PROVIDED.KILN_JWT_AUDIENCE, exp };
  const text = [{ alg: 'HS256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
}

describe('a live list', () => {
  let app: Running;
  const followers: Follower[] = [];
  const follow = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const follower = new Follower(`${app.application.url}${path}`, headers);
    followers.push(follower);
    return follower.first();
  };
  const newRoom = async (): Promise<number> => Number((await app.ask('POST /api/room', { title: 'a' })).json.id);
  const say = async (room: number, text: string): Promise<number> =>
    Number((await app.ask(`POST /api/room/${room}/messages`, { text })).json.id);
  const signUp = async (name: string): Promise<{ readonly id: number; readonly headers: Record<string, string> }> => {
    await app.ask('POST /api/auth/register', { name, password: 'correct horse' });
    const { json } = await app.ask('POST /api/auth/login', { name, password: 'correct horse' });
    const headers = { authorization: `Bearer ${json.token}` };
    const me = await fetch(`${app.application.url}/api/auth/me`, { headers });
    return { id: ((await me.json()) as { id: number }).id, headers };
  };

  before(async () => {
    app = await run(CHAT);
  });
  afterEach(() => {
    for (const follower of followers.splice(0)) follower.stop();
  });
  after(stopAll);

  it('begins with what a GET answers', async () => {
    const room = await newRoom();
    await say(room, 'one "[two]"');
    const follower = await follow(`/api/room/${room}/messages`);
    const { json } = await app.ask(`GET /api/room/${room}/messages`);
    expect(follower.events).to.deep.equal([{ id: '', event: 'list', data: json }]);
    expect(json).to.have.length(1);
  });

  it('sends a new record, a changed one and one that is gone, each by its place', async () => {
    const room = await newRoom();
    const follower = await follow(`/api/room/${room}/messages`);
    const id = await say(room, 'one');
    await until(() => follower.events.length === 2);
    await app.ask(`PATCH /api/message/${id}`, { text: 'two' });
    await until(() => follower.events.length === 3);
    await app.ask(`DELETE /api/message/${id}`);
    await until(() => follower.events.length === 4);
    const item = (text: string) => ({ id, text, author: null });
    expect(follower.events.slice(1).map(({ event, data }) => [event, data])).to.deep.equal([
      ['put', { at: 0, item: item('one'), new: true }],
      ['put', { at: 0, item: item('two'), new: false }],
      ['remove', { at: 0 }],
    ]);
  });

  it('sends of a record that leaves the filter only its place', async () => {
    const room = await newRoom();
    const [first] = [await say(room, 'one'), await say(room, 'two')];
    const follower = await follow(`/api/room/${room}/messages`);
    await app.ask(`PATCH /api/message/${first}`, { text: 'top secret', hidden: true });
    await until(() => follower.events.length === 2);
    expect(follower.events[1]).to.deep.equal({ id: '', event: 'remove', data: { at: 0 } });
    expect(follower.text).not.to.include('top secret');
  });

  it('is found by the value of its parent or of its caller, and by nothing else where that is enough', () => {
    const routesOf = (id: string) => {
      const endpoint = app.definition.endpoints.find((each) => each.id === id) as Parameters<typeof liveReads>[0];
      const { routes, whole } = liveReads(endpoint, app.definition);
      return { routes: routes.map(({ model, field }) => `${model}.${field}`), whole: [...whole] };
    };
    expect(routesOf('room.messages.list')).to.deep.equal({ routes: ['Message.room_id', 'Room.id'], whole: ['User'] });
    expect(routesOf('message.list')).to.deep.equal({ routes: ['Message.room_id'], whole: [] });
  });

  it('follows what the response reads of other records', async () => {
    const room = await newRoom();
    const user = await signUp('ada');
    await app.database.client.query('INSERT INTO message (room_id, author_id, text) VALUES ($1, $2, $3)', [
      room,
      user.id,
      'hi',
    ]);
    const follower = await follow(`/api/room/${room}/messages`);
    await app.database.client.query('UPDATE "user" SET name = \'lovelace\' WHERE id = $1', [user.id]);
    await until(() => follower.events.length === 2);
    expect(follower.rows()[0]?.author).to.deep.equal({ name: 'lovelace' });
  });

  it('ends with an error when the rule no longer holds, and when the parent is gone', async () => {
    const room = await newRoom();
    const follower = await follow(`/api/room/${room}/messages`);
    await app.ask(`PATCH /api/room/${room}`, { open: false });
    await until(() => follower.isClosed);
    expect(follower.events.at(-1)?.event).to.equal('error');
    expect(follower.events.at(-1)?.data.status).to.equal(401);
    const again = await follow(`/api/room/${room}/messages`);
    expect(again.status).to.equal(401);
    const other = await newRoom();
    const second = await follow(`/api/room/${other}/messages`);
    await app.ask(`DELETE /api/room/${other}`);
    await until(() => second.isClosed);
    expect(second.events.at(-1)?.data.status).to.equal(404);
  });

  it('has pages, whose other members are sent when they change', async () => {
    const room = await newRoom();
    const { id, headers } = await signUp('grace');
    await app.database.client.query('UPDATE "user" SET room_id = $1 WHERE id = $2', [room, id]);
    const follower = await follow('/api/message', headers);
    for (const text of ['a', 'b', 'c']) await say(room, text);
    await until(() => follower.rows().length === 3);
    await say(room, 'd');
    const shown = async () => (await fetch(`${app.application.url}/api/message`, { headers })).json();
    await until(
      () => follower.rows().length === 3 && (follower.bodies.get('') as { totalCount: number }).totalCount === 4,
    );
    expect(follower.bodies.get('')).to.deep.equal(await shown());
    expect(follower.names()).to.include.members(['page', 'put', 'remove']);
  });

  it('shows another list when a value of the caller changes, and ends when the password does', async () => {
    const [room, other] = [await newRoom(), await newRoom()];
    await say(room, 'first room');
    await say(other, 'second room');
    const { id, headers } = await signUp('emmy');
    await app.database.client.query('UPDATE "user" SET room_id = $1 WHERE id = $2', [room, id]);
    const follower = await follow('/api/message', headers);
    expect(follower.rows().map(({ text }) => text)).to.deep.equal(['first room']);
    await app.database.client.query('UPDATE "user" SET room_id = $1 WHERE id = $2', [other, id]);
    await until(() => follower.rows()[0]?.text === 'second room');
    expect(follower.names()).to.include('resync');
    await app.database.client.query(`UPDATE "user" SET password_hash = 'x' WHERE id = $1`, [id]);
    await until(() => follower.isClosed);
    expect(follower.events.at(-1)?.data.status).to.equal(401);
  });

  it('sends nothing of what is stored together with the loss of access', async () => {
    const room = await newRoom();
    const { id, headers } = await signUp('sofia');
    const { client } = app.database;
    const move = (to: number | null) => client.query('UPDATE "user" SET room_id = $1 WHERE id = $2', [to, id]);
    await move(room);
    const follower = await follow('/api/message', headers);
    // Those who wait for the same turns.
    for (let others = 0; others < 20; others++) await follow(`/api/room/${await newRoom()}/messages`);
    for (let round = 0; round < 6; round++) {
      await client.query('BEGIN');
      await move(null);
      await client.query(`INSERT INTO message (room_id, text) VALUES (${room}, 'topsecret')`);
      await client.query('COMMIT');
      await until(() => follower.rows().length === 0 && follower.names().at(-1) === 'list');
      expect(follower.text).not.to.include('topsecret');
      await client.query('DELETE FROM message');
      await move(room);
      const visible = `round ${round}`;
      await say(room, visible);
      await until(() => follower.rows().some(({ text }) => text === visible));
    }
  });

  it('gives everything to those whose values are the same after they were looked at again', async () => {
    const room = await newRoom();
    const { id, headers } = await signUp('hypatia');
    const { client } = app.database;
    await client.query('UPDATE "user" SET room_id = $1 WHERE id = $2', [room, id]);
    const both = [await follow('/api/message', headers), await follow('/api/message', headers)];
    for (let round = 0; round < 3; round++) {
      await client.query('BEGIN');
      await client.query('UPDATE "user" SET name = $1 WHERE id = $2', [`hypatia ${round}`, id]);
      await client.query('INSERT INTO message (room_id, text) VALUES ($1, $2)', [room, `${round}`]);
      await client.query('COMMIT');
      await until(() => both.every((follower) => follower.rows()[0]?.text === `${round}`));
    }
  });

  it('ends when the token does, which no change of the database tells', async () => {
    const own = await run(PROVIDER, { tokensEvery: 100, environment: PROVIDED });
    await own.database.client.query(`INSERT INTO member (name, subject) VALUES ('Ada', 'ada')`);
    const seconds = Math.floor(Date.now() / 1000);
    const [short, long] = [seconds + 4, seconds + 1000].map((exp) => ({ authorization: `Bearer ${tokenUntil(exp)}` }));
    const [ending, staying] = [short, long].map(
      (headers) => new Follower(`${own.application.url}/api/member`, headers),
    );
    followers.push(ending as Follower, staying as Follower);
    for (const follower of followers) expect((await follower.first()).status).to.equal(200);
    await until(() => ending?.isClosed === true);
    expect(Date.now() / 1000).to.be.at.least(seconds + 4);
    expect(ending?.events.at(-1)).to.deep.include({ event: 'error' });
    expect(ending?.events.at(-1)?.data.status).to.equal(401);
    await own.database.client.query(`UPDATE member SET name = 'Grace'`);
    await until(() => staying?.rows()[0]?.name === 'Grace');
    expect(ending?.text).not.to.include('Grace');
  });

  it('shares a connection with others, each of which may fail by itself', async () => {
    const room = await newRoom();
    const paths = [`/api/room/${room}/messages`, '/api/room/999999/messages', '/api/nothing', '/api/message'];
    const query = paths.map((path) => `list=${encodeURIComponent(path)}`).join('&');
    const follower = await follow(`/api/live?${query}`);
    await until(() => follower.events.length === 4);
    const seen = new Map(follower.events.map(({ id, event, data }) => [id, data.status ?? event]));
    expect(Object.fromEntries(seen)).to.deep.equal({ 0: 'list', 1: 404, 2: 404, 3: 401 });
    await say(room, 'here');
    await until(() => follower.rows('0').length === 1);
    expect((await app.ask('GET /api/live')).status).to.equal(400);
  });

  it('gives the list again after the table of changes was emptied, as a crash does', async () => {
    const room = await newRoom();
    const follower = await follow(`/api/room/${room}/messages`);
    const { client } = app.database;
    await client.query('BEGIN');
    await client.query(`INSERT INTO message (room_id, text) VALUES (${room}, 'unseen')`);
    await client.query('DELETE FROM kiln_changes');
    await client.query('COMMIT');
    // A change from before may show it first.
    await until(() => follower.names().slice(-2).join() === 'resync,list');
    expect(follower.rows()).to.have.length(1);
  });

  it('sees a transaction that ends after later ones', async () => {
    const room = await newRoom();
    const follower = await follow(`/api/room/${room}/messages`);
    const { client } = app.database;
    await client.query('BEGIN');
    await client.query(`INSERT INTO message (room_id, text) VALUES (${room}, 'slow')`);
    for (const text of ['a', 'b', 'c']) await say(room, text);
    await until(() => follower.rows().length === 3);
    await client.query('COMMIT');
    await until(() => follower.rows().length === 4);
  });

  it('answers HEAD without a stream, and a GET that asks for JSON as before', async () => {
    const url = `${app.application.url}/api/room/${await newRoom()}/messages`;
    const head = await fetch(url, { method: 'HEAD', headers: { accept: 'text/event-stream' } });
    expect([head.status, head.headers.get('content-type')]).to.deep.equal([200, 'text/event-stream; charset=utf-8']);
    expect(await head.text()).to.equal('');
    expect(await (await fetch(url)).json()).to.deep.equal([]);
  });
});
