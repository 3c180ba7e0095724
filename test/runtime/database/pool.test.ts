import { expect } from 'chai';
import pino from 'pino';
import { circuitBreaker } from '../../../runtime/query/connections/circuit-breaker.ts';
import { Pool } from '../../../runtime/query/connections/pool.ts';
import { RoundTrip, Timings } from '../../../runtime/query/connections/timings.ts';
import { DatabaseError } from '../../../runtime/query/database.ts';
import { createDatabase } from '../../support/postgres.ts';

describe('the pool', () => {
  let pool: Pool;

  before(async () => {
    const { url } = await createDatabase();
    const breaker = circuitBreaker(pino({ level: 'silent' }));
    const config = { connectionString: url };
    const measured = { timings: new Timings(), roundTrip: new RoundTrip() };
    const context = {
      config,
      variable: 'DATABASE_URL',
      position: null,
      searchPath: null,
      fence: null,
      breaker,
      ...measured,
      epoch: 0,
      losses: 0,
    };
    pool = new Pool(context, { max: 1, acquireTimeout: 60_000 });
  });
  after(() => pool.end());

  it('takes the waits of a request from its budget, and then has no connection for it', async () => {
    const budget = { left: 100 };
    const held = await pool.acquire({ budget });
    expect(budget.left, 'there was nothing to wait for').to.equal(100);
    const failure = await pool.acquire({ budget }).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(DatabaseError).with.property('kind', 'busy');
    expect(budget.left).to.be.at.most(0.5);
    const again = await pool.acquire({ budget }).catch((error: unknown) => error);
    expect(again).to.be.instanceOf(DatabaseError).with.property('kind', 'busy');
    held.release();
    const free = await pool.acquire({ budget });
    free.release();
  });
});
