/** Rows of Kiln's own tables that are over. They are removed some at a time, so that no statement takes long. */
import { hasBoundTokens, LOGIN_FAILURES, passwordAuthOf, TOKENS } from '../../compiler/definition/accounts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { type Name, quotedName } from '../../compiler/definition/sql/names.ts';
import { integer, sql } from '../../compiler/definition/sql/sql.ts';
import type { Connection, Statement } from './database.ts';

const MOST_REMOVED = 1000;

export function expiredRowsIn(definition: Definition): readonly Statement[] {
  const auth = passwordAuthOf(definition);
  if (auth === null) return [];
  const tokens = removal(TOKENS, quotedName('token_hash'), quotedName('expires_at'));
  return hasBoundTokens(auth) ? [tokens, removal(LOGIN_FAILURES, quotedName('key'), quotedName('ends_at'))] : [tokens];
}

/** What another server removes at the same time is left to it. */
function removal(name: string, key: Name, end: Name): Statement {
  const table = quotedName(name);
  const limit = integer(MOST_REMOVED);
  const over = sql`SELECT ${key} FROM ${table} WHERE ${end} <= now() ORDER BY ${end} LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
  const { text } = sql`DELETE FROM ${table} WHERE ${key} = ANY (ARRAY(${over}))`;
  return { name: `kiln_expired_${name}`, text, isRepeatable: true };
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
