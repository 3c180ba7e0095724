/** The position that is known when a write ends, where several share a connection. */
import { expect } from 'chai';
import pino from 'pino';
import { openDatabase } from '../../../runtime/query/connections/open-database.ts';
import { digitsFrom } from '../../../runtime/query/connections/wal-position.ts';
import type { Statement } from '../../../runtime/query/database.ts';
import type { ReleaseDatabase } from '../../../runtime/query/database-release.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { failureOf } from './failure.ts';

const INSERT: Statement = { name: 'insert', text: 'INSERT INTO note VALUES ($1)', isRepeatable: false };
const SLEEP: Statement = { name: 'sleep', text: 'SELECT pg_sleep($1)', isRepeatable: false };

describe('the position', () => {
  let test: TestDatabase;
  let database: ReleaseDatabase;
  let release: () => void;

  before(async () => {
    test = await createDatabase();
    await test.client.query('CREATE TABLE note (text text NOT NULL)');
  });

  /** A transaction has all of the pool, so that all others share a lane. */
  beforeEach(async () => {
    const log = pino({ level: 'silent' });
    const options = { poolMax: 1, statementTimeout: 0, acquireTimeout: 5000, applicationName: 'kiln-position', log };
    database = openDatabase({ url: test.url, tellsPosition: true, ...options });
    await new Promise<void>((begun) => {
      const hold = () => {
        begun();
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      };
      void database.transaction(hold, { isRepeatable: true });
    });
  });

  afterEach(async () => {
    release();
    await database.close();
  });

  const end = async () =>
    digitsFrom(String((await test.client.query('SELECT pg_current_wal_insert_lsn() AS end')).rows[0].end));
  const sleeping = "FROM pg_stat_activity WHERE application_name = 'kiln-position' AND wait_event = 'PgSleep'";

  it('of a write is known before the last of many that are sent at once has ended', async () => {
    const before = await end();
    const [first] = Array.from({ length: 16 }, (_, at) => database.run(INSERT, [String(at)]));
    let isOver = false;
    const last = failureOf(database.run(SLEEP, ['20'])).finally(() => {
      isOver = true;
    });
    await first;
    expect(isOver).to.equal(false);
    expect(String(await database.position(true)) > before).to.equal(true);
    await until(async () => (await test.client.query(`SELECT pg_cancel_backend(pid) ${sleeping}`)).rows.length === 1);
    await last;
  });

  it('of a refusal is behind what others had committed', async () => {
    await database.run(INSERT, ['own']);
    await test.client.query("INSERT INTO note VALUES ('of another server')");
    const before = await end();
    const refusal = failureOf(database.run(INSERT, [null]));
    const other = database.run(SLEEP, ['0.2']);
    await refusal;
    expect(String(await database.position(true)) >= before).to.equal(true);
    await other;
  });
});
