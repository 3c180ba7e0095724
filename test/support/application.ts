/** A whole application on a database of a test, reachable over HTTP. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { configFromEnvironment } from '../../runtime/config/config.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { createLog } from '../../runtime/observe/log.ts';
import type { ImageRelease } from '../../runtime/query/database-release.ts';
import { type StartOptions, startServer } from '../../runtime/serve.ts';
import { settingsFromEnvironment } from '../../runtime/values/settings.ts';
import { POOLER_ENVIRONMENT, throughPooler, usesPooler } from './pooler.ts';

export interface ApplicationOptions {
  readonly definition: Definition;
  readonly databaseUrl: string;
  readonly hooks?: HookModules;
  /** The text of `/openapi.json`. */
  readonly openApi?: string | undefined;
  readonly lane?: 'fast' | 'express' | undefined;
  readonly sweepEvery?: number | undefined;
  readonly tokensEvery?: number | undefined;
  readonly release?: ImageRelease | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** Lines of the log, as they are written. */
  readonly log?: (line: string) => void;
  readonly console?: StartOptions['console'];
  readonly live?: StartOptions['live'];
}

export interface Application {
  readonly url: string;
  /** Of `/metrics`; null where there is none. */
  readonly metricsPort: number | null;
  stop(): Promise<void>;
}

export async function startApplication(options: ApplicationOptions): Promise<Application> {
  const {
    definition,
    hooks = {},
    openApi,
    sweepEvery,
    tokensEvery,
    release,
    lane = 'fast',
    log = () => undefined,
  } = options;
  const environment = await environmentOf(options);
  const read = configFromEnvironment(environment);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const { settings, problems } = settingsFromEnvironment(definition, environment);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const server = await startServer({
    definition,
    hooks,
    settings,
    config: read.config,
    lane,
    release,
    ...(openApi === undefined ? {} : { openApi }),
    ...(sweepEvery === undefined ? {} : { sweepEvery }),
    ...(tokensEvery === undefined ? {} : { tokensEvery }),
    ...(options.console && { console: options.console }),
    ...(options.live && { live: options.live }),
    log: createLog('debug', { write: log }),
  });
  return {
    url: server.url,
    metricsPort: server.metricsPort,
    async stop() {
      await server.stop();
    },
  };
}

async function environmentOf({ databaseUrl, environment = {} }: ApplicationOptions): Promise<Record<string, string>> {
  return {
    DATABASE_URL: await throughPooler(databaseUrl),
    HOST: '127.0.0.1',
    PORT: '0',
    SHUTDOWN_GRACE: '0',
    ...(usesPooler ? POOLER_ENVIRONMENT : {}),
    ...environment,
  };
}
