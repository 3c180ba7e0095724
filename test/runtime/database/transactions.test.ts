import { expect } from 'chai';
import type { Knex } from 'knex';
import { Model } from 'objection';
import pino from 'pino';
import { openDatabase } from '../../../runtime/query/connections/open-database.ts';
import { type Database, DatabaseError, type Statement, type Transaction } from '../../../runtime/query/database.ts';
import { knexOf } from '../../support/knex-of.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

const READ: Statement = { name: 'read', text: 'SELECT amount FROM account WHERE id = $1', isRepeatable: true };
const ALL: Statement = { name: 'all', text: 'SELECT id, amount FROM account ORDER BY id', isRepeatable: true };
const SET: Statement = { name: 'set', text: 'UPDATE account SET amount = $2 WHERE id = $1', isRepeatable: false };
const SLEEP: Statement = { name: 'sleep', text: 'SELECT pg_sleep($1)', isRepeatable: true };
const SERIALIZE: Statement = {
  name: 'serialize',
  text: 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE',
  isRepeatable: true,
};
const BROKEN: Statement = { name: 'broken', text: 'SELECT 1 / $1::int', isRepeatable: true };

/** Fails where there is no such account. */
const LAST: Statement = {
  name: 'last',
  text: 'WITH set AS (UPDATE account SET amount = $2 WHERE id = $1 RETURNING 1) SELECT 1 / count(*) FROM set',
  isRepeatable: false,
  endsTransaction: true,
};

const LEVEL: Statement = { name: 'level', text: 'SHOW transaction_isolation', isRepeatable: true };
const LAST_QUERIES =
  'SELECT query_start::text AS last FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()';

const ONCE = { isRepeatable: false } as const;
const AGAIN = { isRepeatable: true } as const;

const LOST: Statement = {
  name: 'lost',
  text: "DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END $$",
  isRepeatable: true,
};

describe('transactions', () => {
  let test: TestDatabase;
  let database: Database;

  const open = (poolMax: number, acquireTimeout = 10_000): Database =>
    openDatabase({
      url: test.url,
      poolMax,
      statementTimeout: 30_000,
      acquireTimeout,
      applicationName: 'kiln-transactions',
      log: pino({ level: 'silent' }),
    });

  before(async () => {
    test = await createDatabase();
    await test.client.query('CREATE TABLE account (id int PRIMARY KEY, amount int NOT NULL CHECK (amount >= 0))');
  });

  beforeEach(async () => {
    await test.client.query('TRUNCATE account');
    await test.client.query('INSERT INTO account VALUES (1, 100), (2, 100)');
    database = open(4);
  });

  afterEach(() => database.close());

  const accounts = async (): Promise<unknown> => (await database.run(ALL, [])).rows;

  it('is committed when it returns', async () => {
    const result = await database.transaction(async (transaction) => {
      await transaction.run(SET, ['1', '50']);
      return (await transaction.run(READ, ['1'])).rows;
    }, ONCE);
    expect(result).to.deep.equal([['50']]);
    const { rows } = await test.client.query('SELECT amount FROM account WHERE id = 1');
    expect(rows).to.deep.equal([{ amount: 50 }]);
  });

  it('is rolled back when the work throws, and throws the same', async () => {
    const reason = new Error('no');
    const failure = await failureOf(
      database.transaction(async (transaction) => {
        await transaction.run(SET, ['1', '50']);
        throw reason;
      }, AGAIN),
    );
    expect(failure).to.equal(reason);
    expect(await accounts()).to.deep.equal([
      ['1', '100'],
      ['2', '100'],
    ]);
  });

  it('begins with its first statement, prepared or not', async () => {
    const setAndThrow = async (transaction: Transaction) => {
      await transaction.run(SET, ['1', '50']);
      throw new Error('no');
    };
    await database.close();
    database = open(1);
    for (const isolation of ['read committed', 'serializable', 'serializable'] as const)
      await failureOf(database.transaction(setAndThrow, { ...ONCE, isolation }));
    const level = await database.transaction(
      async (transaction) => {
        await transaction.run(SET, ['2', '50']);
        return (await transaction.run(LEVEL, [])).rows;
      },
      { ...ONCE, isolation: 'serializable' },
    );
    expect(level).to.deep.equal([['serializable']]);
    expect(await accounts()).to.deep.equal([
      ['1', '100'],
      ['2', '50'],
    ]);
  });

  it('is committed with its last statement, alone or behind others, and rolled back where that one fails', async () => {
    const amounts = async () => (await test.client.query('SELECT amount FROM account ORDER BY id')).rows;
    const ending = (first: readonly string[][], last: readonly string[]) =>
      database.transaction(async (transaction) => {
        for (const values of first) await transaction.run(SET, values);
        await transaction.run(LAST, last);
        // Others see it before the transaction returns.
        await until(async () => (await amounts()).some(({ amount }) => String(amount) === last[1]));
      }, AGAIN);
    await ending([], ['1', '50']);
    await ending([['1', '60']], ['2', '70']);
    for (const first of [[], [['1', '0']]])
      expect((await failureOf(ending(first, ['3', '0']))) as DatabaseError).to.have.property('kind', 'other');
    expect(await accounts()).to.deep.equal([
      ['1', '60'],
      ['2', '70'],
    ]);
  });

  it('refuses statements after its last one, those of hooks too', async () => {
    const failures = await database.transaction(async (transaction) => {
      const session = transaction.session();
      await transaction.run(SET, ['1', '50']);
      const last = transaction.run(LAST, ['2', '50']);
      const late = failureOf(transaction.run(SET, ['1', '0']));
      const ofHook = new Promise((resolve) => session.query({ text: 'UPDATE account SET amount = 0' }, resolve));
      await last;
      return [await late, await ofHook];
    }, ONCE);
    for (const failure of failures) expect(failure).to.have.property('message', 'the transaction is over');
    expect(await accounts()).to.deep.equal([
      ['1', '50'],
      ['2', '50'],
    ]);
  });

  it('is run again where it loses a race at the COMMIT that goes with its last statement', async () => {
    let tries = 0;
    await database.transaction(
      async (transaction) => {
        tries++;
        await transaction.run(READ, ['2']);
        if (tries === 1) {
          const other = database.transaction(
            async (its) => {
              await its.run(READ, ['1']);
              await its.run(SET, ['2', '7']);
            },
            { ...ONCE, isolation: 'serializable' },
          );
          await other;
        }
        await transaction.run(LAST, ['1', '8']);
      },
      { ...AGAIN, isolation: 'serializable' },
    );
    expect(tries).to.equal(2);
    expect(await accounts()).to.deep.equal([
      ['1', '8'],
      ['2', '7'],
    ]);
  });

  it('sends nothing where it has no statement', async () => {
    await database.close();
    database = open(1);
    await database.transaction((transaction) => transaction.run(READ, ['1']), ONCE);
    const lastQueries = async () =>
      (await test.client.query(LAST_QUERIES, ['kiln-transactions'])).rows.map(({ last }) => last);
    const before = await lastQueries();
    await database.transaction(async () => undefined, ONCE);
    await failureOf(database.transaction(() => Promise.reject(new Error('no')), ONCE));
    expect(before).to.have.length(1);
    expect(await lastQueries()).to.deep.equal(before);
  });

  it('is rolled back when a statement has failed, even if the work makes nothing of it', async () => {
    const failure = await failureOf(
      database.transaction(async (transaction) => {
        await transaction.run(SET, ['1', '50']);
        await transaction.run(SET, ['2', '-1']).catch(() => undefined);
      }, ONCE),
    );
    expect(failure).to.be.instanceOf(DatabaseError).with.property('kind', 'check');
    expect(await accounts()).to.deep.equal([
      ['1', '100'],
      ['2', '100'],
    ]);
  });

  it('is rolled back with statements still on their way', async () => {
    await failureOf(
      database.transaction(
        (transaction) =>
          Promise.all([
            transaction.run(BROKEN, ['0']),
            transaction.run(SET, ['1', '1']),
            transaction.run(SET, ['2', '2']),
          ]),
        ONCE,
      ),
    );
    expect(await accounts()).to.deep.equal([
      ['1', '100'],
      ['2', '100'],
    ]);
  });

  it('refuses statements after its end', async () => {
    let kept: Transaction | undefined;
    let knex: Knex.Transaction | undefined;
    await database.transaction(async (transaction) => {
      kept = transaction;
      knex = knexOf(transaction);
      await knex('account').where({ id: 1 });
    }, ONCE);
    expect(await failureOf(kept?.run(SET, ['1', '1']) ?? Promise.resolve())).to.have.property(
      'message',
      'the transaction is over',
    );
    expect(await failureOf(knex?.('account').update({ amount: 1 }) ?? Promise.resolve())).to.be.an('error');
    expect(knex?.isCompleted()).to.equal(true);
    expect(await accounts()).to.deep.equal([
      ['1', '100'],
      ['2', '100'],
    ]);
  });

  it('is the same transaction for Knex and for Objection', async () => {
    class Account extends Model {
      static override tableName = 'account';
      declare id: number;
      declare amount: number;
    }
    const seen = await database.transaction(async (transaction) => {
      const knex = knexOf(transaction);
      await transaction.run(SET, ['1', '70']);
      await knex('account').where({ id: 2 }).update({ amount: 30 });
      const before = await Account.query(knex).orderBy('id');
      await Account.transaction(knex, async (inner) => {
        await Account.query(inner).patch({ amount: 0 });
        throw new Error('undone');
      }).catch(() => undefined);
      return [before.map(({ amount }) => amount), (await transaction.run(ALL, [])).rows];
    }, ONCE);
    expect(seen).to.deep.equal([
      [70, 30],
      [
        ['1', '70'],
        ['2', '30'],
      ],
    ]);
    expect(await accounts()).to.deep.equal([
      ['1', '70'],
      ['2', '30'],
    ]);
  });

  it('takes inner transactions of Knex one after the other', async () => {
    const add = (knex: Knex, amount: number) =>
      knex.transaction(async (inner) => {
        await inner('account').where({ id: 1 }).increment('amount', amount);
        await inner.raw('SELECT pg_sleep(0.01)');
        if (amount === 5) throw new Error('undone');
      });
    await database.transaction(async (transaction) => {
      const knex = knexOf(transaction);
      return Promise.allSettled([add(knex, 1), add(knex, 5), add(knex, 10)]);
    }, ONCE);
    expect(await accounts()).to.deep.equal([
      ['1', '111'],
      ['2', '100'],
    ]);
  });

  it('is not ended by the code of a hook', async () => {
    const failure = await failureOf(
      database.transaction(async (transaction) => {
        await transaction.run(SET, ['1', '70']);
        await knexOf(transaction).commit();
      }, ONCE),
    );
    expect(failure).to.have.property('message').that.includes('throw an error to roll it back');
    expect(await accounts()).to.deep.equal([
      ['1', '100'],
      ['2', '100'],
    ]);
  });

  it('keeps values out of the messages of Knex', async () => {
    const failure = await failureOf(
      database.transaction((own) => knexOf(own)('account').insert({ id: 77_777, amount: -5 }).then(), ONCE),
    );
    expect(failure).to.have.property('message').that.includes('insert into').and.does.not.include('77777');
  });

  it('is run again after a serialization failure', async () => {
    const attempts = [0, 0];
    const meet = meeting(2);
    const transfer = (index: number) =>
      database.transaction(async (transaction) => {
        attempts[index] = (attempts[index] ?? 0) + 1;
        await transaction.run(SERIALIZE, []);
        const { rows } = await transaction.run(ALL, []);
        await meet();
        const sum = rows.reduce((total, [, amount]) => total + Number(amount), 0);
        await transaction.run(SET, [String(index + 1), String(sum)]);
      }, AGAIN);
    await Promise.all([transfer(0), transfer(1)]);
    expect(attempts.toSorted()).to.deep.equal([1, 2]);
    const amounts = (await database.run(ALL, [])).rows.map(([, amount]) => Number(amount));
    expect(amounts.toSorted((one, two) => one - two)).to.deep.equal([200, 300]);
  });

  it('is run again after a deadlock', async () => {
    let attempts = 0;
    const meet = meeting(2);
    const cross = (first: string, second: string) =>
      database.transaction(async (transaction) => {
        attempts++;
        await transaction.run(SET, [first, '10']);
        await meet();
        await transaction.run(SET, [second, '20']);
      }, AGAIN);
    await Promise.all([cross('1', '2'), cross('2', '1')]);
    expect(attempts).to.equal(3);
  });

  it('fails of a conflict where it may not be run again', async () => {
    const meet = meeting(2);
    const cross = (first: string, second: string) =>
      database.transaction(async (transaction) => {
        await transaction.run(SET, [first, '10']);
        await meet();
        await transaction.run(SET, [second, '20']);
      }, ONCE);
    const results = await Promise.allSettled([cross('1', '2'), cross('2', '1')]);
    const failed = results.filter((result) => result.status === 'rejected');
    expect(failed).to.have.length(1);
    expect(failed[0]?.reason).to.have.property('kind', 'conflict');
  });

  it('is run again one at a time, for work of one kind', async () => {
    let running = 0;
    let most = 0;
    const work = () => {
      let isFirst = true;
      return database.transaction(
        async (transaction) => {
          if (isFirst) {
            isFirst = false;
            await transaction.run(LOST, []);
          }
          most = Math.max(most, ++running);
          await transaction.run(READ, ['1']);
          running--;
        },
        { ...AGAIN, kind: 'same' },
      );
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(most).to.equal(1);
  });

  it('is not run again where its turn comes too late', async () => {
    const attempts = [0, 0];
    const [inTurn, goOn] = [meeting(2), meeting(2)];
    const work = (index: number, again: () => Promise<unknown>) =>
      database.transaction(
        async (transaction) => {
          attempts[index] = (attempts[index] ?? 0) + 1;
          await (attempts[index] === 1 ? transaction.run(LOST, []) : again());
        },
        { ...AGAIN, kind: 'same' },
      );
    const first = work(0, async () => {
      await inTurn();
      await goOn();
    });
    await inTurn();
    const second = failureOf(work(1, async () => undefined));
    await until(() => attempts[1] === 1);
    // Long enough for it to be in the queue, behind the longest first pause.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const setBack = aheadBy(10_000);
    try {
      await Promise.all([goOn(), first]);
      expect(await second).to.have.property('kind', 'contention');
    } finally {
      setBack();
    }
    expect(attempts).to.deep.equal([2, 1]);
  });

  it('gives up after twenty attempts', async () => {
    let attempts = 0;
    const failure = await failureOf(
      database.transaction((transaction) => {
        attempts++;
        return transaction.run(LOST, []);
      }, AGAIN),
    );
    expect(failure).to.have.property('kind', 'contention');
    expect(attempts).to.equal(20);
  });

  it('is run again when a table was altered under its statements', async () => {
    await test.client.query('CREATE TABLE shape (value int); INSERT INTO shape VALUES (1)');
    const read: Statement = { name: 'shape', text: 'SELECT * FROM shape', isRepeatable: true };
    const both = () =>
      database.transaction(async (transaction) => {
        await transaction.run(READ, ['1']);
        return (await transaction.run(read, [])).rows;
      }, AGAIN);
    await Promise.all([both(), both(), both(), both()]);
    await test.client.query('ALTER TABLE shape ADD COLUMN more text');
    const results = await Promise.all([both(), both(), both(), both()]);
    expect(results).to.deep.equal(Array.from({ length: 4 }, () => [['1', null]]));
  });

  it('finds the pool busy when no connection gets free in time', async () => {
    const narrow = open(1, 100);
    const taken = meeting(2);
    const holder = narrow.transaction(() => taken(), ONCE);
    const failure = await failureOf(narrow.transaction(async () => 'never', AGAIN));
    expect(failure).to.be.instanceOf(DatabaseError).with.property('kind', 'busy');
    await Promise.all([taken(), holder]);
    expect(await narrow.transaction(async () => 'now', AGAIN)).to.equal('now');
    await narrow.close();
  });

  it('gives up waiting for a connection when the signal fires', async () => {
    const narrow = open(1);
    const taken = meeting(2);
    const holder = narrow.transaction(() => taken(), ONCE);
    const controller = new AbortController();
    const waiting = failureOf(narrow.transaction(async () => 'never', { ...AGAIN, signal: controller.signal }));
    await until(() => narrow.state().waiting === 1);
    controller.abort(new Error('gone'));
    expect(await waiting).to.have.property('message', 'gone');
    await Promise.all([taken(), holder]);
    expect(await narrow.transaction(async () => 'now', AGAIN)).to.equal('now');
    expect(narrow.state()).to.include({ open: 1, idle: 1, waiting: 0 });
    await narrow.close();
  });

  it('does not start when the signal has fired already', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    const failure = await failureOf(database.transaction(async () => 'never', { ...AGAIN, signal }));
    expect(failure).to.have.property('message', 'gone');
  });

  it('cancels the running statement when the signal fires, and rolls back', async () => {
    const narrow = open(1);
    const controller = new AbortController();
    const running = failureOf(
      narrow.transaction(
        async (transaction) => {
          await transaction.run(SET, ['1', '1']);
          await transaction.run(SLEEP, ['20']);
        },
        { ...AGAIN, signal: controller.signal },
      ),
    );
    await until(async () => (await asleep()) === 1);
    controller.abort(new Error('gone'));
    expect(await running).to.have.property('message', 'gone');
    expect(await asleep()).to.equal(0);
    expect(await accounts()).to.deep.equal([
      ['1', '100'],
      ['2', '100'],
    ]);
    expect(
      await narrow.transaction(async (transaction) => (await transaction.run(READ, ['1'])).rows, AGAIN),
    ).to.deep.equal([['100']]);
    expect(narrow.state().open).to.equal(1);
    await narrow.close();
  });

  it('does not wait for work that does not end when the signal fires', async () => {
    const controller = new AbortController();
    const running = failureOf(
      database.transaction(() => new Promise(() => controller.abort(new Error('gone'))), {
        ...ONCE,
        signal: controller.signal,
      }),
    );
    expect(await running).to.have.property('message', 'gone');
    expect(database.state().idle).to.equal(1);
  });

  const asleep = async (): Promise<number> => {
    const { rows } = await test.client.query(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
    );
    return rows.length;
  };
});

/** Lets everybody go on when so many have come, and those after them at once. */
function meeting(size: number): () => Promise<void> {
  let missing = size;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    missing--;
    if (missing === 0) open();
    return opened;
  };
}

/** The clock shows a later time until what is returned is called. */
function aheadBy(milliseconds: number): () => void {
  const { now } = performance;
  performance.now = () => now.call(performance) + milliseconds;
  return () => {
    performance.now = now;
  };
}

async function failureOf(running: PromiseLike<unknown>): Promise<unknown> {
  return running.then(
    () => expect.fail('it went through'),
    (error: unknown) => error,
  );
}
