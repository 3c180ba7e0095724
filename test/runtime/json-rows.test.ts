import { expect } from 'chai';
import fc from 'fast-check';
import pino from 'pino';
import type { Type } from '../../compiler/definition/expression.ts';
import { openDatabase } from '../../runtime/query/connections/open-database.ts';
import { DataRow } from '../../runtime/query/data-row.ts';
import type { Bound, Database, Statement } from '../../runtime/query/database.ts';
import { type JsonSlices, jsonFormOf } from '../../runtime/query/json-form.ts';
import { type Prepared, scopeOn } from '../../runtime/query/prepared.ts';
import { jsonReadingOf } from '../../runtime/query/rows-json.ts';
import { objectsFromRows, type Part } from '../../runtime/query/shape.ts';
import { parserOf } from '../../runtime/values/kinds.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { knexOf } from '../support/knex-of.ts';
import { createDatabase } from '../support/postgres.ts';
import { closeAll, LANES, route, serve } from './http/serving.ts';

describe('JSON from rows', () => {
  let database: Database;

  before(async () => {
    const { url } = await createDatabase();
    database = openDatabase({
      url,
      poolMax: 2,
      statementTimeout: 20_000,
      acquireTimeout: 5000,
      applicationName: 'kiln-json',
      log: pino({ level: 'silent' }),
    });
  });

  after(() => database.close());

  const rowsOf = async (text: string, values: readonly Bound[] = []) =>
    (await database.fetch(statement(text), values)).rows;

  const joined = async (slices: JsonSlices) => {
    const all: Buffer[] = [];
    for (let slice = await slices.next(); slice !== null; slice = await slices.next()) all.push(slice);
    expect(all).to.have.length.greaterThan(5);
    return Buffer.concat(all);
  };

  /** Both ways for the same rows. */
  const bothWays = async (rows: readonly DataRow[], parts: readonly Part[]) => {
    const bytes = await jsonReadingOf(parts).list(rows, scopeOn(database));
    const whole = 'next' in bytes ? await joined(bytes) : bytes;
    expect(whole).to.be.instanceOf(Buffer);
    return [whole.toString(), JSON.stringify(await objectsFromRows(rows, parts, scopeOn(database)))] as const;
  };

  const expectAlike = async (rows: readonly DataRow[], parts: readonly Part[]) => {
    const [bytes, stringified] = await bothWays(rows, parts);
    expect(bytes).to.equal(stringified);
    return stringified;
  };

  describe('of one value', () => {
    const of = async (type: Type, sql: string) => {
      const [row] = await rowsOf(`SELECT ${sql}`);
      return (await jsonReadingOf([value('v', 0, type)]).record(row as DataRow, scopeOn(database))).toString();
    };

    const examples: readonly (readonly [Type['kind'], string, string])[] = [
      ['string', 'NULL::text', 'null'],
      ['string', "''", '""'],
      ['string', "'plain'", '"plain"'],
      ['string', `'"'`, '"\\""'],
      ['string', "E'a\\\\b'", '"a\\\\b"'],
      ['string', "E'\\b\\t\\n\\f\\r'", '"\\b\\t\\n\\f\\r"'],
      ['string', "E'\\x01\\x1f\\x7f'", '"\\u0001\\u001f\x7f"'],
      ['string', "U&'\\2028\\00e9' || chr(128512)", '"\u2028é😀"'],
      ['integer', '0', '0'],
      ['integer', '-12', '-12'],
      ['integer', '9007199254740991', '9007199254740991'],
      ['float', '1.5::float8', '1.5'],
      ['float', '0.1::float8 + 0.2::float8', '0.30000000000000004'],
      ['float', '1e20::float8', '100000000000000000000'],
      ['float', '1e-7::float8', '1e-7'],
      ['float', "'-0'::float8", '0'],
      ['float', "'NaN'::float8", 'null'],
      ['float', "'-Infinity'::float8", 'null'],
      ['boolean', 'true', 'true'],
      ['boolean', 'false', 'false'],
      ['decimal', '12.50::numeric', '"12.50"'],
      ['date', "'2026-11-15'::date", '"2026-11-15"'],
      ['uuid', "'0190B5D4-0000-7000-8000-000000000000'::uuid", '"0190b5d4-0000-7000-8000-000000000000"'],
      ['timestamp', "'2026-11-15T04:56:40.12Z'::timestamptz", '"2026-11-15T04:56:40.12Z"'],
      ['timestamp', "'2026-11-15T04:56:40Z'::timestamptz", '"2026-11-15T04:56:40Z"'],
      ['timestamp', "'infinity'::timestamptz", '"infinity"'],
      ['timestamp', "'12026-11-15T04:56:40Z'::timestamptz", '"12026-11-15 04:56:40+00"'],
      ['timestamp', "'2026-11-15 04:56:40.12+02:30'", '"2026-11-15T02:26:40.12Z"'],
      ['json', `'{"b": [1, "x"], "a": null}'::jsonb`, '{"a": null, "b": [1, "x"]}'],
      ['json', "'null'::jsonb", 'null'],
    ];
    for (const [kind, sql, json] of examples) {
      it(`gives ${json.slice(0, 40)} for the ${kind} ${sql}`, async () => {
        expect(await of({ kind }, sql)).to.equal(`{"v":${json}}`);
      });
    }

    it('gives lists', async () => {
      const dates = `to_jsonb(ARRAY['2026-11-15 04:56:40+00', NULL])`;
      expect(await of({ kind: 'timestamp', many: true }, dates)).to.equal('{"v":["2026-11-15T04:56:40Z",null]}');
      expect(await of({ kind: 'string', many: true }, `to_jsonb(ARRAY['"', 'b'])`)).to.equal('{"v":["\\"", "b"]}');
    });

    it('gives an object without properties', async () => {
      expect((await jsonReadingOf([]).list(await rowsOf('SELECT 1'), scopeOn(database))).toString()).to.equal('[{}]');
    });
  });

  it('is the same as by way of objects, for any texts', async () => {
    const parts = [value('n', 0, { kind: 'integer' }), value('text', 1, { kind: 'string' })];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(anyText()), { maxLength: 40 }), async (texts) => {
        const rows = await rowsOf('SELECT at, text FROM unnest($1::text[]) WITH ORDINALITY AS t (text, at)', [texts]);
        expect(JSON.parse(await expectAlike(rows, parts))).to.deep.equal(
          texts.map((text, at) => ({ n: at + 1, text })),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('is the same as by way of objects, for any numbers and moments', async () => {
    const scalars: readonly (readonly [Type['kind'], string, fc.Arbitrary<string>])[] = [
      ['float', 'float8', fc.double().map(String)],
      ['float', 'float8', fc.float().map(String)],
      ['integer', 'bigint', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)],
      ['integer', 'bigint', fc.integer().map(String)],
      ['timestamp', 'timestamptz', moment()],
    ];
    for (const [kind, type, texts] of scalars) {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.option(texts), { minLength: 1, maxLength: 100 }), async (list) => {
          await expectAlike(await rowsOf(`SELECT unnest($1::${type}[])`, [list]), [value('v', 0, { kind })]);
        }),
        { numRuns: 25 },
      );
    }
  });

  it('is the same value as by way of objects, for any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 20 }), async (list) => {
        const texts = list.map((json) => JSON.stringify(json).replaceAll('\\u0000', ''));
        const rows = await rowsOf('SELECT unnest($1::jsonb[])', [texts.filter((text) => !/\\ud/i.test(text))]);
        const [bytes, stringified] = await bothWays(rows, [value('v', 0, { kind: 'json' })]);
        expect(JSON.parse(bytes)).to.deep.equal(JSON.parse(stringified));
      }),
      { numRuns: 40 },
    );
  });

  it('writes texts that are longer than what a socket gives at once', async () => {
    const rows = await rowsOf(`SELECT repeat('long "text" ', n * 20000) FROM generate_series(1, 8) AS n`);
    expect(await expectAlike(rows, [value('v', 0, { kind: 'string' })])).to.have.length.greaterThan(8_000_000);
  });

  it('writes texts of which every character is escaped', async () => {
    const rows = await rowsOf(`SELECT repeat(E'\\x01', 50000)`);
    expect(await expectAlike(rows, [value('v', 0, { kind: 'string' })])).to.have.length(300_010);
  });

  it('writes rows with many columns', async () => {
    const columns = Array.from({ length: 800 }, (_, at) => (at % 3 === 0 ? 'NULL' : `'field ${at}'`));
    const parts = columns.map((_, at) => value(`field_${at}`, at, { kind: 'string' }));
    const rows = await rowsOf(`SELECT ${columns.join(', ')} FROM generate_series(1, 20)`);
    await expectAlike(rows, parts);
    await expectAlike(rows, parts.toReversed());
  });

  it('writes thousands of rows', async () => {
    const rows = await rowsOf(`SELECT n, 'row ' || n FROM generate_series(1, 20000) AS n`);
    const parts = [value('n', 0, { kind: 'integer' }), value('text', 1, { kind: 'string' })];
    expect(JSON.parse(await expectAlike(rows, parts))).to.have.length(20_000);
  });

  describe('with other records', () => {
    const child = (of: string, at: number, parts: readonly Part[]): Part => ({
      kind: 'many',
      name: 'children',
      at,
      collection: { prepared: keyed(of), parts, keyAt: 0, isSingle: false },
    });
    const label = value('label', 1, { kind: 'string' });
    const NUMBERED = `SELECT id, id || '.' || n FROM unnest($1::bigint[]) AS id, generate_series(1, id % 4) AS n ORDER BY n`;
    const NAMED = `SELECT id, '"' || id FROM unnest($1::text[]) AS id ORDER BY id DESC`;

    it('puts each record where it belongs', async () => {
      const rows = await rowsOf('SELECT n, NULLIF(n % 3, 0) FROM generate_series(1, 200) AS n');
      const parts: readonly Part[] = [
        value('n', 0, { kind: 'integer' }),
        child(NUMBERED, 0, [label]),
        {
          kind: 'one',
          name: 'other',
          at: 1,
          parts: [value('id', 1, { kind: 'integer' }), child(NUMBERED, 1, [label])],
        },
        value('again', 0, { kind: 'integer' }),
      ];
      const [first, second] = JSON.parse(await expectAlike(rows, parts));
      expect(first).to.deep.equal({
        n: 1,
        children: [{ label: '1.1' }],
        other: { id: 1, children: [{ label: '1.1' }] },
        again: 1,
      });
      expect(second.children).to.deep.equal([{ label: '2.1' }, { label: '2.2' }]);
    });

    it('reads collections of collections', async () => {
      const rows = await rowsOf('SELECT n FROM generate_series(0, 30) AS n');
      await expectAlike(rows, [child(NUMBERED, 0, [label, child(NUMBERED, 0, [label])])]);
    });

    it('tells ids apart that look like numbers', async () => {
      const ids = ['7', '07', '0', '00', '-7', '', '7 ', '1234567890123456789', '1234567890123456788', '٧', 'x'];
      const rows = await rowsOf('SELECT unnest($1::text[])', [ids]);
      const found = JSON.parse(await expectAlike(rows, [child(NAMED, 0, [label])]));
      expect(found).to.deep.equal(ids.map((id) => ({ children: [{ label: `"${id}` }] })));
    });

    it('gives the same records to all where they belong to none', async () => {
      const all: Part = {
        kind: 'many',
        name: 'all',
        at: null,
        collection: {
          prepared: { statement: statement(`SELECT 0, 'x' FROM generate_series(1, 2)`), parameters: [], guard: null },
          parts: [label],
          keyAt: null,
          isSingle: false,
        },
      };
      await expectAlike(await rowsOf('SELECT generate_series(1, 3)'), [all]);
    });

    it('asks for nothing where there are no rows', async () => {
      const broken = child('SELECT nothing FROM nowhere WHERE id = ANY($1::bigint[])', 0, []);
      expect(await expectAlike(await rowsOf('SELECT 1 WHERE false'), [broken])).to.equal('[]');
      expect(await expectAlike(await rowsOf('SELECT NULL'), [broken])).to.equal('[{"children":[]}]');
    });

    it('goes by way of objects where the code of a hook takes part', async () => {
      const hook: Part = { kind: 'hook', name: 'h', args: [label], call: async ({ label: text }) => `${text}!` };
      const rows = await rowsOf(`SELECT 1, 'a'`);
      const json = await jsonReadingOf([label, hook]).list(rows, scopeOn(database));
      expect(json.toString()).to.equal('[{"label":"a","h":"a!"}]');
    });
  });

  it('puts what surrounds a list around it', async () => {
    const around = { before: '{"page":"é","data":', behind: '}' };
    const rows = await rowsOf("SELECT 'x'");
    const json = await jsonReadingOf([value('v', 0, { kind: 'string' })]).list(rows, scopeOn(database), around);
    expect(json.toString()).to.equal('{"page":"é","data":[{"v":"x"}]}');
  });

  it('takes rows as bytes, and leaves the rows of other queries to pg', async () => {
    const [rows, { rows: others }] = await Promise.all([
      rowsOf("SELECT 1, 'é', NULL"),
      database.transaction(
        async (transaction) => knexOf(transaction).raw("SELECT 1 AS one, 'é' AS text, NULL AS none"),
        { isRepeatable: true },
      ),
    ]);
    expect(rows[0]).to.be.instanceOf(DataRow);
    expect(rows[0]?.fields).to.deep.equal(['1', 'é', null]);
    expect(others).to.deep.equal([{ one: 1, text: 'é', none: null }]);
  });
});

describe('an answer of bytes', () => {
  const texts = ['"é 漢 😀 \u2028"', `"${'é'.repeat(7999)}"`, `"${'é'.repeat(100_000)}"`];
  const routes = texts.map((text, at) =>
    route(`GET /${at}`, () => ({ status: 200, headers: { 'x-name': 'caf\xe9' }, body: Buffer.from(text) })),
  );

  after(closeAll);

  for (const lane of LANES) {
    it(`arrives as it is, with its length, through the ${lane} door`, async () => {
      const { ask } = await serve(routes, { lane });
      for (const [at, text] of texts.entries()) {
        const received = await ask(`/${at}`);
        expect(received.text === text, `text ${at}`).to.equal(true);
        expect(received.headers).to.include({ 'content-length': String(Buffer.byteLength(text)), 'x-name': 'caf\xe9' });
        const head = await ask(`/${at}`, { method: 'HEAD' });
        expect([head.text, head.headers['content-length']]).to.deep.equal(['', received.headers['content-length']]);
      }
    });
  }
});

function value(name: string, at: number, type: Type): Part {
  return { kind: 'value', name, at, parse: parserOf(type), json: jsonFormOf(type) };
}

let statements = 0;

function statement(text: string): Statement {
  return { name: `json_${++statements}`, text, isRepeatable: true };
}

function keyed(text: string): Prepared {
  return { statement: statement(text), parameters: [(_, given) => given.ids as Bound], guard: null };
}

/** Postgres stores all characters but U+0000, and no halves of pairs. */
function anyText(): fc.Arbitrary<string> {
  const escaped = fc.constantFrom('"', '\\', '/', '\n', '\r', '\t', '\b', '\f', '\x01', '\x1f', '\x7f', ' ');
  const plain = fc.constantFrom('a', 'word ', 'é', '漢', '😀', '\u2028', '\ufeff', '\uffff', 'eight by');
  const any = fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 3 }).map((text) => text.replaceAll('\0', '0'));
  return fc.array(fc.oneof(escaped, plain, plain, any), { maxLength: 60 }).map((pieces) => pieces.join(''));
}

function moment(): fc.Arbitrary<string> {
  const date = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
    noInvalidDate: true,
  });
  return fc.tuple(date, fc.nat(999)).map(([at, micros]) => at.toISOString().replace('Z', `${micros}Z`));
}
