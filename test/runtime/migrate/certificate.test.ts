import { expect } from 'chai';
import type { Hazard, MigrationStep, Release, ReleaseChain } from '../../../compiler/definition/migration.ts';
import { textFromEvent } from '../../../runtime/migrate/text-from-event.ts';
import { createDatabase } from '../../support/postgres.ts';
import { definitionOf } from '../operations/running.ts';
import { chainOf } from './compiled-chain.ts';
import { eventsOf, migrated } from './databases.ts';

const NOTHING = { locks: [], rewrites: [] };
const BEFORE = 'model Post { field title { type string } }';
const AFTER =
  'model Post { field title { type string, unique }  field words { type integer, backfill length(title) } }';

function chainFrom(...programs: readonly string[]): Promise<ReleaseChain> {
  return Promise.all(programs.map((text) => definitionOf(text))).then(chainOf);
}

function transaction(...statements: readonly (readonly [sql: string, ...hazards: readonly Hazard[]])[]): MigrationStep {
  return { kind: 'transaction', statements: statements.map(([sql, ...hazards]) => ({ sql, says: sql, hazards })) };
}

/** What is said of these statements on a database with a post. */
async function certifiedSteps(...steps: readonly MigrationStep[]) {
  const { client, url } = await createDatabase();
  const first = await chainFrom(BEFORE);
  await migrated(first, url);
  await client.query(`INSERT INTO post (title) VALUES ('First')`);
  const second: Release = { revision: '2'.repeat(40), fingerprint: 'second', steps };
  const { events } = await migrated({ ...first, releases: [...first.releases, second] }, url, { certify: true });
  return eventsOf(events, 'certified');
}

function lock(mode: Extract<Hazard, { kind: 'lock' }>['mode'], table = 'post'): Hazard {
  return { kind: 'lock', table, mode };
}

describe('`migrate --certify`', () => {
  it('tells what was predicted and what was observed, also of a backfill and of an index', async () => {
    const { client, url } = await createDatabase();
    await migrated(await chainFrom(BEFORE), url);
    await client.query(`INSERT INTO post (title) VALUES ('First')`);
    const { result, events } = await migrated(await chainFrom(BEFORE, AFTER), url, { certify: true });
    expect(result.kind, JSON.stringify(result)).to.equal('done');
    const certified = eventsOf(events, 'certified');
    expect(certified.filter(({ missing, unpredicted }) => missing.locks.length + unpredicted.locks.length > 0)).to.be
      .empty;
    const observed = (says: string) =>
      certified.filter((event) => event.says.includes(says)).map((event) => event.observed);
    const locks = (mode: string) => ({ locks: [{ table: 'post', mode }], rewrites: [] });
    expect(observed('add the column')).to.deep.equal([locks('ACCESS EXCLUSIVE')]);
    expect(observed('build the index')).to.deep.equal([locks('SHARE UPDATE EXCLUSIVE')]);
    expect(observed('fill "words" of the rows that "post" has')).to.deep.equal([locks('ROW EXCLUSIVE')]);
    expect(observed('rows inserted in the meantime')).to.deep.equal([null]);
  });

  it('finds a lock and a rewrite that were not predicted', async () => {
    const [first, second] = await certifiedSteps(
      transaction(
        ['CREATE TRIGGER t BEFORE UPDATE ON post FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()'],
        ['ALTER TABLE post ADD COLUMN code uuid DEFAULT gen_random_uuid()', lock('ACCESS EXCLUSIVE')],
      ),
    );
    expect(first?.unpredicted).to.deep.equal({ locks: [{ table: 'post', mode: 'SHARE ROW EXCLUSIVE' }], rewrites: [] });
    expect(second?.unpredicted).to.deep.equal({ locks: [], rewrites: ['post'] });
  });

  it('finds a lock that is stronger than predicted', async () => {
    const [only] = await certifiedSteps(
      transaction(['ALTER TABLE post ADD COLUMN code text', lock('SHARE ROW EXCLUSIVE')]),
    );
    expect(only?.unpredicted.locks).to.deep.equal([{ table: 'post', mode: 'ACCESS EXCLUSIVE' }]);
    expect(only?.missing).to.deep.equal(NOTHING);
  });

  it('finds what was predicted and did not happen', async () => {
    const [only] = await certifiedSteps(
      transaction(['SELECT title FROM post', lock('ACCESS EXCLUSIVE'), { kind: 'rewrite', table: 'post' }]),
    );
    expect(only?.observed).to.deep.equal(NOTHING);
    expect(only?.unpredicted).to.deep.equal(NOTHING);
    expect(only?.missing).to.deep.equal({ locks: [{ table: 'post', mode: 'ACCESS EXCLUSIVE' }], rewrites: ['post'] });
  });

  it('does not count what the transaction had from a statement before, nor what it has made itself', async () => {
    const [rename, alter, ...others] = await certifiedSteps(
      transaction(
        ['ALTER TABLE post RENAME TO article', lock('ACCESS EXCLUSIVE')],
        ['ALTER TABLE article ADD COLUMN code text', lock('ACCESS EXCLUSIVE', 'article')],
        ['CREATE TABLE tag (id bigint); ALTER TABLE tag ADD COLUMN name text'],
        ['ALTER TABLE article RENAME TO post', lock('ACCESS EXCLUSIVE', 'article')],
      ),
    );
    expect(rename?.observed?.locks).to.deep.equal([{ table: 'post', mode: 'ACCESS EXCLUSIVE' }]);
    expect(alter?.observed?.locks).to.deep.equal([{ table: 'article', mode: 'ACCESS EXCLUSIVE' }]);
    for (const event of [rename, alter, ...others]) {
      expect(event).to.deep.include({ unpredicted: NOTHING, missing: NOTHING });
    }
  });

  it('is a line for each statement', async () => {
    const events = await certifiedSteps(
      transaction(['SELECT 1'], ['ALTER TABLE post ADD COLUMN code text', lock('SHARE')]),
    );
    expect(events.flatMap(textFromEvent)).to.deep.equal([
      '  As predicted: SELECT 1: nothing',
      '  Not as predicted: ALTER TABLE post ADD COLUMN code text: predicted SHARE on "post", observed ACCESS EXCLUSIVE on "post"',
    ]);
  });
});
