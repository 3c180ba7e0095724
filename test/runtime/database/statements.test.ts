import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pino from 'pino';
import { openDatabase } from '../../../runtime/query/connections/open-database.ts';
import { type Bound, type Database, DatabaseError, type Statement } from '../../../runtime/query/database.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { failureOf } from './failure.ts';

const ECHO: Statement = { name: 'echo', text: 'SELECT $1::text', isRepeatable: true };
const ECHO_LIST: Statement = { name: 'echo_list', text: 'SELECT unnest($1::text[])', isRepeatable: true };
const DIVIDE: Statement = { name: 'divide', text: 'SELECT 10 / $1::int', isRepeatable: true };
const SLEEP: Statement = { name: 'sleep', text: 'SELECT pg_sleep($1)', isRepeatable: true };
const INSERT: Statement = { name: 'insert', text: 'INSERT INTO note (text) VALUES ($1)', isRepeatable: false };
const UPDATE: Statement = { name: 'update', text: 'UPDATE note SET text = $1', isRepeatable: false };
/** Goes the way of statements that write. */
const COUNTED: Statement = { name: 'counted', text: 'SELECT count(*) FROM note', isRepeatable: false };
const BROKEN: Statement = { name: 'broken', text: 'SELECT nothing FROM nowhere', isRepeatable: true };

describe('statements', () => {
  let test: TestDatabase;
  let database: Database;

  before(async () => {
    test = await createDatabase();
    await test.client.query('CREATE TABLE note (id serial PRIMARY KEY, text text NOT NULL UNIQUE)');
  });

  beforeEach(() => {
    database = openDatabase({
      url: test.url,
      poolMax: 3,
      statementTimeout: 20_000,
      acquireTimeout: 5000,
      applicationName: 'kiln-statements',
      log: pino({ level: 'silent' }),
    });
  });

  afterEach(() => database.close());

  it('gives texts and null as they are on the wire', async () => {
    const values: Statement = {
      name: 'values',
      text: "SELECT 1, true, '{}'::json, null, '1.50'::numeric",
      isRepeatable: true,
    };
    const { rows } = await database.run(values, []);
    expect(rows).to.deep.equal([['1', 't', '{}', null, '1.50']]);
  });

  it('gives no rows and no columns where there are none', async () => {
    const none: Statement = { name: 'none', text: 'SELECT 1 WHERE false', isRepeatable: true };
    expect(await database.run(none, [])).to.deep.equal({ rows: [], count: 0 });
  });

  it('keeps no more than a hundred of those that clients choose among many', async () => {
    const kept: Statement = {
      name: 'kept',
      text: "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'chosen_%'",
      isRepeatable: true,
    };
    const chosen = (at: number): Statement => ({
      name: `chosen_${at}`,
      text: `SELECT ${at}`,
      isRepeatable: true,
      isOneOfMany: true,
    });
    await database.transaction(
      async (transaction) => {
        for (let at = 0; at < 130; at++) await transaction.run(chosen(at), []);
        expect((await transaction.run(kept, [])).rows).to.deep.equal([['100']]);
        expect((await transaction.run(chosen(0), [])).rows).to.deep.equal([['0']]);
        expect((await transaction.run(chosen(129), [])).rows).to.deep.equal([['129']]);
        expect((await transaction.run(kept, [])).rows).to.deep.equal([['100']]);
      },
      { isRepeatable: true },
    );
    const all = await Promise.all(Array.from({ length: 300 }, (_, at) => database.run(chosen(at), [])));
    expect(all.map(({ rows }) => Number(rows[0]?.[0]))).to.deep.equal(all.map((_, at) => at));
  });

  it('counts the rows that a statement has changed', async () => {
    const [one, two] = await Promise.all([database.run(INSERT, ['one']), database.run(INSERT, ['two'])]);
    expect([one?.count, two?.count]).to.deep.equal([1, 1]);
    const clear: Statement = { name: 'clear', text: 'DELETE FROM note', isRepeatable: false };
    expect((await database.run(clear, [])).count).to.equal(2);
  });

  it('gives each of many callers its own answer', async () => {
    await database.run(ECHO, ['warm']);
    const names = Array.from({ length: 500 }, (_, index) => `caller ${index}`);
    const results = await Promise.all(names.map((name) => database.run(ECHO, [name])));
    expect(results.map(({ rows }) => rows[0]?.[0])).to.deep.equal(names);
  });

  it('answers over one shared connection while every connection of the pool is taken', async () => {
    const backend: Statement = { name: 'backend', text: 'SELECT pg_backend_pid()', isRepeatable: true };
    const taken = await Promise.all(Array.from({ length: 3 }, () => takeConnection(database)));
    const results = await Promise.all(Array.from({ length: 50 }, () => database.run(backend, [])));
    expect(new Set(results.map(({ rows }) => rows[0]?.[0])).size).to.equal(1);
    await Promise.all(taken.map((release) => release()));
  });

  it('answers over a shared connection, too, where the first run of a statement was slow', async () => {
    const slowly: Statement = { name: 'slowly', text: 'SELECT pg_sleep($1)', isRepeatable: true };
    await database.run(slowly, ['0.004']);
    const taken = await Promise.all(Array.from({ length: 3 }, () => takeConnection(database)));
    await Promise.all(Array.from({ length: 10 }, () => database.run(slowly, ['0'])));
    await Promise.all(taken.map((release) => release()));
  });

  it('leaves half of the pool to others, however many slow statements there are', async () => {
    await database.run(SLEEP, ['0.05']);
    let ended = 0;
    const slow = Array.from({ length: 6 }, async () => {
      await database.run(SLEEP, ['0.05']);
      ended++;
    });
    await pause(10);
    const taken = await Promise.all(Array.from({ length: 2 }, () => takeConnection(database)));
    expect(ended, 'the transactions did not wait for the slow statements').to.be.below(3);
    await Promise.all(taken.map((release) => release()));
    await Promise.all(slow);
  });

  it('tries a statement once before many callers run it', async () => {
    const first: Statement = { name: 'first', text: 'SELECT pg_backend_pid(), pg_sleep(0.05)', isRepeatable: true };
    const running = Array.from({ length: 3 }, () => database.run(first, []));
    const results = await Promise.all(running);
    expect(new Set(results.map(({ rows }) => rows[0]?.[0])).size, 'one connection for all three').to.equal(1);
  });

  it('runs each statement once that finds no capacity in its lane and in the pool', async () => {
    const hold: Statement = { name: 'hold', text: 'SELECT pg_sleep($1)', isRepeatable: false };
    await warmUp(database, hold, ['0']);
    await database.run(INSERT, ['warm']);
    const taken = await Promise.all(Array.from({ length: 3 }, () => takeConnection(database)));
    const held = database.run(hold, ['0.2']);
    await pause(50);
    const inserts = Array.from({ length: 20 }, (_, at) => database.run(INSERT, [`waited ${at}`]));
    await pause(20);
    await taken[0]?.();
    const results = await Promise.all(inserts);
    expect(results.map(({ count }) => count)).to.deep.equal(results.map(() => 1));
    await held;
    await Promise.all(taken.slice(1).map((release) => release()));
    expect((await test.client.query('DELETE FROM note')).rowCount).to.equal(21);
  });

  it('waits for a lock on a connection of its own, so that those behind it go on', async () => {
    await database.run(INSERT, ['locked']);
    await warmUp(database, UPDATE, ['locked']);
    await warmUp(database, COUNTED, []);
    await test.client.query('BEGIN; SELECT FROM note FOR UPDATE');
    try {
      const waiting = database.run(UPDATE, ['changed']);
      const behind = Array.from({ length: 5 }, () => database.run(COUNTED, []));
      await Promise.all(behind);
      await test.client.query('COMMIT');
      expect((await waiting).count).to.equal(1);
    } finally {
      await test.client.query('ROLLBACK; DELETE FROM note');
    }
  });

  it('waits for a lock for a limited time', async () => {
    const show: Statement = { name: 'show', text: 'SHOW lock_timeout', isRepeatable: true };
    const shown = await database.transaction((transaction) => transaction.run(show, []), { isRepeatable: true });
    expect(shown.rows).to.deep.equal([['5s']]);
  });

  it('keeps an error with the statement that made it', async () => {
    await warmUp(database, DIVIDE, ['1']);
    const results = await Promise.allSettled(['1', '0', '2', '0', '5'].map((by) => database.run(DIVIDE, [by])));
    const answers = results.map((result) =>
      result.status === 'fulfilled' ? result.value.rows[0]?.[0] : result.reason,
    );
    expect([answers[0], answers[2], answers[4]]).to.deep.equal(['10', '5', '2']);
    expect(answers[1]).to.be.instanceOf(DatabaseError).with.property('kind', 'other');
    expect(answers[3]).to.be.instanceOf(DatabaseError);
  });

  it('gives the reason where a statement cannot be prepared, to every caller', async () => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => database.run(BROKEN, [])));
    const again = await Promise.allSettled(Array.from({ length: 8 }, () => database.run(BROKEN, [])));
    for (const result of [...results, ...again]) {
      expect(result).to.have.nested.property('reason.cause.code', '42P01');
    }
    expect((await database.run(ECHO, ['still there'])).rows).to.deep.equal([['still there']]);
  });

  it('passes lists of any text on', async () => {
    const texts = ['', 'NULL', 'null', '{}', '{"a"}', '"', '\\', '\\"', 'a,b', ' a ', "it's", 'é 漢 😀', '\n\t', null];
    const { rows } = await database.run(ECHO_LIST, [texts]);
    expect(rows.map(([text]) => text)).to.deep.equal(texts);
    expect((await database.run(ECHO_LIST, [[]])).rows).to.deep.equal([]);
  });

  it('goes on with the same connection where a value cannot be sent', async () => {
    const wrong = [[['a'], ['b']]] as unknown as readonly Bound[];
    const failed = async (running: Promise<unknown>) => expect(await running.catch((error) => error)).to.be.an('error');
    await database.transaction(
      async (transaction) => {
        await failed(transaction.run(ECHO_LIST, wrong));
        expect((await transaction.run(ECHO_LIST, [['a']])).rows).to.deep.equal([['a']]);
      },
      { isRepeatable: true },
    );
    await failed(database.run(ECHO, wrong));
    expect((await database.run(ECHO, ['a'])).rows).to.deep.equal([['a']]);
  });

  it('passes single texts on as they are', async () => {
    for (const text of ['', '{}', '\\', '"', 'NULL', null]) {
      expect((await database.run(ECHO, [text])).rows).to.deep.equal([[text]]);
    }
  });

  it('says what kind of value was refused', async () => {
    await database.run(INSERT, ['once']);
    const failures: readonly (readonly [Statement, string | null, string])[] = [
      [INSERT, 'once', 'unique'],
      [INSERT, null, 'not-null'],
      [DIVIDE, 'ten', 'bad-value'],
      [DIVIDE, '99999999999', 'out-of-range'],
      [ECHO, 'a\0b', 'bad-value'],
    ];
    for (const [statement, value, kind] of failures) {
      const failure = await failureOf(database.run(statement, [value]));
      expect(failure.kind).to.equal(kind);
    }
    const unique = await failureOf(database.run(INSERT, ['once']));
    expect(unique).to.include({ constraint: 'note_text_key', table: 'note' });
    const missing = await failureOf(database.run(INSERT, [null]));
    expect(missing).to.include({ column: 'text', table: 'note', constraint: null });
  });

  it('lets quick statements past one that takes long', async () => {
    await warmUp(database, ECHO, ['warm']);
    const finished: string[] = [];
    const slow = database.run(SLEEP, ['1']).then(() => finished.push('slow'));
    const quick = Array.from({ length: 50 }, () => database.run(ECHO, ['x']).then(() => finished.push('quick')));
    await Promise.all([slow, ...quick]);
    expect(finished.at(-1)).to.equal('slow');
  });

  it('lets new statements past one that was quick until now', async () => {
    await warmUp(database, ECHO, ['warm']);
    await warmUp(database, SLEEP, ['0']);
    const finished: string[] = [];
    const slow = database.run(SLEEP, ['1']).then(() => finished.push('slow'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const quick = Array.from({ length: 50 }, () => database.run(ECHO, ['x']).then(() => finished.push('quick')));
    await Promise.all([slow, ...quick]);
    expect(finished.at(-1)).to.equal('slow');
  });

  it('lets reads past a write that waits for a lock', async () => {
    await warmUp(database, ECHO, ['warm']);
    await test.client.query("DELETE FROM note; INSERT INTO note (text) VALUES ('locked')");
    await warmUp(database, UPDATE, ['locked']);
    await test.client.query('BEGIN; SELECT * FROM note FOR UPDATE');
    const finished: string[] = [];
    const write = database.run(UPDATE, ['changed']).then(() => finished.push('write'));
    await Promise.all(Array.from({ length: 50 }, () => database.run(ECHO, ['x']).then(() => finished.push('read'))));
    await test.client.query('COMMIT');
    await write;
    expect(finished).to.have.length(51);
    expect(finished.at(-1)).to.equal('write');
  });

  it('runs a statement whose table was altered', async () => {
    await test.client.query('CREATE TABLE shape (value int); INSERT INTO shape VALUES (1)');
    const read: Statement = { name: 'shape', text: 'SELECT * FROM shape', isRepeatable: true };
    const write: Statement = {
      name: 'shape_write',
      text: 'UPDATE shape SET value = value RETURNING *',
      isRepeatable: false,
    };
    await warmUp(database, read, []);
    await warmUp(database, write, []);
    await test.client.query('ALTER TABLE shape ADD COLUMN more text');
    const results = await Promise.all([read, read, write, write, read].map((statement) => database.run(statement, [])));
    expect(results.map(({ rows }) => rows)).to.deep.equal(Array.from({ length: 5 }, () => [['1', null]]));
  });

  it('prepares a statement again that the server has forgotten', async () => {
    await warmUp(database, ECHO, ['warm']);
    const forget: Statement = { name: 'forget', text: 'DEALLOCATE ALL', isRepeatable: true };
    await warmUp(database, forget, []).catch(() => undefined);
    for (let run = 0; run < 10; run++) {
      expect((await database.run(ECHO, [`run ${run}`])).rows).to.deep.equal([[`run ${run}`]]);
      await database.run(forget, []);
    }
  });

  it('ends a statement that takes longer than it may', async () => {
    const impatient = openDatabase({
      url: test.url,
      poolMax: 1,
      statementTimeout: 50,
      acquireTimeout: 5000,
      applicationName: 'kiln-impatient',
      log: pino({ level: 'silent' }),
    });
    const failure = await failureOf(impatient.run(SLEEP, ['5']));
    expect(failure.kind).to.equal('timeout');
    await impatient.close();
  });

  it('tells the server who it is, and works in UTC', async () => {
    const settings: Statement = {
      name: 'settings',
      text: "SELECT current_setting('TimeZone'), current_setting('DateStyle'), current_setting('application_name'), current_setting('statement_timeout')",
      isRepeatable: true,
    };
    const { rows } = await database.run(settings, []);
    expect(rows).to.deep.equal([['UTC', 'ISO, MDY', 'kiln-statements', '20s']]);
  });
});

/** Gives the way to free it again. */
async function takeConnection(database: Database): Promise<() => Promise<void>> {
  return new Promise((resolve) => {
    const transaction = database.transaction(
      () => new Promise<void>((end) => resolve(() => Promise.resolve(end()).then(() => transaction))),
      { isRepeatable: true },
    );
  });
}

/** Until it is known to be quick, and so goes into a lane. */
async function warmUp(database: Database, statement: Statement, values: readonly string[]): Promise<void> {
  for (let run = 0; run < 10; run++) await database.run(statement, values);
}
