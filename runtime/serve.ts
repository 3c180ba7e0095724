/** An application that serves: definition, hooks and configuration in, a running server out. */
import type { Logger } from 'pino';
import type { Definition } from '../compiler/definition/definition.ts';
import type { Config } from './config/config.ts';
import { applicationRoutes } from './endpoints/application.ts';
import type { HookModules } from './hooks/hook-code.ts';
import { createLog } from './observe/log.ts';
import { createMetrics } from './observe/metrics.ts';
import type { Readiness } from './observe/readiness.ts';
import { openDatabase } from './query/connections/open-database.ts';
import type { Database } from './query/database.ts';
import { missingInSchema } from './query/schema-check.ts';
import { type RunningServer, serveRoutes } from './server.ts';

export interface StartOptions {
  readonly definition: Definition;
  readonly hooks: HookModules;
  readonly config: Config;
  readonly log?: Logger;
  /** `express` sends every request through Express. */
  readonly lane?: 'fast' | 'express';
}

export interface StartedServer extends RunningServer {
  readonly url: string;
}

export async function startServer({ definition, hooks, config, log, lane }: StartOptions): Promise<StartedServer> {
  // So that what hooks throw is told with their own files and lines.
  process.setSourceMapsEnabled(true);
  const ownLog = log ?? createLog(config.logLevel);
  const database = openDatabase({ ...databaseOptions(config), log: ownLog });
  const metrics = createMetrics();
  metrics.watchConnections(() => database.state());
  const { routes, warmUp } = applicationRoutes({ definition, hooks, database, ...config });
  const server = await serveRoutes({
    routes,
    config,
    log: ownLog,
    metrics,
    isReady: readinessOf(definition, database),
    close: () => database.close(),
    ...(lane ? { lane } : {}),
  }).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  warmUp();
  return { ...server, url: urlOf(config.host, server.port) };
}

function databaseOptions({ databaseUrl, poolMax, statementTimeout, acquireTimeout }: Config) {
  return { url: databaseUrl, poolMax, statementTimeout, acquireTimeout, applicationName: 'kiln' };
}

/** Once the schema has been seen to fit, only the connection is asked for: what could change it is a migration. */
function readinessOf(definition: Definition, database: Database): () => Promise<Readiness> {
  let fits = false;
  return async () => {
    try {
      if (fits) await database.ping();
      const missing = fits ? [] : await missingInSchema(definition, database);
      fits = missing.length === 0;
      return fits ? { ready: true } : { ready: false, reason: behind(missing) };
    } catch {
      return { ready: false, reason: 'The database cannot be reached.' };
    }
  };
}

function behind(missing: readonly string[]): string {
  const more = missing.length > 1 ? `, and ${missing.length - 1} more` : '';
  return `The database is not that of this release: ${missing[0]}${more}. Run \`migrate\` first.`;
}

function urlOf(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  return `http://${isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}
