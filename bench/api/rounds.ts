/**
 * Servers measured in turns: within a round one after the other, and each round begins with another one, so that a slow
 * moment of the machine hits all.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import { takesOrders } from './contestants.ts';
import { type Load, type Run, runLoad, type Setting } from './load.ts';
import type { Options, Workload } from './options.ts';
import { type Server, type ServerCommand, startServer } from './server.ts';

/** A server with the address of its database. */
export interface Measured {
  readonly server: Server;
  readonly database: string;
}

/** By server, one entry a round. */
export type Runs = ReadonlyMap<string, readonly Run[]>;

const WRITES: Readonly<Record<Workload, boolean>> = { R1: false, R2: false, R3: false, R4: true, R5: true, R6: true };

/** In milliseconds. Requests are still at work when wrk has ended, and would wait for what is undone, and it for them. */
const LAST_WRITES = 500;

export async function measureWorkload(
  workload: Workload,
  all: readonly Measured[],
  { warmup, seconds, rounds }: Options,
  cluster: Cluster,
  setting: Setting,
): Promise<Runs> {
  const measured = all.filter(({ server }) => workload !== 'R6' || takesOrders(server.name));
  const runs = new Map(measured.map(({ server }): [string, Run[]] => [server.name, []]));
  const runOne = async ({ server, database }: Measured, load: Load) => {
    const run = await runLoad(server, load, setting);
    if (WRITES[workload]) await pause(LAST_WRITES).then(() => cluster.restore(database));
    return run;
  };
  for (const each of measured) await runOne(each, { workload, seconds: warmup });
  for (let round = 0; round < rounds; round += 1) {
    for (const each of turned(measured, round))
      runs.get(each.server.name)?.push(await runOne(each, { workload, seconds }));
  }
  return runs;
}

/** Milliseconds from the start of a process to its first good answer, by server. The first round is not counted. */
export async function measureStarts(
  commands: readonly ServerCommand[],
  rounds: number,
  cores: string | undefined,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map(commands.map(({ name }): [string, number[]] => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const command of turned(commands, round)) {
      const server = await startServer(command, cores);
      await server.stop();
      if (round > 0) times.get(command.name)?.push(server.startMilliseconds);
    }
  }
  return times;
}

export function turned<Item>(items: readonly Item[], by: number): Item[] {
  const first = by % Math.max(items.length, 1);
  return [...items.slice(first), ...items.slice(0, first)];
}
