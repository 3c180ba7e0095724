/** A primary with streaming replicas, and applications that use them. */
import pg from 'pg';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { type Application, startApplication } from '../../support/application.ts';
import { PASSWORD, USER } from '../../support/postgres-cluster.ts';
import { type EmbeddedCluster, startEmbeddedCluster, startEmbeddedReplica } from '../../support/postgres-embedded.ts';
import { until } from '../../support/until.ts';
import { definitionOf } from '../operations/running.ts';

export interface Server {
  readonly url: string;
  readonly cluster: EmbeddedCluster;
  readonly query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

const servers: Server[] = [];
const applications: Application[] = [];

export async function startPrimary(settings: readonly string[] = []): Promise<Server> {
  return opened(await startEmbeddedCluster(settings));
}

export async function startReplica(primary: Server, name: string): Promise<Server> {
  return opened(await startEmbeddedReplica(primary.cluster, name));
}

function opened(cluster: EmbeddedCluster): Server {
  const url = `postgres://${USER}:${PASSWORD}@${cluster.host}:${cluster.port}/postgres`;
  const query = async (sql: string) => {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const server = { url, cluster, query };
  servers.push(server);
  return server;
}

export async function stopApplications(): Promise<void> {
  await Promise.all(applications.splice(0).map((application) => application.stop()));
}

export async function stopServers(): Promise<void> {
  for (const { cluster } of servers.splice(0).reverse()) await cluster.stop();
}

export interface Asking {
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly ask: (
    methodAndPath: string,
    options?: { readonly body?: unknown; readonly position?: string | null },
  ) => Promise<{
    readonly status: number;
    readonly json: Readonly<Record<string, unknown>>;
    readonly position: string | null;
  }>;
  /** How many requests have read where. */
  readonly reads: () => Promise<{ readonly replica: number; readonly primary: number }>;
  readonly lag: (replica: string) => Promise<number>;
}

/** `databaseUrl` is that of the server, where it differs from the one to make the tables with. */
export async function serve(
  source: string,
  primary: string,
  replicas: readonly string[],
  databaseUrl = primary,
): Promise<Asking> {
  const definition = await definitionOf(source);
  const client = new pg.Client(primary);
  await client.connect();
  await client.query(
    `DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${schemaSql(schemaFromDefinition(definition))}`,
  );
  await client.end();
  return asking({ definition, databaseUrl }, replicas);
}

export async function asking(
  options: Parameters<typeof startApplication>[0],
  replicas: readonly string[],
): Promise<Asking> {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const environment = { DATABASE_READ_URL: replicas.join(', '), METRICS_PORT: '0', ...options.environment };
  const log = (line: string) => void lines.push(JSON.parse(line));
  const application = await startApplication({ ...options, environment, log });
  applications.push(application);
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${application.metricsPort}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length) ?? 0,
    );
  };
  return {
    lines,
    async ask(methodAndPath, { body, position } = {}) {
      const [method = '', path] = methodAndPath.split(' ');
      const headers = {
        ...(position && { 'kiln-position': position }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${application.url}${path}`, { method, headers, ...sent });
      const text = await response.text();
      const json = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : {};
      return { status: response.status, json, position: response.headers.get('kiln-position') };
    },
    reads: async () => ({
      replica: await metric('kiln_reads_total{on="replica"}'),
      primary: await metric('kiln_reads_total{on="primary"}'),
    }),
    lag: (replica) => metric(`kiln_replica_lag_seconds{replica="${new URL(replica).host}"}`),
  };
}

/** Asks until a replica has answered. */
export async function untilOnReplica({ ask, reads }: Asking, path: string, position?: string | null): Promise<void> {
  await until(async () => {
    const { replica } = await reads();
    await ask(`GET ${path}`, { position: position ?? null });
    return (await reads()).replica > replica;
  });
}
