import { expect } from 'chai';
import pg from 'pg';
import { pino } from 'pino';
import { compatibilitySchema, type ReleaseChain } from '../../../compiler/definition/migration.ts';
import { runMigrate } from '../../../runtime/migrate/run-migrate.ts';
import { openDatabase } from '../../../runtime/query/connections/open-database.ts';
import { connectionName, imageReleaseOf } from '../../../runtime/query/database-release.ts';
import { copyOf, createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { isSlow, itInBoth } from '../../support/slow.ts';
import { until } from '../../support/until.ts';
import { eventsOf, migrated } from './databases.ts';
import { openMessageProxy } from './message-proxy.ts';
import { blog } from './side-by-side.ts';
import { withdrawingChain } from './withdrawing-chain.ts';

const IMPATIENT = { contractWait: 0 };
const ANY = { name: 'any', text: 'SELECT 1', isRepeatable: true };
const SERVERS =
  'SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database() ORDER BY pid';

describe('contraction', () => {
  let database: TestDatabase;
  const servers: pg.Client[] = [];

  beforeEach(async () => {
    database = await createDatabase();
  });

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.end()));
  });

  /** A connection by the name that a server of the release gives it. */
  async function connected(name: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url, application_name: name });
    await client.connect();
    servers.push(client);
    return client;
  }

  async function serverOf(position: number): Promise<pg.Client> {
    return connected(connectionName(imageReleaseOf(await blog(position))));
  }

  /** At release 2, with what release 1 needs. */
  async function expanded(): Promise<ReleaseChain> {
    await migrated(await blog(1), database.url);
    const chain = await blog(2);
    expect((await migrated(chain, database.url)).result.kind).to.equal('done');
    return chain;
  }

  async function oldSchemas(): Promise<readonly string[]> {
    const { rows } = await database.client.query<{ nspname: string }>(
      "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kiln\\_%' AND EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_namespace.oid) ORDER BY 1",
    );
    return rows.map(({ nspname }) => nspname);
  }

  async function ledger() {
    const { rows } = await database.client.query(
      'SELECT contract_done AS done, contract_steps AS steps, contracted_at IS NOT NULL AS begun FROM kiln_releases ORDER BY position',
    );
    return rows;
  }

  it('stays to be done after `migrate`, which says so', async () => {
    const chain = await expanded();
    const { result } = await migrated(chain, database.url);
    expect(result).to.deep.include({ kind: 'done', applied: [], contracted: [] });
    expect(result).to.have.deep.property('pending', { position: 2, revision: '2'.repeat(40), steps: 2 });
    expect(await oldSchemas()).to.have.length(1);
  });

  it('is done by `--contract`, and then there is nothing left to do', async () => {
    const chain = await expanded();
    const { result, events } = await migrated(chain, database.url, { contract: true });
    expect(result).to.deep.include({ kind: 'done', applied: [], contracted: ['2'.repeat(40)], pending: null });
    expect(eventsOf(events, 'statement').map(({ step, steps, phase }) => [step, steps, phase])).to.deep.equal([
      [1, 2, 'contract'],
      [2, 2, 'contract'],
      [2, 2, 'contract'],
    ]);
    expect(await oldSchemas()).to.deep.equal([]);
    expect((await ledger())[1]).to.deep.equal({ done: 2, steps: 2, begun: true });
    const again = await migrated(chain, database.url, { contract: true });
    expect(again.events.map(({ kind }) => kind)).to.deep.equal(['start', 'done']);
  });

  it('is done before the next release is brought', async () => {
    await expanded();
    const { result, events } = await migrated(await blog(3), database.url);
    expect(result).to.deep.include({ applied: ['3'.repeat(40)], contracted: ['2'.repeat(40)], pending: null });
    const kinds = events.map(({ kind }) => kind);
    expect(kinds.indexOf('contract-done')).to.be.lessThan(kinds.indexOf('release'));
    expect(await oldSchemas()).to.deep.equal([]);
  });

  it('is done in turn where several releases are missing', async () => {
    await migrated(await blog(1), database.url);
    const { result } = await migrated(await blog(5), database.url);
    expect(result).to.deep.include({ kind: 'done', contracted: ['2'.repeat(40)] });
    expect(result.kind === 'done' && result.pending?.position).to.equal(5);
    const chain = await blog(4);
    expect(await oldSchemas()).to.deep.equal([compatibilitySchema(imageReleaseOf(chain).fingerprint)]);
  });

  it('has nothing to do in a database that was made at once', async () => {
    const { result } = await migrated(await blog(2), database.url);
    expect(result).to.have.property('pending', null);
    expect((await ledger())[1]).to.deep.equal({ done: 2, steps: 2, begun: true });
  });

  describe('while servers are connected', () => {
    it('is blocked by those of an older release, and says who is there and what to do', async () => {
      const chain = await expanded();
      const old = await serverOf(1);
      await serverOf(1);
      await connected('kiln');
      const lines: string[] = [];
      const write = (line: string) => void lines.push(line);
      const options = { databaseUrl: database.url, write, writeError: write, ...IMPATIENT };
      expect(await runMigrate(chain, { ...options, contract: true })).to.equal(4);
      const { application_name: name } = (await old.query('SHOW application_name')).rows[0];
      const text = lines.join('\n').replace(/for \d+ s/g, 'for 0 s');
      expect(text).to.include(
        [
          'Refused (blocked): Release 2 cannot be contracted yet: servers of older releases are connected.',
          '  "kiln": 1 connection, the oldest for 0 s',
          `  "${name}": 2 connections, the oldest for 0 s`,
          '  Roll out the image of release 2, or stop the older servers. Then run `migrate` again; `--wait 10m` waits for it.',
        ].join('\n'),
      );
      expect(await runMigrate(await blog(3), options)).to.equal(4);
      expect((await ledger())[1]).to.deep.equal({ done: 0, steps: 2, begun: false });
    });

    it('is not blocked by those of its own release, of a later one, of other applications, or by other programs', async () => {
      const chain = await expanded();
      await serverOf(2);
      await serverOf(3);
      for (const name of ['kiln 1 0123456789ab', 'kiln dev', 'kiln populate', 'kilnish', 'psql']) await connected(name);
      expect((await migrated(chain, database.url, { contract: true, ...IMPATIENT })).result.kind).to.equal('done');
    });

    it('sees a server that has had no request for longer than its pool keeps connections, until it is stopped', async () => {
      const chain = await expanded();
      const release = imageReleaseOf(await blog(1));
      const server = openDatabase({
        url: database.url,
        poolMax: 4,
        statementTimeout: 0,
        acquireTimeout: 5000,
        idleTimeout: 20,
        staysConnected: true,
        applicationName: connectionName(release),
        release,
        log: pino({ level: 'silent' }),
      });
      try {
        await server.transaction((transaction) => transaction.run(ANY, []), { isRepeatable: true });
        await until(() => server.state().open === 1);
        const options = { contract: true, ...IMPATIENT };
        expect((await migrated(chain, database.url, options)).result).to.deep.include({
          kind: 'refused',
          reason: 'blocked',
        });
        const [{ pid }] = (await database.client.query(SERVERS, [connectionName(release)])).rows as [{ pid: number }];
        await database.client.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
        const others = async () => (await database.client.query(SERVERS, [connectionName(release)])).rows;
        await until(async () => (await others()).some((row) => row.pid !== pid));
        const { result } = await migrated(chain, database.url, {
          contract: true,
          report: ({ kind }) => {
            if (kind === 'waiting-for-servers') void server.close();
          },
        });
        expect(result.kind).to.equal('done');
      } finally {
        await server.close();
      }
    });

    it('waits for them, tells so, and goes on when they are gone', async () => {
      const chain = await expanded();
      const old = await serverOf(1);
      servers.splice(0);
      const { result, events } = await migrated(chain, database.url, {
        contract: true,
        report: ({ kind }) => {
          if (kind === 'waiting-for-servers') void old.end();
        },
      });
      expect(result.kind).to.equal('done');
      const [waiting] = eventsOf(events, 'waiting-for-servers');
      expect(waiting?.servers.map(({ connections }) => connections)).to.deep.equal([1]);
      expect(eventsOf(events, 'waiting-for-servers')).to.have.length(1);
    });

    it('also waits for one that connects in the moment before it begins', async () => {
      const chain = await expanded();
      const holder = await connected('psql');
      await holder.query('BEGIN; SELECT FROM kiln_releases WHERE position = 2 FOR UPDATE');
      let old: pg.Client | undefined;
      const running = migrated(chain, database.url, {
        contract: true,
        report: ({ kind }) => {
          if (kind === 'waiting-for-servers') void old?.end();
        },
      });
      const waiting =
        "SELECT FROM pg_stat_activity WHERE application_name = 'kiln migrate' AND wait_event_type = 'Lock'";
      await until(async () => (await database.client.query(waiting)).rowCount !== 0);
      old = await serverOf(1);
      servers.pop();
      await holder.query('COMMIT');
      const { result, events } = await running;
      expect(result.kind).to.equal('done');
      expect(eventsOf(events, 'waiting-for-servers')).to.have.length(1);
    });

    it('needs none of this where it has no steps', async () => {
      await migrated(await blog(2), database.url);
      await migrated(await blog(3), database.url);
      await serverOf(2);
      expect((await migrated(await blog(4), database.url, IMPATIENT)).result.kind).to.equal('done');
    });

    it('is left for later where the next release leaves the tables as they are, and is done by a still later one', async () => {
      const [first, renamed, again] = [
        'name { type string',
        'title { type string, was name',
        'heading { type string, was title',
      ].map((field) => `model Post { field ${field} } }`) as [string, string, string];
      const apiOnly = `${renamed} api { entrypoint Post as posts { list endpoint {} } }`;
      const [one, two, three, four] = await Promise.all(
        [1, 2, 3, 4].map((count) => withdrawingChain([first, renamed, apiOnly, again].slice(0, count))),
      );
      if (!one || !two || !three || !four) throw new Error('four chains');
      await migrated(one, database.url);
      await migrated(two, database.url);
      const old = await connected(connectionName(imageReleaseOf(one)));
      const { result } = await migrated(three, database.url, IMPATIENT);
      expect(result)
        .to.deep.include({ kind: 'done', contracted: [] })
        .and.to.have.nested.property('pending.position', 2);
      expect((await migrated(four, database.url, IMPATIENT)).reason).to.equal('blocked');
      expect((await migrated(three, database.url, { contract: true, ...IMPATIENT })).reason).to.equal('blocked');
      servers.splice(servers.indexOf(old), 1);
      await old.end();
      const { result: last, events } = await migrated(four, database.url);
      expect(last).to.have.nested.property('pending.position', 4);
      const told = events.flatMap((event) =>
        event.kind === 'contract' || event.kind === 'release' ? [event.kind] : [],
      );
      expect(told).to.deep.equal(['contract', 'release']);
    });

    it('walks over several releases at once, and waits where a server is in the way', async () => {
      await expanded();
      const old = await serverOf(1);
      servers.splice(servers.indexOf(old), 1);
      const { result } = await migrated(await blog(5), database.url, {
        report: ({ kind }) => {
          if (kind === 'waiting-for-servers') void old.end();
        },
      });
      expect(result).to.deep.include({ kind: 'done', contracted: ['2'.repeat(40)] });
    });

    it('has nothing to remove, and yet the next release waits for servers that it would break', async () => {
      await migrated(await blog(2), database.url);
      await migrated(await blog(4), database.url);
      await connected('kiln');
      await serverOf(3);
      const old = await serverOf(2);
      const lines: string[] = [];
      const write = (line: string) => void lines.push(line);
      const chain = await blog(5);
      expect(await runMigrate(chain, { databaseUrl: database.url, write, writeError: write, ...IMPATIENT })).to.equal(
        4,
      );
      const { application_name: name } = (await old.query('SHOW application_name')).rows[0];
      expect(lines.join('\n').replace(/for \d+ s/g, 'for 0 s')).to.include(
        [
          'Refused (blocked): Release 5 cannot be applied yet: servers of releases before release 4 are connected and would stop working.',
          `  "${name}": 1 connection, the oldest for 0 s`,
          '  Roll out the image of release 4, or stop the older servers. Then run `migrate` again; `--wait 10m` waits for it.',
        ].join('\n'),
      );
      servers.splice(servers.indexOf(old), 1);
      await old.end();
      expect((await migrated(chain, database.url)).result.kind).to.equal('done');
    });

    it('is called off by a signal', async () => {
      const chain = await expanded();
      await serverOf(1);
      const controller = new AbortController();
      const { reason } = await migrated(chain, database.url, {
        contract: true,
        signal: controller.signal,
        report: ({ kind }) => {
          if (kind === 'waiting-for-servers') controller.abort();
        },
      });
      expect(reason).to.equal('stopped');
    });
  });

  describe('that was cut off', () => {
    /** Until the second step: then the schema is gone, and a part of the table is still there. */
    async function cutOff(chain: ReleaseChain): Promise<void> {
      const controller = new AbortController();
      const { reason } = await migrated(chain, database.url, {
        contract: true,
        signal: controller.signal,
        report: (event) => {
          if (event.kind === 'step' && event.step === 2) controller.abort();
        },
      });
      expect(reason).to.equal('stopped');
      expect((await ledger())[1]).to.deep.equal({ done: 1, steps: 2, begun: true });
    }

    for (const [words, options, position] of [
      ['`--contract`', { contract: true }, 2],
      ['`migrate` alone, for it has begun', {}, 2],
      ['the next release', {}, 3],
    ] as const) {
      it(`goes on behind the last step with ${words}, whoever is connected`, async () => {
        await cutOff(await expanded());
        await serverOf(1);
        const { result, events } = await migrated(await blog(position), database.url, { ...options, ...IMPATIENT });
        expect(result).to.deep.include({ kind: 'done', contracted: ['2'.repeat(40)] });
        expect(eventsOf(events, 'contract')[0]).to.include({ steps: 2, stepsDone: 1 });
        expect((await ledger())[1]).to.deep.equal({ done: 2, steps: 2, begun: true });
      });
    }

    describe('between its mark and its first step', () => {
      beforeEach(async () => {
        const controller = new AbortController();
        const { reason } = await migrated(await expanded(), database.url, {
          contract: true,
          signal: controller.signal,
          report: ({ kind }) => {
            if (kind === 'contract') controller.abort();
          },
        });
        expect(reason).to.equal('stopped');
        expect((await ledger())[1]).to.deep.equal({ done: 0, steps: 2, begun: true });
      });

      for (const position of [1, 2]) {
        it(`lets the previous release work again after the \`migrate\` of release ${position}`, async () => {
          const { result } = await migrated(await blog(position), database.url);
          expect(result, JSON.stringify(result)).to.deep.include({ kind: 'done', position: 2, contracted: [] });
          expect((await ledger())[1]).to.deep.equal({ done: 0, steps: 2, begun: false });
        });
      }

      it('lets it work while its servers are waited for', async () => {
        await serverOf(1);
        const { reason } = await migrated(await blog(3), database.url, IMPATIENT);
        expect(reason).to.equal('blocked');
        expect((await ledger())[1]).to.deep.equal({ done: 0, steps: 2, begun: false });
      });

      it('is done from its beginning by `--contract`', async () => {
        const { result } = await migrated(await blog(2), database.url, { contract: true });
        expect(result).to.deep.include({ kind: 'done', contracted: ['2'.repeat(40)] });
        expect((await ledger())[1]).to.deep.equal({ done: 2, steps: 2, begun: true });
      });
    });

    itInBoth('is completed by a second run after a cut at any of its statements', async () => {
      const chain = await expanded();
      const prepared = database;
      database = await copyOf(prepared);
      const whole = await openMessageProxy(database.url);
      await migrated(chain, whole.url, { contract: true });
      await whole.close();
      for (let at = 1; at <= whole.seen(); at += isSlow ? 1 : 4) {
        database = await copyOf(prepared);
        const proxy = await openMessageProxy(database.url, { at, when: 'before', act: () => undefined });
        // With the last two the lock is released: all work is done by then.
        const expected = at <= whole.seen() - 2 ? 'unavailable' : undefined;
        expect((await migrated(chain, proxy.url, { contract: true })).reason, `cut at ${at}`).to.equal(expected);
        await proxy.close();
        const { result } = await migrated(chain, database.url, { contract: true });
        expect(result.kind, `after ${at}: ${JSON.stringify(result)}`).to.equal('done');
        expect((await ledger())[1], `after ${at}`).to.deep.equal({ done: 2, steps: 2, begun: true });
        expect(await oldSchemas(), `after ${at}`).to.deep.equal([]);
      }
    });
  });

  describe('in a dry run', () => {
    async function dryRun(chain: ReleaseChain, contract: boolean): Promise<string> {
      const lines: string[] = [];
      const write = (line: string) => void lines.push(line);
      const options = { databaseUrl: database.url, dryRun: true, contract, write, writeError: write };
      expect(await runMigrate(chain, options)).to.equal(0);
      return lines.join('\n');
    }

    it('is told as pending', async () => {
      expect(await dryRun(await expanded(), false)).to.equal(
        [
          '-- Nothing to do: the database is at release 2 (222222222222).',
          '-- Pending: the contraction of release 2 (222222222222), 2 steps. `migrate --contract` does it when no server of a release before 2 is connected; so does the next release.',
        ].join('\n'),
      );
    });

    it('is shown where it would be done', async () => {
      const chain = await expanded();
      const schema = compatibilitySchema(chain.releases[0]?.fingerprint ?? '');
      const head = `-- Release 2 (222222222222), contraction step 1 of 2: in a transaction\nBEGIN;\n-- DROP SCHEMA ${schema} CASCADE\n`;
      expect(await dryRun(chain, true)).to.include(head);
      const next = await dryRun(await blog(3), false);
      expect(next).to.include(head);
      expect(next.indexOf(head)).to.be.lessThan(next.indexOf('-- Release 3'));
      expect(await oldSchemas()).to.have.length(1);
    });
  });
});
