import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { definitionText } from '../../../compiler/definition/artifacts.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { type Job, jobKind } from '../../../compiler/definition/work.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { type CheckOptions, checkApplication, type StatementCheck } from '../../../runtime/check.ts';
import { configFromEnvironment } from '../../../runtime/config/config.ts';
import {
  definitionOf,
  EXAMPLES,
  everythingDefinition,
  exampleDefinition,
  exampleFolder,
} from '../../compiler/openapi/documents.ts';
import { exampleHooks } from '../../support/example-hooks.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';

const MAIN = join(import.meta.dirname, '../../../dist/runtime/main.mjs');

const BLOG = `model Author { field login { type string, unique }, field password_hash { type string, secret } }
model Post {
  reference author { to Author, nullable }
  field title { type string }
  field words { type integer, default 0 }
  computed twice { words * 2 }
}
auth { model Author, login login, password password_hash }
api {
  entrypoint Post as post {
    response { id, title, twice, author { login } }
    list endpoint {}
    get endpoint {}
    create endpoint {}
    delete endpoint {}
  }
}
`;

describe('the check of statements', () => {
  before(() => loadGrammar());

  for (const example of ['everything', ...EXAMPLES]) {
    it(`finds that a database of ${example} can carry out all of its statements`, async () => {
      const definition = example === 'everything' ? everythingDefinition() : exampleDefinition(example);
      const hooks = await exampleHooks(exampleFolder(example), definition);
      const { statements, failures } = await checked(definition, await made(definition), { hooks });
      expect(failures).to.deep.equal([]);
      expect(statements).to.be.greaterThan(definition.endpoints.length / 2);
    });
  }

  it('names the endpoints that need a column which is not there, and runs nothing', async () => {
    const definition = blog();
    const database = await made(definition);
    await database.client.query(`INSERT INTO post (title) VALUES ('kept'); ALTER TABLE post DROP COLUMN words`);
    const { failures } = await checked(definition, database);
    expect(failures).to.deep.equal([
      {
        why: 'column "words" does not exist',
        senders: ['GET /api/post', 'POST /api/post', 'GET /api/post/:post_id'],
      },
      {
        why: 'column "words" of relation "post" does not exist',
        senders: ['POST /api/post'],
      },
    ]);
    expect(await countOf(database.client, 'post')).to.equal(1);
  });

  it('names the routes of sessions, and what removes tokens that have expired', async () => {
    const definition = blog();
    const database = await made(definition);
    await database.client.query('ALTER TABLE kiln_tokens RENAME COLUMN expires_at TO ends_at');
    const { failures } = await checked(definition, database);
    const senders = failures.flatMap((failure) => failure.senders);
    expect(senders).to.include('POST /api/auth/login, POST /api/auth/logout');
    expect(senders).to.include('the removal of expired rows');
    expect(senders).to.include('GET /api/auth/me');
  });

  it('reports an index that an upsert needs, which Postgres looks for only when it plans', async () => {
    const definition = blog();
    const database = await made(definition);
    await database.client.query('ALTER TABLE kiln_login_failures DROP CONSTRAINT kiln_login_failures_pkey');
    const { failures } = await checked(definition, database);
    expect(failures.map(({ senders }) => senders)).to.deep.equal([['POST /api/auth/login, POST /api/auth/logout']]);
  });

  it('looks for tables where its connections do: in views that show them as they were', async () => {
    const definition = blog();
    const { url, client } = await made(definition);
    const release = { position: 1, revision: 'one', fingerprint: '0123456789abcdef' };
    await client.query(`ALTER TABLE post RENAME COLUMN title TO headline; CREATE SCHEMA kiln_0123456789ab;
      CREATE VIEW kiln_0123456789ab.post AS SELECT id, author_id, headline AS title, words FROM post;
      CREATE TABLE kiln_releases AS SELECT 1 AS position, 'one' AS revision, '0123456789abcdef' AS fingerprint, '' AS checksum,
        NULL AS beside, 0 AS contract_steps, 0 AS contract_done, NULL::timestamptz AS contracted_at;
      CREATE TABLE kiln_release_progress (position integer, revision text, checksum text)`);
    expect((await checked(definition, { url }, { release })).failures).to.deep.equal([]);
    expect((await checked(definition, { url })).failures).not.to.deep.equal([]);
  });

  it('is a command of the image, which ends with 3 where something does not fit', async () => {
    const definition = blog();
    const { url, client } = await made(definition);
    expect(image(definition, url)).to.deep.include({ status: 0, stderr: '' });
    await client.query('ALTER TABLE post RENAME COLUMN title TO headline');
    const { status, stderr } = image(definition, url);
    expect(status).to.equal(3);
    expect(stderr).to.include('GET /api/post, POST /api/post, GET /api/post/:post_id: column "title" does not exist\n');
  });

  it('tries one waiting job of each kind, lists those that fail, and leaves nothing behind', async () => {
    const text = `model Post { field title { type string, unique } }
job Copy { input text { type string } action { create Post { set title text } run Copy { text: text + "!" } after days(1) } }
job Again { input post { to Post } action { create Post { set title post.title } } }
job Never { action { refuse "never" } }
api { entrypoint Post { create endpoint as made { action { create {} run Again { post: made } run Never {} run Copy { text: "" } } } } }`;
    const definition = definitionOf([{ path: 'main.kiln', text }]);
    const database = await made(definition);
    await database.client.query(`INSERT INTO post (title) VALUES ('one');
      INSERT INTO kiln_jobs (kind, input, due_at) VALUES ('Copy(text string)', '{"text":"two"}', now() + interval '1 day'),
        ('Again(post_id integer)', '{"post_id":1}', now()), ('Never()', '{}', now()), ('Copy(text integer)', '{"text":1}', now()),
        ('Other()', '{}', now())`);
    const { jobs } = await checked(definition, database, { settings: {} });
    expect(jobs).to.deep.equal({
      tried: 4,
      withCode: [],
      failures: [
        'job Again(post_id integer) with {"post_id": 1}: the database refused: unique (post_title_key)',
        'job Copy(text integer) with {"text": 1}: this release cannot read its inputs',
      ],
    });
    expect([await countOf(database.client, 'post'), await countOf(database.client, 'kiln_jobs')]).to.deep.equal([1, 5]);
    expect(image(definition, database.url, '--jobs')).to.include({
      status: 3,
      stderr: `${jobs?.failures.join('\n')}\n`,
    });
  });

  it('makes the mails that wait, and says which expression fails', async () => {
    const text = `model Post { field likes { type integer } field email { type string } }
mail Liked { input post { to Post } to post.email subject "Liked" body "liked.html" }
mail Hello { input post { to Post } to post.email subject "Hello" body "hello.html" }
api { entrypoint Post as post { POST one "send" { action { send Liked { post: post } send Hello { post: post } } } } }`;
    const files: Record<string, string> = {
      'mails/liked.html': '<p>{{ post.likes * 9007199254740991 }}</p>',
      'mails/hello.html': '<p>{{ post.likes }}</p>',
    };
    const definition = definitionOf([{ path: 'main.kiln', text }], (path) => files[path]);
    const database = await made(definition);
    await database.client.query(`INSERT INTO post (likes, email) VALUES (3, 'ada@example.com');
      INSERT INTO kiln_jobs (kind, input) VALUES ('Liked(post_id integer)', '{"post_id":1}'), ('Hello(post_id integer)', '{"post_id":1}')`);
    const why = '`{{ post.likes * 9007199254740991 }} in mails/liked.html` is too large for an integer';
    expect((await checked(definition, database, { settings: {} })).jobs).to.deep.equal({
      tried: 2,
      withCode: [],
      failures: [`job Liked(post_id integer) with {"post_id": 1}: ${why}`],
    });
  });

  it('tries deliveries of webhooks with the receivers that the server takes, and sends nothing', async () => {
    const text = `model Hook { field url { type string } field key { type string, secret } }
model Order { field paid { type boolean, default false } }
webhook "order.paid" { on update of Order as order when order.paid to Hook as hook { url hook.url, secret hook.key } body { id } }
api { entrypoint Order { create endpoint {} } }`;
    const definition = definitionOf([{ path: 'main.kiln', text }]);
    const delivery = definition.jobs?.find(({ delivers }) => delivers) as Job;
    const kind = jobKind(delivery, definition);
    const database = await made(definition);
    await database.client.query(`INSERT INTO hook (url, key) VALUES ('http://127.0.0.1:1/', 'whsec_');
      INSERT INTO kiln_jobs (kind, input) VALUES ('${kind}', '{"receiver_id":1,"event_body":"{}"}')`);
    const check = async (environment: Readonly<Record<string, string>>) =>
      (await checked(definition, database, { settings: {} }, environment)).jobs?.failures.join();
    expect(await check({})).to.include('the URL of the receiver does not begin with https');
    expect(await check({ WEBHOOK_PRIVATE: 'allow' })).to.equal('');
  });

  it('throws where the database cannot be reached', async () => {
    const result = await checked(blog(), { url: 'postgres://nobody@127.0.0.1:1/nothing' }).catch((error) => error);
    expect(result).to.have.property('kind', 'unavailable');
  });
});

function blog(): Definition {
  return definitionOf([{ path: 'main.kiln', text: BLOG }]);
}

async function made(definition: Definition): Promise<TestDatabase> {
  const database = await createDatabase();
  await database.client.query(schemaSql(schemaFromDefinition(definition)));
  return database;
}

function checked(
  definition: Definition,
  { url }: Pick<TestDatabase, 'url'>,
  more: Partial<Pick<CheckOptions, 'hooks' | 'release' | 'settings'>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<StatementCheck> {
  const read = configFromEnvironment({ DATABASE_URL: url, ...environment });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return checkApplication({ definition, hooks: {}, ...more, config: read.config });
}

async function countOf(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query(`SELECT count(*)::int AS count FROM ${table}`);
  return rows[0].count;
}

function image(definition: Definition, url: string, ...options: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-check-'));
  try {
    writeFileSync(join(folder, 'definition.json'), definitionText(definition));
    const environment = { ...process.env, DATABASE_URL: url, KILN_APP: folder };
    return spawnSync(process.execPath, [MAIN, 'check', ...options], { env: environment, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
