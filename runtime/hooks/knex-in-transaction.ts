/** Knex for the code of hooks, within the transaction of a request: it opens no connection and ends no transaction. */
import knexFactory, { type Knex } from 'knex';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Scalar } from '../../compiler/definition/scalars.ts';
import { parserOf } from '../values/parse.ts';

/** The connection of a transaction, as far as Knex uses it. */
export interface DriverSession {
  query(config: object, done: (error: Error | null, result: object) => void): void;
}

interface KnexOptions {
  /** Throws when the transaction is over. */
  readonly session: () => DriverSession;
  /** The column that a name in a query means. */
  readonly columnOf: (name: string) => string;
  readonly log: Logger;
}

/** A transaction inside it is a savepoint. */
export function knexInTransaction({ session, columnOf, log }: KnexOptions): Knex.Transaction {
  const knex = knexFactory({
    client: 'pg',
    connectionPool: poolOf({ query: (config, done) => session().query({ ...config, types: TYPES }, done) }),
    wrapIdentifier: (name, wrap) => wrap(columnOf(name)),
    // Values do not belong into the messages of errors.
    compileSqlOnError: false,
    log: knexLog(log),
  });
  const isCompleted = () => isOver(session);
  makeSavepoints(knex, isCompleted);
  return Object.assign(knex, {
    isTransaction: true,
    isCompleted,
    commit: refuseToEnd,
    rollback: refuseToEnd,
    savepoint: knex.transaction.bind(knex),
  }) as unknown as Knex.Transaction;
}

const { INT8, TIMESTAMPTZ, DATE } = pg.types.builtins;

/** The numbers that Postgres has for types of arrays, which pg does not list. */
const ARRAYS = { text: 1009, int8: 1016, timestamptz: 1185, date: 1182, numeric: 1231 };

/** The items of an array that Postgres has printed. */
export const textsInArray: (text: string) => readonly string[] = pg.types.getTypeParser(ARRAYS.text);

function arrayOf(kind: Scalar): (text: string) => unknown {
  const parse = parserOf({ kind });
  return (text) => textsInArray(text).map(parse);
}

/** Where pg has another value in mind than the arguments of hooks have: those of the others are the same. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map([
  [INT8, parserOf({ kind: 'integer' })],
  [TIMESTAMPTZ, parserOf({ kind: 'timestamp' })],
  [DATE, parserOf({ kind: 'date' })],
  [ARRAYS.int8, arrayOf('integer')],
  [ARRAYS.timestamptz, arrayOf('timestamp')],
  [ARRAYS.date, arrayOf('date')],
  [ARRAYS.numeric, arrayOf('decimal')],
]);

const TYPES = {
  getTypeParser: (oid: number, format?: 'text') => PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format),
};

/** What Knex asks of a pool that is not its own. It knows one by these six methods. */
function poolOf(connection: DriverSession): Knex.TarnPoolLike {
  const pool = {
    acquire: () => ({ promise: Promise.resolve(connection) }),
    release: () => true,
    destroy: async () => undefined,
    numFree: () => 0,
    numUsed: () => 0,
    numPendingAcquires: () => 0,
  };
  return pool;
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

function knexLog(log: Logger): Knex.Logger {
  return {
    warn: (message: unknown) => log.warn({ knex: message }, 'a warning of Knex'),
    error: (message: unknown) => log.error({ knex: message }, 'an error of Knex'),
    debug: (message: unknown) => log.debug({ knex: message }, 'Knex'),
    deprecate: (method: string, alternative: string) => log.warn({ method, alternative }, 'deprecated in Knex'),
  };
}

async function refuseToEnd(): Promise<never> {
  throw new Error('the request itself ends its transaction: throw an error to roll it back');
}

function isOver(session: () => DriverSession): boolean {
  try {
    session();
    return false;
  } catch {
    return true;
  }
}
