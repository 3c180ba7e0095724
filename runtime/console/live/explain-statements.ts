/** Plans of statements, without running them: Postgres plans for values that nobody knows. */
import type { Database, Transaction } from '../../query/database.ts';
import { runUnprepared } from '../../query/unprepared.ts';
import type { StatementPlan } from './live-request.ts';
import { LONGEST_STATEMENT } from './running-request.ts';

/** `EXPLAIN (GENERIC_PLAN)` came with it. */
const OLDEST_SERVER = 16;

const TIMEOUT_MS = 2000;

export async function explainStatements(
  texts: readonly string[],
  database: Database,
): Promise<readonly StatementPlan[]> {
  return database.transaction(
    async (transaction) => {
      const version = await versionOf(transaction);
      if (version < OLDEST_SERVER) return texts.map((_, text) => tooOld(text, version));
      await runUnprepared(transaction, `SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${TIMEOUT_MS}`);
      const plans: StatementPlan[] = [];
      for (const [at, text] of texts.entries()) plans.push(await explained(at, text, transaction));
      return plans;
    },
    { isRepeatable: true },
  );
}

function tooOld(text: number, version: number): StatementPlan {
  const problem = `PostgreSQL ${version} cannot explain a statement without its values. PostgreSQL ${OLDEST_SERVER} can.`;
  return { text, plan: null, problem };
}

async function versionOf(transaction: Transaction): Promise<number> {
  const [row] = await runUnprepared(transaction, 'SHOW server_version_num');
  return Math.floor(Number(row?.server_version_num) / 10_000);
}

/** What can be explained. `EXPLAIN` itself runs none of it. */
const EXPLAINED = /^\s*(select|insert|update|delete|with|merge|values|table)\b/i;

/** A statement that cannot be explained leaves the transaction as it was. */
async function explained(at: number, text: string, transaction: Transaction): Promise<StatementPlan> {
  if (text.length >= LONGEST_STATEMENT)
    return { text: at, plan: null, problem: 'The statement is too long. Only its beginning was kept.' };
  if (!EXPLAINED.test(text) || hasSeveral(text))
    return { text: at, plan: null, problem: 'Postgres has no plan for this kind of statement.' };
  await runUnprepared(transaction, 'SAVEPOINT kiln_explain');
  try {
    const rows = await runUnprepared(transaction, `EXPLAIN (GENERIC_PLAN) ${text}`);
    await runUnprepared(transaction, 'RELEASE SAVEPOINT kiln_explain');
    return { text: at, plan: rows.map((row) => String(row['QUERY PLAN'])), problem: null };
  } catch (error) {
    await runUnprepared(transaction, 'ROLLBACK TO SAVEPOINT kiln_explain');
    return { text: at, plan: null, problem: `Postgres cannot explain it: ${(error as Error).message}.` };
  }
}

/** Only the first of several statements would be explained, and the others would be run. */
function hasSeveral(text: string): boolean {
  return text.replace(/;\s*$/, '').includes(';');
}
