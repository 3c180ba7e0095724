import { expect } from 'chai';
import type pg from 'pg';
import type { Definition } from '../../compiler/definition/definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import type { DataOverview, DataPage, DataRecord } from '../../runtime/console/data/data-forms.ts';
import { DataModels } from '../../runtime/console/data/data-models.ts';
import { definitionOf } from '../compiler/openapi/documents.ts';
import { startApplication } from '../support/application.ts';
import { createDatabase } from '../support/postgres.ts';
import { type DataServer, startDataServer } from './data-server.ts';

const SOURCE = `
enum Mood { calm, loud }
model Person {
  field email { type string, unique }
  field name { type string, nullable }
  field password_hash { type string, secret }
  field pin { type string, nullable, secret }
  relation songs { from Song, through owner }
}
model Song {
  reference owner { to Person }
  reference cover_of { to Song, nullable }
  field title { type string, unique }
  field mood { type Mood, default "calm" }
  field plays { type integer, default 0 }
  field price { type decimal, nullable }
  field tags { type [string], default [] }
  field extra { type json, nullable }
  field made_at { type timestamp, default now() }
  unique { owner, plays }
  computed heard { count(plays_of) }
  computed last_heard { max(plays_of.id) }
  computed covers { coalesce(cover_of.title, "what?") }
  computed huge { plays * 2000000000 * 1000000000 }
  computed mine { owner is @auth }
  relation plays_of { from Play, through song }
}
model Play { reference song { to Song }, field at { type timestamp, default now() } }
model Profile { reference person { to Person, unique }, field motto { type string } }
model Visit { reference profile { to Profile }, computed songs { count(profile.person.songs) } }
auth { model Person, login email, password password_hash }
populator Dev { populate Person as person { set email "dev@example.com" } }
api {
  entrypoint Song as songs {
    identify { through title }
    get endpoint {} update endpoint {}
    POST one "silence" { action { update songs { set mood "calm" } } }
    DELETE one "covers" { action { update songs { set cover_of null } } }
    delete endpoint {}
    entrypoint plays_of as plays { delete endpoint {} }
  }
  entrypoint @auth as me { get endpoint {} }
}`;

const COMPUTED = ['heard', 'last_heard', 'covers', 'huge'];

describe('a column of the console', () => {
  before(() => loadGrammar());

  it('has a default where the database itself fills it in', () => {
    const text =
      'model Box { field size { type integer, default 2 }, field made { type timestamp, default now() }, field look { type json, default { colour: "oak" } }, field twice { type integer, default 1 + 1 } }';
    const { columns } = new DataModels(definitionOf([{ path: 'main.kiln', text }])).model('Box');
    const filled = columns.filter(({ form }) => form.hasDefault).map(({ form }) => form.name);
    expect(filled).to.deep.equal(['id', 'size', 'made']);
  });
});

describe('the data of the console', () => {
  let server: DataServer;
  let client: pg.Client;
  let url: string;
  let definition: Definition;

  before(async () => {
    await loadGrammar();
    definition = definitionOf([{ path: 'main.kiln', text: SOURCE }]);
    ({ client, url } = await createDatabase());
    await client.query(schemaSql(schemaFromDefinition(definition)));
    server = await startDataServer(definition, url);
  });

  const fill = async (): Promise<void> => {
    await client.query(`TRUNCATE person, song, play, profile, visit RESTART IDENTITY CASCADE;
      INSERT INTO person (email, name, password_hash, pin) VALUES
        ('ann@example.com', 'Ann', 'scrypt-of-ann', '1234'), ('bob@example.com', NULL, 'scrypt-of-bob', NULL);
      INSERT INTO song (owner_id, title, mood, plays, price, tags, extra) VALUES
        (1, 'Rain_100%', 'loud', 7, 1.50, '{a,b}', '{"k": 1}'), (1, 'Snow', 'calm', 3, NULL, '{}', NULL);
      INSERT INTO profile (person_id, motto) VALUES (1, 'Long and dull'); INSERT INTO visit (profile_id) VALUES (1);
      INSERT INTO play (song_id) SELECT 1 FROM generate_series(1, 7);`);
  };

  after(() => server.stop());

  describe('that is read', () => {
    before(fill);

    it('lists the models with their columns, types, references and exact numbers of rows', async () => {
      const { models, populators, canReset } = (await server.get('data')) as DataOverview;
      const song = models.find(({ name }) => name === 'Song');
      expect(models.map(({ name, rows }) => [name, rows.count, rows.isExact])).to.deep.equal([
        ['Person', 2, true],
        ['Play', 7, true],
        ['Profile', 1, true],
        ['Song', 2, true],
        ['Visit', 1, true],
      ]);
      expect(song?.label).to.equal('title');
      expect(song?.columns.map(({ name, type, reference }) => [name, type, reference?.to ?? null])).to.deep.equal([
        ['id', 'integer', null],
        ['owner_id', 'integer', 'Person'],
        ['cover_of_id', 'integer', 'Song'],
        ['title', 'string', null],
        ['mood', 'enum', null],
        ['plays', 'integer', null],
        ['price', 'decimal', null],
        ['tags', 'string', null],
        ['extra', 'json', null],
        ['made_at', 'timestamp', null],
        ['heard', 'integer', null],
        ['last_heard', 'integer', null],
        ['covers', 'string', null],
        ['huge', 'integer', null],
      ]);
      expect(song?.columns.filter(({ isComputed }) => isComputed)).to.have.length(4);
      expect(song?.columns.find(({ name }) => name === 'mood')?.values).to.deep.equal(['calm', 'loud']);
      expect([populators.map(({ name }) => name), canReset]).to.deep.equal([['Dev'], true]);
    });

    it('never sends a secret, nor lets it be found out by a filter or the order', async () => {
      const page = JSON.stringify(await server.get('data/Person'));
      const record = JSON.stringify(await server.get('data/Person/1'));
      for (const text of [page, record]) {
        expect(text).to.include('•••');
        expect(text).to.not.match(/scrypt|1234/);
      }
      expect((await server.page('Person?filter=pin:null:')).rows.map(([id]) => id)).to.deep.equal([2]);
      for (const query of ['filter=pin:is:1234', 'filter=password_hash:contains:scrypt', 'sort=pin'])
        expect((await server.send('GET', `data/Person?${query}`)).status, query).to.equal(400);
    });

    it('sorts, with the id for ties, and gives the names of what records refer to', async () => {
      const byPlays = await server.page('Song?sort=plays');
      expect(titles(byPlays)).to.deep.equal(['Snow', 'Rain_100%']);
      expect(titles(await server.page('Song?sort=-plays'))).to.deep.equal(['Rain_100%', 'Snow']);
      expect(byPlays.labels).to.deep.equal({ owner_id: { 1: 'Ann' }, cover_of_id: {} });
      expect(byPlays.rows[1]?.slice(4, 9)).to.deep.equal(['loud', 7, '1.50', '["a","b"]', '{"k": 1}']);
      expect(byPlays.total).to.deep.equal({ count: 2, isExact: true });
    });

    it('shows what is computed of a record alone, null if it is out of range, and finds and sorts by it', async () => {
      const computed = async (query: string) => (await server.page(`Song?${query}`)).rows.map((row) => row.slice(10));
      const [rain, snow] = [
        [7, 7, 'what?', null],
        [0, null, 'what?', 6_000_000_000_000_000_000],
      ];
      expect(await computed('sort=heard')).to.deep.equal([snow, rain]);
      expect(await computed('sort=-heard')).to.deep.equal([rain, snow]);
      expect(await computed('filter=heard:greater:3')).to.deep.equal([rain]);
      expect(await computed('filter=covers:is:what%3F&filter=last_heard:is:7')).to.deep.equal([rain]);
      expect(((await server.get('data/Song/1')) as DataRecord).values.slice(10)).to.deep.equal(rain);
      const { body } = await server.send('PATCH', 'data/Song/1', { values: { heard: 1 } });
      expect(body.errors[0]?.message).to.equal('is no column of `Song`');
    });

    it('calls a record that belongs to one other as that one', async () => {
      expect((await server.page('Visit')).labels).to.deep.equal({ profile_id: { 1: 'Ann' } });
    });

    for (const [filter, expected] of [
      ['title:contains:_100%25', ['Rain_100%']],
      ['title:contains:RAIN', ['Rain_100%']],
      ['title:contains:%25', ['Rain_100%']],
      ['mood:is:calm', ['Snow']],
      ['plays:greater:3', ['Rain_100%']],
      ['price:less:2', ['Rain_100%']],
      ['price:null:', ['Snow']],
      ['extra:not-null:', ['Rain_100%']],
      ['tags:contains:b', ['Rain_100%']],
      ["title:is:' OR 1=1 --", []],
      ['owner_id:is:1&filter=plays:less:5', ['Snow']],
    ] as const) {
      it(`filters by ${filter}`, async () => {
        expect(titles(await server.page(`Song?filter=${filter}`))).to.deep.equal(expected);
      });
    }

    for (const [query, detail] of [
      ['Song?sort=title"; DROP TABLE song; --', '`Song` has no column `title"; DROP TABLE song; --`.'],
      ['Song?filter=__proto__:is:1', '`Song` has no column `__proto__`.'],
      ['Song?filter=id) OR (1=1:is:1', '`Song` has no column `id) OR (1=1`.'],
      [
        'Song?filter=title:matches:x',
        '`title` can be filtered by `is`, `contains`, `greater`, `less`, `null`, `not-null`, not by `matches`.',
      ],
      ['Song?filter=plays:is:many', 'The filter of `plays` must be an integer.'],
      ['Song?page=0', 'The query parameter `page` must be a whole number from 1 on.'],
      ['Song?page=201', 'The last page that can be shown is 200. Use a filter, or sort the other way round.'],
      ['Song?size=5', 'The query parameter `size` is not known here.'],
      ['Song?sort=extra', 'The query parameter `sort` cannot be `extra`: it has no order that may be shown.'],
    ] as const) {
      it(`rejects ${query}`, async () => {
        const { status, body } = await server.send('GET', `data/${query}`);
        expect([status, body.detail]).to.deep.equal([400, detail]);
      });
    }

    it('does not know other tables than those of models', async () => {
      for (const name of ['song', 'pg_class', 'kiln_tokens', 'constructor', 'Song" --']) {
        const { status, body } = await server.send('GET', `data/${encodeURIComponent(name)}`);
        expect([status, body.detail]).to.deep.equal([404, `There is no model \`${name}\`.`]);
      }
    });
  });

  describe('that is changed', () => {
    beforeEach(fill);

    it('pages, and stops counting a large table', async () => {
      await client.query(`INSERT INTO play (song_id) SELECT 2 FROM generate_series(1, 11000); ANALYZE play`);
      const first = await server.page('Play?sort=-id');
      expect([first.rows.length, first.hasMore, first.total?.isExact]).to.deep.equal([50, true, false]);
      expect(first.total?.count).to.be.greaterThan(10_900);
      const second = await server.page('Play?page=2&filter=song_id:is:2');
      expect(second.rows[0]?.[0]).to.equal(58);
      expect(second.total).to.deep.equal({ count: 10_000, isExact: false });
      const { models } = (await server.get('data')) as DataOverview;
      expect(models.find(({ name }) => name === 'Play')?.rows.isExact).to.equal(false);
    });

    it('cuts long texts in a table, and gives them whole with the record', async () => {
      await client.query(`UPDATE song SET title = repeat('x', 500) WHERE id = 1`);
      expect((await server.page('Song?sort=id')).rows[0]?.[3]).to.deep.equal({ cut: 'x'.repeat(200), length: 500 });
      expect(((await server.get('data/Song/1')) as DataRecord).values[3]).to.equal('x'.repeat(500));
    });

    it('shows a record with those that refer to it, and the endpoints that work on it', async () => {
      await client.query(`UPDATE song SET cover_of_id = 1 WHERE id = 2`);
      const { label, referredBy, operations } = (await server.get('data/Song/1')) as DataRecord;
      expect(label).to.equal('Rain_100%');
      expect(referredBy.map(({ model, total, records }) => [model, total.count, records.length])).to.deep.equal([
        ['Play', 7, 5],
        ['Song', 1, 1],
      ]);
      expect(referredBy[1]?.records).to.deep.equal([{ id: '2', label: 'Snow' }]);
      const parameters = { song_title: 'Rain_100%' };
      const path = '/api/song/{song_title}';
      expect(operations).to.have.deep.members([
        { kind: 'get', method: 'GET', path, parameters },
        { kind: 'update', method: 'PATCH', path, parameters },
        { kind: 'custom', method: 'POST', path: `${path}/silence`, parameters },
        { kind: 'custom', method: 'DELETE', path: `${path}/covers`, parameters },
        { kind: 'delete', method: 'DELETE', path, parameters },
      ]);
      const play = (await server.get('data/Play/3')) as DataRecord;
      expect(play.operations.map((operation) => operation.parameters)).to.deep.equal([
        { song_title: 'Rain_100%', play_id: '3' },
      ]);
      expect(((await server.get('data/Person/1')) as DataRecord).operations).to.deep.equal([]);
    });

    it('creates, changes and deletes a record as it is', async () => {
      const made = await server.send('POST', 'data/Song', {
        values: { owner_id: 2, title: 'Fog', tags: ['x'], extra: { deep: [null] }, price: '2.50' },
      });
      expect(made).to.deep.equal({ status: 201, body: { id: '3' } });
      expect((await server.page('Song?filter=id:is:3')).rows[0]?.slice(1, 9)).to.deep.equal([
        2,
        null,
        'Fog',
        'calm',
        0,
        '2.50',
        '["x"]',
        '{"deep": [null]}',
      ]);
      expect((await server.send('PATCH', 'data/Song/3', { values: { title: 'Mist', price: null } })).status).to.equal(
        204,
      );
      expect(titles(await server.page('Song?filter=price:null:'))).to.deep.equal(['Snow', 'Mist']);
      expect((await server.send('DELETE', 'data/Song/3')).status).to.equal(204);
      expect((await server.send('DELETE', 'data/Song/3')).body.detail).to.equal('There is no `Song` with the id 3.');
    });

    it('does not give an id that was typed to a later record', async () => {
      const next = async () => (await client.query('INSERT INTO play (song_id) VALUES (1) RETURNING id')).rows[0].id;
      const send = (method: string, path: string, id: number) =>
        server.send(method, `data/Play${path}`, { values: { id, ...(path === '' && { song_id: 1 }) } });
      const before = Number(await next());
      expect((await send('POST', '', before + 2)).status).to.equal(201);
      expect(Number(await next())).to.equal(before + 3);
      expect((await send('PATCH', `/${before}`, before + 4)).status).to.equal(204);
      expect(Number(await next())).to.equal(before + 5);
      expect((await send('POST', '', -1)).status).to.equal(201);
      expect((await send('POST', '', before)).status).to.equal(201);
      expect(Number(await next()), 'it never goes back').to.equal(before + 6);
    });

    it('takes a typed id where the role of the server has no right on the sequence', async () => {
      await client.query(`CREATE ROLE data_${client.database} LOGIN PASSWORD 'data';
        GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO data_${client.database}`);
      const address = new URL(url);
      address.username = `data_${client.database}`;
      address.password = 'data';
      const limited = await startDataServer(definition, address.href);
      const made = await limited.send('POST', 'data/Play', { values: { id: 1000, song_id: 1 } });
      await limited.stop();
      expect(made).to.deep.equal({ status: 201, body: { id: '1000' } });
    });

    it('hashes a password, so that its account can log in with it', async () => {
      const values = { email: 'cy@example.com', password_hash: 'correct horse' };
      expect((await server.send('POST', 'data/Person', { values })).status).to.equal(201);
      const { rows } = await client.query(`SELECT password_hash FROM person WHERE email = 'cy@example.com'`);
      expect(rows[0].password_hash).to.match(/^scrypt\$/);
      const { status, body } = await server.send('PATCH', 'data/Person/1', { values: { password_hash: '' } });
      expect([status, body.errors[0]?.message]).to.deep.equal([422, 'must not be empty']);
    });

    for (const [values, errors] of [
      [{ title: 'Snow', owner_id: 1 }, [['title', 'another record has this value already']]],
      [
        { title: 'x', owner_id: 1, plays: 3 },
        [['owner_id', 'another record has this value already, together with plays']],
      ],
      [{ owner_id: 99, title: 'x' }, [['owner_id', 'there is no record with this id']]],
      [{ title: 'x' }, [['owner_id', 'must not be null']]],
      [
        { owner_id: null, title: 5 },
        [
          ['owner_id', 'must not be null'],
          ['title', 'must be a string'],
        ],
      ],
      [{ owner_id: 1, title: 'x', mood: 'angry' }, [['mood', 'must be one of calm, loud']]],
      [{ 'id") --': 1 }, [['id") --', 'is no column of `Song`']]],
    ] as const) {
      it(`says at the column what is wrong with ${JSON.stringify(values)}`, async () => {
        const { status, body } = await server.send('POST', 'data/Song', { values });
        expect(status).to.equal(422);
        expect(body.errors.map((error) => [error.path, error.message])).to.deep.equal(errors);
      });
    }

    it('says which records still refer to one that is to be deleted', async () => {
      const { status, body } = await server.send('DELETE', 'data/Song/1');
      expect([status, body.detail]).to.deep.equal([
        409,
        'Other records still refer to this one (Play). Delete or change them first.',
      ]);
      await client.query(`DELETE FROM play; UPDATE song SET cover_of_id = 1 WHERE id = 2`);
      const own = await server.send('DELETE', 'data/Song/1');
      expect(own.body.detail).to.equal('Other records still refer to this one (Song). Delete or change them first.');
    });

    it('gives up a statement that takes too long', async () => {
      const blocking = client.query('BEGIN; LOCK TABLE song IN ACCESS EXCLUSIVE MODE');
      try {
        await blocking;
        const { status, body } = await server.send('GET', 'data/Song');
        expect([status, body.detail]).to.deep.equal([
          503,
          'The database needed more than 0.3 s. Filter by an indexed column, or sort by `id`.',
        ]);
        const write = await server.send('PATCH', 'data/Song/1', { values: { plays: 1 } });
        expect([write.status, write.body.detail]).to.deep.equal([
          503,
          'The database needed more than 0.3 s. Another transaction may hold a lock on the record.',
        ]);
      } finally {
        await client.query('ROLLBACK');
      }
    });

    it('shows a record without what is computed if that takes too long', async () => {
      await client.query('INSERT INTO visit (profile_id) SELECT min(id) FROM profile');
      const [visit] = (await server.page('Visit')).rows;
      await client.query('BEGIN; LOCK TABLE song IN ACCESS EXCLUSIVE MODE');
      try {
        const { body } = await server.send('GET', `data/Visit/${visit?.[0]}`);
        expect(body).to.deep.include({ slow: ['songs'], values: [visit?.[0], visit?.[1], null] });
      } finally {
        await client.query('ROLLBACK; DELETE FROM visit');
      }
    });

    it('shows a table without what is computed if that takes too long, or is hidden', async () => {
      await client.query('BEGIN; LOCK TABLE play IN ACCESS EXCLUSIVE MODE');
      try {
        const { slow, rows } = await server.page('Song?filter=title:is:Snow');
        expect([slow, rows[0]?.slice(10)]).to.deep.equal([COMPUTED, COMPUTED.map(() => null)]);
        const hidden = await server.page('Song?filter=title:is:Snow&hide=heard&hide=last_heard');
        expect(hidden.hidden).to.deep.equal(['heard', 'last_heard']);
        expect([hidden.slow, hidden.rows[0]?.slice(10)]).to.deep.equal([undefined, [null, null, 'what?', 6e18]]);
        expect((await server.send('GET', 'data/Song?sort=heard')).status).to.equal(503);
      } finally {
        await client.query('ROLLBACK');
      }
    });

    it('lists accounts, and gives a token for one without its password', async () => {
      expect(await server.get('accounts?search=ANN')).to.deep.equal({
        model: 'Person',
        accounts: [{ id: '1', login: 'ann@example.com', label: 'Ann', role: null }],
        hasMore: false,
      });
      const { status, body } = await server.send('POST', 'sign-in', { id: '1' });
      expect(status).to.equal(200);
      const me = await fetch(`${server.url}/api/auth/me`, { headers: { authorization: `Bearer ${body.token}` } });
      expect([me.status, ((await me.json()) as { email: string }).email]).to.deep.equal([200, 'ann@example.com']);
      expect((await server.send('POST', 'sign-in', { id: '99' })).status).to.equal(404);
      expect((await server.send('POST', 'sign-in', { id: "1' OR '1'='1" })).status).to.equal(404);
    });

    it('populates and resets, one at a time, and says how far it is', async () => {
      const { actions } = server;
      expect((await server.send('POST', 'populate', { populator: 'Other' })).status).to.equal(404);
      const running = server.send('POST', 'populate', { populator: 'Dev' });
      await actions.begun;
      expect(await server.get('action')).to.deep.equal({ running: 'populate Dev', progress: { done: 1, total: 3 } });
      expect((await server.send('POST', 'reset')).body.detail).to.equal(
        '`populate Dev` is still running. Wait until it is done.',
      );
      actions.end();
      expect((await running).status).to.equal(204);
      expect(await server.get('action')).to.deep.equal({ running: null, progress: null });
      const failed = await server.send('POST', 'reset');
      expect([failed.status, failed.body.detail]).to.deep.equal([409, 'The database is used by somebody else.']);
    });
  });

  it('asks every caller for the key', async () => {
    for (const path of ['data', 'data/Person', 'data/Person/1', 'accounts', 'action'])
      expect((await fetch(`${server.url}/_console/${path}`)).status, path).to.equal(403);
    for (const path of ['data/Person', 'sign-in', 'populate', 'reset'])
      expect((await fetch(`${server.url}/_console/${path}`, { method: 'POST' })).status, path).to.equal(403);
  });

  it('has data alone in an image where `CONSOLE` is `on`, and nothing where it is not', async () => {
    const inImage = await startDataServer(definition, url, { place: 'docs', statementTimeout: '5s' });
    const { populators, canReset } = (await inImage.get('data')) as DataOverview;
    expect([populators, canReset]).to.deep.equal([[], false]);
    for (const path of ['sign-in', 'populate', 'reset'])
      expect((await inImage.send('POST', path, { id: '1' })).status, path).to.equal(404);
    await inImage.stop();
    const without = await startApplication({ definition, databaseUrl: url, openApi: '{"info":{}}' });
    expect((await fetch(`${without.url}/_console/data`)).status).to.equal(404);
    await without.stop();
  });
});

function titles({ rows }: DataPage): readonly unknown[] {
  return rows.map((row) => row[3]);
}
