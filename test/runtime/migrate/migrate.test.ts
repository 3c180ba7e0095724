import { expect } from 'chai';
import type pg from 'pg';
import { schemaInCatalog } from '../../../runtime/migrate/catalog.ts';
import type { MigrateEvent } from '../../../runtime/migrate/events.ts';
import { releaseState } from '../../../runtime/migrate/release-state.ts';
import { connectionOf, openSession } from '../../../runtime/migrate/session.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { eventsOf, firstReleaseWithRows, migrated, remainsIn } from './databases.ts';
import { backfill, chainOf, FIRST_RELEASE, FIRST_SCHEMA, TEN_RELEASES } from './ten-releases.ts';

describe('migrate', () => {
  it('makes the whole schema of an empty database, with every release in the ledger', async () => {
    const { url, client } = await createDatabase();
    const { result, events } = await migrated(TEN_RELEASES, url);
    expect(result).to.include({ kind: 'done', position: 10 });
    expect(eventsOf(events, 'statement')).to.have.length(1);
    const { rows } = await client.query('SELECT position, revision FROM kiln_releases ORDER BY position');
    expect(rows).to.deep.equal(TEN_RELEASES.releases.map(({ revision }, at) => ({ position: at + 1, revision })));
    expect(await ourTables(client)).to.deep.equal(TEN_RELEASES.schema.tables);
  });

  describe('where an empty database gets its tables in several transactions', () => {
    const cuts = [...TEN_RELEASES.schemaSql.matchAll(/^(CREATE|ALTER) /gm)].map(({ index }) => index).slice(1);
    const chain = { ...TEN_RELEASES, schemaCuts: cuts };

    /** Stopped in its third transaction. */
    const stopped = async (url: string) => {
      const caller = new AbortController();
      const report = (event: MigrateEvent) => void (event.kind === 'statement' && event.step === 3 && caller.abort());
      expect((await migrated(chain, url, { signal: caller.signal, report })).reason).to.equal('stopped');
    };

    it('makes the same as in one', async () => {
      const { url, client } = await createDatabase();
      const { result, events } = await migrated(chain, url);
      expect(result).to.include({ kind: 'done', position: 10 });
      expect(eventsOf(events, 'statement').map(({ step }) => step)).to.deep.equal(
        Array.from({ length: cuts.length + 1 }, (_, at) => at + 1),
      );
      expect(await ourTables(client)).to.deep.equal(chain.schema.tables);
      expect((await client.query('SELECT FROM kiln_releases')).rows).to.have.length(10);
      expect((await client.query('SELECT FROM kiln_release_progress')).rows).to.have.length(0);
    });

    it('goes on after the last part that is done', async () => {
      const { url, client } = await createDatabase();
      await stopped(url);
      expect((await client.query('SELECT FROM kiln_releases')).rows).to.have.length(0);
      const done = (await ourTables(client)).length;
      expect(done).to.be.above(0);
      const told = eventsOf((await migrated(chain, url, { dryRun: true })).events, 'would-run');
      const { result, events } = await migrated(chain, url);
      expect(result).to.include({ kind: 'done', position: 10 });
      const steps = eventsOf(events, 'statement').map(({ step }) => step);
      expect(steps[0]).to.be.above(1);
      expect(told.map(({ step }) => step)).to.deep.equal(steps);
      expect(await ourTables(client)).to.deep.equal(chain.schema.tables);
    });

    it('refuses the tables that the image of another release has begun', async () => {
      const { url } = await createDatabase();
      await stopped(url);
      const { result, reason } = await migrated({ ...chain, releases: chain.releases.slice(0, 9) }, url);
      expect(reason).to.equal('diverged');
      expect(result)
        .to.have.property('message')
        .that.matches(/^The database has only a part of the tables of release 10 .* or use an empty database\.$/);
      const [, ...others] = cuts;
      const cutElsewhere = { ...chain, schemaCuts: others };
      expect((await migrated(cutElsewhere, url)).reason).to.equal('diverged');
    });
  });

  it('takes a database for empty that has only the tables of an extension', async () => {
    const { url, client } = await createDatabase();
    await client.query('CREATE TABLE owned (id int); ALTER EXTENSION plpgsql ADD TABLE owned');
    expect((await migrated(TEN_RELEASES, url)).result.kind).to.equal('done');
  });

  it('carries out nine releases on a database with rows, and keeps every one', async () => {
    const { url, client } = await firstReleaseWithRows();
    const { result, events } = await migrated(TEN_RELEASES, url);
    expect(result.applied).to.deep.equal(TEN_RELEASES.releases.slice(1).map(({ revision }) => revision));
    expect(eventsOf(events, 'release-done').map(({ position }) => position)).to.deep.equal([
      2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    const { rows } = await client.query('SELECT * FROM post ORDER BY id');
    expect(rows).to.have.length(20);
    expect(rows[6]).to.deep.equal({
      id: '7',
      heading: 'Title 7',
      author_id: null,
      slug: 'post-7',
      rating: '1',
      status: 'draft',
      words: '7',
    });
    expect((await client.query('SELECT * FROM audit')).rows).to.have.length(20);
  });

  it('leaves the same catalog whether it made all at once or step by step', async () => {
    const { url, client } = await firstReleaseWithRows();
    await migrated(TEN_RELEASES, url);
    expect(byColumnName(await ourTables(client))).to.deep.equal(byColumnName(TEN_RELEASES.schema.tables));
  });

  it('finds nothing to do the second time', async () => {
    const { url, client } = await firstReleaseWithRows();
    await migrated(TEN_RELEASES, url);
    const before = await remainsIn(client);
    const { result, events } = await migrated(TEN_RELEASES, url);
    expect(result).to.include({ kind: 'done' });
    expect(result.applied).to.deep.equal([]);
    expect(events.map(({ kind }) => kind)).to.deep.equal(['start', 'done']);
    expect(await remainsIn(client)).to.deep.equal(before);
  });

  it('tells the rows of a backfill in batches', async () => {
    const { url } = await firstReleaseWithRows();
    const { events } = await migrated(TEN_RELEASES, url);
    const [slugs] = eventsOf(events, 'batch');
    expect(slugs).to.include({ table: 'post', column: 'slug', rows: 20, isLast: true, position: 4, step: 2 });
  });

  it('fails on a backfill that leaves rows as they are, rather than going on for ever', async () => {
    const { url, client } = await firstReleaseWithRows();
    const steps = [backfill('post', 'views', 'NULL')];
    const chain = chainOf([...FIRST_RELEASE.releases, { revision: 'two', steps }], FIRST_SCHEMA);
    await client.query('UPDATE post SET views = NULL');
    const { result } = await migrated(chain, url);
    expect(result).to.include({ kind: 'refused', reason: 'failed' });
    expect(result)
      .to.have.property('message')
      .that.matches(/leaves them as they are/);
  });

  it('leaves nothing of a schema that cannot be made', async () => {
    const { url, client } = await createDatabase();
    await client.query("CREATE TYPE status AS ENUM ('mine')");
    const { result } = await migrated(TEN_RELEASES, url);
    expect(result).to.include({ reason: 'failed' });
    expect((await schemaInCatalog(client)).tables).to.deep.equal([]);
  });

  it('says to the server where the database stands', async () => {
    const database = await createDatabase();
    expect(await kindOfState(database)).to.equal('empty');
    await migrated(FIRST_RELEASE, database.url);
    expect(await kindOfState(database)).to.equal('behind');
    await migrated(TEN_RELEASES, database.url);
    expect(await kindOfState(database)).to.equal('current');
  });
});

async function kindOfState({ url }: TestDatabase): Promise<string> {
  const session = await openSession(url, 'test');
  const state = await releaseState(connectionOf(session), TEN_RELEASES);
  await session.end();
  return state.kind;
}

async function ourTables(client: pg.Client) {
  const { tables } = await schemaInCatalog(client);
  return tables.filter(({ name }) => TEN_RELEASES.schema.tables.some((table) => table.name === name));
}

function byColumnName<T extends { readonly columns: readonly { readonly name: string }[] }>(tables: readonly T[]) {
  return tables.map((table) => ({ ...table, columns: table.columns.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }));
}
