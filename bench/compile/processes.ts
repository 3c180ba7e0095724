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
  /** Processor time of the process with all its threads and children: other work disturbs it least. */
  readonly cpuMilliseconds: number;
}

/** The output of a process that must succeed. */
export function outputOf({ label, program, args }: Command): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (error) throw new Error(`starting ${label}`, { cause: error });
  if (status !== 0) throw new Error(`${label} ended with ${status}:\n${stdout.slice(0, 2000)}${stderr.slice(0, 2000)}`);
  return stdout;
}

/** Medians. The commands take turns, each round beginning with another one, so that a slow moment hits all. */
export function timeInTurns(commands: readonly Command[], rounds: number): Timing[] {
  const times = commands.map((): Cost[] => []);
  for (const command of commands) outputOf(command);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < commands.length; turn += 1) {
      const position = (round + turn) % commands.length;
      times[position]?.push(costOf(commands[position] as Command));
    }
  }
  return commands.map(({ label }, position) => {
    const costs = times[position] ?? [];
    const milliseconds = median(costs.map((cost) => cost.milliseconds));
    return { label, milliseconds, cpuMilliseconds: median(costs.map((cost) => cost.cpuMilliseconds)) };
  });
}

type Cost = Omit<Timing, 'label'>;

/** The shell tells what its children took; Node cannot ask. */
const TIMED = '"$@" >&2 && times';

function costOf({ label, program, args }: Command): Cost {
  const start = performance.now();
  const output = outputOf({ label, program: '/bin/sh', args: ['-c', TIMED, 'sh', program, ...args] });
  const milliseconds = performance.now() - start;
  const [user, system] = (output.trim().split('\n').at(-1) ?? '').split(' ').map(millisecondsIn);
  return { milliseconds, cpuMilliseconds: (user ?? Number.NaN) + (system ?? Number.NaN) };
}

/** `1m2.340s`, as the shell writes it. */
function millisecondsIn(time: string): number {
  const [minutes, seconds] = time.replace('s', '').split('m').map(Number);
  return ((minutes ?? Number.NaN) * 60 + (seconds ?? Number.NaN)) * 1000;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
