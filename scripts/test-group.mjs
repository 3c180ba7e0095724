/** One process of mocha over some files. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bundledAs, bundleTests, sourceOf, withSourcePlaces } from './test-bundle.mjs';
import { ROOT } from './test-files.mjs';

/** Not `bin/mocha.js`, which may start this in a second process. */
const MOCHA = join(dirname(createRequire(import.meta.url).resolve('mocha/package.json')), 'lib/cli/cli.js');
const REPORTER = join(import.meta.dirname, 'test-reporter.mjs');
/** Packages are found from there, and git and all tools ignore it. */
const BUNDLES = join(ROOT, 'build');

/** What `npx mocha` takes from there, but for the loading of TypeScript. */
const { require: REQUIRED, timeout, slow } = JSON.parse(readFileSync(join(ROOT, '.mocharc.json'), 'utf8'));
const SETTINGS = ['--no-config', '--timeout', String(timeout), '--slow', String(slow)];

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
  mkdirSync(BUNDLES, { recursive: true });
  const folder = mkdtempSync(join(BUNDLES, 'tests-'));
  const report = join(folder, 'report.json');
  try {
    const { code, text } = await bundleTests([...REQUIRED, ...files], folder).then(
      () => said([MOCHA, ...wordsFor(files, folder, report), ...words]),
      (error) => ({ code: 1, text: `${error.message}\n` }),
    );
    const { times, ...counts } = reported(report);
    const named = Object.entries(times).map(([file, time]) => [sourceOf(file, folder), time]);
    return {
      files,
      time: performance.now() - start,
      code,
      text: withSourcePlaces(text, folder),
      times: named,
      ...counts,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function wordsFor(files, folder, report) {
  const color = process.stdout.isTTY ? ['--color'] : [];
  const reporting = ['--reporter', REPORTER, '--reporter-option', `report=${report}`];
  const required = REQUIRED.flatMap((file) => ['--require', bundledAs(file, folder)]);
  return [...SETTINGS, ...color, ...reporting, ...required, ...files.map((file) => bundledAs(file, folder))];
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
