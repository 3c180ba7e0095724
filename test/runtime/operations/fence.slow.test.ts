import { expect } from 'chai';
import pg from 'pg';
import { compatibilitySchema } from '../../../compiler/definition/migration.ts';
import { runMigrate } from '../../../runtime/migrate/run-migrate.ts';
import { imageReleaseOf, LOOK_FIRST } from '../../../runtime/query/database-release.ts';
import { usesPooler } from '../../support/pooler.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { createProxy } from '../database/tcp-proxy.ts';
import { migrated } from '../migrate/databases.ts';
import { blog, type Image, serveRelease } from '../migrate/side-by-side.ts';
import { run, stopAll } from './running.ts';

describe('a server and what its database has become', () => {
  const images: Image[] = [];
  const clients: pg.Client[] = [];
  let database: TestDatabase;
  let name: string;

  beforeEach(async () => {
    database = await createDatabase();
    name = String(database.client.database);
  });

  afterEach(async () => {
    await Promise.all(images.splice(0).map(({ application }) => application.stop()));
    await Promise.all(clients.splice(0).map((client) => client.end()));
  });

  async function serve(position: number, url = database.url): Promise<Image> {
    const image = await serveRelease(position, url);
    images.push(image);
    return image;
  }

  async function migrateTo(position: number): Promise<void> {
    const { result } = await migrated(await blog(position), database.url, { contractWait: 0 });
    expect(result.kind, JSON.stringify(result)).to.equal('done');
  }

  const statusOf = async (image: Image, methodAndPath: string, body?: unknown) =>
    (await image.ask(methodAndPath, body)).status;

  describe('of another release', () => {
    const REMOVED =
      'The database is at release 2, and `migrate` has removed what this image (release 1) needs. Use the image of release 2.';

    it('is not used any more, also where no statement fails, until it fits again', async () => {
      await migrateTo(1);
      const old = await serve(1);
      expect(await statusOf(old, 'POST /api/post', { name: 'one' })).to.equal(201);
      await migrateTo(2);
      expect(await statusOf(old, 'GET /api/post')).to.equal(200);
      await database.client.query('UPDATE kiln_releases SET contracted_at = now() WHERE position = 2');
      await until(async () => (await statusOf(old, 'GET /api/post')) === 503);
      for (const [request, body] of [
        ['GET /api/post', undefined],
        ['POST /api/post', { name: 'two' }],
        ['POST /api/post/copy', undefined],
        ['GET /readyz', undefined],
      ] as const) {
        const { status, json } = await old.ask(request, body);
        expect({ status, code: json.code, detail: json.detail }, request).to.deep.equal({
          status: 503,
          code: 'unavailable',
          detail: REMOVED,
        });
      }
      await database.client.query('UPDATE kiln_releases SET contracted_at = NULL WHERE position = 2');
      await until(async () => (await statusOf(old, 'GET /api/post')) === 200);
      expect((await database.client.query('SELECT title FROM post')).rows).to.deep.equal([{ title: 'one' }]);
    });

    it('is found with the first statement that fails', async () => {
      await migrateTo(1);
      const old = await serve(1);
      expect(await statusOf(old, 'GET /api/post')).to.equal(200);
      await migrateTo(2);
      await database.client.query(`
        BEGIN;
        UPDATE kiln_releases SET contracted_at = now() WHERE position = 2;
        DROP SCHEMA ${compatibilitySchema(old.fingerprint)} CASCADE;
        COMMIT`);
      expect((await old.ask('POST /api/post', { name: 'one' })).json.detail).to.equal(REMOVED);
      expect((await old.ask('GET /api/post')).json.detail).to.equal(REMOVED);
    });

    it('is looked at first by a server that was stopped for a while', async () => {
      await migrateTo(1);
      const old = await serve(1);
      expect(await statusOf(old, 'GET /api/post')).to.equal(200);
      await migrateTo(2);
      await database.client.query('UPDATE kiln_releases SET contracted_at = now() WHERE position = 2');
      const { now } = performance;
      performance.now = () => now.call(performance) + LOOK_FIRST;
      try {
        expect((await old.ask('GET /api/post')).json.detail).to.equal(REMOVED);
      } finally {
        performance.now = now;
      }
    });

    it('is not used before it is there', async () => {
      await migrateTo(1);
      const next = await serve(2);
      expect((await next.ask('POST /api/post', { title: 'x' })).json.detail).to.equal(
        'The database is at release 1, and this image is release 2. Run `migrate` first.',
      );
      await migrateTo(2);
      await until(async () => (await statusOf(next, 'POST /api/post', { title: 'x' })) === 201);
    });
  });

  describe('with schemas of other roles', () => {
    async function stranger(): Promise<pg.Client> {
      await database.client.query(`
        CREATE ROLE "${name} stranger" LOGIN PASSWORD 'secret';
        CREATE ROLE "${name} server" LOGIN PASSWORD 'secret';
        GRANT CREATE ON DATABASE ${name} TO "${name} stranger";
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "${name} server"`);
      const client = new pg.Client(urlOf('stranger'));
      clients.push(client);
      await client.connect();
      return client;
    }

    function urlOf(role: string): string {
      const address = new URL(database.url);
      address.username = encodeURIComponent(`${name} ${role}`);
      address.password = 'secret';
      return address.href;
    }

    /** All that a server would look for. */
    const trap = (schema: string) => `
      CREATE SCHEMA ${schema};
      CREATE TABLE ${schema}.post (id bigint GENERATED ALWAYS AS IDENTITY, name text);
      CREATE TABLE ${schema}.kiln_releases (position int, revision text, fingerprint text, checksum text);
      CREATE TABLE ${schema}.kiln_release_progress (position int, revision text, checksum text);
      GRANT USAGE ON SCHEMA ${schema} TO PUBLIC;
      GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO PUBLIC`;

    it('looks into none of them, whether they were there before it or came after it', async function () {
      if (usesPooler) this.skip();
      await migrateTo(1);
      const { fingerprint } = imageReleaseOf(await blog(1));
      const own = compatibilitySchema(fingerprint);
      const attacker = await stranger();
      const taken: unknown = await attacker.query(trap(own)).catch(({ code }: { code: string }) => code);
      expect(taken, '`migrate` has made it').to.equal('42P06');
      // As a database is that an older Kiln has made.
      await database.client.query(`DROP SCHEMA ${own}`);
      const before = await serve(1, urlOf('server'));
      expect(await statusOf(before, 'POST /api/post', { name: 'one' })).to.equal(201);
      await attacker.query(trap(own));
      await attacker.query(trap(`"${name} server"`));
      const after = await serve(1, urlOf('server'));
      for (const server of [before, after]) {
        expect(await statusOf(server, 'POST /api/post', { name: 'secret' })).to.equal(201);
        expect(await statusOf(server, 'GET /readyz')).to.equal(200);
      }
      for (const schema of [own, `"${name} server"`])
        expect((await attacker.query(`SELECT name FROM ${schema}.post`)).rows, schema).to.deep.equal([]);
      expect((await database.client.query('SELECT name FROM public.post')).rows).to.have.length(3);
    });
  });

  describe('that is read-only', () => {
    it('is read, and says why it is not written', async () => {
      await migrateTo(1);
      await database.client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      const image = await serve(1);
      expect(await statusOf(image, 'GET /api/post')).to.equal(200);
      const { status, json } = await image.ask('POST /api/post', { name: 'one' });
      expect([status, json.code, json.detail]).to.deep.equal([503, 'unavailable', 'The database is read-only.']);
      const ready = await image.ask('GET /readyz');
      expect(ready.status).to.equal(503);
      expect(ready.json.detail).to.match(/^The database is read-only: `default_transaction_read_only` is on/);
    });

    it('is not migrated unless somebody says so', async () => {
      await database.client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      const lines: string[] = [];
      const write = (line: string) => void lines.push(line);
      const options = { databaseUrl: database.url, write, writeError: write };
      expect(await runMigrate(await blog(1), options)).to.equal(5);
      expect(lines).to.deep.equal([
        `Refused (unavailable): The database "${name}" is read-only: \`default_transaction_read_only\` is on for it, for the role or for the server.`,
        '  To change it anyway, run `migrate --read-write`.',
      ]);
      expect(await runMigrate(await blog(1), { ...options, readWrite: true })).to.equal(0);
    });
  });

  it('of a role with settings of its own gives the same values, and the same result of `migrate`', async function () {
    if (usesPooler) this.skip();
    const source =
      'model Place { field size { type float } } api { entrypoint Place as place { list endpoint {} create endpoint {} } }';
    const set = async ({ client }: TestDatabase) => {
      for (const setting of ['extra_float_digits = -15', 'quote_all_identifiers = on', "IntervalStyle = 'iso_8601'"])
        await client.query(`ALTER DATABASE ${client.database} SET ${setting}`);
    };
    await set(database);
    await migrateTo(1);
    await migrateTo(1);
    const prepare = async (own: TestDatabase, schema: string) => {
      await set(own);
      await own.client.query(schema);
    };
    const places = await run(source, { prepare });
    await places.ask('POST /api/place', { size: 1234567.891 });
    expect((await places.ask('GET /api/place')).json).to.deep.equal([{ id: 1, size: 1234567.891 }]);
    await stopAll();
  });

  it('that does not answer is not waited for, also without a limit for statements, and is connected to again', async function () {
    if (usesPooler) this.skip();
    await migrateTo(1);
    const proxy = await createProxy(database.url);
    await proxy.open();
    try {
      const image = await serveRelease(1, proxy.url, undefined, {
        DATABASE_STATEMENT_TIMEOUT: '0',
        DATABASE_ACQUIRE_TIMEOUT: '2s',
      });
      images.push(image);
      await until(async () => (await statusOf(image, 'GET /api/post')) === 200);
      proxy.freeze();
      expect(await statusOf(image, 'GET /readyz')).to.equal(503);
      // New connections are passed on.
      await until(async () => (await statusOf(image, 'POST /api/post', { name: 'two' })) === 201);
      await image.application.stop();
      images.pop();
    } finally {
      await proxy.shut();
    }
  });
});
