import { expect } from 'chai';
import pg from 'pg';
import { compatibilitySchema } from '../../../compiler/definition/migration.ts';
import { runMigrate } from '../../../runtime/migrate/run-migrate.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { ranks } from './compiled-chain.ts';
import { migrated } from './databases.ts';

/** A role that brings releases, and another one for servers, with no more rights than docs/operations.md gives them. */
describe('roles of their own for `migrate` and for servers', () => {
  const opened: pg.Client[] = [];
  let database: TestDatabase;
  let name: string;

  beforeEach(async () => {
    database = await createDatabase();
    name = String(database.client.database);
    await database.client.query(`
      CREATE ROLE "${name} owner" LOGIN PASSWORD 'secret';
      CREATE ROLE "${name} server" LOGIN PASSWORD 'secret';
      CREATE ROLE "${name} stranger" LOGIN PASSWORD 'secret';
      GRANT USAGE, CREATE ON SCHEMA public TO "${name} owner";
      GRANT USAGE ON SCHEMA public TO "${name} server";
      ALTER DEFAULT PRIVILEGES FOR ROLE "${name} owner" GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO "${name} server"`);
  });

  afterEach(() => Promise.all(opened.splice(0).map((client) => client.end())));

  function urlOf(role: string): string {
    const address = new URL(database.url);
    address.username = encodeURIComponent(`${name} ${role}`);
    address.password = 'secret';
    return address.href;
  }

  async function mayCreateSchemas(...roles: readonly string[]): Promise<void> {
    for (const role of roles) await database.client.query(`GRANT CREATE ON DATABASE ${name} TO "${name} ${role}"`);
  }

  async function schemaOf(position: 1 | 2): Promise<string> {
    return compatibilitySchema((await ranks(position)).releases.at(-1)?.fingerprint ?? '');
  }

  /** What is said. */
  async function refused(position: 1 | 2, more: { readonly dryRun?: boolean } = {}): Promise<readonly string[]> {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const options = { databaseUrl: urlOf('owner'), ...more, write, writeError: write };
    expect(await runMigrate(await ranks(position), options)).to.equal(3);
    return lines.slice(-2);
  }

  async function server(searchPath: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: urlOf('server'), options: `-c search_path=${searchPath}` });
    opened.push(client);
    await client.connect();
    return client;
  }

  it('says before the first table that the schema takes none, and goes on when it does', async () => {
    await mayCreateSchemas('owner');
    for (const right of ['CREATE', 'USAGE, CREATE']) {
      await database.client.query(`
        REVOKE ${right} ON SCHEMA public FROM "${name} owner"; REVOKE ${right} ON SCHEMA public FROM PUBLIC`);
      for (const dryRun of [true, false]) {
        expect(await refused(1, { dryRun })).to.deep.equal([
          `Refused (unsuited): The role "${name} owner" may not create tables in the schema "public" of the database "${name}".`,
          `  As the owner of the schema, run \`GRANT USAGE, CREATE ON SCHEMA public TO "${name} owner";\`. Then run \`migrate\` again.`,
        ]);
      }
    }
    await database.client.query(`GRANT USAGE, CREATE ON SCHEMA public TO "${name} owner"`);
    expect((await migrated(await ranks(1), urlOf('owner'))).result.kind).to.equal('done');
  });

  it('says before the first step which right is missing, and goes on when it is there', async () => {
    for (const dryRun of [true, false]) {
      const lines = await refused(1, { dryRun });
      expect(lines).to.deep.equal([
        `Refused (unsuited): The role "${name} owner" may not create schemas in the database ${name}. Kiln needs the schema "${await schemaOf(1)}" for servers that keep running beside a later release.`,
        `  As the owner of the database, run \`GRANT CREATE ON DATABASE ${name} TO "${name} owner";\`. Then run \`migrate\` again.`,
      ]);
    }
    expect((await database.client.query(`SELECT to_regclass('kiln_releases') AS ledger`)).rows).to.deep.equal([
      { ledger: null },
    ]);
    await mayCreateSchemas('owner');
    expect((await migrated(await ranks(2), urlOf('owner'))).result.kind).to.equal('done');
  });

  it('say who owns a schema that servers would look into, and go on when it is gone', async () => {
    await mayCreateSchemas('owner', 'stranger');
    await migrated(await ranks(1), urlOf('owner'));
    const stranger = new pg.Client(urlOf('stranger'));
    opened.push(stranger);
    await stranger.connect();
    await stranger.query(`CREATE SCHEMA ${await schemaOf(2)}`);
    expect(await refused(2)).to.deep.equal([
      `Refused (unsuited): The schema "${await schemaOf(2)}" belongs to the role "${name} stranger", but the tables belong to "${name} owner". Servers look into this schema first, so nobody else may own it.`,
      `  As "${name} stranger" or a superuser, run \`DROP SCHEMA "${await schemaOf(2)}" CASCADE;\`. Then run \`migrate\` again. Look who has used "${name} stranger": Kiln never creates a schema for another role.`,
    ]);
    await database.client.query(`DROP SCHEMA "${await schemaOf(2)}" CASCADE`);
    expect((await migrated(await ranks(2), urlOf('owner'))).result.kind).to.equal('done');
    const taken = stranger.query(`CREATE SCHEMA ${await schemaOf(2)}`);
    expect(await taken.catch(({ code }) => code), 'it is there already').to.equal('42P06');
  });

  it('lets servers of both releases work with the rights on tables alone', async () => {
    await mayCreateSchemas('owner');
    for (const count of [1, 2] as const) {
      const { result } = await migrated(await ranks(count), urlOf('owner'));
      expect(result.kind, JSON.stringify(result)).to.equal('done');
    }
    const [first] = (await ranks(1)).releases;
    const old = await server(`${compatibilitySchema(first?.fingerprint ?? '')},public`);
    const now = await server('public');
    await old.query('INSERT INTO post (rank) VALUES (5)');
    await now.query(`INSERT INTO post (rank) VALUES ('7')`);
    await old.query('UPDATE post SET rank = 6 WHERE rank = 5');
    expect((await now.query('SELECT rank FROM post ORDER BY id')).rows).to.deep.equal([{ rank: '6' }, { rank: '7' }]);
    expect((await old.query('SELECT rank FROM post ORDER BY id')).rows).to.deep.equal([{ rank: '6' }, { rank: '7' }]);
    await old.query('DELETE FROM post');
    expect((await now.query('SELECT position FROM kiln_releases ORDER BY 1')).rows).to.have.length(2);
    await now.query('SELECT FROM kiln_release_progress');
  });
});
