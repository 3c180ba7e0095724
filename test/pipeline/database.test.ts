import { expect } from 'chai';
import { databaseName, ensureDatabase } from '../../pipeline/database/connect.ts';
import { prepareTables } from '../../pipeline/dev/sync.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { definitionIn, projectFolder } from './project-folder.ts';

const BLOG = `
enum Status { draft, live }
model Author { field name { type string } }
model Post {
  field title { type string }
  field score { type float, default 1.5 }
  field paid { type boolean, default false }
  field price { type decimal, nullable }
  field at { type timestamp }
  field day { type date }
  field key { type uuid }
  field meta { type json }
  field status { type Status }
  reference author { to Author }
}
`;
const NO_MIGRATION = '`kiln start` creates the tables of an empty database, but does not migrate: `kiln db sync` does';

async function definitionOf(source: string) {
  return definitionIn(projectFolder({ 'a.kiln': source }));
}

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing was refused',
    (error: Error) => `${error.constructor.name}: ${error.message}`,
  );
}

describe('the database of an application', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createDatabase();
  });

  it('is created where the server has none of that name, whatever the name', async () => {
    const name = 'A "shop" & co';
    const url = database.url.replace(/[^/]+$/, encodeURIComponent(name));
    await Promise.all([ensureDatabase(url), ensureDatabase(url)]);
    await ensureDatabase(url);
    const { rows } = await database.client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    expect(rows).to.have.length(1);
  });

  it('gets its tables where it is empty, once', async () => {
    const definition = await definitionOf(BLOG);
    const made = await Promise.all([prepareTables(database.url, definition), prepareTables(database.url, definition)]);
    expect(made).to.have.members([true, false]);
    await database.client.query(`INSERT INTO author (name) VALUES ('Ann')`);
    expect(await prepareTables(database.url, definition)).to.equal(false);
    const { rows } = await database.client.query('SELECT name FROM author');
    expect(rows).to.deep.equal([{ name: 'Ann' }]);
  });

  it('is refused where it has tables of others only', async () => {
    await database.client.query('CREATE TABLE elsewhere (id int)');
    const message = await refusal(prepareTables(database.url, await definitionOf(BLOG)));
    expect(message).to.include('The table "author" is missing.');
  });

  it('is refused where tables, columns, types or values are missing, all at once', async () => {
    await prepareTables(database.url, await definitionOf(BLOG));
    const changed = `
      enum Status { draft, live, gone }
      enum Kind { a, b }
      model Author { field name { type string }, field email { type string }, field kind { type Kind, nullable } }
      model Post { field title { type integer }, field status { type Status }, reference author { to Author } }
      model Tag { field name { type string } }`;
    const message = await refusal(prepareTables(database.url, await definitionOf(changed)));
    const name = databaseName(database.url).database;
    expect(message.split('\n')).to.deep.equal([
      `DatabaseRefusal: the database \`${name}\` does not match the sources; ${NO_MIGRATION}`,
      '  The enum "kind" is missing.',
      '  The enum "status" has the values "draft", "live", but should have "draft", "live", "gone".',
      '  The column "author.email" is missing.',
      '  The column "author.kind" is missing.',
      '  "post.title" is text, but should be bigint.',
      '  5 more.',
    ]);
  });

  it('is left as it was where its tables cannot all be made', async () => {
    await database.client.query(`CREATE TYPE status AS ENUM ('x')`);
    const message = await refusal(prepareTables(database.url, await definitionOf(BLOG)));
    expect(message).to.match(/cannot be updated to match the sources: .*type "status" already exists/);
    const { rows } = await database.client.query(`SELECT 1 FROM pg_class WHERE relname IN ('author', 'post')`);
    expect(rows).to.deep.equal([]);
  });

  it('is refused in a sentence without the password', async () => {
    const { port } = new URL(database.url);
    const said = async (url: string) => refusal(ensureDatabase(url));
    expect(await said(`postgres://postgres:secret@127.0.0.1:${port}/shop`)).to.equal(
      `DatabaseRefusal: Postgres at 127.0.0.1:${port} rejects the user \`postgres\` or its password. Check DATABASE_URL`,
    );
    expect(await said('postgres://me:secret@127.0.0.1:1/shop')).to.equal(
      'DatabaseRefusal: Postgres cannot be reached at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
    );
    expect(await said('postgres://me:secret@nowhere.invalid/shop')).to.match(
      /^DatabaseRefusal: (There is no host `nowhere\.invalid`|The host `nowhere\.invalid` cannot be looked up)\. Check DATABASE_URL$/,
    );
    expect(await said('mysql://me:secret@host/shop')).to.equal(
      'DatabaseRefusal: DATABASE_URL is not a URL of Postgres: it begins with `mysql:`; it has the form `postgres://user:password@host:5432/database`',
    );
    expect(await said('postgres://me:secret@a:5432,b:5432/shop?target_session_attrs=read-write')).to.equal(
      'DatabaseRefusal: DATABASE_URL names several hosts, but development takes one',
    );
    expect(await said('me:se#cret@host')).to.not.include('cret');
    expect(await said('postgres://me:se#cret@host/shop')).to.not.include('cret');
    expect(await said('postgres://me:secret@host')).to.equal(
      'DatabaseRefusal: DATABASE_URL names no database: `postgres://host`',
    );
  });
});
