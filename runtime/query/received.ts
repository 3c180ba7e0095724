/** Signed requests that were done, so that a repeat of one does nothing. */
import { RECEIVED } from '../../compiler/definition/signed-requests.ts';
import { quotedName, sql } from '../../compiler/definition/sql/sql.ts';
import type { Bound } from './database.ts';
import { given, type QueryScope, run } from './prepared.ts';
import type { Statements } from './statements.ts';

/** The key is stored by the transaction that does the request, so a request that fails can be repeated. */
export function remembering(statements: Statements) {
  const table = quotedName(RECEIVED);
  const statement = statements.add(
    sql`INSERT INTO ${table} ("key", "ends_at") VALUES (${given('key', 'bytea')}, now() + interval '72 hours')
      ON CONFLICT DO NOTHING RETURNING true`,
    false,
  );
  return async (scope: QueryScope, key: Bound): Promise<boolean> =>
    (await run(statement, scope, { key })).rows.length > 0;
}
