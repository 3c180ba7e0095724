import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { definitionOf, SchemaDatabase } from './emit-sql-database.ts';

interface Limit {
  readonly what: string;
  /** The most that there can be, which Postgres is asked to make. */
  readonly most: string;
  readonly tooMuch: string;
  readonly code: string;
  /** The same too much for Postgres, and what it says about it. */
  readonly sql: string;
  readonly says: string;
}

const LIMITS: readonly Limit[] = [
  {
    what: 'a value of an enum with more than 63 bytes',
    most: `enum Mood { ${'x'.repeat(63)} }`,
    tooMuch: `enum Mood { ${'x'.repeat(64)} }`,
    code: 'long-enum-value',
    sql: `CREATE TYPE mood AS ENUM ('${'x'.repeat(64)}')`,
    says: 'invalid enum label',
  },
  {
    what: 'a unique over more than 32',
    most: `model Thing { ${fields(32)} unique { ${list(32)} } }`,
    tooMuch: `model Thing { ${fields(33)} unique { ${list(33)} } }`,
    code: 'key-over-many',
    sql: `CREATE TABLE thing (${columns(33)}, UNIQUE (${list(33)}))`,
    says: 'cannot use more than 32 columns',
  },
  {
    what: 'an index over more than 32',
    most: `model Thing { ${fields(32)} index { ${list(32)} desc } }`,
    tooMuch: `model Thing { ${fields(33)} index { ${list(33)} desc } }`,
    code: 'key-over-many',
    sql: `CREATE TABLE thing (${columns(33)}); CREATE INDEX ON thing (${list(33)})`,
    says: 'cannot use more than 32 columns',
  },
  {
    what: 'a unique with one column twice',
    most: `model Thing { reference other { to Thing, nullable } ${fields(1)} unique { other, f1 } }`,
    tooMuch: 'model Thing { reference other { to Thing, nullable } unique { other, other_id } }',
    code: 'selected-twice',
    sql: 'CREATE TABLE thing (other_id bigint, UNIQUE (other_id, other_id))',
    says: 'appears twice',
  },
  {
    what: 'a table of more than 1,600 columns, of which one is the id',
    most: `model Thing { ${fields(1599)} }`,
    tooMuch: `model Thing { ${fields(1600)} }`,
    code: 'too-many-columns',
    sql: `CREATE TABLE thing (id bigint, ${columns(1600)})`,
    says: 'at most 1600 columns',
  },
  {
    what: 'a date before the year 1',
    ...values('date', '"0001-01-01"', '"0000-12-31"'),
    code: 'bad-literal',
    sql: "SELECT '0000-12-31'::date",
    says: 'out of range',
  },
  {
    what: 'a timestamp before the year 1, even if that begins elsewhere first',
    ...values('timestamp', '"0001-01-01T00:00:00Z"', '"0000-12-31T23:59:59-01:00"'),
    code: 'bad-literal',
    sql: "SELECT '0000-12-31T23:59:59-01:00'::timestamptz",
    says: 'out of range',
  },
  ...['+', '-'].map((sign) => ({
    what: `an offset beyond ${sign}15:59`,
    ...values('timestamp', `"2030-01-01T00:00:00${sign}15:59"`, `"2030-01-01T00:00:00${sign}16:00"`),
    code: 'bad-literal',
    sql: `SELECT '2030-01-01T00:00:00${sign}16:00'::timestamptz`,
    says: 'displacement out of range',
  })),
  {
    what: 'a float that no double can hold',
    ...values('float', `${BigInt(Number.MAX_VALUE)}.0`, `${2n ** 1024n}.0`),
    code: 'number-too-large',
    sql: `SELECT ${2n ** 1024n}::float8`,
    says: 'out of range',
  },
  {
    what: 'a decimal of more than 131,072 digits before the point',
    ...values('decimal', `${ones(131_072)}.0`, `${ones(131_073)}.0`),
    code: 'number-too-large',
    sql: `SELECT ${ones(131_073)}::numeric`,
    says: 'overflows',
  },
  {
    what: 'a decimal of more than 16,383 digits behind the point',
    ...values('decimal', `0.${ones(16_383)}`, `0.${ones(16_384)}`),
    code: 'number-too-large',
    sql: `SELECT 0.${ones(16_384)}::numeric`,
    says: 'overflows',
  },
  {
    what: 'a text with the character zero',
    ...values('string', '"\\u0001"', '"\\u0000"'),
    code: 'unstorable-text',
    sql: "SELECT E'\\u0000'",
    says: 'invalid Unicode escape',
  },
  {
    what: 'a text with half a character',
    ...values('string', '"\\ud83d\\ude00"', '"\\ud83d"'),
    code: 'unstorable-text',
    sql: "SELECT E'\\ud83d'",
    says: 'invalid Unicode surrogate pair',
  },
  {
    what: 'json with the character zero',
    ...values('json', '["\\u0001"]', '["\\u0000"]'),
    code: 'unstorable-text',
    sql: 'SELECT \'["\\u0000"]\'::jsonb',
    says: 'unsupported Unicode escape',
  },
];

describe('what Postgres refuses, the compiler refuses', () => {
  let database: SchemaDatabase;

  before(async () => {
    database = await SchemaDatabase.open();
  });

  for (const { what, most, tooMuch, code, sql, says } of LIMITS) {
    it(what, async () => {
      await database.expectMade(schemaFromDefinition(definitionOf([{ path: 'main.kiln', text: most }])));
      await database.client.query('ROLLBACK');
      expect(await refusalOf(database.client.query(sql))).to.include(says);
      expect(codesOf(tooMuch)).to.deep.equal([code]);
    });
  }

  it('a column with the name of one that every table has', async () => {
    const names = await namesOf("pg_attribute WHERE attrelid = 'pg_class'::regclass AND attnum < 0", 'attname');
    for (const name of names) {
      expect(codesOf(`model Thing { field ${name} { type string } }`), name).to.deep.equal(['reserved-column']);
    }
  });

  it('a table with the name of one that Postgres would find first', async () => {
    const names = await namesOf("pg_class WHERE relnamespace = 'pg_catalog'::regnamespace", 'relname');
    for (const name of names) expect(codesOf(`model ${name} {}`), name).to.deep.equal(['reserved-table']);
  });

  async function namesOf(source: string, column: string): Promise<readonly string[]> {
    const { rows } = await database.client.query<{ readonly name: string }>(`SELECT ${column} AS name FROM ${source}`);
    expect(rows).to.not.be.empty;
    return rows.map(({ name }) => name);
  }
});

function values(type: string, most: string, tooMuch: string): Pick<Limit, 'most' | 'tooMuch'> {
  const model = (value: string) => `model Thing { field value { type ${type}, default ${value} } }`;
  return { most: model(most), tooMuch: model(tooMuch) };
}

function ones(count: number): string {
  return '1'.repeat(count);
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `f${at + 1}`);
}

function list(count: number): string {
  return numbered(count).join(', ');
}

function fields(count: number): string {
  return numbered(count)
    .map((name) => `field ${name} { type float }`)
    .join('\n');
}

function columns(count: number): string {
  return numbered(count)
    .map((name) => `${name} double precision`)
    .join(', ');
}

function codesOf(text: string): readonly string[] {
  return compile([{ path: 'main.kiln', text }]).diagnostics.map(({ code }) => code);
}

function refusalOf(act: Promise<unknown>): Promise<string> {
  return act.then(() => 'nothing was refused', String);
}
