/** What `context.db` gives to hooks: Objection's models of the application, in the transaction of the request. */
import { expect } from 'chai';
import type { Model, ModelClass } from 'objection';
import type { HookContext } from '../../../runtime/hooks/context.ts';
import { type Code, type Running, run, stopAll } from './running.ts';

const PROGRAM = `
enum Status { draft, live }
model Author {
  field id { type uuid }
  field name { type string, unique }
  field key { type string, secret, default "hush" }
  relation posts { from Post, through author }
  relation profile { from Profile, through author }
}
model Profile { reference author { to Author, unique }, field motto { type string } }
model Post {
  reference author { to Author, nullable }
  reference parent { to Post, nullable }
  relation replies { from Post, through parent }
  field title { type string }
  field status { type Status, default "draft" }
  field price { type decimal, nullable }
  field meta { type json, nullable }
  field views { type integer, default 0 }
  field createdAt { type timestamp, default now() }
  field day { type date, nullable }
  field tags { type [string], default [] }
  field statuses { type [Status], nullable }
  field counts { type [integer], nullable }
  field prices { type [decimal], nullable }
  field moments { type [timestamp], nullable }
  field days { type [date], nullable }
  field metas { type [json], nullable }
}
api {
  entrypoint Post {
    response { title }
    list endpoint {}
    POST many "run" {
      action {
        create Post { set title "before" }
        execute as result { hook { source code from "code" } }
        respond { body result }
      }
    }
    GET many "read" { action { execute as result { hook { source code from "code" } } respond { body result } } }
  }
}
`;

/** Properties of records are those of the definition, which the test knows and TypeScript does not. */
type Row = Model & Record<string, unknown>;
type Models = Readonly<Record<'Author' | 'Post' | 'Profile', ModelClass<Row>>>;
type Work = (models: Models, context: HookContext) => unknown;

describe('the models of hooks', () => {
  let app: Running;
  let work: Work;
  const code: Code = (_, context) => work(context.db as unknown as Models, context);

  before(async () => {
    app = await run(PROGRAM, { code: { code } });
  });
  beforeEach(() => app.database.client.query('TRUNCATE author, profile, post RESTART IDENTITY'));
  after(stopAll);

  const running = async (given: Work) => {
    work = given;
    return app.ask('POST /api/post/run');
  };
  const resultOf = async (given: Work) => {
    const { status, json, text } = await running(given);
    expect(status, text).to.equal(200);
    return json;
  };
  const failureOf = async (given: Work) => {
    const { status, json } = await running(given);
    expect(status).to.equal(500);
    const { err } = app.lines.find(({ requestId }) => requestId === json.requestId) as { readonly err: Error };
    return (err.cause as Error).message;
  };
  const titles = async () =>
    (await app.database.client.query('SELECT title FROM post ORDER BY id')).rows.map(({ title }) => title);

  const ada = async ({ Author, Post, Profile }: Models) => {
    const author = await Author.query().insert({ name: 'Ada' });
    await Profile.query().insert({ author_id: author.id, motto: 'Onwards' });
    const post = await Post.query().insert({ title: 'Engines', author_id: author.id });
    await Post.query().insert({ title: 'Looms', author_id: author.id, parent_id: post.id });
    return author;
  };

  it('read along references and relations, to one and to many', async () => {
    const json = await resultOf(async (models) => {
      await ada(models);
      return models.Post.query()
        .select('title')
        .where('title', 'Engines')
        .withGraphFetched('[author(name).[posts(title), profile(motto)], replies(title)]')
        .modifiers({
          name: (query) => void query.select('name'),
          title: (query) => void query.select('title').orderBy('id'),
          motto: (query) => void query.select('motto'),
        });
    });
    const posts = [{ title: 'Engines' }, { title: 'Looms' }];
    const author = { name: 'Ada', posts, profile: { motto: 'Onwards' } };
    expect(json).to.deep.equal([{ title: 'Engines', author, replies: [{ title: 'Looms' }] }]);
  });

  it('join what they read, without asking the catalog for columns', async () => {
    const sent: string[] = [];
    const json = await resultOf(async (models, { db }) => {
      await ada(models);
      db.knex.on('query', ({ sql }: { readonly sql: string }) => sent.push(sql));
      const rows = await models.Author.query().withGraphJoined('posts').where('posts.title', 'Looms');
      return rows.map(({ name, posts }) => [name, (posts as readonly Row[]).map(({ createdAt }) => typeof createdAt)]);
    });
    expect(json).to.deep.equal([['Ada', ['string']]]);
    expect(sent).to.have.length(1);
  });

  it('give records whose own queries are in the transaction too', async () => {
    const { status } = await running(async (models) => {
      await ada(models);
      const post = (await models.Post.query().findOne({ title: 'Engines' }).withGraphFetched('author')) as Row;
      await (post.author as Row).$query().patch({ name: 'Grace' });
      await post.$relatedQuery<Row>('replies').insert({ title: 'Cards' });
      expect((await models.Author.query().findOne({ name: 'Grace' }))?.id).to.equal(post.author_id);
      throw { status: 409, message: 'no' };
    });
    expect(status).to.equal(409);
    expect((await app.database.client.query('SELECT FROM author')).rowCount).to.equal(0);
  });

  it('write with the request, and are rolled back with it', async () => {
    expect(await resultOf(({ Post }) => Post.query().insert({ title: 'from the hook' }))).to.deep.equal({
      id: 2,
      title: 'from the hook',
    });
    expect(await titles()).to.deep.equal(['before', 'from the hook']);
    await running(async ({ Post }) => {
      await Post.query().delete();
      await Post.query().insert({ title: 'never' });
      throw new Error('no');
    });
    expect(await titles()).to.deep.equal(['before', 'from the hook']);
  });

  it('take back a part in a transaction of their own', async () => {
    await resultOf(async ({ Post }) => {
      await Post.transaction(async (inner) => {
        await Post.query(inner).insert({ title: 'never' });
        throw new Error('undone');
      }).catch(() => undefined);
      await Post.query().insert({ title: 'kept' });
    });
    expect(await titles()).to.deep.equal(['before', 'kept']);
  });

  it('keep the defaults of the database, and make UUIDs that sort by time', async () => {
    const { first, second, post } = (await resultOf(async ({ Author, Post }) => ({
      first: await Author.query().insertAndFetch({ name: 'Ada' }),
      second: await Author.query().insert({ name: 'Grace' }),
      post: await Post.query().insertAndFetch({ title: 'Engines' }),
    }))) as Readonly<Record<string, Readonly<Record<string, string>>>>;
    const times = [first, second].map((author) => author?.id?.slice(0, 13));
    expect(first?.id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(times).to.deep.equal(times.toSorted());
    expect(post).to.include({ status: 'draft', views: 0, price: null });
    expect(post?.createdAt).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  const VALUES = {
    price: '12345678901234567890.10',
    createdAt: '2026-03-29T01:02:03.123456Z',
    day: '2026-03-29',
    views: 9_007_199_254_740_991,
    meta: { list: [1, 'two', null], '?': "it's" },
  };

  it('give back the values that they were given, as arguments of hooks have them', async () => {
    const json = await resultOf(async ({ Post }) => {
      const { id } = await Post.query().insert({ title: 'a', ...VALUES });
      await Post.query()
        .findById(id as number)
        .patch({ meta: [VALUES.meta], views: 3 });
      const patched = await Post.query().findById(id as number);
      await Post.query()
        .findById(id as number)
        .patch(VALUES);
      return [patched?.meta, patched?.views, await Post.query().findById(id as number)];
    });
    expect(json[0]).to.deep.equal([VALUES.meta]);
    expect(json[1]).to.equal(3);
    expect(json[2]).to.deep.include(VALUES);
  });

  for (const meta of ['a "text"', 7, false, [], {}, null]) {
    it(`keep the JSON ${JSON.stringify(meta)}`, async () => {
      expect(
        await resultOf(async ({ Post }) => {
          const { id } = await Post.query().insert({ title: 'a', meta });
          return [(await Post.query().findById(id as number))?.meta];
        }),
      ).to.deep.equal([meta]);
    });
  }

  it('take and give lists', async () => {
    const given = {
      tags: ['a,b', '"', ''],
      statuses: ['live', 'draft'],
      counts: [3, 1],
      prices: ['1.50', '2'],
      moments: ['2026-01-01T00:00:00Z'],
      days: ['2026-02-28'],
      metas: [{ a: 1 }, 'text', [2]],
    };
    const json = await resultOf(async ({ Post }) => {
      const { id } = await Post.query().insert({ title: 'lists', ...given });
      await Post.query().insert({ title: 'none' });
      const names = Object.keys(given);
      return [
        await Post.query()
          .findById(id as number)
          .select(names),
        await Post.query().findOne({ title: 'none' }).select(names),
      ];
    });
    const none = Object.fromEntries(Object.keys(given).map((name) => [name, null]));
    expect(json).to.deep.equal([given, { ...none, tags: [] }]);
  });

  it('know the names of the definition in queries, and those of columns', async () => {
    const json = await resultOf(async ({ Post }, { db }) => {
      await Post.query().insert({ title: 'old', createdAt: '2001-01-01T00:00:00Z' });
      const old = '2020-01-01T00:00:00Z';
      const { rows } = await db.knex.raw('SELECT count(*) AS n, min(created_at) AS first FROM post');
      return [
        await Post.query().where('createdAt', '<', old).select('createdAt'),
        await Post.query().where('post.created_at', '<', old).orderBy('createdAt').select('title'),
        await Post.query().resultSize(),
        rows,
      ];
    });
    expect(json).to.deep.equal([
      [{ createdAt: '2001-01-01T00:00:00Z' }],
      [{ title: 'old' }],
      2,
      [{ n: 2, first: '2001-01-01T00:00:00Z' }],
    ]);
  });

  it('show secrets to the hook, and to nobody else', async () => {
    let seen: unknown;
    const json = await resultOf(async (models, { log }) => {
      await ada(models);
      const post = (await models.Post.query().findOne({ title: 'Engines' }).withGraphFetched('author.posts')) as Row;
      seen = (post.author as Row).key;
      log.info({ post }, 'told');
      return post;
    });
    expect(seen).to.equal('hush');
    expect(json.author).to.include({ name: 'Ada' }).and.not.to.have.property('key');
    expect(JSON.stringify(app.lines.filter(({ msg }) => msg === 'told')))
      .to.include('Ada')
      .and.not.include('hush');
  });

  it('read the columns of the program, and none that are left from a previous release', async () => {
    await app.database.client.query(`ALTER TABLE author ADD COLUMN old_key text DEFAULT 'left'`);
    const json = await resultOf(async (models) => {
      await ada(models);
      const { Author, Post } = models;
      return [
        await Author.query().first(),
        await Author.query().insertAndFetch({ name: 'Grace' }),
        await Author.query().joinRelated('posts').where('posts.title', 'Looms'),
        await Author.query().withGraphJoined('posts'),
        await Post.query().withGraphFetched('author'),
        await Post.query().whereIn('author_id', Author.query().select('id')).resultSize(),
        await Post.query().where('title', 'like', 'E%').page(0, 1),
        await Author.query().alias('a').whereExists(Author.relatedQuery<Row>('posts').where('title', 'Looms')),
        await Author.query().groupBy('name').select('name').count('* as n').orderBy('name'),
      ];
    });
    expect(JSON.stringify(json)).to.include('Ada').and.not.include('left');
    const [, , , , , size, page, having, counts] = json as unknown as readonly unknown[];
    expect([size, (page as { readonly total: number }).total]).to.deep.equal([2, 1]);
    expect(having).to.have.length(1);
    expect(counts).to.deep.equal([
      { name: 'Ada', n: 1 },
      { name: 'Grace', n: 1 },
    ]);
  });

  it('name a relation that does not exist, and its model', async () => {
    expect(await failureOf(({ Post }) => Post.query().withGraphFetched('autor'))).to.equal(
      'unknown relation "autor" in an eager expression',
    );
    expect(await failureOf(({ Post }) => Post.relatedQuery('autor'))).to.equal(
      "A model class Post doesn't have relation autor",
    );
  });

  it('are not there under other names', async () => {
    expect(await resultOf((models) => [typeof (models as Readonly<Record<string, unknown>>).Autor])).to.deep.equal([
      'undefined',
    ]);
  });

  it('work on the views that stand for the tables of a previous release', async () => {
    const { client } = app.database;
    await client.query(`ALTER TABLE post RENAME COLUMN title TO headline; ALTER TABLE post RENAME TO article;
      CREATE VIEW post AS SELECT id, author_id, parent_id, headline AS title, status, price, meta, views, created_at, day,
        tags, statuses, counts, prices, moments, days, metas FROM article`);
    try {
      const json = await resultOf(async (models) => {
        await ada(models);
        await models.Post.query().patch({ views: 4 }).where({ title: 'Looms' });
        const rows = await models.Post.query().withGraphJoined('[author, replies]').whereNotNull('replies.id');
        return rows.map(({ id, title, replies }) => [id, title, (replies as readonly Row[])[0]?.views]);
      });
      expect(json).to.deep.equal([[2, 'Engines', 4]]);
    } finally {
      await client.query(`DROP VIEW post; ALTER TABLE article RENAME TO post;
        ALTER TABLE post RENAME COLUMN headline TO title`);
    }
  });

  it('are those of one request, and of no other', async () => {
    const seen: unknown[] = [];
    work = async ({ Post, Author }, { db }) => {
      seen.push(Post, Post.knex());
      expect(Post.knex()).to.equal(Author.knex()).and.to.equal(db.knex);
      return null;
    };
    await app.ask('GET /api/post/read');
    await app.ask('GET /api/post/read');
    expect(new Set(seen).size).to.equal(4);
    await (seen[0] as ModelClass<Row>).query().then(
      () => expect.fail('it went through'),
      (error: Error) => expect(error.message).to.include('the transaction is over'),
    );
  });
});
