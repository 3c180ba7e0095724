/**
 * Which statements of an application no index serves: Postgres explains each of them, and runs none. The plans do not depend
 * on the rows, nor on what Postgres has counted of them: each way to read a table that is not asked about is turned off, so
 * that it is taken only where there is no other.
 */
import type { Definition } from '../../compiler/definition/definition.ts';
import { adviceFor, type IndexNeed, type Lack, lackText, missingIndexes } from '../plan/missing-indexes.ts';
import type { Database, Transaction } from '../query/database.ts';
import { runUnprepared } from '../query/unprepared.ts';
import type { Sender, Sent } from './application.ts';
import { filterNeeds, ModelsOfTables, orderNeeds, type PlanNode, sortsAPart } from './plan-needs.ts';

export interface PlanCheck {
  /** How many different statements were explained. */
  readonly explained: number;
  readonly findings: readonly PlanFinding[];
  /** Why nothing was explained; null where it was. */
  readonly skipped: string | null;
}

interface PlanFinding {
  /** `GET /api/posts` */
  readonly sender: string;
  /** The id of the endpoint; null where it is none of the definition. */
  readonly endpoint: string | null;
  readonly model: string;
  readonly lack: Lack;
  /** Behind the name of the endpoint: ``reads every `Post` to filter by `published` ``. */
  readonly says: string;
  /** ``add `index { published, id desc }` to `model Post` `` */
  readonly advice: string;
}

/** `EXPLAIN (GENERIC_PLAN)` came with it. */
const OLDEST_SERVER = 16;

/** `database` may serve others meanwhile: nothing but the transaction of the check is changed. */
export async function checkPlans(
  senders: readonly Sender[],
  definition: Definition,
  database: Database,
): Promise<PlanCheck> {
  return database.transaction(
    async (transaction) => {
      const version = await versionOf(transaction);
      if (version < OLDEST_SERVER)
        return {
          explained: 0,
          findings: [],
          skipped: `PostgreSQL ${version} cannot explain them, ${OLDEST_SERVER} can`,
        };
      await runUnprepared(transaction, BEFORE);
      return explainAll(senders, definition, transaction);
    },
    { isRepeatable: true },
  );
}

async function versionOf(transaction: Transaction): Promise<number> {
  const [row] = await runUnprepared(transaction, 'SHOW server_version_num');
  return Math.floor(Number(row?.server_version_num) / 10_000);
}

const BEFORE =
  'SET TRANSACTION READ ONLY; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL enable_seqscan = off';

/** Whatever a condition can find by an index is read by a bitmap of it. An index alone would also be read for its order. */
const FILTERS =
  'SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = on; SET LOCAL enable_sort = on';
/** Whatever an index can give in order is read by it. A bitmap has no order. */
const ORDERS =
  'SET LOCAL enable_indexscan = on; SET LOCAL enable_indexonlyscan = on; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off';

/** First all that is about filters, then what is sorted: so the settings change once. */
async function explainAll(
  senders: readonly Sender[],
  definition: Definition,
  transaction: Transaction,
): Promise<PlanCheck> {
  const statements = statementsOf(senders);
  const models = new ModelsOfTables(definition);
  const needs = statements.map((): Needs => ({ filter: [], order: [] }));
  const sorting: number[] = [];
  await runUnprepared(transaction, FILTERS);
  for (const [at, { text }] of statements.entries()) {
    const plan = await planOf(text, transaction);
    (needs[at] as Needs).filter = filterNeeds(plan, models);
    if (sortsAPart(plan)) sorting.push(at);
  }
  await runUnprepared(transaction, ORDERS);
  for (const at of sorting) {
    const { text, paged } = statements[at] as Explained;
    const found = orderNeeds(await planOf(text, transaction), models);
    (needs[at] as Needs).order = found.filter(({ isWhole, model }) => isWhole || model === paged);
  }
  return { explained: statements.length, findings: findingsIn(statements, needs, definition), skipped: null };
}

interface Needs {
  filter: readonly IndexNeed[];
  order: readonly IndexNeed[];
}

interface Explained {
  readonly text: string;
  /** The model of the list whose pages it reads. The records of one parent may be many, too. */
  readonly paged: string | null;
  /** Whether clients choose it by a parameter. */
  readonly isChoice: boolean;
  readonly senders: Sender[];
}

/** Equal statements of several endpoints are explained once. */
function statementsOf(senders: readonly Sender[]): readonly Explained[] {
  const found = new Map<string, Explained>();
  for (const sender of senders) {
    const paged = pagedModelOf(sender);
    const add = (isChoice: boolean, { statement: { name, text } }: Sent) => {
      const key = `${paged} ${name}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { text, paged, isChoice, senders: [sender] });
      else if (!known.senders.includes(sender)) known.senders.push(sender);
    };
    for (const sent of sender.statements()) add(false, sent);
    for (const sent of sender.choices()) add(true, sent);
  }
  return [...found.values()];
}

function pagedModelOf({ endpoint }: Sender): string | null {
  const response = endpoint?.response;
  return response?.kind === 'list' && response.page !== null ? response.query.model : null;
}

/** An endpoint is told each index once. */
function findingsIn(
  statements: readonly Explained[],
  needs: readonly Needs[],
  definition: Definition,
): readonly PlanFinding[] {
  const wanted = statements.flatMap((statement, at) => [
    ...(needs[at]?.filter ?? []).map((need) => ({ ...statement, need, lack: 'filter' as const })),
    ...(needs[at]?.order ?? []).map((need) => ({ ...statement, need, lack: 'order' as const })),
  ]);
  const findings = new Map<string, PlanFinding>();
  for (const [at, missing] of missingIndexes(wanted, definition).entries()) {
    if (missing === null) continue;
    const { model, lack } = missing;
    const [says, advice] = [lackText(missing), adviceFor(missing, definition)];
    for (const { name: sender, endpoint } of wanted[at]?.senders ?? []) {
      const key = `${sender} ${advice}`;
      if (!findings.has(key)) findings.set(key, { sender, endpoint: endpoint?.id ?? null, model, lack, says, advice });
    }
  }
  return [...findings.values()];
}

async function planOf(text: string, transaction: Transaction): Promise<PlanNode> {
  const [row = {}] = await runUnprepared(transaction, `EXPLAIN (VERBOSE, GENERIC_PLAN, FORMAT JSON) ${text}`);
  const [{ Plan: plan }] = row['QUERY PLAN'] as readonly [{ readonly Plan: PlanNode }];
  return plan;
}
