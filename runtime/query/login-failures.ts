/**
 * Failed logins, counted in the database so that all servers know of them. An attempt is counted before the password is
 * looked at, so that many at once get no further than one after the other; a login that succeeds takes it back.
 */
import { integer, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import type { Bound } from './database.ts';
import { type Given, given, type QueryScope, run } from './prepared.ts';
import type { Statements } from './statements.ts';

interface FailureLimits {
  /** The limit of failures of one account from one address. */
  readonly ofAccount: number;
  /** The limit of failures of one address, whatever the account. */
  readonly ofAddress: number;
  /** The time in seconds after which failures are forgotten, counted from the first one. */
  readonly seconds: number;
}

/** The user who tries to log in, as hashes. */
export interface AttemptKeys extends Given {
  readonly accountKey: Bound;
  /** Null where the address says nothing about who it is. */
  readonly addressKey: Bound;
}

const ACCOUNT = given('accountKey', 'bytea');
const ADDRESS = given('addressKey', 'bytea');

export function loginFailuresOf({ ofAccount, ofAddress, seconds }: FailureLimits, statements: Statements) {
  const full = (key: Sql, most: number) =>
    sql`SELECT "ends_at" FROM "kiln_login_failures" WHERE "key" = ${key} AND "failures" >= ${integer(most)} AND "ends_at" > now()`;
  // The first of the two locks its row before the second one does, in every statement, so that none waits in a circle.
  const statement = statements.add(
    sql`WITH by_account AS (${counting(ACCOUNT, sql`WHERE NOT EXISTS (${full(ADDRESS, ofAddress)})`, ofAccount, seconds)}),
      by_address AS (${counting(ADDRESS, sql`FROM by_account WHERE ${ADDRESS} IS NOT NULL`, ofAddress, seconds)}),
      allowed AS (SELECT FROM by_account WHERE ${ADDRESS} IS NULL UNION ALL SELECT FROM by_address)
      SELECT EXISTS (SELECT FROM allowed),
        greatest(1, ceil(extract(epoch FROM (SELECT max("ends_at") FROM (
          ${full(ACCOUNT, ofAccount)} UNION ALL ${full(ADDRESS, ofAddress)}) AS over) - now())))::bigint`,
    false,
  );
  // The order is the same as above.
  const backwards = statements.add(
    sql`WITH by_account AS (${oneLess(ACCOUNT)} RETURNING 1) ${oneLess(ADDRESS)} AND (SELECT count(*) FROM by_account) >= 0`,
    false,
  );
  return {
    /** Counts an attempt; null where it is allowed, else the number of seconds until another one is. */
    async count(scope: QueryScope, keys: AttemptKeys) {
      const { rows } = await run(statement, scope, keys);
      return rows[0]?.text(0) === 't' ? null : Number(rows[0]?.text(1) ?? 1);
    },
    /** Uncounts an attempt whose password was not checked in the end. */
    async takeBack(scope: QueryScope, keys: AttemptKeys) {
      await run(backwards, scope, keys);
    },
  };
}

/** Counts one more failure, unless there are too many already. Forgotten failures restart with one. */
function counting(key: Sql, condition: Sql, most: number, seconds: number): Sql {
  const isOver = sql`f."ends_at" <= now()`;
  return sql`INSERT INTO "kiln_login_failures" AS f ("key", "failures", "ends_at")
    SELECT ${key}, 1, now() + make_interval(secs => ${integer(seconds)}) ${condition}
    ON CONFLICT ("key") DO UPDATE SET
      "failures" = CASE WHEN ${isOver} THEN 1 ELSE f."failures" + 1 END,
      "ends_at" = CASE WHEN ${isOver} THEN excluded."ends_at" ELSE f."ends_at" END
    WHERE ${isOver} OR f."failures" < ${integer(most)}
    RETURNING 1`;
}

function oneLess(key: Sql): Sql {
  return sql`UPDATE "kiln_login_failures" SET "failures" = "failures" - 1 WHERE "key" = ${key} AND "failures" > 0`;
}

/**
 * The effect of a successful login on the counts: that of the account restarts, that of the address loses this one
 * attempt.
 */
export function forgettingFailures(): readonly (readonly [Sql, Sql])[] {
  return [
    [sql`forgotten`, sql`DELETE FROM "kiln_login_failures" WHERE "key" = ${ACCOUNT} RETURNING 1`],
    [sql`taken_back`, sql`${oneLess(ADDRESS)} AND (SELECT count(*) FROM forgotten) >= 0`],
  ];
}
