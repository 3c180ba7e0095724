import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pino from 'pino';
import { CircuitBreaker } from '../../../runtime/query/connections/circuit-breaker.ts';
import { Pool } from '../../../runtime/query/connections/pool.ts';
import { RoundTrip } from '../../../runtime/query/connections/round-trip.ts';
import { Timings } from '../../../runtime/query/connections/timings.ts';
import { DatabaseError } from '../../../runtime/query/database.ts';
import { createDatabase } from '../../support/postgres.ts';

/** Nobody listens there. */
const NOWHERE = 'postgres://postgres@127.0.0.1:1/none';

describe('the pool', () => {
  let url: string;
  const pools: Pool[] = [];

  const poolOf = (options: { readonly max?: number; readonly idleTimeout?: number } = {}, address = url) => {
    const breaker = new CircuitBreaker(pino({ level: 'silent' }));
    const config = { connectionString: address };
    const measured = { timings: new Timings(), roundTrip: new RoundTrip() };
    const context = { config, searchPath: null, breaker, ...measured, onEnd: () => undefined, epoch: 0, losses: 0 };
    const pool = new Pool(context, { max: 1, acquireTimeout: 60_000, ...options });
    pools.push(pool);
    return pool;
  };

  before(async () => {
    url = (await createDatabase()).url;
  });
  afterEach(() => {
    for (const pool of pools.splice(0)) pool.end();
  });

  it('takes the waits of a request from its patience, and then has no connection for it', async () => {
    const pool = poolOf();
    const patience = { left: 100 };
    const held = await pool.acquire({ patience });
    expect(patience.left, 'there was nothing to wait for').to.equal(100);
    const failure = await pool.acquire({ patience }).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(DatabaseError).with.property('kind', 'busy');
    expect(patience.left).to.be.at.most(0.5);
    const again = await pool.acquire({ patience }).catch((error: unknown) => error);
    expect(again).to.be.instanceOf(DatabaseError).with.property('kind', 'busy');
    held.release();
    const free = await pool.acquire({ patience });
    free.release();
  });

  it('serves those who wait in their order, without those who have left', async () => {
    const pool = poolOf();
    const held = await pool.acquire();
    const served: number[] = [];
    const leaving = new AbortController();
    const left = pool.acquire({ signal: leaving.signal }).catch((error: unknown) => error);
    const all = [1, 2].map(async (name) => {
      const session = await pool.acquire();
      served.push(name);
      session.release();
    });
    expect(pool.state).to.deep.equal({ open: 1, idle: 0, waiting: 3 });
    leaving.abort(new Error('left'));
    expect(await left).to.have.property('message', 'left');
    held.release();
    await Promise.all(all);
    expect(served).to.deep.equal([1, 2]);
    expect(pool.state).to.deep.equal({ open: 1, idle: 1, waiting: 0 });
  });

  it('gives a connection at once where one is free, and the one that was used last', async () => {
    const pool = poolOf({ max: 2 });
    expect(pool.take(), 'none is open').to.equal(undefined);
    const [first, second] = await Promise.all([pool.acquire(), pool.acquire()]);
    expect(pool.take(), 'all are held').to.equal(undefined);
    first.release();
    second.release();
    expect(pool.take()).to.equal(second);
    expect(pool.take()).to.equal(first);
  });

  it('gives none at once while another one was lost: the server may be gone', async () => {
    const pool = poolOf({ max: 2 });
    const [first, second] = await Promise.all([pool.acquire(), pool.acquire()]);
    second.release();
    first.lose(new Error('lost'));
    first.release(true);
    expect(pool.take()).to.equal(undefined);
    expect(await pool.acquire(), 'the server was asked').to.equal(second);
  });

  it('opens another one for those who wait, in place of one that must not be used again', async () => {
    const pool = poolOf();
    const spoiled = await pool.acquire();
    const waiting = pool.acquire();
    spoiled.release(true);
    const next = await waiting;
    expect(next).not.to.equal(spoiled);
    expect(pool.state).to.deep.equal({ open: 1, idle: 0, waiting: 0 });
    next.release();
  });

  it('closes connections that nobody has used for a while, and no others', async () => {
    const pool = poolOf({ max: 2, idleTimeout: 1000 });
    const [first, second] = await Promise.all([pool.acquire(), pool.acquire()]);
    const ends = [first, second].map((session) => new Promise((resolve) => session.once('end', resolve)));
    first.release();
    await pause(500);
    second.release();
    await ends[0];
    expect(pool.state).to.deep.equal({ open: 1, idle: 1, waiting: 0 });
    await ends[1];
    expect(pool.state).to.deep.equal({ open: 0, idle: 0, waiting: 0 });
  });

  it('does not count a connection that has ended while nobody used it', async () => {
    const pool = poolOf();
    const session = await pool.acquire();
    session.release();
    const ended = new Promise((resolve) => session.once('end', resolve));
    session.lose(new Error('lost'));
    await ended;
    await pause(0);
    expect(pool.state).to.deep.equal({ open: 0, idle: 0, waiting: 0 });
  });

  it('tells all who wait that the server is not there', async () => {
    const pool = poolOf({ max: 1 }, NOWHERE);
    const failures = await Promise.all([1, 2, 3].map(() => pool.acquire().catch((error: unknown) => error)));
    for (const failure of failures) expect(failure).to.have.property('kind', 'unavailable');
    expect(pool.state).to.deep.equal({ open: 0, idle: 0, waiting: 0 });
  });

  it('takes a connection back only once', async () => {
    const pool = poolOf();
    const session = await pool.acquire();
    session.release();
    expect(() => session.release()).to.throw('a connection was given back twice');
    expect(pool.state).to.deep.equal({ open: 1, idle: 1, waiting: 0 });
  });

  it('closes what is given back after its end', async () => {
    const pool = poolOf();
    const session = await pool.acquire();
    pool.end();
    session.release();
    expect(pool.state).to.deep.equal({ open: 0, idle: 0, waiting: 0 });
  });
});
