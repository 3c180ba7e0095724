import { expect } from 'chai';
import {
  compatibilitySchema,
  compatibilitySchemaIn,
  type ReleaseChain,
} from '../../../compiler/definition/migration.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { definitionOf } from '../operations/running.ts';
import { chainOf } from './compiled-chain.ts';
import { migrated } from './databases.ts';

const MODEL = 'model Order { field note { type string, nullable } }';
const REACTION = 'on create of Order as order { run Send { order: order } }';

function jobOf(name: string): string {
  return `job ${name} { input order { to Order } action { update order { set note "sent" } } }`;
}

async function chain(...programs: readonly string[]): Promise<ReleaseChain> {
  return chainOf(await Promise.all(programs.map((text) => definitionOf(text))));
}

const FIRST = `${MODEL} ${jobOf('Send')} ${jobOf('Keep')} ${REACTION}`;

describe('jobs and reactions in a migration', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createDatabase();
    await migrated(await chain(FIRST), database.url);
  });

  const waiting = async () => {
    const { rows } = await database.client.query<{ kind: string }>('SELECT kind FROM kiln_jobs ORDER BY id');
    return rows.map(({ kind }) => kind);
  };

  for (const [title, program] of Object.entries({
    'one job of several': `${MODEL} ${jobOf('Keep')} drop job Send`,
    'the last job': `${MODEL} drop job Send drop job Keep`,
  })) {
    it(`are not contracted while dropped jobs wait, and can be finished: ${title}`, async () => {
      const { client, url } = database;
      await client.query('INSERT INTO "order" DEFAULT VALUES');
      const two = await chain(FIRST, program);
      expect((await migrated(two, url)).result.kind).to.equal('done');
      const { result } = await migrated(two, url, { contract: true });
      expect(result).to.include({
        kind: 'refused',
        reason: 'blocked',
        message: 'Jobs that this release no longer has still wait: "Send" (1).',
      });
      // The previous release can be started again, to finish them.
      const { rows } = await client.query('SELECT 1 FROM kiln_releases WHERE contracted_at IS NOT NULL');
      expect(rows).to.deep.equal([]);
      await client.query(`SET search_path = ${compatibilitySchema(two.releases[0]?.fingerprint ?? '')}, public`);
      await client.query('DELETE FROM kiln_jobs');
      expect((await migrated(two, url, { contract: true })).result).to.deep.include({ kind: 'done', pending: null });
    });
  }

  it('are contracted with the next release where nothing waits', async () => {
    const programs = [FIRST, `${MODEL} ${jobOf('Keep')} drop job Send`];
    await migrated(await chain(...programs), database.url);
    await database.client.query(
      `INSERT INTO kiln_jobs (kind, input, failed_at) VALUES ('Send(order_id integer)', '{}', now()), ('Keep(order_id integer)', '{}', NULL)`,
    );
    const three = await chain(
      ...programs,
      `${MODEL.replace(' }', ' } field more { type string, nullable }')} ${jobOf('Keep')}`,
    );
    expect((await migrated(three, database.url)).result).to.include({ kind: 'done', position: 3 });
    expect(await waiting()).to.deep.equal(['Send(order_id integer)', 'Keep(order_id integer)']);
  });

  it('are removed where they are discarded', async () => {
    await database.client.query('INSERT INTO "order" DEFAULT VALUES');
    const two = await chain(FIRST, `${MODEL} ${jobOf('Keep')} drop job Send { discard }`);
    await migrated(two, database.url);
    expect(await waiting()).to.deep.equal(['Send(order_id integer)']);
    expect((await migrated(two, database.url, { contract: true })).result.kind).to.equal('done');
    expect(await waiting()).to.deep.equal([]);
  });

  it('keep their lines and keys where they are renamed', async () => {
    const source = (job: string, name: string) =>
      `${MODEL} ${jobOf(job).replace('action', 'one at a time per order, action')} on update of Order as order when order.note is null { run ${name} { order: order } once per order }`;
    const { client, url } = await createDatabase();
    const two = await chain(source('Send', 'Send'), source('Mail was Send', 'Mail'));
    await migrated(await chain(source('Send', 'Send')), url);
    const stored = async () => (await client.query('SELECT kind, once, line FROM kiln_jobs ORDER BY id')).rows;
    await client.query('INSERT INTO "order" DEFAULT VALUES');
    await client.query('UPDATE "order" SET note = NULL');
    // It is claimed: as the first one of its line, it holds the key of the line.
    await client.query(`UPDATE kiln_jobs SET once = '=' || line, attempt = 1`);
    await migrated(two, url);
    await client.query('UPDATE "order" SET note = NULL');
    const behind = { kind: 'Mail(order_id integer)', once: 'Send 1', line: 'Send 1' };
    expect(await stored()).to.deep.equal([{ kind: 'Send(order_id integer)', once: '=Send 1', line: 'Send 1' }, behind]);
    await migrated(two, url, { contract: true });
    expect(await stored()).to.deep.equal([{ ...behind, once: '=Send 1' }, behind]);
  });

  it('are found missing or disabled', async () => {
    const one = await chain(FIRST);
    const name = one.schema.reactions?.[0]?.name;
    await database.client.query('ALTER TABLE "order" DISABLE TRIGGER USER');
    expect((await migrated(one, database.url)).result).to.deep.include({
      reason: 'drifted',
      details: [`The trigger "${name}" of "order" is missing or disabled.`],
    });
    await database.client.query(`ALTER TABLE "order" ENABLE TRIGGER USER; DROP TRIGGER "${name}" ON "order"`);
    expect((await migrated(one, database.url)).reason).to.equal('drifted');
  });

  it('start no jobs when a backfill changes rows', async () => {
    const source = (fields: string) =>
      `model Order { field note { type string, nullable } ${fields} } ${jobOf('Send')} on update of Order as order when order.note is null { run Send { order: order } }`;
    const own = await createDatabase();
    await migrated(await chain(source('')), own.url);
    await own.client.query('INSERT INTO "order" DEFAULT VALUES');
    const two = await chain(source(''), source('field size { type integer, backfill length(coalesce(note, "")) }'));
    expect((await migrated(two, own.url)).result.kind).to.equal('done');
    const count = 'SELECT count(*)::int AS jobs FROM kiln_jobs';
    expect((await own.client.query(count)).rows).to.deep.equal([{ jobs: 0 }]);
    await own.client.query('UPDATE "order" SET note = NULL');
    expect((await own.client.query(count)).rows).to.deep.equal([{ jobs: 1 }]);
  });

  it('are those of their own application, whoever writes', async () => {
    const { client, url } = await createDatabase();
    await client.query('CREATE SCHEMA live');
    const address = new URL(url);
    address.searchParams.set('options', '-c search_path=live');
    const later = `${MODEL} ${jobOf('Send')} ${jobOf('Keep')} ${REACTION.replace('{', 'when order.note is "now" {')}`;
    const two = await chain(FIRST, later);
    await migrated(await chain(FIRST), address.href);
    const jobs = async () => (await client.query('SELECT kind FROM live.kiln_jobs')).rowCount;
    await client.query('INSERT INTO live."order" DEFAULT VALUES');
    expect(await jobs()).to.equal(1);
    expect((await migrated(two, address.href)).result.kind).to.equal('done');
    await client.query('INSERT INTO live."order" DEFAULT VALUES');
    expect(await jobs()).to.equal(1);
    await client.query(`SET search_path = ${compatibilitySchemaIn('live', two.releases[0]?.fingerprint ?? '')}, live`);
    await client.query('INSERT INTO "order" DEFAULT VALUES');
    expect(await jobs()).to.equal(2);
    await client.query('SET search_path = public');
    expect((await migrated(two, address.href, { contract: true })).result).to.deep.include({ pending: null });
    await client.query(`INSERT INTO live."order" (note) VALUES (NULL), ('now')`);
    expect(await jobs()).to.equal(3);
  });
});
