import { expect } from 'chai';
import { compatibilitySchemaIn } from '../../../compiler/definition/migration.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { ranks } from './compiled-chain.ts';
import { migrated } from './databases.ts';
import { blog, type Image, serveRelease } from './side-by-side.ts';

describe('two applications in two schemas of one database', () => {
  const images: Image[] = [];
  let database: TestDatabase;
  let live: string;
  let staging: string;

  beforeEach(async () => {
    database = await createDatabase();
    await database.client.query('CREATE SCHEMA live; CREATE SCHEMA "Staging"');
    live = inSchema('live');
    staging = inSchema('"Staging"');
    for (const url of [live, staging]) await migrateTo(1, url);
  });

  afterEach(async () => {
    await Promise.all(images.splice(0).map(({ application }) => application.stop()));
  });

  function inSchema(schema: string): string {
    const address = new URL(database.url);
    address.searchParams.set('options', `-c search_path=${schema}`);
    return address.href;
  }

  async function migrateTo(position: number, url: string, contract = false) {
    const { result } = await migrated(await blog(position), url, { contract, contractWait: 0 });
    expect(result.kind, JSON.stringify(result)).to.equal('done');
  }

  async function serve(position: number, url: string): Promise<Image> {
    const image = await serveRelease(position, url);
    images.push(image);
    return image;
  }

  it('have nothing to do with each other', async () => {
    const [ofLive, ofStaging] = [await serve(1, live), await serve(1, staging)];
    await ofLive.ask('POST /api/post', { name: 'of live' });
    await ofStaging.ask('POST /api/post', { name: 'of staging' });
    for (const url of [live, staging]) {
      await migrateTo(2, url);
      expect((await ofLive.ask('GET /api/post')).json).to.deep.equal([{ id: 1, name: 'of live' }]);
      expect((await ofStaging.ask('GET /api/post')).json).to.deep.equal([{ id: 1, name: 'of staging' }]);
      for (const server of [ofLive, ofStaging]) expect((await server.ask('GET /readyz')).status).to.equal(200);
    }
    expect((await ofStaging.ask('POST /api/post', { name: 'more' })).status).to.equal(201);
    const { rows } = await database.client.query('SELECT title FROM "Staging".post ORDER BY id');
    expect(rows).to.deep.equal([{ title: 'of staging' }, { title: 'more' }]);
  });

  it('are contracted each for itself, whoever is connected to the other one', async () => {
    const ofStaging = await serve(1, staging);
    for (const url of [live, staging]) await migrateTo(2, url);
    await ofStaging.ask('GET /api/post');
    await migrateTo(2, live, true);
    expect((await ofStaging.ask('GET /api/post')).json).to.deep.equal([]);
    const { result } = await migrated(await blog(2), staging, { contract: true, contractWait: 0 });
    expect(result).to.include({ kind: 'refused', reason: 'blocked' });
    await ofStaging.application.stop();
    images.splice(0);
    await migrateTo(2, staging, true);
    const { rows } = await database.client.query(
      "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kiln%' AND EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_namespace.oid)",
    );
    expect(rows).to.deep.equal([]);
  });

  it('are recognised by the triggers of a release', async () => {
    const { client } = database;
    await client.query('CREATE SCHEMA shop');
    for (const count of [1, 2] as const) {
      const { result } = await migrated(await ranks(count), inSchema('shop'));
      expect(result.kind, JSON.stringify(result)).to.equal('done');
    }
    const [fingerprint = ''] = (await ranks(2)).releases.map((release) => release.fingerprint);
    await client.query(`SET search_path = ${compatibilitySchemaIn('shop', fingerprint)}, shop`);
    await client.query('INSERT INTO post (rank) VALUES (5)');
    await client.query('SET search_path = shop');
    expect((await client.query('SELECT rank FROM post')).rows).to.deep.equal([{ rank: '5' }]);
    await client.query(`INSERT INTO post (rank) VALUES ('7')`);
    await client.query(`SET search_path = ${compatibilitySchemaIn('shop', fingerprint)}, shop`);
    expect((await client.query('SELECT rank FROM post ORDER BY id')).rows).to.deep.equal([
      { rank: '5' },
      { rank: '7' },
    ]);
    const { result } = await migrated(await ranks(2), inSchema('shop'), { contract: true });
    expect(result.kind, JSON.stringify(result)).to.equal('done');
  });

  it('are told apart by a dry run too', async () => {
    const statements: string[] = [];
    await migrated(await blog(2), staging, {
      dryRun: true,
      report: (event) => {
        if (event.kind === 'would-run') statements.push(...event.statements.map(({ sql }) => sql));
      },
    });
    expect(statements.filter((sql) => sql.includes('SCHEMA'))).to.have.length(1);
    expect(statements.find((sql) => sql.includes('SCHEMA'))).to.match(
      /^CREATE SCHEMA IF NOT EXISTS kiln_[0-9a-f]{12}_[0-9a-f]{8}$/,
    );
  });

  it('are waited for until their schema is there', async () => {
    const url = inSchema('later');
    const server = await serve(1, url);
    expect((await server.ask('GET /readyz')).json.detail).to.equal(
      'No schema of the search path (later) exists, or the role may use none of them. Create the schema, grant USAGE on it, and run `migrate`.',
    );
    await database.client.query('CREATE SCHEMA later');
    for (const position of [1, 2]) await migrateTo(position, url);
    while ((await server.ask('GET /readyz')).status !== 200);
    expect((await server.ask('POST /api/post', { name: 'one' })).json).to.deep.equal({ id: 1, name: 'one' });
  });
});
