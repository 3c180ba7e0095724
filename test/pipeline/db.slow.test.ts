import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { compatibilitySchemaIn, type ReleaseChain } from '../../compiler/definition/migration.ts';
import { storageFingerprint } from '../../compiler/schema/fingerprint.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { devChain, emptyDatabase } from '../../pipeline/dev/sync.ts';
import { migrate } from '../../runtime/migrate/migrate.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

const KILN = resolve(import.meta.dirname, '../../dist/kiln.js');

describe('kiln db', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-db-'));
  let database: TestDatabase;
  before(async () => {
    await loadGrammar();
    database = await createDatabase();
    write('title { type string }');
  });
  after(() => rmSync(folder, { recursive: true }));

  function write(...fields: readonly string[]): void {
    const model = `model Post { ${fields.map((field) => `field ${field}`).join('  ')} }`;
    writeFileSync(join(folder, 'app.kiln'), `${model}\npopulator Dev { populate Post { repeat 3 } }\n`);
  }

  function db(...words: readonly string[]): { readonly status: number | null; readonly said: string } {
    const [command = '', ...options] = words;
    const env = { ...process.env, DATABASE_URL: database.url };
    const { status, stdout, stderr } = spawnSync(process.execPath, [KILN, 'db', command, folder, ...options], {
      encoding: 'utf8',
      env,
      input: '',
    });
    return { status, said: stdout + stderr };
  }

  async function history(): Promise<readonly unknown[]> {
    const { rows } = await database.client.query(
      `SELECT definition IS NOT NULL AS "hasDefinition", fingerprint IS NOT NULL AS "hasFingerprint"
       FROM kiln_history.releases ORDER BY position`,
    );
    return rows;
  }

  it('says that a database is empty', () => {
    expect(db('status').said).to.include('It is empty: `kiln db sync` creates its tables');
  });

  it('makes the tables', () => {
    expect(db('sync')).to.deep.include({ status: 0 });
    expect(db('sync').said).to.include('already matches the sources');
  });

  it('populates, the same records for the same seed', async () => {
    expect(db('populate', '--seed', '7').said).to.match(/Populated with Dev: 3 records/);
    expect(db('status').said).to.match(/Post {2}3\n/);
    expect(db('populate', '--scale', '10').said).to.match(/30 records/);
  });

  it('says which populators there are where one is not', () => {
    const { status, said } = db('populate', '--populator', 'Demo');
    expect(status).to.equal(1);
    expect(said).to.include('there is no populator `Demo`; there is `Dev`');
  });

  it('brings the tables along with the sources', async () => {
    write('title { type string }', 'stars { type integer, default 3 }');
    expect(db('status').said)
      .to.include('the database does not match the sources')
      .and.to.include('add the column "stars"');
    expect(db('sync').said).to.include('The database now matches the sources');
    const { rows } = await database.client.query('SELECT DISTINCT stars FROM post');
    expect(rows).to.deep.equal([{ stars: '3' }]);
  });

  it('keeps only the last definition', async () => {
    expect(await history()).to.deep.equal([
      { hasDefinition: false, hasFingerprint: true },
      { hasDefinition: true, hasFingerprint: true },
    ]);
  });

  it('brings the values along, where only their form changes', async () => {
    await database.client.query("UPDATE post SET title = '  Some TITLE '");
    write('title { type string, normalise { trim, lower } }', 'stars { type integer, default 3 }');
    expect(db('status').said).to.include('normalise the values of "title" in "post"');
    expect(db('sync').said).to.include('The database now matches the sources');
    const { rows } = await database.client.query('SELECT DISTINCT title FROM post');
    expect(rows).to.deep.equal([{ title: 'some title' }]);
    write('title { type string }', 'stars { type integer, default 3 }');
    expect(db('sync').status).to.equal(0);
  });

  it('deletes nothing without consent', async () => {
    write('title { type string }');
    const { status, said } = db('sync');
    expect(status).to.equal(1);
    expect(said)
      .to.include('The sources have changed from what the development database has:')
      .and.to.include('the field `Post.stars` is no longer declared')
      .and.to.match(/--> \S*app\.kiln:1:7\n1 \| model Post \{.*\n {2}\| {7}\^\^\^\^ in this model\n/)
      .and.to.include('For more: kiln explain member-disappeared')
      .and.to.include('nothing was changed');
    expect(db('sync', '--yes').status).to.equal(0);
    const { rows } = await database.client.query('SELECT count(*) FROM post');
    expect(rows).to.deep.equal([{ count: '33' }]);
  });

  it('says which value keeps a new field from being unique, and changes nothing', () => {
    write('title { type string }', 'code { type integer, unique, default 5 }');
    const { status, said } = db('sync');
    expect(status).to.equal(1);
    expect(said).to.include('cannot add `unique` to `Post.code`: 33 records have the same value: "5"');
    write('title { type string }');
    expect(db('sync').said).to.include('already matches the sources');
  });

  it('says which field has no value for the rows, also where it may be a rename', () => {
    write('heading { type string }', 'stars { type integer, default 3 }');
    const { said } = db('sync');
    expect(said).to.include('`Post.heading` is new and required, but').and.to.include('write a `backfill`');
  });

  it('makes everything anew where the rows cannot be kept and that is agreed to', () => {
    write('title { type string }', 'code { type integer }');
    expect(db('sync').said).to.include('The rows that exist cannot be kept');
    expect(db('sync', '--yes').status).to.equal(0);
    expect(db('status').said).to.match(/Post {2}0\n/);
  });

  it('empties the database only when told to', async () => {
    db('populate');
    const { client } = database;
    await client.query(
      'CREATE SCHEMA kiln_0123456789ab CREATE TABLE old (id int); CREATE SCHEMA kiln_0123456789ab_01234567; CREATE SCHEMA kiln_theirs',
    );
    expect(db('reset').status).to.equal(1);
    expect(db('status').said).to.match(/Post {2}3\n/);
    expect(db('reset', '--yes', '--clock', '2026-01-01').said).to.include('`--clock` needs `--populate`');
    expect(db('status').said).to.match(/Post {2}3\n/);
    expect(db('reset', '--yes').status).to.equal(0);
    expect(db('status').said).to.match(/Post {2}0\n/);
    expect(db('reset', '--yes', '--populate').said)
      .to.include('Created the tables again, without rows')
      .and.match(/Populated with Dev: 3 records/);
    const { rows } = await client.query(
      "SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'kiln%' AND nspname <> 'kiln_history' ORDER BY 1",
    );
    expect(rows, 'of others').to.deep.equal([{ name: 'kiln_0123456789ab_01234567' }, { name: 'kiln_theirs' }]);
  });

  it('empties the schema that the application is in, and leaves others alone', async () => {
    const { client } = await createDatabase();
    const own = compatibilitySchemaIn('app', '0123456789abcdef');
    await client.query(`
      CREATE TABLE theirs (id int);
      CREATE SCHEMA kiln_0123456789ab;
      CREATE SCHEMA app CREATE TABLE post (id int);
      CREATE SCHEMA ${own};
      SET search_path = ${own}, app`);
    await emptyDatabase(client);
    const { rows } = await client.query(`
      SELECT to_regclass('app.post') AS post, to_regclass('public.theirs')::text AS theirs,
        to_regnamespace('${own}') AS kept, to_regnamespace('kiln_0123456789ab')::text AS other,
        to_regnamespace('app')::text AS app`);
    const others = { theirs: 'public.theirs', other: 'kiln_0123456789ab' };
    expect(rows).to.deep.equal([{ post: null, kept: null, app: 'app', ...others }]);
  });

  it('prints the URL of the database', () => {
    expect(db('url')).to.deep.equal({ status: 0, said: `${database.url}\n` });
  });

  it('names `kiln migrate` for a database that releases bring up to date, and changes nothing in it', async () => {
    const made = database;
    try {
      database = await createDatabase();
      await migrate(chainOf('model Post { field title { type string } }'), {
        databaseUrl: database.url,
        report: () => undefined,
      });
      write('title { type string }');
      const released = 'Releases bring it up to date (it is at release 1, one): `kiln migrate` brings it';
      expect(db('status').said).to.include(released).and.not.to.include('--contract');
      await database.client.query('UPDATE kiln_releases SET contract_steps = 2, contract_done = 1');
      const pending =
        'Release 1 still keeps what only the previous release needs: `kiln migrate --contract` removes it';
      expect(db('status').said).to.include(pending);
      await database.client.query(
        `INSERT INTO kiln_releases (position, revision, fingerprint, checksum, duration_ms)
        SELECT 2, 'two', fingerprint, 'withdrawn by three', 0 FROM kiln_releases`,
      );
      expect(db('status').said).to.include(released).and.include(pending);
      write('title { type string }', 'stars { type integer, default 3 }');
      const { status, said } = db('status');
      expect(status).to.equal(1);
      expect(said)
        .to.include('The column "post.stars" is missing.')
        .and.to.include('`kiln migrate` brings the database to it');
      expect(db('sync').said).to.include('use `kiln migrate`, or another database for development');
      const { rows } = await database.client.query("SELECT to_regnamespace('kiln_history') AS history");
      expect(rows).to.deep.equal([{ history: null }]);
    } finally {
      database = made;
    }
  });

  it('says how to fill a database that has the records of a populator already', async () => {
    const made = database;
    database = await createDatabase();
    try {
      const populator = 'populator Dev { populate Post { set title "Garden" } }';
      writeFileSync(join(folder, 'app.kiln'), `model Post { field title { type string, unique } }\n${populator}\n`);
      expect(db('populate').status).to.equal(0);
      const why = 'Post.title of record 1 in populate Post: the value Garden already exists, but must be unique. ';
      expect(db('populate').said).to.include(
        `${why}If the database was populated before, \`kiln db reset\` empties it\n`,
      );
    } finally {
      database = made;
    }
  });

  it('invites the first administrator, whose mail the next `kiln dev` keeps', async () => {
    const made = database;
    database = await createDatabase();
    const user =
      'model User { field email { type string, unique, validate { isEmail() } }  field hash { type string, secret }';
    const source = `${user}  field role { type string, default "member", internal } }
      setting SITE {}
      mail Invitation { input user { to User }  input token { type string }  to user.email  subject setting(SITE)  body "hello.html" }`;
    const auth = (invite: string) => `${source}\nauth { model User, login email, password hash ${invite} }\n`;
    mkdirSync(join(folder, 'mails'));
    writeFileSync(join(folder, 'mails/hello.html'), '<p>{{ token }}</p>');
    const invite = (...words: readonly string[]) => {
      const env = { ...process.env, DATABASE_URL: database.url, SITE: 'Kiln' };
      const options = { encoding: 'utf8', env, cwd: folder } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, [KILN, 'db', 'invite', ...words], options);
      return [status, stdout + stderr] as const;
    };
    try {
      writeFileSync(join(folder, 'app.kiln'), auth(''));
      const none = 'error: The application has no invitations: write `invite with` and the name of a mail in `auth`.\n';
      expect(invite('ada@example.com').join()).to.match(/^1,/).and.to.include(none);
      writeFileSync(join(folder, 'app.kiln'), auth(', invite with Invitation'));
      expect(db('sync').status).to.equal(0);
      expect(invite()[0]).to.equal(2);
      expect(invite('ada@example.com', '--set', 'role')[1]).to.include('such as role=admin');
      expect(invite('ada', '--set', 'rol=x')[1]).to.include('There is no field `rol` to set.');
      expect(invite('ada')).to.deep.equal([1, 'error: ada: `email` must be an email address.\n']);
      expect(invite('ada@example.com', '--set', 'role=a=b', folder)).to.deep.equal([
        0,
        'Made an account for ada@example.com; its invitation is sent by the servers.\n',
      ]);
      const { rows } = await database.client.query('SELECT role, hash FROM "user"');
      expect(rows).to.deep.equal([{ role: 'a=b', hash: 'invited' }]);
      expect((await database.client.query('SELECT FROM kiln_jobs')).rowCount).to.equal(1);
    } finally {
      database = made;
    }
  });

  it('leaves a database alone that it did not make', async () => {
    const other = await createDatabase();
    await other.client.query('CREATE TABLE theirs (id int)');
    database = other;
    const { status, said } = db('sync');
    expect(status).to.equal(1);
    expect(said).to.include('tables that were not made here, such as `theirs`');
  });
});

function chainOf(text: string): ReleaseChain {
  const definition = definitionOf(text);
  const release = { revision: 'one', fingerprint: storageFingerprint(definition), steps: [] };
  return devChain({ releases: [release], definition });
}

function definitionOf(text: string): Definition {
  const { definition } = compile([{ path: 'app.kiln', text }]);
  if (definition === undefined) throw new Error('it does not compile');
  return definition;
}
