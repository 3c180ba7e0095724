/** Rows of Kiln's own tables that are over. They are removed some at a time, so that no statement takes long. */
import { hasBoundTokens, LOGIN_FAILURES, passwordAuthOf, TOKENS } from '../../compiler/definition/accounts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Connection, Statement } from './database.ts';

const MOST_REMOVED = 1000;

export function expiredRowsIn(definition: Definition): readonly Statement[] {
  const auth = passwordAuthOf(definition);
  if (auth === null) return [];
  const tokens = removal(TOKENS, 'token_hash', 'expires_at');
  return hasBoundTokens(auth) ? [tokens, removal(LOGIN_FAILURES, 'key', 'ends_at')] : [tokens];
}

/** What another server removes at the same time is left to it. */
function removal(table: string, key: string, end: string): Statement {
  const over = `SELECT "${key}" FROM "${table}" WHERE "${end}" <= now() ORDER BY "${end}" LIMIT ${MOST_REMOVED} FOR UPDATE SKIP LOCKED`;
  return {
    name: `kiln_expired_${table}`,
    text: `DELETE FROM "${table}" WHERE "${key}" = ANY (ARRAY(${over}))`,
    isRepeatable: true,
  };
}

/** Whether there may be more of them. */
export async function removeExpired(statements: readonly Statement[], connection: Connection): Promise<boolean> {
  let isMore = false;
  for (const statement of statements) {
    const { count } = await connection.run(statement, []);
    if (count >= MOST_REMOVED) isMore = true;
  }
  return isMore;
}
