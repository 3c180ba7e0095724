/** One process of mocha over some files, and that of `npm run check`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundledAs, sourceOf } from './test-bundle.mjs';
import { ROOT } from './test-files.mjs';

/** Not `bin/mocha.js`, which may start this in a second process. */
const MOCHA = join(dirname(createRequire(import.meta.url).resolve('mocha/package.json')), 'lib/cli/cli.js');
const REPORTER = join(import.meta.dirname, 'test-reporter.mjs');
/** What `npx mocha` takes from there, but for the loading of TypeScript. */
const { require: required, timeout, slow } = JSON.parse(readFileSync(join(ROOT, '.mocharc.json'), 'utf8'));
const SETTINGS = ['--no-config', '--timeout', String(timeout), '--slow', String(slow)];

/** Loaded before the files of any group. */
export const REQUIRED = required;

const running = new Set();

/** In milliseconds, in which tests can end what they have started. */
const LONGEST_STOP = 20_000;

/** Whether a signal has come, which the processes that run have got as well. */
export let isStopped = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

export function stop() {
  isStopped = true;
  for (const child of running) {
    child.kill('SIGINT');
    // By the first one alone, mocha would end the test that runs.
    child.kill('SIGTERM');
    // What a test has left open would keep it for ever.
    setTimeout(() => child.kill('SIGKILL'), LONGEST_STOP).unref();
  }
}

/** What this script of package.json has said, and its exit code. */
export function runCheck(script) {
  return said('npm', ['run', '--silent', script], { shell: process.platform === 'win32' });
}

/**
 * What mocha said, its exit code, what it counted, and the time that it took. The words are options for mocha; `bundle` is
 * the folder of all tests as JavaScript.
 */
export async function runGroup(files, words, bundle) {
  const start = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'kiln-test-group-'));
  const report = join(folder, 'report.json');
  const color = process.stdout.isTTY ? ['--color'] : [];
  const reporting = ['--reporter', REPORTER, '--reporter-option', `report=${report}`];
  const first = REQUIRED.flatMap((file) => ['--require', bundledAs(file, bundle)]);
  const bundled = files.map((file) => bundledAs(file, bundle));
  try {
    const { code, text } = await said(process.execPath, [
      '--enable-source-maps',
      MOCHA,
      ...SETTINGS,
      ...color,
      ...reporting,
      ...first,
      ...words,
      ...bundled,
    ]);
    const { times, ...counts } = reported(report);
    const named = Object.entries(times).map(([file, [time, cpu]]) => ({ file: sourceOf(file, bundle), time, cpu }));
    return { files, time: performance.now() - start, code, text, times: named, ...counts };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function said(program, args, options = {}) {
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], ...options });
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
