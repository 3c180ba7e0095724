import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { changesBetween } from '../../compiler/change/changes-between.ts';
import { problemsBetween } from '../../compiler/change/problems.ts';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { storageFingerprint } from '../../compiler/schema/fingerprint.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { fileTextIn } from '../../files/file-text.ts';
import { readSources } from '../../files/read-sources.ts';
import {
  addDevRelease,
  grownHistory,
  HISTORY_SCHEMA,
  readDevHistory,
  storedPart,
  syncDatabase,
} from '../../pipeline/dev/sync.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');
const SEARCH = `
  model Post { field title { type string } }
  api { entrypoint Post { list endpoint { searchable { title } } } }`;

const OTHERS = {
  'live lists': `
    model User { field email { type string, unique } field hash { type string, secret, validate { minLength(8) } } relation rooms { from Member, through user } }
    model Room { field title { type string } relation members { from Member, through room } relation messages { from Message, through room } computed size { count(members) } query writers { from messages.writer } }
    model Member { reference room { to Room } reference user { to User } unique { room, user } }
    model Message { reference room { to Room } reference writer { to User } field text { type string } }
    auth { model User, login email, password hash }
    api { entrypoint Room as room { entrypoint messages { authorize { @auth in room.members.user } list endpoint { live, filter { room.size > 1 }, response { text, writer { email } } } } list endpoint { live, filter { @auth in writers } } } }`,
  'signed requests': `
    setting KEY { secret }
    model Event { field name { type string } }
    api { entrypoint Event as event { POST many "hook" { signed by github { secret KEY } action { create Event { set name "a" } } } } }`,
  files: `
    model Post { field cover { type file, nullable } }
    api { entrypoint Post as post { get endpoint {} create endpoint {} } }`,
};

describe('what a development database remembers of a definition', () => {
  before(loadGrammar);

  for (const name of readdirSync(EXAMPLES)) {
    it(`has all that ${name} stores`, () => {
      const folder = join(EXAMPLES, name);
      const definition = defined(compile(readSources(folder).sources, fileTextIn(folder)).definition);
      expect(storageFingerprint(storedPart(definition))).to.equal(storageFingerprint(definition));
      expect(changesBetween(storedPart(definition), definition)).to.deep.equal([]);
      expect(problemsBetween(storedPart(definition), definition)).to.deep.equal([]);
    });
  }

  for (const [name, text] of Object.entries(OTHERS)) {
    it(`has the tables and triggers of ${name}`, () => {
      const definition = defined(compile([{ path: 'app.kiln', text }]).definition);
      expect(changesBetween(storedPart(definition), definition)).to.deep.equal([]);
      expect(storageFingerprint(storedPart(definition))).to.equal(storageFingerprint(definition));
    });
  }

  it('has the searches, which have indexes', () => {
    const definition = defined(compile([{ path: 'app.kiln', text: SEARCH }]).definition);
    expect(storageFingerprint(storedPart(definition))).to.equal(storageFingerprint(definition));
    expect(storageFingerprint({ ...definition, endpoints: [] })).not.to.equal(storageFingerprint(definition));
  });
});

const WORK = `
  model Order { field status { type string } computed paid { status is "paid" } relation lines { from Line, through order } query all_lines { from lines } }
  model Line { reference order { to Order } }
  job Send { input order { to Order } action { update order { set status "sent" } } }
  on update of Order as order when order.paid and count(order.all_lines) > 1 { run Send { order: order } }`;

describe('a development database with reactions', () => {
  before(loadGrammar);
  const compiled = (text: string) => defined(compile([{ path: 'app.kiln', text }]).definition);

  it('remembers all that their triggers are made of', () => {
    const definition = compiled(WORK);
    const stored = inReverse(storedPart(definition)) as Definition;
    expect(storageFingerprint(stored)).to.equal(storageFingerprint(definition));
    expect(changesBetween(stored, definition)).to.deep.equal([]);
  });

  /** The same data with the properties of every object in another order, as another build of Kiln may write it. */
  function inReverse(data: unknown): unknown {
    if (Array.isArray(data)) return data.map(inReverse);
    if (typeof data !== 'object' || data === null) return data;
    return Object.fromEntries(
      Object.entries(data)
        .reverse()
        .map(([key, value]) => [key, inReverse(value)]),
    );
  }

  it('follows the sources, and removes jobs that nobody knows without a question', async () => {
    const { client, url } = await createDatabase();
    const refuse = () => Promise.reject(new Error('nothing is to be decided'));
    expect(await syncDatabase(url, compiled(WORK), refuse)).to.deep.equal({ kind: 'created' });
    await client.query(`INSERT INTO kiln_jobs (kind, input) VALUES ('Send(order_id integer)', '{}')`);
    const next = compiled(WORK.replaceAll('Send', 'Mail').replaceAll('paid', 'due'));
    expect((await syncDatabase(url, next, refuse)).kind).to.equal('changed');
    expect((await client.query('SELECT kind FROM kiln_jobs')).rows).to.deep.equal([]);
    await client.query(`INSERT INTO "order" (status) VALUES ('open'); INSERT INTO line (order_id) VALUES (1), (1)`);
    await client.query(`UPDATE "order" SET status = 'due'`);
    expect((await client.query('SELECT kind FROM kiln_jobs')).rows).to.deep.equal([{ kind: 'Mail(order_id integer)' }]);
  });
});

describe('a development database with jobs that wait', () => {
  before(loadGrammar);

  it('follows their names where nothing else changes', async () => {
    const { client, url } = await createDatabase();
    const stored = async (job: string, name: string) => {
      const text = `model Post { field note { type string } }
        ${job} { input post { to Post } action { update post { set note "a" } } }
        api { entrypoint Post as post { POST one "later" { action { run ${name} { post: post } after days(1) } } } }`;
      const refuse = () => Promise.reject(new Error('nothing is to be decided'));
      const { definition } = compile([{ path: 'app.kiln', text }]);
      const { kind } = await syncDatabase(url, defined(definition), refuse);
      return [kind, (await client.query('SELECT kind FROM kiln_jobs')).rows.map((row) => row.kind).join()];
    };
    expect(await stored('job Remind', 'Remind')).to.deep.equal(['created', '']);
    await client.query(`INSERT INTO kiln_jobs (kind, input) VALUES ('Remind(post_id integer)', '{}')`);
    expect(await stored('job Nudge was Remind', 'Nudge')).to.deep.equal(['changed', 'Nudge(post_id integer)']);
    expect(await stored('job Nudge', 'Nudge')).to.deep.equal(['unchanged', 'Nudge(post_id integer)']);
    expect(await stored('job Other', 'Other')).to.deep.equal(['changed', '']);
  });
});

describe('a change that the rows of a development database do not allow', () => {
  before(loadGrammar);
  const compiled = (text: string) => defined(compile([{ path: 'app.kiln', text }]).definition);
  const OTHERS = 'field size { type integer, default 1 } reference other { to Post, nullable }';
  const KIND = 'enum Kind { plain } model Sort { field kind { type Kind } }';
  const BEFORE = `${KIND} model Post { field name { type string } ${OTHERS} }`;
  const RENAMED = 'field title { type string, was name }';
  const CHANGES: Readonly<Record<string, string>> = {
    'a unique field that is filled with the same value twice': `${RENAMED} ${OTHERS} field slug { type string, unique, backfill lower(title) }`,
    'a value that does not fit': `${RENAMED} ${OTHERS} field area { type integer, backfill size * size }`,
    'a reference that must have a value': `${RENAMED} ${OTHERS.replace(', nullable', '')} field more { type string, backfill title, index }`,
    'a value of an enum beside one that does not fit': `${RENAMED} ${OTHERS} field area { type integer, backfill size * size } field kind { type Kind, default "odd" }`,
  };
  const rows = "INSERT INTO post (name, size) VALUES ('Tea', 4000000000), ('tea', 1) RETURNING *";

  for (const [name, fields] of Object.entries(CHANGES))
    it(`leaves everything as it was: ${name}`, async () => {
      const { client, url } = await createDatabase();
      const decide = () => Promise.reject(new Error('nothing is to be decided'));
      const sync = (text: string) => syncDatabase(url, compiled(text), decide).then(({ kind }) => kind, String);
      expect(await sync(BEFORE)).to.equal('created');
      const { rows: stored } = await client.query(rows);
      const kinds = fields.includes('odd') ? KIND.replace('plain', 'even, plain, odd') : KIND;
      const wanted = `${kinds} model Post { ${fields} }`;
      for (const _ of [1, 2])
        expect(await sync(wanted)).to.match(/cannot be updated to match the sources: (?!.*(kiln_|releases))/s);
      expect((await client.query('SELECT * FROM post ORDER BY id')).rows).to.deep.equal(stored);
      expect(await sync(BEFORE)).to.equal('unchanged');
      await client.query('UPDATE post SET name = name || id, size = 1, other_id = 1');
      expect(await sync(wanted)).to.equal('changed');
      expect((await client.query('SELECT title FROM post ORDER BY id')).rows).to.deep.equal([
        { title: 'Tea1' },
        { title: 'tea2' },
      ]);
    });
});

describe('an enum of a development database', () => {
  before(loadGrammar);

  it('gets a new name and a new value, which is used, in one change', async () => {
    const { client, url } = await createDatabase();
    const sync = (text: string) =>
      syncDatabase(url, defined(compile([{ path: 'app.kiln', text }]).definition), async () => 'cancelled');
    await sync('enum Kind { plain } model Post { field kind { type Kind } }');
    await client.query("INSERT INTO post (kind) VALUES ('plain')");
    await sync(
      'enum Sort was Kind { plain, odd } model Post { field kind { type Sort } field next { type Sort, default "odd" } }',
    );
    expect((await client.query('SELECT kind, next FROM post')).rows).to.deep.equal([{ kind: 'plain', next: 'odd' }]);
  });
});

describe('the last definition of a development database', () => {
  const text = (stars: string) => `model Post { field title { type string } ${stars} computed long { title is "x" } }`;
  const compiled = (stars = '') => defined(compile([{ path: 'app.kiln', text: text(stars) }]).definition);

  before(loadGrammar);

  it('is read with what it stores', async () => {
    const { client } = await createDatabase();
    const one = compiled();
    await stored(client, one);
    expect((await readDevHistory(client))?.definition).to.deep.equal(JSON.parse(JSON.stringify(storedPart(one))));
  });

  it('is read again when another process has stored one', async () => {
    const { client } = await createDatabase();
    await stored(client, compiled());
    const next = compiled('field stars { type integer, default 5 }');
    await client.query(`UPDATE ${HISTORY_SCHEMA}.releases SET definition = $1`, [JSON.stringify(next)]);
    expect((await readDevHistory(client))?.definition).to.deep.equal(JSON.parse(JSON.stringify(next)));
  });

  async function stored(client: TestDatabase['client'], definition: Definition): Promise<void> {
    await readDevHistory(client);
    await addDevRelease(client, grownHistory([], definition, []));
  }
});

function defined(definition: Definition | undefined): Definition {
  if (definition === undefined) throw new Error('it does not compile');
  return definition;
}
