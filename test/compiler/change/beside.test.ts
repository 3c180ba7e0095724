import { expect } from 'chai';
import pg from 'pg';
import { problemsBetween } from '../../../compiler/change/problems.ts';
import {
  compatibilitySchema,
  type MigrationStep,
  RAISED_BY_MIGRATION,
} from '../../../compiler/definition/migration.ts';
import { releaseBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { runSteps } from '../../support/run-steps.ts';
import { definitionOf } from '../emit-sql-database.ts';
import { expectSchemaOf } from './schema-after.ts';

interface Beside {
  /** A connection of the previous release. */
  readonly old: Run;
  readonly now: Run;
  readonly contract: readonly MigrationStep[];
  /** Ends the window; then the database must be that of the newer release. */
  readonly finish: () => Promise<void>;
}

type Run = (sql: string) => Promise<readonly (readonly unknown[])[]>;

/** What each of two releases sees of what the other one writes, while both are served. */
describe('two releases on one database', () => {
  before(() => loadGrammar());
  const opened: pg.Client[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((client) => client.end())));

  async function between(before: string, after: string, rows = ''): Promise<Beside> {
    const [previous, next] = [before, after].map((text) => definitionOf([{ path: 'main.kiln', text }]));
    if (!previous || !next) throw new Error('two programs are two definitions');
    expect(problemsBetween(previous, next)).to.deep.equal([]);
    const { client, url } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous)));
    if (rows !== '') await client.query(rows);
    const { steps, contract, beside } = releaseBetween(previous, next);
    const old = new pg.Client({
      connectionString: url,
      options: `-c search_path=${compatibilitySchema(beside)},public`,
    });
    opened.push(old);
    await old.connect();
    await runSteps(client, steps);
    const finish = async () => {
      await old.query('SELECT 1');
      await runSteps(client, contract);
      await expectSchemaOf(client, next);
      const { rows: left } = await client.query(`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kiln%'`);
      expect(left).to.deep.equal([]);
    };
    return { old: runOn(old), now: runOn(client), contract, finish };
  }

  it('need nothing for what is only added', async () => {
    const { contract } = await between(
      'model Post { field title { type string } }',
      'model Post { field title { type string, unique }  field rank { type integer, default 1 }  index { title, rank } }',
    );
    expect(contract).to.deep.equal([]);
  });

  it('read and write a column in two types', async () => {
    const { old, now, finish } = await between(
      'model Post { field rank { type integer, unique, default 7 }  field title { type string, nullable } }',
      'model Post { field rank { type string, unique, default "none" }  field title { type string, nullable } }',
      'INSERT INTO post (rank) VALUES (1), (2)',
    );
    expect(await now('SELECT id, rank FROM post ORDER BY id')).to.deep.equal([
      ['1', '1'],
      ['2', '2'],
    ]);
    expect(await old('INSERT INTO post (rank) VALUES (5) RETURNING rank')).to.deep.equal([['5']]);
    expect(await old('INSERT INTO post (title) VALUES (null) RETURNING rank')).to.deep.equal([['7']]);
    await now(`INSERT INTO post (rank) VALUES ('abc'), ('08'), ('9')`);
    expect(await now('SELECT id, rank FROM post WHERE id > 2 ORDER BY id')).to.deep.equal([
      ['3', '5'],
      ['4', '7'],
      ['5', 'abc'],
      ['6', '08'],
      ['7', '9'],
    ]);
    expect(await old('SELECT rank FROM post WHERE id > 4 ORDER BY id')).to.deep.equal([[null], [null], ['9']]);
    await old(`UPDATE post SET title = 'x' WHERE id = 5`);
    expect(await now('SELECT rank, title FROM post WHERE id = 5')).to.deep.equal([['abc', 'x']]);
    await old('UPDATE post SET rank = 40 WHERE id = 5');
    await now(`UPDATE post SET rank = '10' WHERE id = 1`);
    expect(await now('SELECT rank FROM post WHERE id = 5')).to.deep.equal([['40']]);
    expect(await old('SELECT rank FROM post WHERE id = 1')).to.deep.equal([['10']]);
    await finish();
  });

  it('round nothing: a decimal that is no integer is null for those who know integers', async () => {
    const { old, now, finish } = await between(
      'model Post { field price { type integer, default 0 } }',
      'model Post { field price { type decimal, default 0 } }',
    );
    await now('INSERT INTO post (price) VALUES (1.50), (2.00)');
    await old('INSERT INTO post (price) VALUES (3)');
    expect(await old('SELECT price FROM post ORDER BY id')).to.deep.equal([[null], ['2'], ['3']]);
    expect(await now('SELECT price FROM post ORDER BY id')).to.deep.equal([['1.50'], ['2.00'], ['3']]);
    await finish();
  });

  for (const [type, to, values] of [
    ['date', 'timestamp', ["'2026-01-02'"]],
    ['date', 'string', ["'2026-01-02'"]],
    ['timestamp', 'string', ["'2026-01-02T03:04:05.678Z'"]],
    ['boolean', 'string', ['true', 'false']],
    ['float', 'string', ['1.5', '-0.1', '1e300']],
    ['decimal', 'string', ['1.50', '-0.10']],
    ['uuid', 'string', ["'6f1d8c1e-7f0b-4d4f-9f3c-0a9b8c7d6e5f'"]],
    ['integer', 'float', ['1', '9007199254740991']],
    ['integer', 'json', ['1', '-5']],
    ['string', 'json', ["'text'", "'7'", "''"]],
    ['timestamp', 'json', ["'2026-01-02T03:04:05.678Z'"]],
  ] as const) {
    it(`give a ${type} that is a ${to} now back as it was`, async () => {
      const { old, now, finish } = await between(
        `model Post { field value { type ${type}, nullable } }`,
        `model Post { field value { type ${to}, nullable } }`,
      );
      for (const value of [...values, 'null']) await old(`INSERT INTO post (value) VALUES (${value})`);
      const before = await old('SELECT value::text FROM post ORDER BY id');
      await now('INSERT INTO post (value) SELECT value FROM post ORDER BY id');
      expect(await old(`SELECT value::text FROM post ORDER BY id OFFSET ${values.length + 1}`)).to.deep.equal(before);
      await finish();
    });
  }

  for (const [type, values] of [
    ['date', ['infinity', '-infinity', '0044-03-15 BC']],
    ['decimal', ['NaN', 'Infinity', '-Infinity']],
    ['decimal(9, 2)', ['NaN']],
  ] as const) {
    it(`have null for a text that Postgres reads as a ${type}, and Kiln does not`, async () => {
      const { old, now, finish } = await between(
        `model Post { field value { type ${type}, nullable } }`,
        'model Post { field value { type string, nullable } }',
      );
      for (const value of values) await now(`INSERT INTO post (value) VALUES ('${value}')`);
      expect(await old('SELECT value FROM post')).to.deep.equal(values.map(() => [null]));
      expect(await now('SELECT value FROM post ORDER BY id')).to.deep.equal(values.map((value) => [value]));
      await finish();
    });
  }

  it('call the values of an enum by two names, and one of them knows more', async () => {
    const { old, now, finish } = await between(
      `enum Status { draft  live  archived }
       model Post { field status { type Status, default "draft" }  field was_status { type Status, nullable } }`,
      `enum Status { draft  public was live  hidden  drop archived }
       model Post { field status { type Status, default "draft" }  field was_status { type Status, nullable } }`,
      `INSERT INTO post (status) VALUES ('live')`,
    );
    await old(`INSERT INTO post (status, was_status) VALUES ('live', 'archived'), ('archived', 'draft')`);
    await now(`INSERT INTO post (status, was_status) VALUES ('public', 'hidden'), ('hidden', 'draft')`);
    expect(await now('SELECT status, was_status FROM post ORDER BY id')).to.deep.equal([
      ['public', null],
      ['public', null],
      ['draft', 'draft'],
      ['public', 'hidden'],
      ['hidden', 'draft'],
    ]);
    expect(
      await old(`SELECT status, was_status FROM post WHERE status = 'live'::status OR id > 2 ORDER BY id`),
    ).to.deep.equal([
      ['live', null],
      ['live', 'archived'],
      ['archived', 'draft'],
      ['live', null],
      [null, 'draft'],
    ]);
    await finish();
  });

  it('call the values in lists by two names, and leave out those that only the one before knows', async () => {
    const { old, now, finish } = await between(
      `enum Status { draft  live  archived }
       model Post { field states { type [Status], default ["live"] }  field former { type [Status], nullable } }`,
      `enum Status { draft  public was live  hidden  drop archived }
       model Post { field states { type [Status], default ["public"] }  field former { type [Status], nullable } }`,
      `INSERT INTO post (states) VALUES ('{live,draft,live}')`,
    );
    await old(`INSERT INTO post (states, former) VALUES ('{live,archived,draft}', '{archived}'), (DEFAULT, NULL)`);
    await now(`INSERT INTO post (states, former) VALUES ('{public,hidden}', '{draft,public}'), (DEFAULT, '{}')`);
    expect(await now('SELECT states::text, former::text FROM post ORDER BY id')).to.deep.equal([
      ['{public,draft,public}', null],
      ['{public,draft}', '{}'],
      ['{public}', null],
      ['{public,hidden}', '{draft,public}'],
      ['{public}', '{}'],
    ]);
    expect(await old('SELECT states::text, former::text FROM post ORDER BY id')).to.deep.equal([
      ['{live,draft,live}', null],
      ['{live,archived,draft}', '{archived}'],
      ['{live}', null],
      [null, '{draft,live}'],
      ['{live}', '{}'],
    ]);
    await finish();
  });

  it('call an enum by two names', async () => {
    const { old, now, finish } = await between(
      'enum State { on  off }  model Lamp { field state { type State } }',
      'enum Power was State { on  off }  model Lamp { field state { type Power } }',
    );
    await old(`INSERT INTO lamp (state) VALUES ('on'::state)`);
    await now(`INSERT INTO lamp (state) VALUES ('off'::power)`);
    expect(await old(`SELECT state FROM lamp WHERE state = ANY ('{on,off}'::state[]) ORDER BY id`)).to.have.lengthOf(2);
    await finish();
  });

  it('fill what the previous release does not know, or leaves out', async () => {
    const { old, now, finish } = await between(
      'model Post { field title { type string }  field note { type string, nullable } }',
      `model Post {
        field title { type string }
        field slug { type string, backfill lower(title) + "$kiln$" }
        field first { type string, nullable, backfill "first of " + slug }
        field note { type string, backfill "no note" }
      }`,
      `INSERT INTO post (title) VALUES ('A')`,
    );
    await old(`INSERT INTO post (title) VALUES ('B'), ('C')`);
    await old(`UPDATE post SET note = null, title = 'D' WHERE id = 3`);
    await now('UPDATE post SET first = null WHERE id = 2');
    await old(`UPDATE post SET note = 'x' WHERE id = 2`);
    expect(await now('SELECT title, slug, first, note FROM post ORDER BY id')).to.deep.equal([
      ['A', 'a$kiln$', 'first of a$kiln$', 'no note'],
      ['B', 'b$kiln$', null, 'x'],
      ['D', 'd$kiln$', 'first of d$kiln$', 'no note'],
    ]);
    await finish();
  });

  it('find by two names', async () => {
    const { old, now, finish } = await between(
      'model A { field x { type string, unique }  field y { type string }  reference a { to A, nullable } }',
      'model B was A { field z { type string, unique, was x }  field y { type string }  reference b { to B, nullable, was a } }',
      `INSERT INTO a (x, y) VALUES ('x', 'y')`,
    );
    expect(await old('SELECT x, y FROM a FOR UPDATE')).to.deep.equal([['x', 'y']]);
    expect(await old(`INSERT INTO a (x, y, a_id) VALUES ('x2', 'y2', 1) RETURNING id`)).to.deep.equal([['2']]);
    await old(`INSERT INTO a (x, y) VALUES ('x2', 'y3') ON CONFLICT (x) DO UPDATE SET y = excluded.y`);
    expect(await now('SELECT z, y, b_id FROM b ORDER BY id')).to.deep.equal([
      ['x', 'y', null],
      ['x2', 'y3', '1'],
    ]);
    await finish();
  });

  it('each have their own default', async () => {
    const { old, now, finish } = await between(
      'model Post { field a { type integer, default 1 }  field b { type integer, nullable }  field c { type integer, nullable, default 3 } }',
      'model Post { field a { type integer, default 10 }  field b { type integer, nullable, default 20 }  field c { type integer, nullable } }',
    );
    expect(await old('INSERT INTO post DEFAULT VALUES RETURNING a, b, c')).to.deep.equal([['1', null, '3']]);
    expect(await now('INSERT INTO post DEFAULT VALUES RETURNING a, b, c')).to.deep.equal([['10', '20', null]]);
    await finish();
  });

  it('keep what is dropped for the one that knows it', async () => {
    const { old, now, finish } = await between(
      `model Post { field title { type string }  field slug { type string, unique }  field rank { type integer, default 4 } }
       model Comment { field text { type string } }`,
      'model Post { field title { type string }  drop slug  drop rank }  drop model Comment',
      `INSERT INTO post (title, slug, rank) VALUES ('A', 'a', 1); INSERT INTO comment (text) VALUES ('c')`,
    );
    await now(`INSERT INTO post (title) VALUES ('B'), ('C')`);
    await old(`INSERT INTO comment (text) VALUES ('d')`);
    await old(`INSERT INTO post (title, slug) VALUES ('D', 'd')`);
    expect(await old('SELECT title, slug, rank FROM post ORDER BY id')).to.deep.equal([
      ['A', 'a', '1'],
      ['B', null, '4'],
      ['C', null, '4'],
      ['D', 'd', '4'],
    ]);
    expect(await old('SELECT count(*) FROM comment')).to.deep.equal([['2']]);
    await refused(old(`INSERT INTO post (title, slug) VALUES ('E', 'a')`), '23505');
    await finish();
  });

  it('delete by their own rules what only one of them refers to', async () => {
    const before = `
      model User { field name { type string }  relation posts { from Post, through author } }
      model Post {
        reference author { to User, on delete cascade }
        reference editor { to User, nullable, on delete restrict }
        reference next { to Post, nullable, on delete restrict }
      }
      model Note { reference user { to User, on delete restrict }  reference post { to Post, on delete cascade } }`;
    const after =
      'model User { field name { type string } }  model Post { drop author  drop editor  drop next }  drop model Note';
    const rows = `
      INSERT INTO "user" (name) VALUES ('a'), ('b'), ('c'), ('d');
      INSERT INTO post (author_id, editor_id, next_id) VALUES (1, 2, null), (1, null, 1), (3, null, 2), (4, null, null);
      INSERT INTO note (user_id, post_id) VALUES (2, 3), (1, 1)`;
    const { old, now, finish } = await between(before, after, rows);
    await refused(old('DELETE FROM "user" WHERE id = 2'), '23001', '23503');
    await now('DELETE FROM "user" WHERE id IN (1, 2)');
    expect(await old('SELECT id, author_id, editor_id FROM post ORDER BY id')).to.deep.equal([
      ['1', null, null],
      ['2', null, null],
      ['3', '3', null],
      ['4', '4', null],
    ]);
    expect(await old('SELECT count(*) FROM note')).to.deep.equal([['0']]);
    await old('DELETE FROM "user" WHERE id = 4');
    expect(await now('SELECT id FROM post ORDER BY id')).to.deep.equal([['1'], ['2'], ['3']]);
    await now('DELETE FROM post WHERE id IN (1, 2)');
    expect(await old('SELECT id, next_id FROM post')).to.deep.equal([['3', null]]);
    await finish();
  });

  it('refuse a row of the newer one by none of the keys that it has not', async () => {
    const { old, now, finish } = await between(
      `model Post {
        field rank { type integer, unique }  field slug { type string }  field locale { type string }
        field code { type string, unique }
        unique { slug, locale }
      }`,
      'model Post { field rank { type string }  field slug { type string }  drop locale  drop code }',
      `INSERT INTO post (rank, slug, locale, code) VALUES (1, 'a', 'en', 'x'), (2, 'b', 'en', 'y')`,
    );
    await now(`UPDATE post SET slug = 'a', rank = '1' WHERE id = 2`);
    await now(`INSERT INTO post (rank, slug) VALUES ('1', 'a'), ('1', 'a')`);
    expect(await old('SELECT rank, slug, locale FROM post WHERE id = 2')).to.deep.equal([['1', 'a', 'en']]);
    await refused(old(`INSERT INTO post (rank, slug, locale, code) VALUES (9, 'c', 'en', 'x')`), '23505');
    await finish();
  });

  it('refer to records only where the previous release can find them', async () => {
    const user = 'model User { field name { type string } }';
    const { old, now, finish } = await between(
      `${user}  model Post { reference author { to User } }`,
      `${user}  model Post { field writer { type string, was author } }`,
      `INSERT INTO "user" (name) VALUES ('a'), ('b'); INSERT INTO post (author_id) VALUES (1)`,
    );
    await now(`INSERT INTO post (writer) VALUES ('2'), ('999'), ('somebody')`);
    expect(await old('SELECT author_id FROM post ORDER BY id')).to.deep.equal([['1'], ['2'], [null], [null]]);
    await now('DELETE FROM "user" WHERE id = 2');
    expect(await now('SELECT writer FROM post ORDER BY id')).to.deep.equal([['1'], ['2'], ['999'], ['somebody']]);
    await refused(old('INSERT INTO post (author_id) VALUES (999)'), '23503');
    await finish();
  });

  it('require a reference when only one of them is left', async () => {
    const programs = [
      'model User { field name { type string } }  model Post { reference author { to User, nullable } }',
      'model User { field name { type string } }  model Post { reference author { to User } }',
    ] as const;
    const { old, now, contract, finish } = await between(...programs, `INSERT INTO "user" (name) VALUES ('a')`);
    expect(await old('INSERT INTO post (author_id) VALUES (null) RETURNING author_id')).to.deep.equal([[null]]);
    expect(contract).to.not.deep.equal([]);
    // Before anything is changed: until somebody gives the row a value, it can still be written.
    await refused(finish(), RAISED_BY_MIGRATION);
    await now('UPDATE post SET id = id');
    await now('UPDATE post SET author_id = 1');
    await finish();
  });

  it('have the rights that a role has on the tables', async () => {
    const { old, now, finish } = await between(
      'model Post { field name { type string }  field text { type string } }',
      'model Post { field title { type string, was name }  field text { type string } }',
      `INSERT INTO post (name, text) VALUES ('a', 's')`,
    );
    await now(`DROP ROLE IF EXISTS kiln_test_reader`);
    await now('CREATE ROLE kiln_test_reader');
    await now('GRANT USAGE ON SCHEMA public TO kiln_test_reader');
    await old('SET ROLE kiln_test_reader');
    await refused(old('SELECT name FROM post'), '42501');
    await now('GRANT SELECT ON post TO kiln_test_reader');
    expect(await old('SELECT name FROM post')).to.deep.equal([['a']]);
    await refused(old(`UPDATE post SET name = 'b'`), '42501');
    await old('RESET ROLE');
    await now('DROP OWNED BY kiln_test_reader; DROP ROLE kiln_test_reader');
    await finish();
  });

  it('find a value in its normal form that had another type', async () => {
    const { old, now, finish } = await between(
      'enum Status { Draft  Live }  model Post { field status { type Status } }',
      'model Post { field status { type string, normalise { lower } } }',
      `INSERT INTO post (status) VALUES ('Draft')`,
    );
    await old(`INSERT INTO post (status) VALUES ('Live')`);
    expect(await now('SELECT status FROM post ORDER BY id')).to.deep.equal([['draft'], ['live']]);
    await finish();
  });

  it('find a value in its normal form, whoever wrote it', async () => {
    const { old, now, finish } = await between(
      'model User { field email { type string, unique } }',
      'model User { field email { type string, unique, normalise { trim, lower } } }',
      `INSERT INTO "user" (email) VALUES (' Ada@Example.org')`,
    );
    await old(`INSERT INTO "user" (email) VALUES ('Bob@Example.org ')`);
    expect(await now('SELECT email FROM "user" ORDER BY id')).to.deep.equal([['ada@example.org'], ['bob@example.org']]);
    await finish();
  });
});

function runOn(client: pg.Client): Run {
  const types = { getTypeParser: () => (text: string) => text };
  return async (text) => {
    if (text.includes(';')) {
      await client.query(text);
      return [];
    }
    return (await client.query({ text, rowMode: 'array', types: types as pg.CustomTypesConfig })).rows;
  };
}

async function refused(work: Promise<unknown>, ...codes: readonly string[]): Promise<void> {
  const error = await work.then(
    () => undefined,
    (reason: Error) => (reason.cause ?? reason) as pg.DatabaseError,
  );
  expect(error?.code).to.be.oneOf(codes);
}
