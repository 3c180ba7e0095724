import { expect } from 'chai';
import { ask } from '../http/serving.ts';
import { type Running, run, stopAll } from './running.ts';

/** Each is an error of Postgres for the row `large`. */
const COMPUTED = {
  plus: 'a + b',
  minus: '-a - b',
  times: 'a * b',
  nested: '(a * b) + (a - b) * 2',
  negated: '-((-a - a) - 2)',
  absolute: 'abs(-a - a - 2)',
  float_plus: 'f + f',
  float_times: 'f * f',
  tiny: 'g * g',
  quotient: 'f / g',
  whole: 'round(f)',
  places: 'round(f, a)',
  hundreds: 'round(a, -19)',
  widened: 'd / 2.0',
  decimal_times: 'd * d',
  decimal_plus: 'd + d',
  joined: '"area " + stringify(a * b)',
  total: 'sum(parts.n)',
  product: 'sum(parts.square)',
  float_total: 'sum(parts.x)',
  float_average: 'avg(parts.x)',
  decimal_total: 'sum(parts.d)',
  largest: 'max(parts.square)',
  or_zero: 'coalesce(sum(parts.square), 0)',
  text: 'concat(name, stringify(a * b))',
};
const NAMES = Object.keys(COMPUTED) as readonly (keyof typeof COMPUTED)[];

/** Of the row `small`. */
const SMALL: Readonly<Record<keyof typeof COMPUTED, unknown>> = {
  plus: 5,
  minus: -5,
  times: 6,
  nested: 4,
  negated: 6,
  absolute: 6,
  float_plus: 3,
  float_times: 2.25,
  tiny: 0.25,
  quotient: 3,
  whole: 2,
  places: 1.5,
  hundreds: 0,
  widened: '0.75',
  decimal_times: '2.25',
  decimal_plus: '3.0',
  joined: 'area 6',
  total: 3,
  product: 5,
  float_total: 3.75,
  float_average: 1.875,
  decimal_total: '3.75',
  largest: 4,
  or_zero: 5,
  text: 'small6',
};

const SOURCE = `
model Plot {
  field name { type string, unique }
  field a { type integer }
  field b { type integer }
  field f { type float }
  field g { type float }
  field d { type decimal }
  field bound { type integer, nullable }
  relation parts { from Part, through plot }
  query large_parts { from parts, filter { n * n > 3 }, order by { n * n desc } }
${NAMES.map((name) => `  computed ${name} { ${COMPUTED[name]} }`).join('\n')}
}
model Part {
  field n { type integer }
  field x { type float }
  field d { type decimal }
  reference plot { to Plot }
  computed square { n * n }
}
api {
  entrypoint Plot as plot {
    identify { through name }
    response { name, times }
    list endpoint { response { name, ${NAMES.join(', ')}, parts { n, square } } }
    get endpoint { response { name, ${NAMES.join(', ')}, large_parts { n, square } } }
    create endpoint {}
    update endpoint { response { name, times, parts { square }, large_parts { square }, total } }
    GET many "filtered" {
      action {
        query as rows { from Plot, filter { a * b > 5 }, order by { a * b desc, f * f }, select { name } }
        respond { body rows }
      }
    }
    POST one "copy" { action { update plot { set b plot.times } } }
    POST one "guarded" { authorize { plot.a * plot.b < 7 } action { update plot { set name plot.name } } }
    GET one "guarded-read" { authorize { plot.times < 7 } response { name } }
    POST one "guarded-write" { authorize { plot.times < 7 } action { update plot { set name plot.name } } }
    POST many "raise" { action { query as rows { from Plot, update { set b a * b } } } }
    GET many "others" {
      action {
        query as rows {
          from Plot
          filter { not (a * b in [6, 7]) and a * b is not bound and not (a * b in parts.n) }
          select { name }
        }
        respond { body rows }
      }
    }
    POST many "clear-others" { action { query as rows { from Plot, filter { not (a * b in [6, 7]) }, delete } } }
    POST many "clear" { action { query as rows { from Plot, filter { a * b > 5 }, delete } } }
  }
  entrypoint Part as part {
    list endpoint { filter { n * n > 3 }, order by { square desc }, paginable }
  }
}
api Sorted { entrypoint Plot as plot { list endpoint { response { name }, order by { times desc, plus } } } }
`;

const LONG = `'${'9'.repeat(131_072)}'`;

async function fill({ database: { client } }: Running): Promise<void> {
  const columns = '("name", "a", "b", "f", "g", "d")';
  const most = Number.MAX_SAFE_INTEGER;
  await client.query(`INSERT INTO "plot" ${columns} VALUES ('small', 2, 3, 1.5, 0.5, 1.5)`);
  await client.query(`INSERT INTO "plot" ${columns} VALUES ('middle', 5, 7, 1.5, 0.5, 1.5)`);
  await client.query(
    `INSERT INTO "plot" ${columns} VALUES ('large', 9223372036854775807, 9223372036854775807, 1.7e308, 1e-308, ${LONG})`,
  );
  await client.query(`INSERT INTO "part" ("n", "x", "d", "plot_id") VALUES (1, 1.25, 1.25, 1), (2, 2.5, 2.5, 1)`);
  await client.query(
    `INSERT INTO "part" ("n", "x", "d", "plot_id") SELECT 9223372036854775807, 1.7e308, ${LONG}, 3 FROM generate_series(1, 3)`,
  );
  await client.query(`INSERT INTO "part" ("n", "x", "d", "plot_id") VALUES (${most}, 1, 1, 2), (3, 1, 1, 2)`);
}

const overflows = async ({ application }: Running) => {
  const { text } = await ask(application.metricsPort ?? 0, '/metrics');
  return [...text.matchAll(/^kiln_overflows_total\{model="(\w+)"\} (\d+)$/gm)].map(([, model, count]) => [
    model,
    count,
  ]);
};

describe('a value of a row that is out of range', () => {
  let plots: Running;

  beforeEach(async () => {
    plots = await run(SOURCE, { environment: { METRICS_PORT: '0' } });
    await fill(plots);
  });

  afterEach(stopAll);

  it('is null in a list, and the other rows are as they are', async () => {
    const { status, json } = await plots.ask('GET /api/plot');
    expect(status).to.equal(200);
    const [small, , large] = json as unknown as Record<string, unknown>[];
    expect(small).to.deep.equal({
      name: 'small',
      ...SMALL,
      parts: [
        { n: 1, square: 1 },
        { n: 2, square: 4 },
      ],
    });
    expect(Object.keys(SMALL).filter((name) => large?.[name] !== null)).to.deep.equal(['float_average']);
    expect(large?.parts).to.deep.equal(Array(3).fill({ n: 2 ** 63, square: null }));
  });

  it('is null in a record', async () => {
    const { status, json } = await plots.ask('GET /api/plot/large');
    expect(status).to.equal(200);
    expect(json).to.include({ name: 'large', times: null, total: null });
    expect(json.large_parts).to.deep.equal([]);
  });

  it('is null in the answer of a write, which is stored', async () => {
    const values = { f: 1, g: 1, d: '1' };
    const most = Number.MAX_SAFE_INTEGER;
    const created = await plots.ask('POST /api/plot', { name: 'new', a: most, b: most, ...values });
    expect([created.status, created.json]).to.deep.equal([201, { name: 'new', times: null }]);
    const updated = await plots.ask('PATCH /api/plot/middle', { a: most, b: most });
    expect(updated.status).to.equal(200);
    expect(updated.json).to.deep.equal({
      name: 'middle',
      times: null,
      // Postgres has room for it, and JavaScript would round it.
      total: null,
      parts: [{ square: null }, { square: 9 }],
      large_parts: [{ square: 9 }],
    });
    const { rows } = await plots.database.client.query(`SELECT count(*) FROM "plot" WHERE "a" = ${most}`);
    expect(rows).to.deep.equal([{ count: '2' }]);
  });

  it('is false in a filter and last in an order', async () => {
    const filtered = await plots.ask('GET /api/plot/filtered');
    expect([filtered.status, filtered.json]).to.deep.equal([200, [{ name: 'middle' }, { name: 'small' }]]);
    const sorted = await plots.ask('GET /api/sorted/plot');
    expect([sorted.status, sorted.json]).to.deep.equal([
      200,
      [{ name: 'middle' }, { name: 'small' }, { name: 'large' }],
    ]);
    const page = await plots.ask('GET /api/part?pageSize=2');
    expect(page.status).to.equal(200);
    expect(page.json).to.include({ totalCount: 2 });
    expect((page.json.data as { n: number }[]).map(({ n }) => n)).to.deep.equal([3, 2]);
    const rows = (await plots.ask('GET /api/plot/others')).json as unknown as { name: string }[];
    expect(rows.map(({ name }) => name)).to.deep.equal(['middle']);
  });

  it('deletes nothing by a condition that cannot be decided', async () => {
    for (const path of ['clear', 'clear-others']) {
      const cleared = await plots.ask(`POST /api/plot/${path}`);
      expect([cleared.status, cleared.json.code]).to.deep.equal([422, 'validation-failed']);
    }
    const { rows } = await plots.database.client.query('SELECT count(*)::integer AS plots FROM "plot"');
    expect(rows).to.deep.equal([{ plots: 3 }]);
  });

  it('refuses a request that calculates with it', async () => {
    const copied = await plots.ask('POST /api/plot/large/copy');
    expect([copied.status, copied.json.code]).to.deep.equal([422, 'validation-failed']);
    const raised = await plots.ask('POST /api/plot/raise');
    expect([raised.status, raised.json.code]).to.deep.equal([422, 'validation-failed']);
    const { rows } = await plots.database.client.query(`SELECT "b" FROM "plot" WHERE "name" = 'small'`);
    expect(rows).to.deep.equal([{ b: '3' }]);
  });

  it('refuses a caller by a rule that cannot be decided, and logs it', async () => {
    const statuses = async (name: string) => [
      (await plots.ask(`POST /api/plot/${name}/guarded`)).status,
      (await plots.ask(`GET /api/plot/${name}/guarded-read`)).status,
      (await plots.ask(`POST /api/plot/${name}/guarded-write`)).status,
    ];
    expect(await statuses('small')).to.deep.equal([204, 200, 204]);
    expect(await statuses('large')).to.deep.equal([401, 401, 401]);
    const lines = plots.lines.filter(({ msg }) => String(msg).startsWith('a value in `authorize` is out of range'));
    expect(lines.map(({ level }) => level)).to.deep.equal(['warn', 'warn', 'warn']);
  });

  it('is logged and counted, and costs nothing where there is none', async () => {
    await plots.database.client.query(`DELETE FROM "part" WHERE "plot_id" > 1`);
    await plots.database.client.query(`DELETE FROM "plot" WHERE "name" = 'large'`);
    await plots.ask('GET /api/sorted/plot');
    expect(await overflows(plots)).to.deep.equal([]);
    await plots.database.client.query(`UPDATE "plot" SET "a" = 9223372036854775807 WHERE "name" = 'middle'`);
    await plots.ask('GET /api/sorted/plot');
    await plots.ask('GET /api/sorted/plot');
    expect(await overflows(plots)).to.deep.equal([['Plot', '2']]);
    const lines = plots.lines.filter(({ msg }) => msg === 'a computed value is out of range; null was used instead');
    expect(lines).to.have.length(2);
    expect(lines[0]).to.include({ level: 'warn', method: 'GET', route: '/api/sorted/plot', model: 'Plot' });
  });
});
