import { expect } from 'chai';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { schemaInCatalog } from '../../../runtime/migrate/catalog.ts';
import { driftBetween, driftIn } from '../../../runtime/migrate/drift.ts';
import { schemaOf } from '../../compiler/emit-sql-database.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { eventsOf, migrated } from './databases.ts';
import { TEN_RELEASES } from './ten-releases.ts';

/** What somebody did by hand, and what is said about it. */
const WRONG: Readonly<Record<string, string>> = {
  'DROP TABLE author CASCADE': 'The table "author" is missing.',
  'ALTER TABLE post DROP COLUMN words': 'The column "post.words" is missing.',
  'ALTER TABLE post ALTER words TYPE text': '"post.words" is text, but should be bigint.',
  'ALTER TABLE post ALTER words TYPE varchar(9)': '"post.words" is character varying(9), but should be bigint.',
  'ALTER TABLE post ALTER slug DROP NOT NULL': '"post.slug" is nullable, but should be not nullable.',
  'ALTER TABLE post ALTER rating DROP DEFAULT': `"post.rating" has no default, but should have the default value '0'.`,
  'ALTER TABLE post ALTER rating SET DEFAULT 1': `"post.rating" has the default value '1', but should have the default value '0'.`,
  "CREATE SEQUENCE s; ALTER TABLE post ALTER rating SET DEFAULT nextval('s')": `"post.rating" has the default expression 'nextval('s'::regclass)', but should have the default value '0'.`,
  'ALTER TABLE post ALTER id DROP IDENTITY': '"post.id" is not counted, but should be counted by "post_id_seq".',
  'ALTER TABLE post ALTER id SET GENERATED ALWAYS': 'The column "id" of "post" has values of its own making.',
  'ALTER TABLE post DROP CONSTRAINT post_slug_key': 'The unique "post_slug_key" of "post" is missing.',
  'ALTER TABLE post DROP CONSTRAINT post_pkey': 'The primary key "post_pkey" of "post" is missing.',
  'DROP INDEX post_heading_idx': 'The index "post_heading_idx" of "post" is missing.',
  'DROP INDEX post_heading_idx; CREATE INDEX post_heading_idx ON post (heading)':
    'The index "post_heading_idx" of "post" is "heading", but should be "heading" desc.',
  'DROP INDEX post_heading_idx; CREATE INDEX post_heading_idx ON post (heading DESC) WHERE words > 1':
    'The index "post_heading_idx" of "post" has only some of the rows.',
  'ALTER TABLE post DROP CONSTRAINT post_author_id_fkey, ADD CONSTRAINT post_author_id_fkey FOREIGN KEY (author_id) REFERENCES author (id) ON DELETE SET NULL':
    'The foreign key "post_author_id_fkey" of "post" is "author_id" to "author.id" on delete set null, but should be "author_id" to "author.id" on delete cascade.',
  "ALTER TYPE status ADD VALUE 'lost'":
    'The enum "status" has the values "draft", "published", "archived", "lost", but should have "draft", "published", "archived".',
  'ALTER TABLE post ADD must text NOT NULL':
    'The column "post.must" is not of this release, and no row can be inserted without a value for it.',
};

const BESIDES: Readonly<Record<string, string>> = {
  'ALTER TABLE post ADD note text': 'The column "post.note" is not of this release.',
  'CREATE INDEX by_hand ON post (words)': 'The index "by_hand" of "post" is not of this release.',
  'CREATE INDEX by_hand ON post (lower(slug))': 'The index "by_hand" of "post" is not of this release.',
  'ALTER TABLE post ADD CONSTRAINT short CHECK (words < 9)': 'The constraint "short" of "post" is a check.',
  'ALTER TABLE post ADD CONSTRAINT once UNIQUE (words)': 'The unique "once" of "post" is not of this release.',
};

const FINE: readonly string[] = [
  'CREATE TABLE theirs (a serial, b text DEFAULT upper($$b$$), c int[], d xml)',
  'CREATE VIEW seen AS SELECT slug FROM post',
  "CREATE TYPE mood AS ENUM ('fine')",
];

/** What shows elsewhere in the catalog than in the rows of the table itself. */
const MORE: readonly string[] = [
  'ALTER TYPE status RENAME TO state',
  "ALTER TYPE status RENAME VALUE 'draft' TO 'idea'",
  'ALTER TABLE author RENAME TO writer',
  'ALTER SEQUENCE post_id_seq RENAME TO counted',
  'ALTER INDEX post_heading_idx RENAME TO by_heading',
  'ALTER TABLE author RENAME id TO key',
  'ALTER TABLE post RENAME TO other; CREATE VIEW post AS SELECT * FROM other',
  'ALTER TABLE post ALTER CONSTRAINT post_author_id_fkey DEFERRABLE',
  'CREATE SCHEMA elsewhere; ALTER TABLE post SET SCHEMA elsewhere',
];

/** As a release leaves it for the one before it. */
const KEPT: readonly string[] = [
  'ALTER TABLE post ADD kiln_words text',
  'CREATE INDEX kiln_words_idx ON post (kiln_words)',
  'ALTER TABLE post ADD CONSTRAINT kiln_words_check CHECK (kiln_words <> $$x$$) NOT VALID',
  'ALTER TABLE post ADD CONSTRAINT kiln_words_key UNIQUE (kiln_words)',
  'ALTER TABLE post ADD CONSTRAINT kiln_words_fkey FOREIGN KEY (words) REFERENCES author (id)',
  'CREATE FUNCTION kiln_fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
  'CREATE TRIGGER kiln_fill BEFORE INSERT ON post FOR EACH ROW EXECUTE FUNCTION kiln_fill()',
  'CREATE SCHEMA kiln_0123456789ab CREATE VIEW post AS SELECT id, heading AS title FROM public.post',
];

const LISTS = `
enum Colour { red, green }
model Shirt {
  field tags { type [string], default ["", "NULL", "a,\\"b\\"", "{}"] }
  field scores { type [integer], default [1, -2] }
  field ratios { type [float], default [0.5, 100000000000000000000.5, 0.0000001] }
  field prices { type [decimal], default [1.50] }
  field flags { type [boolean], default [true, false] }
  field moments { type [timestamp], default ["2026-03-29T12:30:00.120+02:00"] }
  field days { type [date], default ["2026-03-29"] }
  field keys { type [uuid], default ["0195E0A4-7C00-7ABC-8DEF-0123456789AB"] }
  field notes { type [json], default ["a", 1] }
  field colours { type [Colour], default ["green"] }
  field none { type [string], nullable, default [] }
}`;

describe('drift', () => {
  let database: TestDatabase;

  before(async () => {
    database = await createDatabase();
  });

  for (const [sql, sentence] of Object.entries(WRONG)) {
    it(`is refused: ${sentence}`, async () => {
      const { result } = await afterwards(sql);
      expect(result).to.include({ kind: 'refused', reason: 'drifted' });
      expect(result).to.have.property('details').that.includes(sentence);
    });
  }

  for (const [sql, sentence] of Object.entries(BESIDES)) {
    it(`is told: ${sentence}`, async () => {
      const { result, events } = await afterwards(sql);
      expect(result).to.include({ kind: 'done' });
      expect(eventsOf(events, 'warning').map(({ message }) => message)).to.deep.equal([sentence]);
    });
  }

  it('is not what others have beside our tables', async () => {
    const { events } = await afterwards(FINE.join(';'));
    expect(events.map(({ kind }) => kind)).to.deep.equal(['start', 'done']);
  });

  it('is not what a release keeps for the one before it', async () => {
    const { events } = await afterwards(`DROP SCHEMA IF EXISTS kiln_0123456789ab; ${KEPT.join(';')}`);
    expect(events.map(({ kind }) => kind)).to.deep.equal(['start', 'done']);
  });

  it('is found where it shows elsewhere than in the rows of the table itself', async () => {
    const { url, client } = database;
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await migrated(TEN_RELEASES, url);
    for (const sql of MORE) {
      await client.query('BEGIN');
      await client.query(sql);
      expect((await driftIn(client, TEN_RELEASES.schema, false)).wrong, sql).to.not.deep.equal([]);
      await client.query('ROLLBACK');
    }
  });

  it('is not in arrays, whatever their items and defaults are', async () => {
    await loadGrammar();
    const schema = schemaOf(LISTS);
    const { client } = database;
    await client.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${schemaSql(schema)}`);
    expect(driftBetween(schema, await schemaInCatalog(client), [])).to.deep.equal({ wrong: [], besides: [] });
    await client.query(`ALTER TABLE shirt ALTER tags DROP DEFAULT, ALTER tags TYPE text USING '', ALTER tags SET DEFAULT 'a';
      ALTER TABLE shirt ALTER colours TYPE text[], ALTER scores SET DEFAULT '{2}'`);
    expect(driftBetween(schema, await schemaInCatalog(client), []).wrong).to.deep.equal([
      '"shirt.tags" is text, but should be text[].',
      `"shirt.tags" has the default value 'a', but should have the default value '["","NULL","a,\\"b\\"","{}"]'.`,
      `"shirt.scores" has the default value '["2"]', but should have the default value '["1","-2"]'.`,
      '"shirt.colours" is text[], but should be an array of the enum "colour".',
    ]);
  });

  async function afterwards(sql: string) {
    const { url, client } = database;
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await migrated(TEN_RELEASES, url);
    await client.query(sql);
    return migrated(TEN_RELEASES, url);
  }
});
