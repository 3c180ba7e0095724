/** `create … or keep` and `create … or update`, where many requests want the same record, and beside another release. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { imageReleaseOf } from '../../../runtime/query/database-release.ts';
import { startApplication } from '../../support/application.ts';
import { createDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { ask } from '../http/serving.ts';
import { chainOf } from '../migrate/compiled-chain.ts';
import { migrated } from '../migrate/databases.ts';
import { countOf, definitionOf, modulesOf, type Running, run, stopAll, waiting } from './running.ts';

const AT_ONCE = 12;

function times<T>(make: (at: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, at) => make(at)));
}

const TAGS = `
model Tag {
  field name { type string, unique }
  field note { type string, nullable }
  relation uses { from Use, through tag }
}
model Use { reference tag { to Tag }, field n { type integer } }
model Mark { field id { type uuid }, field name { type string, unique } }
api {
  entrypoint Tag as tag {
    identify { through name }
    response { name, note, uses: count(uses) }
    get endpoint {}
    create endpoint { action { create or keep {} } }
    POST many "noted" { action { create Tag or update as tag { input { name, note } } respond { body tag.note } } }
    POST many "used" {
      extra inputs { field name { type string }, field n { type integer } }
      action {
        create Tag or keep as tag { set name name, set note null }
        create Use as use { set tag tag, set n n }
        respond { body tag.id }
      }
    }
    POST many "all" {
      extra inputs { field names { type [string] }, field n { type integer } }
      action {
        for each in names {
          create Tag or keep as tag { set name each, set note null }
          create Use { set tag tag, set n n }
        }
      }
    }
    POST many "mark" {
      extra inputs { field names { type [string] } }
      action { for each in names { create Mark or keep { set name each } } }
    }
    POST many "note" {
      extra inputs { field names { type [string] }, field note { type string } }
      action { for each in names { create Tag or update { set name each, set note note } } }
    }
    POST many "first" {
      extra inputs { field name { type string }, field n { type integer } }
      action {
        create Tag or keep as tag { set name name, set note null }
        query as uses { from tag.uses, count }
        validate with key "n" { isEqual(uses, 0) }
        create Use as use { set tag tag, set n n }
      }
    }
  }
}
`;

describe('requests at the same time for one record', () => {
  afterEach(stopAll);

  let app: Running;
  beforeEach(async () => {
    app = await run(TAGS);
  });

  async function tags(): Promise<unknown> {
    return (await app.database.client.query('SELECT name FROM tag')).rows;
  }

  it('make it once with `or keep`, and all get it', async () => {
    const answers = await times(() => app.ask('POST /api/tag', { name: 'red' }));
    expect(countOf(answers.map(({ status }) => status))).to.deep.equal(
      new Map([
        [201, 1],
        [200, AT_ONCE - 1],
      ]),
    );
    for (const { json } of answers) expect(json).to.deep.equal({ name: 'red', note: null, uses: 0 });
    expect(await tags()).to.deep.equal([{ name: 'red' }]);
  });

  it('make it once with `or update`, and each stores what it brings', async () => {
    const answers = await times((at) => app.ask('POST /api/tag/noted', { name: 'red', note: `note ${at}` }));
    expect(answers.map(({ json }) => json)).to.deep.equal(answers.map((_, at) => `note ${at}`));
    expect(await tags()).to.deep.equal([{ name: 'red' }]);
  });

  it('make it once within a transaction, and all can refer to it', async () => {
    const answers = await times((n) => app.ask('POST /api/tag/used', { name: 'red', n }));
    expect(countOf(answers.map(({ status }) => status))).to.deep.equal(new Map([[200, AT_ONCE]]));
    expect(new Set(answers.map(({ json }) => json)).size).to.equal(1);
    expect((await app.ask('GET /api/tag/red')).json).to.deep.equal({ name: 'red', note: null, uses: AT_ONCE });
  });

  it('make each of many once, whatever their order, by one statement for all', async () => {
    const { client } = app.database;
    await client.query(`CREATE TABLE statement (n int);
      CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO statement VALUES (1); RETURN NULL; END';
      CREATE TRIGGER noted AFTER INSERT ON use FOR EACH STATEMENT EXECUTE FUNCTION noted()`);
    const names = Array.from({ length: 100 }, (_, at) => `tag ${at}`);
    const answers = await times((n) =>
      app.ask('POST /api/tag/all', { names: n % 2 ? names : [...names].reverse(), n }),
    );
    expect(countOf(answers.map(({ status }) => status))).to.deep.equal(new Map([[204, AT_ONCE]]));
    const { rows } = await client.query(`SELECT (SELECT count(*) FROM statement) AS statements,
      (SELECT count(*) FROM tag) AS tags, (SELECT count(*) FROM use) AS uses,
      (SELECT count(*) FROM use GROUP BY tag_id HAVING count(DISTINCT n) <> ${AT_ONCE} LIMIT 1) AS wrong`);
    expect(rows).to.deep.equal([{ statements: `${AT_ONCE}`, tags: '100', uses: `${100 * AT_ONCE}`, wrong: null }]);
  });

  it('change records in the order of their keys, whatever the order of the items', async () => {
    const { client } = app.database;
    // Postgres reads a table that it knows to be small from its beginning.
    await client.query("INSERT INTO tag (name) VALUES ('b'), ('a'); ANALYZE tag");
    await client.query("BEGIN; UPDATE tag SET note = 'mine' WHERE name = 'a'");
    const answer = app.ask('POST /api/tag/note', { names: ['b', 'a', 'c'], note: 'all' });
    await until(async () => (await waiting(app)) !== 0);
    await client.query("SELECT FROM tag WHERE name = 'b' FOR UPDATE NOWAIT; COMMIT");
    expect((await answer).status).to.equal(204);
    const { rows } = await client.query('SELECT DISTINCT note, count(*) OVER () AS n FROM tag');
    expect(rows).to.deep.equal([{ note: 'all', n: '3' }]);
  });

  it('make records in the order of their keys where the ids do not come from Postgres', async () => {
    const { client } = app.database;
    const mark = (name: string) => client.query('INSERT INTO mark VALUES (gen_random_uuid(), $1)', [name]);
    await client.query("BEGIN; SET LOCAL lock_timeout = '500ms'");
    await mark('a');
    const answer = app.ask('POST /api/tag/mark', { names: ['b', 'a'] });
    await until(async () => (await waiting(app)) !== 0);
    await mark('b');
    await client.query('COMMIT');
    expect((await answer).status).to.equal(204);
    expect((await client.query('SELECT name FROM mark ORDER BY name')).rows).to.deep.equal([
      { name: 'a' },
      { name: 'b' },
    ]);
  });

  it('say which item is too long for an index', async () => {
    const names = ['short', randomBytes(6000).toString('base64')];
    const { status, json } = await app.ask('POST /api/tag/all', { names, n: 1 });
    expect(status).to.equal(422);
    expect(json.errors).to.have.nested.property('[0].path', 'names[1]');
  });

  it('keep a rule that one of them breaks', async () => {
    const answers = await times((n) => app.ask('POST /api/tag/first', { name: 'red', n }));
    expect(countOf(answers.map(({ status }) => status))).to.deep.equal(
      new Map([
        [204, 1],
        [422, AT_ONCE - 1],
      ]),
    );
    expect((await app.ask('GET /api/tag/red')).json.uses).to.equal(1);
  });
});

describe('an older release', () => {
  const program = (field: string) => `
model Tag { ${field}, field note { type string, nullable } }
api {
  entrypoint Tag as tag {
    create endpoint { action { create or keep {} } }
    POST many "noted" { action { create Tag or update as tag { input * } respond { body tag } } }
  }
}`;
  const bare = (field: string) => `
model Tag { ${field}, field note { type string, nullable } }
api { entrypoint Tag as tag { list endpoint {} } }`;

  for (const [title, field] of [
    ['has renamed', 'field label { type string, unique, was name }'],
    ['has made another type', 'field name { type json }'],
    ['does no longer have', 'field name { type string }'],
  ] as const) {
    it(`finds records by a key that the next one ${title}`, async () => {
      const [first, second] = await Promise.all(
        [program('field name { type string, unique }'), bare(field)].map((source) => definitionOf(source)),
      );
      if (!first || !second) throw new Error('two programs have two definitions');
      const { url } = await createDatabase();
      await migrated(chainOf([first]), url);
      const release = imageReleaseOf(chainOf([first]));
      const old = await startApplication({ definition: first, databaseUrl: url, hooks: modulesOf({}), release });
      const post = async (path: string, body: unknown) => {
        const headers = { 'content-type': 'application/json' };
        const sent = { method: 'POST', body: JSON.stringify(body), headers };
        const { status, json } = await ask(Number(new URL(old.url).port), path, sent);
        return [status, json];
      };
      try {
        expect(await post('/api/tag', { name: 'red' })).to.deep.equal([201, { id: 1, name: 'red', note: null }]);
        const { result } = await migrated(chainOf([first, second]), url, { contractWait: 0 });
        expect(result.kind, JSON.stringify(result)).to.equal('done');
        expect(await post('/api/tag', { name: 'red' })).to.deep.equal([200, { id: 1, name: 'red', note: null }]);
        expect(await post('/api/tag', { name: 'blue' })).to.deep.equal([201, { id: 2, name: 'blue', note: null }]);
        const noted = { name: 'blue', note: 'a colour' };
        expect(await post('/api/tag/noted', noted)).to.deep.equal([200, { id: 2, ...noted }]);
      } finally {
        await old.stop();
      }
    });
  }
});
