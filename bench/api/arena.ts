/** All that a measurement needs: a filled Postgres, and the cores of each. Undone by `close`. */
import { type Cluster, startCluster } from './cluster.ts';
import { type Contestant, kilnCommand, peerCommand, runtimeOf } from './contestants.ts';
import type { Setting } from './load.ts';
import { type Cores, coresToPin, peakMegabytes, pinProcess } from './machine.ts';
import { blogProgram } from './program.ts';
import type { Measured } from './rounds.ts';
import { type Server, type ServerCommand, startServer } from './server.ts';

export interface Arena {
  readonly cluster: Cluster;
  readonly cores: Cores | null;
  readonly setting: Setting;
  /** Commands for servers on databases of their own, with three models or more. */
  commandFor(contestant: Contestant): Promise<ServerCommand>;
  kilnBefore(checkout: string): Promise<ServerCommand>;
  kilnWithoutLog(): Promise<ServerCommand>;
  kilnWithModels(models: number): Promise<ServerCommand>;
  kilnWithWorkers(workers: number): Promise<ServerCommand>;
  start(command: ServerCommand): Promise<Measured>;
  close(): Promise<void>;
}

/** `isPinned` where the server has a core of its own, if there are two. */
export async function openArena(isPinned = true): Promise<Arena> {
  const cores = isPinned ? coresToPin() : null;
  if (cores) pinProcess(process.pid, cores.others);
  const cluster = await startCluster(cores?.others);
  const { definition, schema } = await blogProgram();
  await cluster.createTemplate('blog', schema);
  const servers: Server[] = [];
  return {
    cluster,
    cores,
    setting: { cores: cores?.others, postgresPid: cluster.pid },
    async commandFor(contestant) {
      const database = await cluster.copy('blog', databaseName(contestant));
      if (contestant !== 'kiln') return peerCommand(contestant, database);
      return kilnCommand('kiln', definition, database);
    },
    async kilnBefore(checkout) {
      const name = 'kiln before';
      const database = await cluster.copy('blog', databaseName(name));
      return kilnCommand(name, definition, database, runtimeOf(checkout));
    },
    async kilnWithoutLog() {
      const name = 'kiln without log';
      const command = kilnCommand(name, definition, await cluster.copy('blog', databaseName(name)));
      return { ...command, environment: { ...command.environment, LOG_LEVEL: 'silent' } };
    },
    async kilnWithModels(models) {
      const program = await blogProgram(models);
      const name = `kiln with ${models} models`;
      await cluster.createTemplate(databaseName(name), program.schema);
      return kilnCommand(name, program.definition, cluster.url(databaseName(name)));
    },
    async kilnWithWorkers(workers) {
      const name = `WORKERS=${workers}`;
      const database = await cluster.copy('blog', databaseName(name.toLowerCase()));
      const command = kilnCommand(name, definition, database);
      return { ...command, environment: { ...command.environment, WORKERS: String(workers) } };
    },
    async start(command) {
      const server = await startServer(command, cores?.server);
      servers.push(server);
      return { server, database: command.environment.DATABASE_URL ?? '' };
    },
    async close() {
      await Promise.all(servers.map((server) => server.stop()));
      await cluster.stop();
    },
  };
}

export function peaksOf(measured: readonly Measured[]): ReadonlyMap<string, number> {
  return new Map(measured.map(({ server }) => [server.name, peakMegabytes(server.pid)]));
}

function databaseName(text: string): string {
  return `of_${text.replaceAll(/[^a-z0-9]/g, '_')}`;
}
