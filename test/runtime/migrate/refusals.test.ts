import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { MigrationStep, ReleaseChain } from '../../../compiler/definition/migration.ts';
import { migrationFrom, releaseBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { runMigrate } from '../../../runtime/migrate/run-migrate.ts';
import { definitionOf } from '../../compiler/openapi/documents.ts';
import { createDatabase } from '../../support/postgres.ts';
import { chainOf as chainOfDefinitions } from './compiled-chain.ts';
import { firstReleaseWithRows, migrated, remainsIn } from './databases.ts';
import { chainOf, FIRST_RELEASE, FIRST_SCHEMA, index, TEN_RELEASES, transaction } from './ten-releases.ts';

describe('migrate, refusing', () => {
  before(() => loadGrammar());

  it('refuses a database that is ahead', async () => {
    const { url } = await createDatabase();
    await migrated(TEN_RELEASES, url);
    expect(await run(FIRST_RELEASE, url)).to.deep.equal({
      code: 3,
      lines: [],
      errors: [
        'Refused (ahead): The database is ahead: it is at release 10 (101010101010), and the last one here is 1 (010101010101). Use the image of that release or a later one.',
      ],
    });
  });

  it('refuses a database that has begun with a release that is not known here', async () => {
    const { url } = await firstReleaseWithRows();
    const steps = [transaction('ALTER TABLE post ADD COLUMN a bigint'), transaction('SELECT 1 / 0')];
    await migrated(withSecond('two', steps), url);
    const { errors } = await run(FIRST_RELEASE, url);
    expect(errors[0]).to.match(/^Refused \(ahead\): .* at release 2 \(two, which is not complete\)/);
  });

  it('refuses a database that had another release at the same place', async () => {
    const { url } = await firstReleaseWithRows();
    await migrated(withSecond('two', []), url);
    const { code, errors } = await run(withSecond('other', []), url);
    expect(code).to.equal(3);
    expect(errors).to.deep.equal([
      'Refused (diverged): Release 2 of the database is two, but here it is other. Build the image from a branch that holds the releases of this database, or use another database.',
    ]);
  });

  it('refuses a database that had other steps in the same release, complete or not', async () => {
    const { url } = await firstReleaseWithRows();
    const [first, second] = [transaction('ALTER TABLE post ADD COLUMN a bigint'), transaction('SELECT 1 / 0')];
    expect((await migrated(withSecond('two', [first, second]), url)).reason).to.equal('failed');
    const { errors } = await run(withSecond('two', [second]), url);
    expect(errors[0]).to.match(
      /^Refused \(diverged\): Release 2 \(two\) was applied with different steps than it has here\./,
    );
  });

  it('goes on with a release whose steps are only described in other words', async () => {
    const { url } = await firstReleaseWithRows();
    const step = transaction('SELECT 1') as Extract<MigrationStep, { kind: 'transaction' }>;
    await migrated(withSecond('two', [step]), url);
    const reworded = { ...step, statements: step.statements.map((statement) => ({ ...statement, says: 'nothing' })) };
    expect((await migrated(withSecond('two', [reworded]), url)).result.kind).to.equal('done');
  });

  it('refuses a database that is not in UTF8, and says how to make one', async () => {
    const { url, client } = await createDatabase();
    await client.query(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`);
    const { code, errors } = await run(FIRST_RELEASE, url.replace(/[^/]+$/, 'latin'));
    expect(code).to.equal(3);
    expect(errors).to.deep.equal([
      'Refused (unsuited): The database "latin" has the encoding LATIN1, but Kiln needs UTF8.',
      "  CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0 makes one that is right.",
    ]);
  });

  it('refuses a database with tables and no ledger, and leaves it alone', async () => {
    const { url, client } = await createDatabase();
    await client.query('CREATE TABLE theirs (id int)');
    const { code, errors } = await run(TEN_RELEASES, url);
    expect(code).to.equal(3);
    expect(errors).to.deep.equal([
      'Refused (not-ours): The database has tables ("theirs"), but no ledger of releases, so Kiln does not change them. Use an empty database, or the right one.',
    ]);
    const { rows } = await client.query("SELECT to_regclass('kiln_releases') AS ledger");
    expect(rows).to.deep.equal([{ ledger: null }]);
  });

  it('tells apart why there is no connection, without the password', async () => {
    const { url } = await createDatabase();
    const { host, username } = new URL(url);
    const places = {
      'postgres://me:secret@127.0.0.1:1/blog': 'Postgres cannot be reached at 127.0.0.1:1: connect ECONNREFUSED',
      'postgres://me:secret@127.0.0.1:port/blog': 'DATABASE_URL is not a valid address.',
      'postgres://me:secret@127.0.0.1:1,127.0.0.1:2/blog?target_session_attrs=read-write':
        'Postgres cannot be reached at 127.0.0.1:1,127.0.0.1:2: None of the hosts takes writes (127.0.0.1:1: connect ECONNREFUSED',
      [Object.assign(new URL(url), { pathname: '/missing' }).href]:
        `Postgres at ${host} has no database \`missing\`. Create it first, or check DATABASE_URL.`,
      [Object.assign(new URL(url), { password: 'secret' }).href]:
        `Postgres at ${host} rejects the user \`${username}\` or its password. Check DATABASE_URL.`,
      [`${url}?sslmode=require`]: `Postgres at ${host} and this program could not agree on TLS: `,
    };
    for (const [place, says] of Object.entries(places)) {
      const { code, errors } = await run(TEN_RELEASES, place);
      expect(code, place).to.equal(5);
      expect(errors[0])
        .to.match(/^Refused \(unavailable\): /)
        .and.include(says);
      expect(errors.join()).not.to.include('secret');
    }
  });

  it('says what was to be filled when its value cannot be computed', async () => {
    const { url, client } = await createDatabase();
    const source = (field: string) => [
      { path: 'app.kiln', text: `model Post { field size { type integer } ${field} }` },
    ];
    const first = definitionOf(source(''));
    const second = definitionOf(source('field area { type integer, backfill size * size }'));
    await migrated(chainOfDefinitions([first]), url);
    await client.query('INSERT INTO post (size) VALUES (4000000000)');
    const { errors } = await run(chainOfDefinitions([first, second]), url);
    expect(errors[0]).to.match(
      /^Refused \(failed\): Postgres refused to fill "area" of the rows that "post" has: a number is out of range \(SQLSTATE 22003\)\. Release 2 \(/,
    );
    expect(errors.join()).to.include('`Withdraws: 222222222222`').and.not.include('4000000000');
  });

  it('says which statement failed without telling values, and goes on when the cause is gone', async () => {
    const { url, client } = await firstReleaseWithRows();
    await client.query("UPDATE post SET views = 'secret' WHERE id = 3");
    const steps = [
      transaction('ALTER TABLE post ADD COLUMN a bigint', 'ALTER TABLE post DROP COLUMN a'),
      transaction('ALTER TABLE post ALTER COLUMN views TYPE bigint USING views::bigint'),
      transaction('ALTER TABLE post ALTER COLUMN views TYPE text'),
    ];
    const chain = withSecond('two', steps);
    const { code, errors } = await run(chain, url);
    expect(code).to.equal(1);
    expect(errors).to.deep.equal([
      'Refused (failed): Postgres refused to ALTER TABLE post ALTER COLUMN views TYPE bigint USING views::bigint: a value cannot be read as one of the new type (SQLSTATE 22P02). Release 2 (two), step 2.',
      '  Known to be applied: 1 of 2 releases, and 1 of 3 steps of the next one. When the cause is removed, run it again to continue.',
    ]);
    await client.query("UPDATE post SET views = '3' WHERE id = 3");
    const second = await run(chain, url);
    expect(second.code).to.equal(0);
    expect(second.lines[1]).to.equal('Release 2 of 2 (two), continuing after step 1');
  });

  it('says in words of its own which records have a value that is dropped, and what to do', async () => {
    const { url, client } = await createDatabase();
    const [before, after] = [enumDefinition('draft, live, archived'), enumDefinition('draft, live, drop archived')];
    const first = { revision: 'one', fingerprint: '1', steps: [] };
    await migrated(chainOf([first], schemaFromDefinition(before)), url);
    await client.query("INSERT INTO post (status) VALUES ('draft'), ('archived'), ('archived')");
    for (const steps of [migrationFrom(before, after).steps, releaseBetween(before, after).steps]) {
      const { code, errors } = await run(
        chainOf([first, { revision: 'two', steps }], schemaFromDefinition(after)),
        url,
      );
      expect(code).to.equal(1);
      expect(errors.slice(0, 2)).to.deep.equal([
        'Refused (failed): Records in "post" still have values in "status" that this release drops: "archived" (2 records). Release 2 (two), step 1.',
        '  Give these records another value first, with a release that no longer writes this one, nor its populators. To rename a value instead of dropping it, write `was archived` behind the one that takes its place.',
      ]);
    }
  });

  it('names the constraint that rows stand in the way of, and leaves no index by half', async () => {
    const { url, client } = await firstReleaseWithRows();
    await client.query("UPDATE post SET title = 'secret' WHERE id < 3");
    const chain = withSecond('two', [index('post_title_key', 'post (title)', 'UNIQUE ')]);
    const { result, events } = await migrated(chain, url);
    expect(result).to.have.nested.property('failure.constraint', 'post_title_key');
    expect(result).to.have.deep.property('details', [
      'Existing rows do not fit. Change them first, then run `migrate` again. This lists them:',
      'SELECT title, count(*) FROM post WHERE title IS NOT NULL GROUP BY title HAVING count(*) > 1;',
      'Known to be applied: 1 of 2 releases. When the cause is removed, run it again to continue.',
    ]);
    expect(JSON.stringify(events)).not.to.include('secret');
    expect((await remainsIn(client)).oddities).to.deep.equal([]);
  });

  it('says how the rows are listed that a check or a foreign key does not hold for', async () => {
    const refusedBy = async (constraint: string) => {
      const { url, client } = await firstReleaseWithRows();
      await client.query("UPDATE post SET title = 'secret', views = 7777 WHERE id < 3");
      await client.query(
        'ALTER TABLE post ALTER COLUMN views TYPE bigint USING views::bigint; CREATE TABLE known (id bigint PRIMARY KEY); INSERT INTO known SELECT views FROM post WHERE id >= 3',
      );
      const chain = withSecond('two', [
        transaction(`ALTER TABLE post ADD CONSTRAINT added ${constraint} NOT VALID`),
        transaction('ALTER TABLE post VALIDATE CONSTRAINT added'),
      ]);
      const { result, events } = await migrated(chain, url);
      expect(JSON.stringify(events)).not.to.include('secret').and.not.to.include('7777');
      const details = result.kind === 'refused' ? result.details : [];
      expect(details[0]).to.match(/^Existing rows do not fit\./);
      return (await client.query(details[1] ?? '')).rows.map(({ id }) => Number(id)).sort();
    };
    expect(await refusedBy('CHECK (length(title) <> 6)')).to.deep.equal([1, 2]);
    expect(await refusedBy('FOREIGN KEY (views) REFERENCES known')).to.deep.equal([1, 2]);
  });

  it('clears away an index that was left by half', async () => {
    const { url, client } = await firstReleaseWithRows();
    await client.query("UPDATE post SET title = 'same' WHERE id < 3");
    await client.query('CREATE UNIQUE INDEX CONCURRENTLY post_title_idx ON post (title)').catch(() => undefined);
    expect((await remainsIn(client)).oddities).to.have.length(1);
    const schema = withIndexOnTitle();
    const chain = chainOf(
      [...FIRST_RELEASE.releases, { revision: 'two', steps: [index('post_title_idx', 'post (title)')] }],
      schema,
    );
    expect((await migrated(chain, url)).result.kind).to.equal('done');
    expect((await remainsIn(client)).oddities).to.deep.equal([]);
  });

  it('works with `readWrite` on a database whose transactions only read unless told otherwise', async () => {
    const { url, client } = await createDatabase();
    await client.query(`ALTER DATABASE ${client.database} SET default_transaction_read_only = on`);
    expect((await migrated(TEN_RELEASES, url, { readWrite: true })).result.kind).to.equal('done');
  });
});

function enumDefinition(values: string): Definition {
  return definitionOf([
    { path: 'main.kiln', text: `enum Status { ${values} }\nmodel Post { field status { type Status } }\n` },
  ]);
}

function withSecond(revision: string, steps: readonly MigrationStep[]): ReleaseChain {
  return chainOf([...FIRST_RELEASE.releases, { revision, steps }], FIRST_SCHEMA);
}

function withIndexOnTitle() {
  const [post] = FIRST_SCHEMA.tables;
  const indexes = [{ name: 'post_title_idx', columns: [{ name: 'title', descending: false }] }];
  return { enums: [], tables: post ? [{ ...post, indexes }] : [] };
}

async function run(chain: ReleaseChain, databaseUrl: string) {
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await runMigrate(chain, {
    databaseUrl,
    write: (line) => void lines.push(line),
    writeError: (line) => void errors.push(line),
  });
  return { code, lines, errors };
}
