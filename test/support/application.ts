/** A whole application on a database of a test, reachable over HTTP. */
import { pino } from 'pino';
import type { Definition } from '../../compiler/definition/definition.ts';
import { configFromEnvironment } from '../../runtime/config/config-from-environment.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { startServer } from '../../runtime/serve.ts';

export interface ApplicationOptions {
  readonly definition: Definition;
  readonly databaseUrl: string;
  readonly hooks?: HookModules;
  readonly lane?: 'fast' | 'express' | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** Lines of the log, as they are written. */
  readonly log?: (line: string) => void;
}

export interface Application {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startApplication(options: ApplicationOptions): Promise<Application> {
  const { definition, databaseUrl, hooks = {}, lane = 'fast', environment = {}, log } = options;
  const read = configFromEnvironment({ DATABASE_URL: databaseUrl, HOST: '127.0.0.1', PORT: '0', ...environment });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const logger = pino(
    { level: 'info' },
    {
      write:
        log ??
        ((line: string) => {
          if (process.env.DBG && line.includes('"level":50')) console.error(line);
        }),
    },
  );
  const server = await startServer({ definition, hooks, config: read.config, lane, log: logger });
  return {
    url: server.url,
    async stop() {
      await server.stop();
    },
  };
}
