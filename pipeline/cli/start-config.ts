import type { Config } from '../../runtime/config/config.ts';

export interface StartOptions {
  readonly port?: number;
  readonly host?: string;
}

type LocalConfig =
  | { readonly config: Config; readonly databaseUrl: string | null }
  | { readonly problems: readonly string[] };

/** Stands where the project's own Postgres will be, so that everything else is checked before that is started. */
const OWN_DATABASE = 'postgres://localhost/kiln';

/**
 * The environment, and over it the options. Here, unlike in an image, nobody else on the network is let in unasked, and
 * no load balancer needs time to notice that the server stops.
 */
export async function localConfig(
  { port, host }: StartOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LocalConfig> {
  const { configFromEnvironment } = await import('../../runtime/config/config-from-environment.ts');
  const databaseUrl = env.DATABASE_URL?.trim() || null;
  const result = configFromEnvironment({
    ...env,
    DATABASE_URL: databaseUrl ?? OWN_DATABASE,
    HOST: host ?? (env.HOST?.trim() || '127.0.0.1'),
    SHUTDOWN_GRACE: env.SHUTDOWN_GRACE?.trim() || '0',
    ...(port === undefined ? {} : { PORT: String(port) }),
  });
  if (result.ok) return { config: result.config, databaseUrl };
  return { problems: result.problems.map((problem) => problem.replace(/\.$/, '')) };
}
