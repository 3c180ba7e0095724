/** One process of mocha over some files. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './test-files.mjs';

/** Not `bin/mocha.js`: for the option of Node below, that one would only start this in a second process. */
const MOCHA = join(dirname(createRequire(import.meta.url).resolve('mocha/package.json')), 'lib/cli/cli.js');
const WITH_TYPESCRIPT = ['--import', 'tsx/esm'];
const REPORTER = join(import.meta.dirname, 'test-reporter.mjs');

const running = new Set();

/** Whether a signal has come, which the processes that run have got as well. */
export let isStopped = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isStopped = true;
    for (const child of running) {
      child.kill('SIGINT');
      // By the first one alone, mocha would end the test that runs.
      child.kill('SIGTERM');
    }
  });
}

/** What mocha said, its exit code, what it counted, and the time that it took. The words are options for mocha. */
export async function runGroup(files, words) {
  const start = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'kiln-test-group-'));
  const report = join(folder, 'report.json');
  const color = process.stdout.isTTY ? ['--color'] : [];
  const reporting = ['--reporter', REPORTER, '--reporter-option', `report=${report}`];
  const args = [...WITH_TYPESCRIPT, MOCHA, ...color, ...reporting, ...words, ...files];
  try {
    const { code, text } = await said(args);
    return { files, time: performance.now() - start, code, text, ...reported(report) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function said(args) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const parts = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code: code ?? 1, text: Buffer.concat(parts).toString() });
    });
  });
}

/** Nothing where mocha did not come to its end, of which its exit code tells. */
function reported(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passes: 0, pending: 0, failures: 0, times: {}, cpu: 0 };
  }
}
