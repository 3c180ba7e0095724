/** Rules about the records of one record: requests lock that record, so they need not be serializable. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { countOf, type Running, run, stopAll, waiting } from './running.ts';

const HALLS = `
model Hall {
  field size { type integer }
  field name { type string, nullable, unique, internal }
  field open { type boolean, default true }
  relation seats { from Seat, through hall }
  computed taken { count(seats) }
}
model Seat { reference hall { to Hall, on delete cascade }, field price { type integer, default 1 } }
api {
  entrypoint Hall as hall {
    path "named"
    identify { through name }
    POST one "count" { action { refuse "full" when count(hall.seats) >= hall.size { status 409 } create Seat { set hall hall } } }
  }
  entrypoint Hall as hall {
    create endpoint {}
    delete endpoint {}
    POST one "book" { authorize { hall.taken < hall.size } action { create Seat { set hall hall } } }
    POST one "count" {
      action {
        query as taken { from hall.seats, count }
        refuse "full" when taken >= hall.size { status 409 }
        create hall.seats as seat {}
      }
    }
    POST one "open" { authorize { hall.open and hall.taken < hall.size } action { create Seat { set hall hall } } }
    POST one "close" { action { refuse "used" when count(hall.seats) > 0 { status 409 } update hall { set open false } } }
    POST one "called" {
      action {
        call { hook { inline "1" } }
        query as taken { from hall.seats, count }
        refuse "full" when taken >= hall.size { status 409 }
        create Seat { set hall hall }
      }
    }
    PATCH one "size" {
      extra inputs { field least { type integer } }
      action { refuse "in-use" when hall.taken > least { status 409 } update hall { set size least } }
    }
    entrypoint seats as seat {
      PATCH one "price" {
        extra inputs { field price { type integer } }
        action {
          refuse "too-dear" when sum(hall.seats.price) - seat.price + price > 20 { status 409 }
          update seat { set price price }
        }
      }
    }
  }
}
`;

const AT_ONCE = 40;
const ROUNDS = 4;

describe('rules about the records of one record', () => {
  let app: Running;

  before(async () => {
    app = await run(HALLS);
  });

  after(stopAll);

  const newHall = async (size: number): Promise<number> => Number((await app.ask('POST /api/hall', { size })).json.id);
  const number = async (sql: string, hall: number) =>
    Number((await app.database.client.query(`SELECT (${sql}) AS n FROM hall WHERE id = $1`, [hall])).rows[0].n);
  const seatsOf = (hall: number) => number('SELECT count(*) FROM seat WHERE hall_id = hall.id', hall);

  /** All are sent while nobody can write, so that without a lock all would have read by then. */
  const together = async <T>(send: (at: number) => Promise<T>): Promise<readonly T[]> => {
    const { client } = app.database;
    await client.query('BEGIN');
    await client.query('LOCK TABLE seat IN SHARE MODE');
    const sent = Promise.all(Array.from({ length: AT_ONCE }, (_, at) => send(at)));
    await until(async () => (await client.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length > 0);
    await sleep(50);
    await client.query('COMMIT');
    return sent;
  };

  it('need nothing that is serializable', () => {
    expect(app.definition.serializable).to.deep.equal([]);
    expect(app.definition.locks?.map(({ endpoint }) => endpoint)).to.include.members(['hall.book', 'hall.close']);
  });

  it('hold through several endpoints, before and behind a call', async () => {
    const paths = ['book', 'count', 'open', 'called'];
    for (let round = 0; round < ROUNDS; round++) {
      const hall = await newHall(5);
      const answers = await together((at) => app.ask(`POST /api/hall/${hall}/${paths[(at + round) % paths.length]}`));
      expect(countOf(answers.map(({ status }) => status)).get(204)).to.equal(5);
      expect(await seatsOf(hall)).to.equal(5);
    }
  });

  it('hold where one endpoint changes the record and the others what belongs to it', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const hall = await newHall(5);
      await together((at) => app.ask(`POST /api/hall/${hall}/${at % 2 ? 'close' : 'open'}`));
      const isOpen = (await number('SELECT open::int', hall)) === 1;
      expect(await seatsOf(hall)).to.equal(isOpen ? 5 : 0);
    }
  });

  it('hold where a value of the record is what is changed', async () => {
    const hall = await newHall(AT_ONCE);
    await together((at) =>
      at % 2 ? app.ask(`POST /api/hall/${hall}/count`) : app.ask(`PATCH /api/hall/${hall}/size`, { least: 3 }),
    );
    expect(await seatsOf(hall)).to.be.at.most(await number('SELECT size', hall));
  });

  it('hold for values of what belongs to it', async () => {
    const hall = await newHall(10);
    for (let seat = 0; seat < 10; seat++) await app.ask(`POST /api/hall/${hall}/book`);
    const { rows } = await app.database.client.query('SELECT id FROM seat WHERE hall_id = $1', [hall]);
    await together((at) => app.ask(`PATCH /api/hall/${hall}/seats/${rows[at % 10].id}/price`, { price: 5 }));
    expect(await number('SELECT sum(price) FROM seat WHERE hall_id = hall.id', hall)).to.be.within(17, 20);
  });

  it('do not make requests for other records wait', async () => {
    const [one, other] = [await newHall(5), await newHall(5)];
    const { client } = app.database;
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM hall WHERE id = $1 FOR NO KEY UPDATE', [one]);
    const held = app.ask(`POST /api/hall/${one}/count`);
    await until(async () => ((await waiting(app)) ?? 0) > 0);
    expect((await app.ask(`POST /api/hall/${other}/count`)).status).to.equal(204);
    await client.query('COMMIT');
    expect((await held).status).to.equal(204);
  });

  it('are about the record that the path names once the lock is had', async () => {
    const [one, other] = [await newHall(5), await newHall(0)];
    const { client } = app.database;
    await client.query('UPDATE hall SET name = $2 WHERE id = $1', [one, 'main']);
    await client.query('BEGIN');
    await client.query('UPDATE hall SET name = $2 WHERE id = $1', [one, 'former']);
    await client.query('UPDATE hall SET name = $2 WHERE id = $1', [other, 'main']);
    const held = app.ask('POST /api/named/main/count');
    await until(async () => ((await waiting(app)) ?? 0) > 0);
    await client.query('COMMIT');
    expect((await held).status).to.equal(409);
    expect([await seatsOf(one), await seatsOf(other)]).to.deep.equal([0, 0]);
  });

  it('are about a record that may be deleted meanwhile: a 404', async () => {
    const hall = await newHall(5);
    const { client } = app.database;
    await client.query('BEGIN');
    await client.query('DELETE FROM hall WHERE id = $1', [hall]);
    const held = app.ask(`POST /api/hall/${hall}/count`);
    await until(async () => ((await waiting(app)) ?? 0) > 0);
    await client.query('COMMIT');
    expect((await held).status).to.equal(404);
  });
});
