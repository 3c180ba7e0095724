/** Pages by cursor: every record once, in the order that pages by number have, whatever the order and whatever happens. */
import { expect } from 'chai';
import { cursorsOf, type Keys } from '../../../runtime/query/keyset.ts';
import { type Running, run, stopAll } from './running.ts';

/** Each is paged by cursor and by number. Values repeat, and many are null. */
const ORDERS: readonly string[] = [
  'id desc',
  'text',
  'text desc, id desc',
  'whole, text desc',
  'whole desc, text, id desc',
  'real',
  'real desc',
  'exact desc, id desc',
  'moment',
  'moment desc, real',
  'day, moment desc, exact',
  'flag desc, moment desc',
  'mood, token desc',
  'mood desc, id, text',
  'owner.name, text',
  'owner.name desc, real, id desc',
  'boss.name desc, flag, moment, id',
  'whole * 9007199254740991 * 1000',
  'whole * 9007199254740991 * 1000 desc, real',
  'owner.size desc, length(text)',
  'coalesce(real, 0.5) desc, day desc',
];

const PROGRAM = `
enum Mood { sad, glad, calm }
model Owner {
  field name { type string, nullable }
  relation items { from Item, through owner }
  computed size { count(items) }
}
model Item {
  field text { type string }
  field whole { type integer }
  field real { type float, nullable }
  field exact { type decimal }
  field moment { type timestamp, nullable }
  field day { type date }
  field flag { type boolean }
  field mood { type Mood, nullable }
  field token { type uuid, nullable }
  reference owner { to Owner }
  reference boss { to Owner, nullable }
  index { whole desc, text }
}
api {
  entrypoint Item {
    response {
      id, text, whole, real, exact, moment, day, flag, mood, token,
      owner { name, size }, boss { name }, large: whole * 9007199254740991 * 1000
    }
    ${ORDERS.map(
      (order, at) => `
        GET many "cursor-${at}" { order by { ${order} }, paginable { by cursor } }
        GET many "number-${at}" { order by { ${order} }, paginable { max 1000 } }`,
    ).join('')}
  }
}
`;

const ITEMS = `
  INSERT INTO owner (name) VALUES ('Ada'), (NULL), ('ada'), ('Zoë'), (NULL);
  INSERT INTO item (text, whole, "real", "exact", moment, day, flag, mood, token, owner_id, boss_id)
  SELECT
    (ARRAY['a', 'B', 'ä', 'a b', '', '"''\\'])[1 + n % 6], n % 5 - 2,
    (ARRAY[0.1, 1e300, 'NaN', NULL, -0.0, 0, 0.30000000000000004])[1 + n % 7],
    (ARRAY[1.5, 1.50, 12345678901234567890.123456789, -3])[1 + n % 4],
    CASE WHEN n % 3 > 0 THEN '2026-03-29 01:59:59.999999+00'::timestamptz + (n % 4) * interval '1 microsecond' END,
    '2024-02-28'::date + n % 3, n % 2 = 0, (ARRAY['sad', 'glad', NULL, 'calm'])[1 + n % 4]::mood,
    CASE WHEN n % 5 > 1 THEN ('00000000-0000-4000-8000-00000000000' || n % 5)::uuid END, 1 + n % 5, NULLIF(n % 6, 0) % 5 + 1
  FROM generate_series(1, 40) AS n`;

const COPIES = `
  INSERT INTO item (text, whole, "real", "exact", moment, day, flag, mood, token, owner_id)
  SELECT text, whole, "real", "exact", moment, day, flag, mood, token, owner_id FROM item ORDER BY md5(id::text) LIMIT 30`;

interface Item {
  readonly id: number;
}

interface Page {
  readonly next: string | null;
  readonly data: readonly Item[];
}

async function pageOf(app: Running, path: string): Promise<Page> {
  const { status, json } = await app.ask(`GET /api/item/${path}`);
  expect(status, JSON.stringify(json)).to.equal(200);
  return json as unknown as Page;
}

async function allPages(
  app: Running,
  path: string,
  pageSize: number,
  between = async () => {},
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let after = '';
  for (;;) {
    const { next, data } = await pageOf(app, `${path}?pageSize=${pageSize}${after}`);
    expect(data.length).to.be.at.most(pageSize);
    items.push(...data);
    if (next === null) return items;
    after = `&after=${next}`;
    await between();
  }
}

describe('pages by cursor', () => {
  let app: Running;

  before(async () => {
    app = await run(PROGRAM);
    await app.database.client.query(ITEMS);
  });
  after(stopAll);

  for (const [at, order] of ORDERS.entries()) {
    it(`are in the order of pages by number: ${order}`, async () => {
      const { data: expected } = await pageOf(app, `number-${at}?pageSize=1000`);
      expect(expected).to.have.length(40);
      for (const pageSize of [1, 11]) expect(await allPages(app, `cursor-${at}`, pageSize)).to.deep.equal(expected);
    });
  }

  it('have each record once that is there all the time, while others come and go', async () => {
    const { client } = app.database;
    for (const at of [1, 4, 9, 12]) {
      const { data: before } = await pageOf(app, `number-${at}?pageSize=1000`);
      let rounds = 0;
      // The record that a page ends with may be among those that go.
      const seen = await allPages(app, `cursor-${at}`, 3, async () => {
        await client.query('DELETE FROM item WHERE id > 40');
        // Ids grow, so that there would always be something behind the last record.
        if (rounds++ < 12) await client.query(COPIES);
      });
      const lasting = seen.filter(({ id }) => id <= 40).map(({ id }) => id);
      expect(lasting).to.deep.equal(before.filter(({ id }) => id <= 40).map(({ id }) => id));
      expect(new Set(seen.map(({ id }) => id)).size).to.equal(seen.length);
      await client.query('DELETE FROM item WHERE id > 40');
    }
  });

  /** The checksum is no secret: whoever knows the program can make a cursor with anything in it. */
  for (const [order, keys] of [
    ['moment', ['2026-02-31 00:00:00+00', '1']],
    ['moment', ['2026-02-01 00:00:00+99:99:99', '1']],
    ['moment', ['2026-02-01 00:00:00+16', '1']],
    ['moment', ['2026-02-01 25:00:00+00', '1']],
    ['moment', ['2026-02-01 00:61:00+00', '1']],
    ['moment', ['999999-13-01 00:00:00+00', '1']],
    ['moment', ['9999-12-31 00:00:00+00 BC', '1']],
    ['moment', ['2026-02-01 00:00:00+00', '9223372036854775808']],
    ['day, moment desc, exact', ['2026-02-30', null, '1', '1']],
    ['day, moment desc, exact', ['9999999-99-99', null, '1', '1']],
    ['day, moment desc, exact', ['2026-02-01', null, '9'.repeat(140), '1.5']],
    ['exact desc, id desc', [`1.${'0'.repeat(1300)}.`, '1']],
    ['real', [`${'9'.repeat(400)}`, '1']],
    ['moment', ['2026-02-01 00:00:00+00']],
    ['moment', ['2026-02-01 00:00:00+00', null]],
    ['moment', ['2026-02-01 00:00:00+00', '99999999999999999999']],
    ['moment', ['2026-02-01 00:00:00+00', '1; DROP TABLE item']],
    ['real', ['1e999', '1']],
    ['real', ['one', '1']],
    ['text', ['a\0b', '1']],
    ['text', ['\ud800', '1']],
    ['text', [null, '1']],
    ['mood, token desc', ['angry', null, '1']],
    ['mood, token desc', ['sad', 'no uuid', '1']],
    ['text', ['x'.repeat(5000), '1; DROP TABLE item']],
    ['text', ['x'.repeat(5000), '99999999999999999999']],
    ['text', ['x'.repeat(5000), '123456789']],
  ] as const) {
    it(`refuse a cursor that was made up: ${order} at ${JSON.stringify(keys).slice(0, 60)}`, async () => {
      const at = ORDERS.indexOf(order);
      const endpoint = app.definition.endpoints.find(({ id }) => id.endsWith(`cursor-${at}`));
      if (endpoint?.response.kind !== 'list') throw new Error('no such list');
      const cursor = cursorsOf(endpoint.id, endpoint.response.query.orderBy).textOf(keys as Keys);
      const { status, json } = await app.ask(`GET /api/item/cursor-${at}?after=${cursor}`);
      expect([status, json.code]).to.deep.equal([400, 'malformed-request']);
      expect(app.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
      expect(json.detail).to.equal('The query parameter `after` must be the `next` of a page of this list, unchanged.');
    });
  }

  it('go on behind a text that is too long for a URL, as long as its record is there', async () => {
    const { client } = app.database;
    await client.query(`${COPIES.replaceAll('SELECT text', "SELECT repeat('zz', 5000) || id")}`);
    const long = `cursor-${ORDERS.indexOf('text')}`;
    const all = await allPages(app, long, 7);
    expect(all).to.have.length(70);
    expect(new Set(all.map(({ id }) => id)).size).to.equal(70);
    const { next } = await pageOf(app, `${long}?pageSize=50`);
    expect(String(next).length).to.be.below(100);
    await client.query('DELETE FROM item WHERE id > 40');
    const { status, json } = await app.ask(`GET /api/item/${long}?after=${next}`);
    expect([status, json.code]).to.deep.equal([400, 'malformed-request']);
  });

  it('refuse every cursor of which a character was changed', async () => {
    const { next } = await pageOf(app, 'cursor-1?pageSize=5');
    const cursor = String(next);
    for (let at = 0; at < cursor.length - 1; at++) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      const { status } = await app.ask(
        `GET /api/item/cursor-1?after=${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`,
      );
      expect(status, `character ${at}`).to.equal(400);
    }
  });
});
