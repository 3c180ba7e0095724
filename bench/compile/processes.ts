/** Whole processes against the clock: what a person waits for, start-up included. */
import { spawnSync } from 'node:child_process';

export interface Command {
  readonly label: string;
  readonly program: string;
  readonly args: readonly string[];
}

export interface Timing {
  readonly label: string;
  readonly milliseconds: number;
}

/** The output of a process that must succeed. */
export function outputOf({ label, program, args }: Command): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (error) throw new Error(`starting ${label}`, { cause: error });
  if (status !== 0) throw new Error(`${label} ended with ${status}:\n${stdout.slice(0, 2000)}${stderr.slice(0, 2000)}`);
  return stdout;
}

/** Median wall times. The commands take turns, each round beginning with another one, so that a slow moment hits all. */
export function timeInTurns(commands: readonly Command[], rounds: number): Timing[] {
  const times = commands.map((): number[] => []);
  for (const command of commands) outputOf(command);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < commands.length; turn += 1) {
      const position = (round + turn) % commands.length;
      times[position]?.push(wallTime(commands[position] as Command));
    }
  }
  return commands.map(({ label }, position) => ({ label, milliseconds: median(times[position] ?? []) }));
}

function wallTime(command: Command): number {
  const start = performance.now();
  outputOf(command);
  return performance.now() - start;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
