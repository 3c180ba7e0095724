/** What the system knows of processes: on which cores they run, the processor time they took, the memory they had. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Cores {
  /** Of the server alone. */
  readonly server: string;
  /** Of Postgres, the load and the harness. */
  readonly others: string;
}

/** Null where there is only one core to run on. */
export function coresToPin(): Cores | null {
  const [server, ...others] = allowedCores();
  return server === undefined || others.length === 0 ? null : { server: String(server), others: others.join(',') };
}

function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}

/** A command with its arguments, to be run on the given cores. */
export function pinned(cores: string | undefined, command: readonly string[]): readonly string[] {
  return cores === undefined ? command : ['taskset', '-c', cores, ...command];
}

/** A process that runs already, with all its threads. What it starts from now on is pinned too. */
export function pinProcess(pid: number, cores: string): void {
  execFileSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' });
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Of a process, the children it has and those it had, in microseconds. */
export function cpuOfFamily(pid: number): number {
  const { user, system, deadChildren } = statOf(pid);
  const children = everyStat().filter(({ parent }) => parent === pid);
  return microseconds(children.reduce((sum, child) => sum + child.user + child.system, user + system + deadChildren));
}

/** The largest resident size that the process ever had, in megabytes. */
export function peakMegabytes(pid: number): number {
  return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function everyStat(): Stat[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      return [statOf(Number(pid))];
    } catch {
      // It ended since the folder was read.
      return [];
    }
  });
}

/** Times in ticks. */
interface Stat {
  readonly parent: number;
  readonly user: number;
  readonly system: number;
  readonly deadChildren: number;
}

/** The second field is the name in parentheses, which may hold anything; what follows has no spaces. */
function statOf(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0, deadUser = 0, deadSystem = 0] = [1, 11, 12, 13, 14].map((at) => fields[at]);
  return { parent, user, system, deadChildren: deadUser + deadSystem };
}

function microseconds(ticks: number): number {
  return (ticks / ticksPerSecond) * 1_000_000;
}
