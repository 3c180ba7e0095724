/**
 * Whether a database can run every statement of an application: definition, hooks and configuration in, the statements that do
 * not fit out. Postgres plans each of them, with the tables, views and types that it finds; none is run, and nothing is written.
 */
import { groupedBy } from '../compiler/definition/lookup.ts';
import type { Config, JwtConfig } from './config/config.ts';
import { applicationRoutes, jobRoutes, type Sender, type Sent } from './endpoints/application.ts';
import { checkJobs, type JobCheck } from './jobs/check-jobs.ts';
import { createLog } from './observe/log.ts';
import { openDatabase } from './query/connections/open-database.ts';
import { type Connection, DatabaseError, isOutage } from './query/database.ts';
import type { ImageRelease } from './query/database-release.ts';
import { databaseOptions, type Served } from './serve.ts';
import type { SettingValues } from './values/settings.ts';

export interface CheckOptions extends Omit<Served, 'openApi' | 'settings'> {
  /** Present if the jobs that wait are tried too. */
  readonly settings?: SettingValues;
  readonly config: Config;
  /** Missing where what is checked is no release. */
  readonly release?: ImageRelease | undefined;
}

/** Checks the statements over connections like those of `serve`. An unreachable database is thrown. */
export async function checkApplication(options: CheckOptions): Promise<StatementCheck> {
  const { definition, hooks, config, release, settings } = options;
  const log = createLog('silent');
  const database = openDatabase({ ...databaseOptions(config, release), log });
  try {
    const jwt = config.jwt ?? ANY_PROVIDER;
    // Settings are bound like all other values, so the statements are the same without them.
    const served = { definition, hooks, settings: settings ?? {} };
    const deliver = { isPrivateAllowed: config.webhookPrivate };
    const application = { ...config, ...served, deliver, database, jwt, overflowed: () => undefined };
    const statements = await checkStatements(applicationRoutes(application).senders(), database);
    return settings ? { ...statements, jobs: await checkJobs(database, jobRoutes(application), log) } : statements;
  } finally {
    await database.close();
  }
}

/** Callers of an outside provider are found by a statement of their own, whichever provider it is. */
const ANY_PROVIDER: JwtConfig = { key: { kind: 'secret', secret: '' }, issuer: '', audience: '' };

export interface StatementCheck {
  /** How many different ones there are. */
  readonly statements: number;
  readonly failures: readonly StatementFailure[];
  readonly jobs?: JobCheck;
}

interface StatementFailure {
  /** The message of Postgres. */
  readonly why: string;
  /** The endpoints that would fail: `GET /api/posts`. */
  readonly senders: readonly string[];
}

async function checkStatements(senders: readonly Sender[], connection: Connection): Promise<StatementCheck> {
  const failed: { readonly why: string; readonly sender: string }[] = [];
  const all = senders.flatMap(({ name: sender, statements }) =>
    statementsOf(statements, (why) => failed.push({ why, sender })).map((sent) => ({ sender, sent })),
  );
  // Equal statements of several endpoints are one.
  const shared = groupedBy(all, ({ sent }) => sent.statement.name);
  for (const uses of shared.values()) {
    const why = await refusalOf(uses[0].sent, connection);
    if (why !== null) failed.push(...uses.map(({ sender }) => ({ why, sender })));
  }
  const failures = [...groupedBy(failed, ({ why }) => why)].map(([why, those]) => ({
    why,
    senders: [...new Set(those.map(({ sender }) => sender))],
  }));
  return { statements: shared.size, failures };
}

function statementsOf(statements: Sender['statements'], fail: (why: string) => void): readonly Sent[] {
  try {
    return statements();
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
    return [];
  }
}

/** `EXPLAIN` does all that comes before a statement is run. It has no name, so that no connection keeps it. */
async function refusalOf({ statement, values }: Sent, connection: Connection): Promise<string | null> {
  const explained = { name: '', text: `EXPLAIN ${statement.text}`, isRepeatable: true };
  try {
    await connection.run(explained, new Array<null>(values).fill(null));
    return null;
  } catch (error) {
    if (!(error instanceof DatabaseError) || isOutage(error)) throw error;
    return wordsOf(error.cause);
  }
}

/** Rows have names of our own in statements, which mean nothing to people: `column #0.title does not exist`. */
function wordsOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.replace(/\bcolumn #\w+\.("?)(.+?)\1 /, 'column "$2" ');
}
