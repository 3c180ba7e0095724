import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import type { Knex } from 'knex';
import pino from 'pino';
import { openDatabase } from '../../../runtime/query/connections/open-database.ts';
import type { Database, DatabaseError, Statement } from '../../../runtime/query/database.ts';
import { knexOf } from '../../support/knex-of.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { failureOf } from './failure.ts';
import { createProxy, type TcpProxy } from './tcp-proxy.ts';

const ECHO: Statement = { name: 'echo', text: 'SELECT $1::text', isRepeatable: true };
const SLEEP: Statement = { name: 'sleep', text: 'SELECT pg_sleep($1)', isRepeatable: true };
const SLEEP_ONCE: Statement = { name: 'sleep_once', text: 'SELECT pg_sleep($1)', isRepeatable: false };
const INSERT: Statement = { name: 'insert', text: 'INSERT INTO note VALUES ($1)', isRepeatable: false };

const AGAIN = { isRepeatable: true } as const;

describe('connections', () => {
  let test: TestDatabase;
  const opened: Database[] = [];

  const open = (url: string): Database => {
    const log = pino({ level: 'silent' });
    const options = { poolMax: 4, statementTimeout: 0, acquireTimeout: 5000, applicationName: 'kiln-connections', log };
    const database = openDatabase({ url, ...options });
    opened.push(database);
    return database;
  };

  before(async () => {
    test = await createDatabase();
    await test.client.query('CREATE TABLE note (text text NOT NULL)');
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
  });

  const ours = "pg_stat_activity WHERE application_name = 'kiln-connections' AND datname = current_database()";
  const terminate = () => test.client.query(`SELECT pg_terminate_backend(pid) FROM ${ours}`);
  const count = async (condition: string): Promise<number> =>
    (await test.client.query(`SELECT 1 FROM ${ours} AND ${condition}`)).rows.length;
  const asleep = (size: number) => until(async () => (await count("wait_event = 'PgSleep'")) === size);

  describe('to a server that is not there', () => {
    let proxy: TcpProxy;

    beforeEach(async () => {
      proxy = await createProxy(test.url);
    });

    afterEach(() => proxy.shut());

    it('are unavailable', async () => {
      const database = open(proxy.url);
      const running = [database.run(ECHO, ['x']), database.transaction(async () => 1, AGAIN), database.ping()];
      const failures = await Promise.all(running.map(failureOf));
      expect(failures.map(({ kind }) => kind)).to.deep.equal(['unavailable', 'unavailable', 'unavailable']);
    });

    it('come when the server does', async () => {
      const database = open(proxy.url);
      await failureOf(database.ping());
      await proxy.open();
      await untilAnswered(database);
      expect((await database.run(ECHO, ['here'])).rows).to.deep.equal([['here']]);
      expect(
        await database.transaction(async (transaction) => (await transaction.run(ECHO, ['x'])).rows, AGAIN),
      ).to.deep.equal([['x']]);
    });

    it('come back when the server does', async () => {
      const database = open(proxy.url);
      await proxy.open();
      await warmUp(database);
      const running = failureOf(database.run(SLEEP_ONCE, ['20']));
      await asleep(1);
      await proxy.shut();
      expect(await running).to.have.property('kind', 'unavailable');
      expect(await failureOf(database.run(ECHO, ['x']))).to.have.property('kind', 'unavailable');
      await proxy.open();
      await untilAnswered(database);
      expect((await database.run(ECHO, ['back'])).rows).to.deep.equal([['back']]);
    });

    it('are given up when no answer comes, and the statement is not sent again', async () => {
      await proxy.open();
      const log = pino({ level: 'silent' });
      const options = { poolMax: 1, statementTimeout: 50, acquireTimeout: 5000, applicationName: 'kiln-frozen', log };
      const database = openDatabase({ url: proxy.url, ...options });
      opened.push(database);
      await database.run(ECHO, ['x']);
      const attempts = proxy.attempts();
      proxy.freeze();
      // One that was never run goes to the pool, which has this connection.
      expect(await failureOf(database.run({ ...ECHO, name: 'lost' }, ['x']))).to.have.property('kind', 'timeout');
      expect(proxy.attempts()).to.equal(attempts);
      expect((await database.run(ECHO, ['over another one'])).rows).to.deep.equal([['over another one']]);
    });

    it('make no crowd: all who come at once share one attempt, and those right after it are refused', async () => {
      let attempts = 0;
      const server = createServer((socket) => {
        attempts++;
        socket.destroy();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const database = open(`postgres://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`);
      const failures = await Promise.all(Array.from({ length: 20 }, () => failureOf(database.run(ECHO, ['x']))));
      expect(failures.map(({ kind }) => kind)).to.deep.equal(Array.from({ length: 20 }, () => 'unavailable'));
      expect(attempts).to.equal(1);
      server.close();
    });
  });

  it('run a statement that Postgres has cancelled once', async () => {
    const log = pino({ level: 'silent' });
    const options = { poolMax: 2, statementTimeout: 50, acquireTimeout: 5000, applicationName: 'kiln-late', log };
    const database = openDatabase({ url: test.url, ...options });
    opened.push(database);
    await test.client.query('CREATE SEQUENCE runs');
    const late: Statement = { name: 'late', text: "SELECT nextval('runs'), pg_sleep(600)", isRepeatable: true };
    expect(await failureOf(database.run(late, []))).to.have.property('kind', 'timeout');
    expect((await test.client.query('SELECT last_value FROM runs')).rows).to.deep.equal([{ last_value: '1' }]);
  });

  it('may be ended by the server while they are idle', async () => {
    const database = open(test.url);
    await warmUp(database);
    await Promise.all(Array.from({ length: 3 }, () => database.transaction(async () => 1, AGAIN)));
    await terminate();
    await until(async () => (await count('true')) === 0);
    expect((await database.run(ECHO, ['x'])).rows).to.deep.equal([['x']]);
    expect(await database.transaction(async () => 'committed', AGAIN)).to.equal('committed');
  });

  it('may be ended right before they are used', async () => {
    const database = open(test.url);
    for (let round = 0; round < 5; round++) {
      await warmUp(database);
      await terminate();
      const results = await Promise.all([
        database.transaction(async () => 'committed', AGAIN),
        ...Array.from({ length: 20 }, (_, index) => database.run(ECHO, [String(index)])),
      ]);
      expect(results).to.have.length(21);
    }
  });

  it('run a statement again that was lost with one, where that is as good', async () => {
    const database = open(test.url);
    const running = database.run(SLEEP, ['0.3']);
    await asleep(1);
    await terminate();
    expect((await running).rows).to.deep.equal([['']]);
  });

  it('do not run a statement again that may have been done', async () => {
    const database = open(test.url);
    const running = failureOf(database.run(SLEEP_ONCE, ['20']));
    await asleep(1);
    await terminate();
    expect(await running).to.have.property('kind', 'unavailable');
  });

  it('lose a transaction with one', async () => {
    const database = open(test.url);
    const running = failureOf(
      database.transaction(async (transaction) => {
        await transaction.run(INSERT, ['never']);
        await transaction.run(SLEEP, ['20']);
      }, AGAIN),
    );
    await asleep(1);
    await terminate();
    expect(await running).to.have.property('kind', 'unavailable');
    expect((await test.client.query("SELECT 1 FROM note WHERE text = 'never'")).rows).to.deep.equal([]);
    expect(await database.transaction(async () => 'committed', AGAIN)).to.equal('committed');
  });

  it('serve Knex, too, and take it back when it has failed', async () => {
    const database = open(test.url);
    const withKnex = <T>(work: (knex: Knex.Transaction) => PromiseLike<T>) =>
      database.transaction(async (transaction) => work(knexOf(transaction)), AGAIN);
    const { rows } = await withKnex((knex) => knex.raw('SELECT 1 AS one'));
    expect(rows).to.deep.equal([{ one: 1 }]);
    for (let run = 0; run < 10; run++) {
      for (const failing of [
        (knex: Knex.Transaction) => knex('nowhere'),
        (knex: Knex.Transaction) => knex.transaction(async (inner) => inner('nowhere')),
      ])
        expect(await withKnex<unknown>(failing).catch((error: unknown) => error)).to.have.property('code', '42P01');
    }
    expect(database.state()).to.deep.equal({ open: 1, idle: 1, waiting: 0 });
  });

  it('say that a password is wrong, without it', async () => {
    const url = new URL(test.url);
    url.password = 'hush-hush';
    const failure = await failureOf(open(url.href).ping());
    expect(failure.kind).to.equal('unavailable');
    expect(failure.cause).to.have.property('message', 'password authentication failed for user "postgres"');
    expect(textOf(failure)).to.not.include('hush-hush');
  });

  it('say that there is no such database', async () => {
    const url = new URL(test.url);
    url.pathname = '/nothing_of_that_name';
    const failure = await failureOf(open(url.href).ping());
    expect(failure.kind).to.equal('unavailable');
    expect(failure.cause).to.have.property('code', '3D000');
  });

  it('are refused for an address that cannot be read, without it', () => {
    expect(() => open('postgres://user:hush-hush@host:port/x')).to.throw('DATABASE_URL is not a valid address');
  });

  it('are reported once when they are lost, and once when they are back', async () => {
    const lines: string[] = [];
    const proxy = await createProxy(test.url);
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
    const options = { poolMax: 4, statementTimeout: 0, acquireTimeout: 5000, applicationName: 'kiln-connections', log };
    const database = openDatabase({ url: proxy.url, ...options });
    opened.push(database);
    for (let run = 0; run < 5; run++) await failureOf(database.ping());
    await proxy.open();
    await untilAnswered(database);
    expect(lines).to.deep.equal(['the database cannot be reached', 'the database can be reached again']);
    await database.close();
    await proxy.shut();
  });

  it('are closed after what runs, and open for nothing new', async () => {
    const database = open(test.url);
    await warmUp(database);
    const finished: string[] = [];
    const running = [
      database.run(SLEEP, ['0.3']).then(() => finished.push('statement')),
      database.run(ECHO, ['x']).then(() => finished.push('quick')),
      database
        .transaction(async (transaction) => {
          await transaction.run(SLEEP, ['0.3']);
          await transaction.run(INSERT, ['last']);
        }, AGAIN)
        .then(() => finished.push('transaction')),
    ];
    await asleep(2);
    const closing = database.close().then(() => finished.push('closed'));
    expect(await failureOf(database.run(ECHO, ['x']))).to.have.property('kind', 'unavailable');
    expect(await failureOf(database.transaction(async () => 1, AGAIN))).to.have.property('kind', 'unavailable');
    await Promise.all([...running, closing]);
    expect(finished).to.have.length(4);
    expect(finished.at(-1)).to.equal('closed');
    expect((await test.client.query("SELECT 1 FROM note WHERE text = 'last'")).rows).to.have.length(1);
    expect(database.state()).to.deep.equal({ open: 0, idle: 0, waiting: 0 });
    await until(async () => (await count('true')) === 0);
  });

  it('may be closed twice, and before they were used', async () => {
    const database = open(test.url);
    await Promise.all([database.close(), database.close()]);
    await database.close();
  });

  it('are counted', async () => {
    const database = open(test.url);
    expect(database.state()).to.deep.equal({ open: 0, idle: 0, waiting: 0 });
    const running = database.run(SLEEP, ['0.3']);
    await asleep(1);
    expect(database.state()).to.deep.equal({ open: 1, idle: 0, waiting: 0 });
    await running;
    expect(database.state()).to.deep.equal({ open: 1, idle: 1, waiting: 0 });
  });
});

/** Until lanes and pool have connections. */
async function warmUp(database: Database): Promise<void> {
  for (let run = 0; run < 10; run++) await database.run(ECHO, ['warm']);
}

async function untilAnswered(database: Database): Promise<void> {
  await until(() =>
    database.ping().then(
      () => true,
      () => false,
    ),
  );
}

function textOf(error: DatabaseError): string {
  const { cause } = error;
  return [
    error.message,
    error.stack,
    String(cause),
    cause instanceof Error ? cause.stack : '',
    JSON.stringify(cause),
  ].join();
}
