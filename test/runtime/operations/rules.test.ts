/** Rules about records that nobody locks: of many requests at once, no more get through than one after the other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { HookContext } from '../../../runtime/hooks/context.ts';
import { isSlow, itInBoth } from '../../support/slow.ts';
import { until } from '../../support/until.ts';
import { bearer, countOf, type Received, type Running, run, stopAll } from './running.ts';

const ROOMS = `
model Room {
  field name { type string, unique }
  field closed { type boolean, default false }
  relation bookings { from Booking, through room }
  relation seats { from Seat, through room }
  computed load { sum(bookings.persons) }
  query paid { from bookings as booking, filter { booking.paid } }
}
model Booking {
  reference room { to Room, on delete cascade }
  field guest { type string, default "somebody" }
  field persons { type integer, default 1 }
  field paid { type boolean, default false }
}
model Seat { reference room { to Room }, field number { type integer }, field taken { type boolean, default false } }
model Event { reference room { to Room } }
api {
  entrypoint Room as room {
    identify { through name }
    create endpoint {}
    get endpoint { response { name, closed, load } }
    POST one "book" {
      action {
        query as taken { from room.bookings, count }
        validate with key "room" { isEqual(taken, 0) }
        create Booking { set room room }
      }
    }
    POST one "refused" {
      action {
        query as taken { from room.bookings, count }
        refuse "taken" when taken > 0
        create Booking { set room room }
      }
    }
    POST one "many" {
      action {
        query as taken { from room.bookings, count }
        validate with key "room" { max(taken, 49) }
        create Booking { set room room }
      }
    }
    POST one "reserve" {
      authorize { count(room.bookings) is 0 }
      action { create Booking { set room room, set guest "reserved" } }
    }
    POST one "first" {
      authorize { not exists(room.bookings) }
      action { create room.bookings as booking { set guest "first" } }
    }
    POST one "after" {
      action {
        create Booking as booking { set room room }
        validate with key "room" { max(booking.room.load, 1) }
      }
    }
    POST one "pay" {
      action {
        validate with key "room" { isEqual(count(room.paid), 0) }
        query { from room.bookings as booking, filter { booking.guest is "a" and not booking.paid }, limit 1, update { set paid true } }
      }
    }
    POST one "sit" {
      action {
        query as seat { from room.seats as seat, filter { not seat.taken }, one, select { number } }
        update seat { set taken true }
        respond { body seat.number }
      }
    }
    POST one "hold" {
      authorize { room.load is 0 }
      action { create Event { set room room } create Booking { set room room } }
    }
    POST one "open" {
      authorize { not room.closed }
      action { create Event { set room room } }
    }
    POST one "close" {
      action {
        query as events { from Event as event, filter { event.room is room }, count }
        validate with key "room" { isEqual(events, 0) }
        update room { set closed true }
      }
    }
    POST one "leave" {
      action {
        query as left { from room.bookings, count }
        validate with key "room" { min(left, 2) }
        query { from room.bookings as booking, order by { booking.id desc }, limit 1, delete }
      }
    }
    POST one "coded" {
      action {
        query as taken { from room.bookings, count }
        validate with key "room" { isEqual(taken, 0) }
        execute { hook { source pause from "code" } }
        create Booking { set room room }
      }
    }
    POST one "code" {
      action {
        query as taken { from room.bookings, count }
        validate with key "room" { isEqual(taken, 0) }
        execute { hook { arg room room.id, source insert from "code" } }
      }
    }
    POST one "caught" {
      action {
        query as taken { from room.bookings, count }
        validate with key "room" { isEqual(taken, 0) }
        execute { hook { arg room room.id, source insertQuietly from "code" } }
      }
    }
    POST one "written" {
      action {
        query as taken { from room.bookings, count }
        validate with key "room" { isEqual(taken, 0) }
        execute { hook { source write from "code" }, responds }
        create Booking { set room room }
      }
    }
  }
}
`;

const AT_ONCE = 60;
const ROUNDS = isSlow ? 10 : 3;

function times<T>(count: number, make: (at: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => make(at)));
}

function statusesOf(answers: readonly Received[]): Readonly<Record<number, number>> {
  return Object.fromEntries(countOf(answers.map(({ status }) => status)));
}

describe('rules that many requests at once run into', () => {
  let app: Running;
  let rooms = 0;

  before(async () => {
    const code = {
      pause: () => sleep(5),
      insert: async ({ room }: Readonly<Record<string, unknown>>, { db }: HookContext) => {
        await sleep(5);
        await db.Booking?.query().insert({ room_id: room, guest: 'code', persons: 1, paid: false });
      },
    };
    const quiet = {
      insertQuietly: (args: Readonly<Record<string, unknown>>, context: HookContext) =>
        code.insert(args, context).catch(() => undefined),
      write: async (_: unknown, { response }: HookContext) => {
        await sleep(5);
        response.appendHeader('x-written', 'once');
        response.end('booked');
      },
    };
    app = await run(ROOMS, { code: { ...code, ...quiet } as never });
  });

  after(stopAll);

  const newRoom = async (): Promise<string> => {
    const name = `r${++rooms}`;
    await app.ask('POST /api/room', { name });
    return name;
  };

  const numberOf = async (sql: string, room: string) =>
    Number((await app.database.client.query(`SELECT (${sql}) AS n FROM room WHERE name = $1`, [room])).rows[0].n);

  const bookingsOf = (room: string) => numberOf('SELECT count(*) FROM booking WHERE room_id = room.id', room);

  /** Sends a request again that a slow machine could not serve within five seconds, as its `Retry-After` asks. */
  const post = async (path: string): Promise<Received> => {
    const start = performance.now();
    const answer = await app.ask(`POST /api/room/${path}`);
    if (answer.status !== 503) return answer;
    expect(performance.now() - start, answer.text).to.be.greaterThan(4_900);
    return post(path);
  };

  /** Keeps what is sent from writing until all of it had time to read. */
  const together = async <T>(send: () => Promise<T>): Promise<T> => {
    const { client } = app.database;
    await client.query('BEGIN');
    await client.query('LOCK TABLE room, booking, event, seat IN SHARE MODE');
    const sent = send();
    await until(async () => (await client.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length >= 2);
    await sleep(100);
    await client.query('COMMIT');
    return sent;
  };

  itInBoth('book a room once, by `count` and `validate`, again and again', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const room = await newRoom();
      const answers = await times(AT_ONCE, () => post(`${room}/book`));
      expect(statusesOf(answers)).to.deep.equal({ 204: 1, 422: AT_ONCE - 1 });
      expect(await bookingsOf(room)).to.equal(1);
    }
  });

  itInBoth('book a room once through several endpoints, each with a rule of its own', async () => {
    const paths = ['book', 'reserve', 'first', 'after', 'hold'];
    for (let round = 0; round < ROUNDS; round++) {
      const room = await newRoom();
      const answers = await together(() => times(AT_ONCE, (at) => post(`${room}/${paths[at % 5]}`)));
      const { 204: booked, ...others } = statusesOf(answers);
      expect(booked).to.equal(1);
      expect(Object.keys(others)).to.have.members(['401', '422']);
      expect(await bookingsOf(room)).to.equal(1);
    }
  });

  for (const [path, what] of [
    ['refused', '`count` and `refuse`'],
    ['reserve', '`count` in authorize'],
    ['first', '`exists` on a relation'],
    ['after', 'a computed value of another record, read after the write'],
    ['hold', "a computed value of the path's record"],
  ] as const) {
    it(`book a room once, by ${what}`, async () => {
      const room = await newRoom();
      const answers = await together(() => times(AT_ONCE, () => post(`${room}/${path}`)));
      expect(statusesOf(answers)[204]).to.equal(1);
      expect(await bookingsOf(room)).to.equal(1);
    });
  }

  it('change no more records than a rule allows', async () => {
    const room = await newRoom();
    await app.database.client.query(
      `INSERT INTO booking (room_id, guest, persons, paid) SELECT id, 'a', 1, false FROM room, generate_series(1, 20) WHERE name = '${room}'`,
    );
    await together(() => times(AT_ONCE, () => post(`${room}/pay`)));
    expect(await numberOf('SELECT count(*) FROM booking WHERE room_id = room.id AND paid', room)).to.equal(1);
  });

  it('delete no more records than a rule allows', async () => {
    const room = await newRoom();
    await app.database.client.query(
      `INSERT INTO booking (room_id, guest, persons, paid) SELECT id, 'a', 1, false FROM room, generate_series(1, 5) WHERE name = '${room}'`,
    );
    const answers = await together(() => times(AT_ONCE, () => post(`${room}/leave`)));
    expect(statusesOf(answers)).to.deep.equal({ 204: 4, 422: AT_ONCE - 4 });
    expect(await bookingsOf(room)).to.equal(1);
  });

  it('give each seat to one request', async () => {
    const room = await newRoom();
    await app.database.client.query(
      `INSERT INTO seat (room_id, number, taken) SELECT id, n, false FROM room, generate_series(1, 20) n WHERE name = '${room}'`,
    );
    const answers = await times(30, () => post(`${room}/sit`));
    expect(statusesOf(answers)).to.deep.equal({ 200: 20, 404: 10 });
    const given = answers.filter(({ status }) => status === 200).map(({ text }) => Number(text));
    expect(new Set(given)).to.have.property('size', 20);
  });

  it('keep two endpoints apart that each read what the other writes', async () => {
    const room = await newRoom();
    const answers = await together(() => times(8, (at) => post(`${room}/${at % 2 ? 'open' : 'close'}`)));
    const events = await numberOf('SELECT count(*) FROM event WHERE room_id = room.id', room);
    const isClosed = (await numberOf('SELECT closed::int', room)) === 1;
    expect(isClosed).to.equal(events === 0);
    expect(statusesOf(answers)[204]).to.equal(4);
  });

  for (const path of ['coded', 'code', 'caught']) {
    itInBoth(`hold where a hook takes part (${path}), which is repeated with its transaction`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const room = await newRoom();
        const answers = await together(() => times(AT_ONCE, () => post(`${room}/${path}`)));
        expect(statusesOf(answers)).to.deep.equal({ 204: 1, 422: AT_ONCE - 1 });
        expect(await bookingsOf(room)).to.equal(1);
      }
    });
  }

  it('send what a hook writes once, however often it was repeated', async () => {
    const room = await newRoom();
    const answers = await together(() => times(AT_ONCE, () => post(`${room}/written`)));
    expect(statusesOf(answers)).to.deep.equal({ 200: 1, 422: AT_ONCE - 1 });
    const written = answers.find(({ status }) => status === 200);
    expect([written?.text, written?.headers['x-written']]).to.deep.equal(['booked', 'once']);
  });

  it('let all through that keep the rule, also where all of them read and write the same', async () => {
    const room = await newRoom();
    const answers = await times(AT_ONCE, () => post(`${room}/many`));
    expect(statusesOf(answers)).to.deep.equal({ 204: 50, 422: AT_ONCE - 50 });
    expect(await bookingsOf(room)).to.equal(50);
  });

  it('let all through that are about different records', async () => {
    const names = await times(20, newRoom);
    const answers = await times(AT_ONCE, (at) => post(`${names[at % 20]}/book`));
    expect(statusesOf(answers)).to.deep.equal({ 204: 20, 422: AT_ONCE - 20 });
  });
});

const ADMINS = `
auth { model User, login email, password hash }
model User { field email { type string, unique }, field hash { type string, secret }, field admin { type boolean, default false } }
api {
  entrypoint User as user {
    POST one "demote" { authorize { @auth is not null and @auth.admin } action { update user { set admin false } } }
  }
}
`;

describe('rules about the caller', () => {
  afterEach(stopAll);

  itInBoth('hold while others change the caller: of two admins who demote each other, one stays', async () => {
    const app = await run(ADMINS);
    const accounts = ['a@x.org', 'b@x.org'].map((email) => ({ email, password: 'a good password' }));
    for (const account of accounts) await app.ask('POST /api/auth/register', account);
    const logins = await Promise.all(accounts.map((account) => app.ask('POST /api/auth/login', account)));
    for (let round = 0; round < ROUNDS; round++) {
      await app.database.client.query('UPDATE "user" SET admin = true');
      const answers = await times(10, (at) =>
        app.ask(`POST /api/user/${2 - (at % 2)}/demote`, undefined, bearer(logins[at % 2]?.json.token)),
      );
      const { rows } = await app.database.client.query('SELECT id FROM "user" WHERE admin');
      expect(rows).to.have.length(1);
      expect(statusesOf(answers)[403]).to.equal(5);
    }
  });
});
