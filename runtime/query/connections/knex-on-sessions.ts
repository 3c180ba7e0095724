/** Knex over our connections, for the code of hooks: it builds and runs its queries, and opens no connection itself. */
import knexFactory, { type Knex } from 'knex';
import type { Logger } from 'pino';
import type { Pool, PooledSession } from './pool.ts';

export function knexOnPool(pool: Pool, log: Logger): Knex {
  return knexOn({ acquire: () => pool.acquire(), release: releaseFromHook }, log);
}

/**
 * Knex within a transaction that we began and shall end. A transaction inside it is a savepoint. `session` throws when
 * the transaction is over.
 */
export function knexInTransaction(session: () => PooledSession, log: Logger): Knex.Transaction {
  const knex = knexOn({ acquire: async () => session(), release: () => undefined }, log);
  makeSavepoints(knex, () => isOver(session));
  return Object.assign(knex, {
    isTransaction: true,
    isCompleted: () => isOver(session),
    commit: refuseToEnd,
    rollback: refuseToEnd,
    savepoint: knex.transaction.bind(knex),
  }) as unknown as Knex.Transaction;
}

/**
 * As within a transaction that Knex began itself: inner ones are savepoints, and wait for one another. `_lastChild` and
 * `transacting` are private parts of Knex, so it is pinned: see `scripts/private-parts.mjs`.
 */
function makeSavepoints(knex: Knex, isCompleted: () => boolean): void {
  const { client } = knex;
  const outer = { _lastChild: Promise.resolve(), isCompleted, transactor: knex };
  const transaction = client.transaction.bind(client);
  client.transacting = true;
  client.transaction = (work: unknown, config: unknown, parent: unknown) => transaction(work, config, parent ?? outer);
}

interface Source {
  acquire(): Promise<PooledSession>;
  release(session: PooledSession): void;
}

function knexOn(source: Source, log: Logger): Knex {
  return knexFactory({
    client: 'pg',
    connectionPool: tarnPoolOn(source),
    // Values do not belong into the messages of errors.
    compileSqlOnError: false,
    log: knexLog(log),
  });
}

/** What Knex asks of a pool that is not its own. It knows one by these six methods. */
function tarnPoolOn(source: Source): Knex.TarnPoolLike {
  const pool = {
    acquire: () => ({ promise: source.acquire() }),
    release: (session: PooledSession) => {
      source.release(session);
      return true;
    },
    destroy: async () => undefined,
    numFree: () => 0,
    numUsed: () => 0,
    numPendingAcquires: () => 0,
  };
  return pool;
}

function knexLog(log: Logger): Knex.Logger {
  return {
    warn: (message: unknown) => log.warn({ knex: message }, 'a warning of Knex'),
    error: (message: unknown) => log.error({ knex: message }, 'an error of Knex'),
    debug: (message: unknown) => log.debug({ knex: message }, 'Knex'),
    deprecate: (method: string, alternative: string) => log.warn({ method, alternative }, 'deprecated in Knex'),
  };
}

/** A transaction that was left open must not reach the next caller. */
function releaseFromHook(session: PooledSession): void {
  session.release(session.getTransactionStatus() !== 'I');
}

async function refuseToEnd(): Promise<never> {
  throw new Error('the transaction is ended by the request that it belongs to: throw to roll it back');
}

function isOver(session: () => PooledSession): boolean {
  try {
    session();
    return false;
  } catch {
    return true;
  }
}
