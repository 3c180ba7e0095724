/** Load on a server by wrk, and what it cost the server and Postgres. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cpuOfFamily, pinned } from './machine.ts';
import type { Workload } from './options.ts';
import type { Server } from './server.ts';

export interface Load {
  readonly workload: Workload;
  readonly seconds: number;
}

/** Where the load comes from and what is watched meanwhile. */
export interface Setting {
  readonly cores: string | undefined;
  readonly postgresPid: number;
  /** Those of reads. */
  readonly headers?: readonly string[];
}

export interface Run {
  readonly requestsPerSecond: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time a request, in microseconds. */
  readonly serverCpu: number;
  readonly postgresCpu: number;
}

const CONNECTIONS = 32;

interface Report {
  readonly requests: number;
  readonly microseconds: number;
  readonly p50: number;
  readonly p99: number;
  /** Answers of 400 and above. */
  readonly refused: number;
  /** Requests without an answer. */
  readonly broken: number;
}

export async function runLoad(server: Server, load: Load, setting: Setting): Promise<Run> {
  const { postgresPid } = setting;
  const before = { server: cpuOfFamily(server.pid), postgres: cpuOfFamily(postgresPid) };
  const { requests, microseconds, p50, p99, refused, broken } = await wrk(server.url, load, setting);
  if (requests === 0 || refused + broken > 0) {
    throw new Error(
      `${server.name}, ${load.workload}: of ${requests} requests ${refused} were refused, ${broken} broken`,
    );
  }
  return {
    requestsPerSecond: requests / (microseconds / 1_000_000),
    p50: p50 / 1000,
    p99: p99 / 1000,
    serverCpu: (cpuOfFamily(server.pid) - before.server) / requests,
    postgresCpu: (cpuOfFamily(postgresPid) - before.postgres) / requests,
  };
}

async function wrk(url: string, { workload, seconds }: Load, { cores, headers = [] }: Setting): Promise<Report> {
  const script = fileURLToPath(new URL('./requests.lua', import.meta.url));
  const sent = headers.flatMap((header) => ['-H', header]);
  const flags = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...sent, '-s', script, url, '--', workload];
  const output = await outputOf(pinned(cores, ['wrk', ...flags]));
  const report = /^RESULT (.*)$/m.exec(output)?.[1];
  if (!report) throw new Error(`wrk gave no result:\n${output}`);
  return JSON.parse(report);
}

/** Without blocking, so that a signal is heard meanwhile. */
function outputOf([program = '', ...args]: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    const output: string[] = [];
    child.stdout.on('data', (chunk) => output.push(String(chunk)));
    child.stderr.on('data', (chunk) => output.push(String(chunk)));
    child.once('error', reject);
    child.once('close', () => {
      process.off('exit', kill);
      resolve(output.join(''));
    });
  });
}
