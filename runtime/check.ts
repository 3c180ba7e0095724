/** Whether an application fits a database: definition, hooks and configuration in, the statements that do not fit out. */
import type { Logger } from 'pino';
import type { Config, JwtConfig } from './config/config.ts';
import { applicationRoutes } from './endpoints/application.ts';
import { checkStatements, type StatementCheck } from './endpoints/check-statements.ts';
import { openDatabase } from './query/connections/open-database.ts';
import type { ImageRelease } from './query/image-release.ts';
import { databaseOptions, type Served } from './serve.ts';

export interface CheckOptions extends Omit<Served, 'openApi'> {
  readonly config: Config;
  /** Missing where what is checked is no release. */
  readonly release?: ImageRelease | undefined;
  readonly log: Logger;
}

/** Over connections as those of `serve`. Nothing is run, and nothing is written. */
export async function checkApplication(options: CheckOptions): Promise<StatementCheck> {
  const { definition, hooks, config, release, log } = options;
  const database = openDatabase({ ...databaseOptions(config, release), log });
  try {
    const jwt = config.jwt ?? ANY_PROVIDER;
    const routes = applicationRoutes({ ...config, definition, hooks, database, jwt, overflowed: () => undefined });
    return await checkStatements(routes.senders, database);
  } finally {
    await database.close();
  }
}

/** Callers of an outside provider are found by a statement of their own, whichever provider it is. */
const ANY_PROVIDER: JwtConfig = { key: { kind: 'secret', secret: '' }, issuer: '', audience: '' };
