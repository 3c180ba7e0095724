import { expect } from 'chai';
import type { Progress } from '../../../runtime/populate/progress.ts';
import { encoderOf } from '../../../runtime/populate/rows.ts';
import { counts, type Populating, populating } from './populating.ts';

const AWKWARD = 'tab\tline\nreturn\r back\\slash \\N \\. quote" \'’ 😀 \u0001 end';

describe('rows that go in by COPY', () => {
  it('keep every character of a text, a JSON value and an enum', async () => {
    const quoted = JSON.stringify(AWKWARD);
    const things = await populating(`
      enum Odd { back_slash }
      model Thing { field a { type string } field b { type json } field c { type string, nullable } field d { type string } field e { type Odd } }
      populator Dev { populate Thing { repeat 3, set a ${quoted}, set b [${quoted}, "x"], set c null, set d "", set e "back_slash" } }`);
    await things.populate();
    for (const row of await things.rows('SELECT a, b, c, d FROM thing'))
      expect(row).to.deep.equal({ a: AWKWARD, b: [AWKWARD, 'x'], c: null, d: '' });
  });

  it('keep every item of a list', async () => {
    const things = await populating(`
      enum Size { small, large }
      model Thing { field a { type [string] } field b { type [Size] } field c { type [json], nullable } field d { type [decimal], nullable } field e { type [boolean], default [true] } }
      populator Dev { populate Thing { repeat 2, set a [${JSON.stringify(AWKWARD)}, "", "NULL", "{a,b}"], set b ["large", "small"], set c [], set d null } }`);
    await things.populate();
    for (const row of await things.rows('SELECT a, b::text[], c, d, e FROM thing'))
      expect(row).to.deep.equal({
        a: [AWKWARD, '', 'NULL', '{a,b}'],
        b: ['large', 'small'],
        c: [],
        d: null,
        e: [true],
      });
  });

  it('start no jobs', async () => {
    const things = await populating(`
      model Thing { field a { type string } }
      job Tell { input thing { to Thing } action { update thing { set a "told" } } }
      on create of Thing as thing { run Tell { thing: thing } }
      populator Dev { populate Thing { repeat 3, set a "x" } }`);
    await things.populate();
    expect(await things.rows('SELECT count(*)::int AS jobs FROM kiln_jobs')).to.deep.equal([{ jobs: 0 }]);
    await things.client.query(`INSERT INTO thing (a) VALUES ('y')`);
    expect(await things.rows('SELECT count(*)::int AS jobs FROM kiln_jobs')).to.deep.equal([{ jobs: 1 }]);
  });

  it('are refused where Postgres could not store them', () => {
    const encode = encoderOf({ kind: 'string' });
    expect(() => encode('a\0b')).to.throw('U+0000');
    expect(() => encode('a\ud800b')).to.throw('surrogate');
    expect(encode('a\tb\\')).to.equal('a\\tb\\\\');
    expect(encode(null)).to.equal('\\N');
    expect(encode('\\N')).to.equal('\\\\N');
  });

  it('go in batches over several tables, and are told while they do', async () => {
    const told: Progress[] = [];
    const shop = await populating(`
      model Author { field name { type string } relation posts { from Post, through author } }
      model Post { reference author { to Author } field body { type string } relation comments { from Comment, through post } }
      model Comment { reference post { to Post } reference by { to Author } field body { type string } }
      populator Dev { populate Author { repeat 200, populate posts { repeat 20, populate comments { repeat 5 } } } }`);
    const { rows, tables } = await shop.populate({ report: (progress) => told.push(progress) });
    expect(await counts(shop)).to.deep.equal({ Author: 200, Comment: 20_000, Post: 4000 });
    expect(rows).to.equal(24_200);
    expect(tables).to.deep.equal([
      { model: 'Author', table: 'author', rows: 200 },
      { model: 'Post', table: 'post', rows: 4000 },
      { model: 'Comment', table: 'comment', rows: 20_000 },
    ]);
    expect(told.at(-1)).to.include({ done: 24_200, total: 24_200, secondsLeft: 0 });
    const done = told.map((progress) => progress.done);
    expect(done).to.deep.equal([...done].sort((a, b) => a - b));
  });

  it('leave keys, indexes and foreign keys as they were, also where they are many', async () => {
    const shop = await populating(`
      model Author { field name { type string, unique } relation posts { from Post, through author } }
      model Post {
        reference author { to Author, on delete cascade } reference previous { to Post, nullable, on delete set null }
        field slug { type string, unique } field at { type timestamp, index } field kind { type integer }
        unique { author, slug } index { kind, at desc }
      }
      populator Dev { populate Author { repeat 10, populate posts { repeat 1200 } } }`);
    const before = await catalog(shop);
    await shop.populate();
    expect(before).to.have.length.greaterThan(12);
    expect(await catalog(shop)).to.deep.equal(before);
    expect(await counts(shop)).to.deep.equal({ Author: 10, Post: 12_000 });
  });

  it('wait for those of another run', async () => {
    const things = await populating(`
      model Thing { field name { type string, unique } }
      populator Dev { populate Thing { repeat 500 } }`);
    await Promise.all([things.populate(), things.populate(), things.populate({ seed: 2 })]);
    expect(await counts(things)).to.deep.equal({ Thing: 1500 });
  });

  it('go in where models refer to each other in a circle', async () => {
    const teams = await populating(`
      model Team { reference lead { to Person, nullable } field name { type string } relation people { from Person, through team } }
      model Person { reference team { to Team } field name { type string } relation led { from Team, through lead } }
      populator Dev { populate Team { repeat 5, populate people { repeat 3, populate led { repeat 2 } } } }`);
    await teams.populate();
    expect(await counts(teams)).to.deep.equal({ Person: 15, Team: 35 });
  });
});

/** What Postgres says of constraints and indexes. */
async function catalog({ rows }: Populating): Promise<readonly unknown[]> {
  return rows(`
    SELECT conname AS name, conrelid::regclass::text AS of, pg_get_constraintdef(oid) AS is, convalidated AS valid
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL
    SELECT indexrelid::regclass::text, indrelid::regclass::text, pg_get_indexdef(indexrelid), indisvalid
    FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = 'public'::regnamespace
    ORDER BY 1, 3`);
}
