/** Whether an application fits a database: definition, hooks and configuration in, the statements that do not fit out. */
import type { Logger } from 'pino';
import type { Config, JwtConfig } from './config/config.ts';
import { applicationRoutes } from './endpoints/application.ts';
import { checkPlans, type PlanCheck } from './endpoints/check-plans.ts';
import { checkStatements, type StatementCheck } from './endpoints/check-statements.ts';
import { createLog } from './observe/log.ts';
import { openDatabase } from './query/connections/open-database.ts';
import type { ImageRelease } from './query/image-release.ts';
import { databaseOptions, type Served } from './serve.ts';

export interface CheckOptions extends Omit<Served, 'openApi'> {
  readonly config: Config;
  /** Missing where what is checked is no release. */
  readonly release?: ImageRelease | undefined;
  /** Nothing is logged where it is missing. */
  readonly log?: Logger;
  /** Whether it is also found out which statements no index serves. */
  readonly explainsPlans?: boolean;
}

export interface ApplicationCheck extends StatementCheck {
  /** Null where plans were not asked for, or a statement does not fit. */
  readonly plans: PlanCheck | null;
}

/** Over connections as those of `serve`. Nothing is run, and nothing is written. */
export async function checkApplication(options: CheckOptions): Promise<ApplicationCheck> {
  const { definition, hooks, config, release, log = createLog('silent'), explainsPlans = false } = options;
  const database = openDatabase({ ...databaseOptions(config, release), log });
  try {
    const jwt = config.jwt ?? ANY_PROVIDER;
    const routes = applicationRoutes({ ...config, definition, hooks, database, jwt, overflowed: () => undefined });
    const senders = routes.senders();
    const check = await checkStatements(senders, database);
    const isExplained = explainsPlans && check.failures.length === 0;
    return { ...check, plans: isExplained ? await checkPlans(senders, definition, database) : null };
  } finally {
    await database.close();
  }
}

/** Callers of an outside provider are found by a statement of their own, whichever provider it is. */
const ANY_PROVIDER: JwtConfig = { key: { kind: 'secret', secret: '' }, issuer: '', audience: '' };
