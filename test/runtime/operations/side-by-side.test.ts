import { expect } from 'chai';
import { connectionName } from '../../../runtime/query/database-release.ts';
import { usesPooler } from '../../support/pooler.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { openStartupProxy, type StartupProxy, type Treatment } from '../database/startup-proxy.ts';
import { createProxy } from '../database/tcp-proxy.ts';
import { migrated } from '../migrate/databases.ts';
import { blog, type Image, serveRelease } from '../migrate/side-by-side.ts';

describe('two releases on one database', () => {
  const images: Image[] = [];
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createDatabase();
  });

  afterEach(async () => {
    await Promise.all(images.splice(0).map(({ application }) => application.stop()));
  });

  async function serve(position: number, url = database.url, log?: (line: string) => void): Promise<Image> {
    const image = await serveRelease(position, url, log);
    images.push(image);
    return image;
  }

  async function migrateTo(position: number, more: Parameters<typeof migrated>[2] = {}) {
    const { result } = await migrated(await blog(position), database.url, { contractWait: 0, ...more });
    expect(result.kind, JSON.stringify(result)).to.equal('done');
  }

  it('read and write the same rows, each in its own words, before the change, after it and in between', async () => {
    await migrateTo(1);
    const old = await serve(1);
    expect((await old.ask('POST /api/post', { name: 'one' })).status).to.equal(201);
    expect((await old.ask('GET /api/post')).json).to.deep.equal([{ id: 1, name: 'one' }]);
    await migrateTo(2);
    const next = await serve(2);
    expect((await old.ask('PATCH /api/post/1', { name: 'One' })).json).to.deep.equal({ id: 1, name: 'One' });
    expect((await old.ask('POST /api/post', { name: 'two' })).status).to.equal(201);
    expect((await next.ask('POST /api/post', { title: 'three' })).status).to.equal(201);
    const titles = ['One', 'two', 'three'];
    expect((await old.ask('GET /api/post')).json).to.deep.equal(titles.map((name, at) => ({ id: at + 1, name })));
    expect((await next.ask('GET /api/post')).json).to.deep.equal(titles.map((title, at) => ({ id: at + 1, title })));
  });

  it('give the code of hooks models of their own release', async () => {
    await migrateTo(1);
    const old = await serve(1);
    await old.ask('POST /api/post', { name: 'one' });
    expect((await old.ask('POST /api/post/copy')).json).to.deep.equal({ id: 2, name: 'one' });
    await migrateTo(2);
    const next = await serve(2);
    expect((await old.ask('POST /api/post/copy')).json).to.deep.equal({ id: 3, name: 'one' });
    expect((await next.ask('POST /api/post/copy')).json).to.deep.equal({ id: 4, title: 'one' });
  });

  it('keep the search path of the role behind the schema of the release', async () => {
    const { client, url } = database;
    await client.query(
      `CREATE SCHEMA "own place"; ALTER DATABASE ${client.database} SET search_path = "own place", public`,
    );
    await migrateTo(1);
    expect((await client.query(`SELECT to_regclass('"own place".post') AS post`)).rows[0])
      .to.have.property('post')
      .that.is.a('string');
    await migrateTo(2);
    const old = await serve(1, url);
    expect((await old.ask('POST /api/post', { name: 'one' })).json).to.deep.equal({ id: 1, name: 'one' });
    expect((await old.ask('GET /readyz')).status).to.equal(200);
  });

  it('keep the search path of the address too', async () => {
    await database.client.query('CREATE SCHEMA app');
    const address = new URL(database.url);
    address.searchParams.set('options', '-c search_path=app');
    for (const position of [1, 2]) await migrated(await blog(position), address.href);
    const old = await serve(1, address.href);
    expect((await old.ask('POST /api/post', { name: 'one' })).json).to.deep.equal({ id: 1, name: 'one' });
    expect((await database.client.query('SELECT title FROM app.post')).rows).to.deep.equal([{ title: 'one' }]);
  });

  it('find their tables when the database comes after the server', async () => {
    await migrateTo(1);
    await migrateTo(2);
    const proxy = await createProxy(database.url);
    const old = await serve(1, proxy.url);
    expect((await old.ask('GET /readyz')).json.detail).to.equal('The database cannot be reached.');
    await proxy.open();
    await until(async () => (await old.ask('GET /readyz')).status === 200);
    expect((await old.ask('GET /api/post')).json).to.deep.equal([]);
    await old.application.stop();
    images.pop();
    await proxy.shut();
  });

  it('are known by the names and search paths of their connections', async function () {
    if (usesPooler) this.skip();
    await migrateTo(1);
    const image = await serve(1);
    await image.ask('GET /api/post');
    const { rows } = await database.client.query(
      "SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'kiln%'",
    );
    expect(rows).to.deep.equal([{ name: connectionName(image) }]);
    expect(connectionName(image)).to.match(/^kiln 1 [0-9a-f]{12}$/);
    expect(connectionName(undefined)).to.equal('kiln');
  });

  it('are connected from the start, without a request', async function () {
    if (usesPooler) this.skip();
    await migrateTo(1);
    const image = await serve(1);
    const connections = 'SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()';
    const named = async () => (await database.client.query(connections, [connectionName(image)])).rows.length;
    await until(async () => (await named()) === 1);
  });

  describe('say on /readyz', () => {
    it('that a new image waits for `migrate`, also where its names would fit', async () => {
      await migrateTo(2);
      const third = await serve(3);
      await database.client.query('ALTER TABLE post ADD COLUMN note text');
      const { status, json } = await third.ask('GET /readyz');
      expect([status, json.detail]).to.deep.equal([
        503,
        'The database is at release 2, and this image is release 3. Run `migrate` first.',
      ]);
      await database.client.query('ALTER TABLE post DROP COLUMN note');
      await migrateTo(3);
      expect((await third.ask('GET /readyz')).json).to.deep.equal({ status: 'ok', release: 3, databaseRelease: 3 });
    });

    it('that the database is empty', async () => {
      const { json } = await (await serve(1)).ask('GET /readyz');
      expect(json.detail).to.equal('The database has no release yet. Run `migrate` first.');
    });

    it('that an old image works until the contraction, and what to do after it', async () => {
      await migrateTo(1);
      const old = await serve(1);
      expect((await old.ask('GET /readyz')).json).to.deep.equal({ status: 'ok', release: 1, databaseRelease: 1 });
      await migrateTo(2);
      expect((await old.ask('GET /readyz')).json).to.deep.equal({
        status: 'ok',
        release: 1,
        databaseRelease: 2,
        pending: { release: 2, steps: 2 },
        detail:
          'The database is one release ahead (2) and works with this image too, until `migrate --contract` or the next release.',
      });
      const next = await serve(2);
      expect((await next.ask('GET /readyz')).json).to.deep.equal({
        status: 'ok',
        release: 2,
        databaseRelease: 2,
        pending: { release: 2, steps: 2 },
        detail:
          'Release 2 still keeps what only the previous release needs. `migrate --contract` or the next release removes it.',
      });
      await old.application.stop();
      images.splice(images.indexOf(old), 1);
      await migrateTo(2, { contract: true });
      expect((await next.ask('GET /readyz')).json).to.deep.equal({ status: 'ok', release: 2, databaseRelease: 2 });
      const again = await serve(1);
      const { status, json } = await again.ask('GET /readyz');
      expect([status, json.detail]).to.deep.equal([
        503,
        'The database is at release 2, and `migrate` has removed what this image (release 1) needs. Use the image of release 2.',
      ]);
      expect((await again.ask('GET /api/post')).json.detail).to.equal(json.detail);
    });

    it('that an image two releases behind does not work, and one with the same tables does', async () => {
      await migrateTo(4);
      const [first, third] = [await serve(1), await serve(3)];
      expect((await first.ask('GET /readyz')).json.detail).to.equal(
        'The database is at release 4, which does not work with this image (release 1). Use the image of release 4.',
      );
      expect((await third.ask('GET /readyz')).json).to.deep.equal({
        status: 'ok',
        release: 3,
        databaseRelease: 4,
        detail: 'The database is one release ahead (4) and has the same tables.',
      });
      await database.client.query(`UPDATE kiln_releases SET revision = repeat('a', 40) WHERE position = 1`);
      expect((await first.ask('GET /readyz')).json.detail).to.equal(
        'Release 1 of the database is aaaaaaaaaaaa, but that of this image is 111111111111: the database belongs to another application or branch. Check DATABASE_URL.',
      );
    });

    it('that an image goes on working when a release follows that changes only the API', async () => {
      await migrateTo(2);
      const second = await serve(2);
      for (const position of [3, 4]) {
        await migrateTo(position);
        expect((await second.ask('GET /readyz')).status, `at release ${position}`).to.equal(200);
        const { result } = await migrated(await blog(2), database.url);
        expect(result).to.deep.include({ kind: 'done', position, ahead: position - 2, applied: [] });
      }
      expect((await second.ask('GET /readyz')).json.detail).to.equal(
        'The database is 2 releases ahead (4) and works with this image too, until `migrate --contract` or the next release.',
      );
      expect((await second.ask('POST /api/post', { title: 'one' })).status).to.equal(201);
    });

    it('and in the log when that changes', async () => {
      const lines: string[] = [];
      await migrateTo(1);
      const next = await serve(2, database.url, (line) => lines.push(line));
      for (let asked = 0; asked < 2; asked++) expect((await next.ask('GET /readyz')).status).to.equal(503);
      await migrateTo(2);
      for (let asked = 0; asked < 2; asked++) expect((await next.ask('GET /readyz')).status).to.equal(200);
      const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /ready/.test(msg));
      expect(told.map(({ level, msg, reason }) => [level, msg, reason])).to.deep.equal([
        ['warn', 'not ready', 'The database is at release 1, and this image is release 2. Run `migrate` first.'],
        ['info', 'ready again', undefined],
      ]);
    });

    it('that a release of the same number is another one', async () => {
      await migrateTo(2);
      await database.client.query(`UPDATE kiln_releases SET fingerprint = 'other' WHERE position = 2`);
      expect((await (await serve(2)).ask('GET /readyz')).json.detail).to.match(
        /^Release 2 of the database is not the release 2 of this image\./,
      );
    });

    it('that the role may not read the ledger', async () => {
      await migrateTo(1);
      const { client, url } = database;
      await client.query(`CREATE ROLE reader_${client.database} LOGIN PASSWORD 'reader'`);
      const address = new URL(url);
      address.username = `reader_${client.database}`;
      address.password = 'reader';
      expect((await (await serve(1, address.href)).ask('GET /readyz')).json.detail).to.include('needs SELECT on them');
    });
  });

  describe('behind a pooler', () => {
    const poolers: StartupProxy[] = [];

    before(function () {
      if (usesPooler) this.skip();
    });

    afterEach(async () => {
      await Promise.all(poolers.splice(0).map((pooler) => pooler.close()));
    });

    async function through(treat: Treatment): Promise<string> {
      const pooler = await openStartupProxy(database.url, treat);
      poolers.push(pooler);
      return pooler.url;
    }

    it('that refuses the search path, are not ready and say which setting it needs', async () => {
      await migrateTo(1);
      const url = await through((parameters) =>
        parameters.has('search_path') ? 'unsupported startup parameter: search_path' : parameters,
      );
      const image = await serve(1, url);
      const { status, json } = await image.ask('GET /readyz');
      expect([status, json.detail]).to.deep.equal([
        503,
        'The pooler in front of Postgres refuses the parameter `search_path`. For pgbouncer, set `track_extra_parameters = search_path`.',
      ]);
    });

    it('that refuses a limit for statements, are not ready and say how to do without', async () => {
      await migrateTo(1);
      const url = await through((parameters) =>
        parameters.has('statement_timeout') ? 'unsupported startup parameter: statement_timeout' : parameters,
      );
      const { status, json } = await (await serve(1, url)).ask('GET /readyz');
      expect([status, json.detail]).to.deep.equal([
        503,
        "The pooler in front of Postgres refuses the parameter `statement_timeout`. Set `DATABASE_STATEMENT_TIMEOUT=0`, and give the role a limit: `ALTER ROLE … SET statement_timeout = '30s'`.",
      ]);
    });

    it('that drops the search path, are ready only where they need none', async () => {
      await migrateTo(1);
      const url = await through((parameters) => new Map([...parameters].filter(([name]) => name !== 'search_path')));
      const [old, next] = [await serve(1, url), await serve(2, url)];
      expect((await old.ask('GET /readyz')).status).to.equal(200);
      await migrateTo(2);
      expect((await next.ask('GET /readyz')).status).to.equal(200);
      const { status, json } = await old.ask('GET /readyz');
      expect(status).to.equal(503);
      expect(json.detail).to.include('drops the parameter `search_path`').and.include('track_extra_parameters');
    });
  });
});
