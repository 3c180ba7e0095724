import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { ColumnDefault, Index, Table } from '../../compiler/definition/schema.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { fileTextIn } from '../../files/file-text.ts';
import { readSources } from '../../files/read-sources.ts';
import { caseFiles, compileCase, isUpdating } from '../support/case-file.ts';
import { definitionOf, SchemaDatabase, schemaOf, tableIn } from './emit-sql-database.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const GOLDEN = join(import.meta.dirname, 'golden');

describe('schema.sql', () => {
  let database: SchemaDatabase;

  before(async () => {
    database = await SchemaDatabase.open();
  });

  for (const example of ['blog', 'bookings', 'helpdesk', 'projects', 'shop']) {
    it(`of the ${example} is as written down, and makes that database`, async () => {
      const schema = schemaFromDefinition(exampleDefinition(example));
      const golden = join(GOLDEN, `schema-${example}.sql`);
      if (isUpdating) writeFileSync(golden, schemaSql(schema));
      expect(schemaSql(schema)).to.equal(readFileSync(golden, 'utf8'));
      await database.expectMade(schema);
    });

    it(`of the ${example} is the same whatever the order of its files`, () => {
      const forwards = schemaFromDefinition(exampleDefinition(example));
      const backwards = schemaFromDefinition(exampleDefinition(example, (files) => [...files].reverse()));
      expect(backwards).to.deep.equal(forwards);
      expect(schemaSql(backwards)).to.equal(schemaSql(forwards));
    });
  }

  it('makes the database of every construct of the language', async () => {
    for (const construct of caseFiles(join(import.meta.dirname, 'language')))
      await database.expectMade(schemaFromDefinition(compileCase(construct).definition as Definition));
  });

  it('is a comment where there is nothing to make', async () => {
    const schema = schemaOf('');
    expect(schemaSql(schema)).to.match(/^-- .*\n$/);
    await database.expectMade(schema);
  });

  describe('columns', () => {
    it('have the type that their values need', async () => {
      const types = 'string integer float boolean decimal timestamp date uuid json Mood'.split(' ');
      const fields = types.map((t) => `field a_${t} { type ${t} } field maybe_${t} { type ${t}, nullable }`);
      const schema = schemaOf(`enum Mood { sad, happy } model Thing { ${fields.join('\n')} }`);
      await database.expectMade(schema);
      const columns = tableIn(schema, 'thing').columns.map(({ name, type, nullable }) => [name, type, nullable]);
      expect(columns).to.deep.equal([
        ['id', 'bigint', false],
        ['a_string', 'text', false],
        ['maybe_string', 'text', true],
        ['a_integer', 'bigint', false],
        ['maybe_integer', 'bigint', true],
        ['a_float', 'double precision', false],
        ['maybe_float', 'double precision', true],
        ['a_boolean', 'boolean', false],
        ['maybe_boolean', 'boolean', true],
        ['a_decimal', 'numeric', false],
        ['maybe_decimal', 'numeric', true],
        ['a_timestamp', 'timestamptz', false],
        ['maybe_timestamp', 'timestamptz', true],
        ['a_date', 'date', false],
        ['maybe_date', 'date', true],
        ['a_uuid', 'uuid', false],
        ['maybe_uuid', 'uuid', true],
        ['a_json', 'jsonb', false],
        ['maybe_json', 'jsonb', true],
        ['a_mood', { enum: 'mood' }, false],
        ['maybe_mood', { enum: 'mood' }, true],
      ]);
    });

    it('count up as ids, unless the id is a UUID that the server makes', async () => {
      const schema = schemaOf(`
        model Counted {}
        model Named {
          field id { type uuid }
          reference other { to Named, nullable }
          reference counted { to Counted }
        }`);
      await database.expectMade(schema);
      const columns = ['counted', 'named'].map((table) =>
        tableIn(schema, table).columns.map(({ name, type, identity }) => [name, type, identity?.sequence]),
      );
      expect(columns).to.deep.equal([
        [['id', 'bigint', 'counted_id_seq']],
        [
          ['id', 'uuid', undefined],
          ['other_id', 'uuid', undefined],
          ['counted_id', 'bigint', undefined],
        ],
      ]);
      expect(await database.defaultRow('counted')).to.deep.equal({ id: '1' });
      expect(await database.row('INSERT INTO counted (id) VALUES (7) RETURNING id')).to.deep.equal({ id: '7' });
    });
  });

  describe('defaults', () => {
    it('are those that Postgres can say itself', async () => {
      const schema = schemaOf(`
        enum Mood { sad, happy }
        model Thing {
          field text { type string, default "untitled" }
          field empty { type string, default "" }
          field count { type integer, default -3 }
          field largest { type integer, default 9007199254740991 }
          field score { type float, default 0.1 }
          field whole { type float, default -2 }
          field tiny { type float, default 0.00000012 }
          field huge { type float, default 1234000000000000000000000000.5 }
          field on { type boolean, default true }
          field off { type boolean, default false }
          field price { type decimal, default 9.90 }
          field debt { type decimal, default -123456789012345678901234567890.50 }
          field at { type timestamp, default "2030-06-01T00:30:00.120+02:00" }
          field far { type timestamp, default "2030-06-01T00:00+15:59" }
          field day { type date, default "2024-02-29" }
          field key { type uuid, default "018F4E6A-7c1b-7d2e-9a3f-5b6c7d8e9f01" }
          field mood { type Mood, default "happy" }
          field maybe { type string, nullable, default null }
          field word { type json, default "it's" }
          field list { type json, default [1, [2.5, "x"], null, true] }
          field none { type json, nullable, default null }
        }`);
      await database.expectMade(schema);
      expect(defaultsOf(tableIn(schema, 'thing'))).to.deep.equal({
        text: 'untitled',
        empty: '',
        count: '-3',
        largest: '9007199254740991',
        score: '0.1',
        whole: '-2',
        tiny: '1.2e-7',
        huge: '1.234e+27',
        on: 'true',
        off: 'false',
        price: '9.90',
        debt: '-123456789012345678901234567890.50',
        at: '2030-05-31T22:30:00.12Z',
        far: '2030-05-31T08:01:00Z',
        day: '2024-02-29',
        key: '018f4e6a-7c1b-7d2e-9a3f-5b6c7d8e9f01',
        mood: 'happy',
        maybe: null,
        word: '"it\'s"',
        list: '[1,[2.5,"x"],null,true]',
        none: null,
      });
      expect(await database.defaultRow('thing', 'price, mood, word, list, none, far::text')).to.deep.equal({
        price: '9.90',
        mood: 'happy',
        word: "it's",
        list: [1, [2.5, 'x'], null, true],
        none: null,
        far: '2030-05-31 08:01:00+00',
      });
    });

    const TEXTS = [
      "it's",
      "''",
      '"quoted"',
      'back\\slash',
      "\\'; DROP TABLE thing; --",
      '\\n is not a line',
      'two\nlines\r\nand\ttabs',
      '$$ $1 ? :name %s',
      '\u0001\b\f\u001f\u007f\u0085\u2028\ufeff',
      'ünïcödé 日本語 🜂 e\u0301',
      '/* -- */',
      ' ',
    ];

    for (const setting of ['on', 'off']) {
      it(`keep every character where standard_conforming_strings is ${setting}`, async () => {
        const fields = TEXTS.map((text, at) => {
          const literal = JSON.stringify(text);
          return `field t${at} { type string, default ${literal} } field j${at} { type json, default [${literal}] }`;
        });
        const schema = schemaOf(`model Thing { ${fields.join('\n')} }`);
        expect(schemaSql(schema)).to.not.match(/[\r\t\u0001]/);
        await database.expectMade(schema, `SET standard_conforming_strings = ${setting}`);
        const { id: _, ...row } = await database.defaultRow('thing');
        const expected = TEXTS.flatMap((text, at) => [
          [`t${at}`, text],
          [`j${at}`, [text]],
        ]);
        expect(row).to.deep.equal(Object.fromEntries(expected));
      });
    }

    it('are the clock of the database where they are the clock', async () => {
      const schema = schemaOf(`
        model Thing {
          field at { type timestamp, default now() }
          field day { type date, default today() }
          field ms { type integer, default now() }
        }`);
      await database.expectMade(schema);
      await database.client.query("SET TimeZone = 'Pacific/Kiritimati'");
      const row = await database.defaultRow('thing', 'at, day::text, ms');
      const at = row.at as Date;
      expect(row).to.deep.include({ day: at.toISOString().slice(0, 10), ms: String(at.getTime()) });
      expect(Date.now() - at.getTime()).to.be.within(0, 60_000);
    });

    it('are left to the server where Postgres cannot say them', async () => {
      const schema = schemaOf(`
        model Thing {
          field joined { type string, default concat("a", "b") }
          field sum { type integer, default 1 + 1 }
          field stamp { type json, default now() }
        }`);
      await database.expectMade(schema);
      expect(defaultsOf(tableIn(schema, 'thing'))).to.deep.equal({ joined: null, sum: null, stamp: null });
    });
  });

  describe('keys', () => {
    it('refer in circles and to their own table, and do what was said on delete', async () => {
      const schema = schemaOf(`
        model A { reference b { to B, nullable } }
        model B { reference c { to C, nullable, on delete set null } }
        model C { reference a { to A, on delete cascade } }
        model Node {
          reference parent { to Node, nullable, on delete cascade }
          reference friend { to Node, unique, nullable }
        }`);
      await database.expectMade(schema);
      await database.client.query(`
        INSERT INTO a (id) VALUES (1); INSERT INTO c (id, a_id) VALUES (1, 1); INSERT INTO b (id, c_id) VALUES (1, 1);
        DELETE FROM a`);
      const left = await database.row('SELECT c_id, (SELECT count(*) FROM c) AS count FROM b');
      expect(left).to.deep.equal({ c_id: null, count: '0' });
      await database.client.query('INSERT INTO a (b_id) VALUES (1)');
      expect(await refusalOf(database.client.query('DELETE FROM b'))).to.include('a_b_id_fkey');
    });

    it('have an index each, and one only', async () => {
      const schema = schemaOf(`
        model Hall {}
        model Seat {
          reference plain { to Hall }
          reference single { to Hall, unique }
          reference first { to Hall }
          reference second { to Hall }
          reference sorted { to Hall }
          field number { type integer, index }
          field label { type string, unique }
          unique { first, second }
          unique { first_id, second_id }
          index { sorted desc, number }
          index { number, label desc }
          index { number, label desc }
        }`);
      await database.expectMade(schema);
      const { uniques, indexes } = tableIn(schema, 'seat');
      expect(uniques).to.deep.equal([
        { name: 'seat_first_id_second_id_key', columns: ['first_id', 'second_id'] },
        { name: 'seat_label_key', columns: ['label'] },
        { name: 'seat_single_id_key', columns: ['single_id'] },
      ]);
      expect(indexes.map(indexText)).to.deep.equal([
        'seat_number_idx: number',
        'seat_number_label_desc_idx: number, label desc',
        'seat_plain_id_idx: plain_id',
        'seat_second_id_idx: second_id',
        'seat_sorted_id_desc_number_idx: sorted_id desc, number',
      ]);
    });

    it('are the same in whatever order they were written', () => {
      const keys = [
        'unique { a, b_c }',
        'unique { a_b, c }',
        'index { a, c }',
        'index { a, c desc }',
        'index { c, a }',
      ];
      const fields = ['a', 'b_c', 'a_b', 'c'].map((name) => `field ${name} { type string }`);
      const forwards = schemaOf(`model M { ${[...fields, ...keys].join('\n')} }`);
      const backwards = schemaOf(`model M { ${[...fields, ...keys.reverse()].join('\n')} }`);
      expect(backwards).to.deep.equal(forwards);
    });
  });

  describe('tokens', () => {
    const USER = 'field email { type string, unique } field hash { type string, secret }';

    for (const [id, type, key] of [
      ['', 'bigint', '1'],
      ['field id { type uuid } ', 'uuid', "'018f4e6a-7c1b-7d2e-9a3f-5b6c7d8e9f01'"],
    ] as const) {
      it(`have a table of their own beside users with a ${type}, and go with their user`, async () => {
        const schema = schemaOf(`model User { ${id}${USER} } auth { model User, login email, password hash }`);
        await database.expectMade(schema);
        const { columns, indexes } = tableIn(schema, 'kiln_tokens');
        expect(columns.map((column) => `${column.name} ${column.type}`)).to.deep.equal([
          'token_hash bytea',
          `user_id ${type}`,
          'created_at timestamptz',
          'expires_at timestamptz',
          'password_digest bytea',
        ]);
        expect(indexes.map(indexText)).to.deep.equal([
          'kiln_tokens_expires_at_idx: expires_at',
          'kiln_tokens_user_id_idx: user_id',
        ]);
        await database.client.query(`
          INSERT INTO "user" (id, email, hash) VALUES (${key}, 'a@example.com', 'x');
          INSERT INTO kiln_tokens (token_hash, user_id, expires_at) VALUES ('\\x00ff', ${key}, now() + interval '1 day')`);
        await database.client.query('DELETE FROM "user"');
        expect(await database.row('SELECT count(*) FROM kiln_tokens')).to.deep.equal({ count: '0' });
      });
    }

    it('have none where nobody signs in with a password', () => {
      const schema = schemaOf(`model User { ${USER} } auth { model User, subject email }`);
      expect(schema.tables.map(({ name }) => name)).to.deep.equal(['user']);
    });
  });
});

type Reordering = (files: readonly SourceFile[]) => readonly SourceFile[];

function exampleDefinition(example: string, reordered: Reordering = (files) => files): Definition {
  const folder = join(EXAMPLES, example);
  return definitionOf(reordered(readSources(folder).sources), fileTextIn(folder));
}

/** By column; the id has none. */
function defaultsOf({ columns }: Table): Record<string, string | null> {
  const text = (value: ColumnDefault | null) => (value?.kind === 'value' ? value.text : null);
  return Object.fromEntries(columns.slice(1).map((column) => [column.name, text(column.default)]));
}

function indexText({ name, columns }: Index): string {
  const parts = columns.map((column) => column.name + (column.descending ? ' desc' : ''));
  return `${name}: ${parts.join(', ')}`;
}

function refusalOf(act: Promise<unknown>): Promise<string> {
  return act.then(() => 'nothing was refused', String);
}
