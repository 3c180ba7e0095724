/**
 * A newcomer's first minute: `npm run bench:first-request`. A clone of this repository, its packages from npm's cache, and
 * `npm start` until the blog answers; how long each takes. The cache must be warm, which a second run sees to.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../api/free-port.ts';
import { table, tenths } from '../api/table.ts';
import { ROOT, run } from '../pipeline/commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-first-'));
const clone = join(folder, 'kiln');
try {
  const cloned = run('git', ['clone', '--quiet', ROOT, clone]).milliseconds;
  const installed = run('npm', ['ci', '--prefer-offline'], { cwd: clone }).milliseconds;
  const { ready, answered } = await start();
  const total = cloned + installed + ready + answered;
  const rows = [
    ['git clone', cloned],
    ['npm ci, with a warm cache', installed],
    ['npm start, until it is ready', ready],
    ['the first request', answered],
    ['all of it', total],
  ] as const;
  process.stdout.write(
    table(
      ['', 's'],
      rows.map(([name, time]) => [name, tenths(time / 1000)]),
    ),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** `ready` is when the blog is served, with a database of its own and records in it. */
async function start(): Promise<{ readonly ready: number; readonly answered: number }> {
  const begun = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: clone,
    env: { ...process.env, PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  try {
    const url = await addressFrom(child);
    const ready = performance.now() - begun;
    const { status } = await fetch(`${url}/post`);
    if (status !== 200) throw new Error(`the first request was answered with ${status}`);
    return { ready, answered: performance.now() - begun - ready };
  } finally {
    await stop(child);
  }
}

function addressFrom(child: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`npm start has ended:\n${said}`)));
    child.stdout?.on('data', (chunk) => {
      said += chunk;
      if (said.includes('Ready after')) resolve(/API\s+(\S+)/.exec(said)?.[1] ?? '');
    });
  });
}

/** With all that npm has started. */
async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await ended;
}
