/** The servers that are compared, each a process of its own: how one is started, when it is ready, how it is stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { pinned } from './machine.ts';

export interface ServerCommand {
  readonly name: string;
  /** A module that Node runs. */
  readonly module: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Server {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  /** From the start of the process to its first good answer. */
  readonly startMilliseconds: number;
  stop(): Promise<void>;
}

const FIRST_REQUEST = '/api/post/post-1';
const START_LIMIT = 30_000;

export async function startServer(command: ServerCommand, cores: string | undefined): Promise<Server> {
  const port = await freePort();
  const [program = '', ...args] = pinned(cores, [process.execPath, command.module]);
  const start = performance.now();
  const child = spawn(program, args, {
    env: { ...process.env, NODE_ENV: 'production', ...command.environment, PORT: String(port) },
    // What a server logs is written, but goes nowhere. Errors are kept, for whoever has to find out.
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const errors: string[] = [];
  child.stderr?.on('data', (chunk) => errors.push(String(chunk)));
  const url = `http://127.0.0.1:${port}`;
  await untilReady(child, url, start, () => `${command.name} did not start:\n${errors.join('').slice(0, 4000)}`);
  const startMilliseconds = performance.now() - start;
  return { name: command.name, pid: child.pid ?? 0, url, startMilliseconds, stop: () => stopped(child) };
}

async function untilReady(child: ChildProcess, url: string, start: number, complaint: () => string): Promise<void> {
  while ((await statusOf(`${url}${FIRST_REQUEST}`)) !== 200) {
    if (child.exitCode !== null || performance.now() - start > START_LIMIT) {
      child.kill('SIGKILL');
      throw new Error(complaint());
    }
    await pause(2);
  }
}

/** Null where nobody answers. */
function statusOf(url: string): Promise<number | null> {
  return new Promise((resolve) => {
    const asked = request(url, { agent: false, timeout: 2000 }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode ?? null));
    });
    asked.once('error', () => resolve(null));
    asked.once('timeout', () => asked.destroy());
    asked.end();
  });
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const impatient = setTimeout(() => child.kill('SIGKILL'), 5000);
  await ended;
  clearTimeout(impatient);
}
