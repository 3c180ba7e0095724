/**
 * The server of an application in a process of its own, as an image runs it: a campaign sees it die, grow or stop
 * answering, and reads every line that it logs.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../bench/api/free-port.ts';
import { definitionText } from '../../compiler/definition/artifacts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { type OpenApiDocument, openApiText } from '../../compiler/emit/openapi/document.ts';
import { buildOnce } from '../support/build-once.ts';
import { until } from '../support/until.ts';

export interface ServedApplication {
  readonly definition: Definition;
  readonly document: OpenApiDocument;
  /** The module with the code of hooks; null where there is none. */
  readonly hooks: string | null;
  readonly environment: Readonly<Record<string, string>>;
}

export interface ServerProcess {
  readonly url: string;
  /** In megabytes. */
  memory(): number;
  isAlive(): boolean;
  stop(): Promise<void>;
}

const MAIN = resolve(import.meta.dirname, '../../dist/runtime/main.mjs');
const START_LIMIT_MS = 60_000;

export async function startServerProcess(
  application: ServedApplication,
  databaseUrl: string,
  onLine: (line: string) => void,
): Promise<ServerProcess> {
  buildOnce();
  const folder = applicationFolder(application);
  const port = await freePort();
  const environment = { ...application.environment, DATABASE_URL: databaseUrl, KILN_APP: folder, PORT: String(port) };
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: { ...process.env, HOST: '127.0.0.1', LOG_LEVEL: 'debug', SHUTDOWN_GRACE: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(child, url);
  return {
    url,
    memory: () => residentMegabytes(child.pid ?? 0),
    isAlive: () => isRunning(child),
    async stop() {
      await ended(child);
      process.off('exit', kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What an image carries of its application. */
function applicationFolder({ definition, document, hooks }: ServedApplication): string {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-campaign-'));
  writeFileSync(join(folder, 'definition.json'), definitionText(definition));
  writeFileSync(join(folder, 'openapi.json'), openApiText(document));
  if (hooks === null) return folder;
  mkdirSync(join(folder, 'hooks'));
  writeFileSync(join(folder, 'hooks/hooks.mjs'), hooks);
  return folder;
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const ready = () => {
    if (!isRunning(child)) throw new Error('the server of the campaign ended while it started');
    return isReady(url);
  };
  await until(ready, { limit: START_LIMIT_MS });
}

export async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function residentMegabytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

async function ended(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const exit = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  const impatient = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exit;
  clearTimeout(impatient);
}
