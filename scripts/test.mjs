/**
 * Runs the tests that a change is likely to break; with `--slow` all others, with `--fast` those that need no Postgres, no
 * container and no browser. They are run in groups, some groups at once: many tests wait for a database, a container or a
 * browser. What a group has said is shown when it is through; at the end come the slowest files, and what failed in any of
 * the groups once more.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundledAs, bundleTests, removeOldBundles, sourceOf, withSourcePlaces } from './test-bundle.mjs';
import { groupsOf, isFast, ROOT, testFiles } from './test-files.mjs';

/** So many groups at once that wait for containers most of the time; each loads a base of images of its own. */
const WITH_IMAGES = 2;
/** Of the others: more would not end sooner, and what waits for a container would run into its time limit. */
const WITHOUT_IMAGES = availableParallelism();
/** Once those of one kind are through, so many more of the other: most of them wait for something at times. */
const MORE_AT_THE_END = 1;

/** The files of each run. */
const RUNS = {
  '--fast': isFast,
  '--slow': ({ inSlow }) => inSlow,
};
const option = process.argv.slice(2).find((word) => word in RUNS);
const words = process.argv.slice(2).filter((word) => word !== option);

if (option === '--slow') process.env.KILN_TEST_SLOW = 'yes';
// Random sources are for `npm test`, which tries more.
if (option === '--fast') process.env.MUTATIONS ??= '250';

/** Not `bin/mocha.js`, which may start this in a second process. */
const MOCHA = join(dirname(createRequire(import.meta.url).resolve('mocha/package.json')), 'lib/cli/cli.js');
const REPORTER = join(import.meta.dirname, 'test-reporter.mjs');
/** What `npx mocha` takes from there, but for the loading of TypeScript. */
const { require: REQUIRED, timeout, slow } = JSON.parse(readFileSync(join(ROOT, '.mocharc.json'), 'utf8'));
const SETTINGS = ['--no-config', '--timeout', String(timeout), '--slow', String(slow)];

const running = new Set();

/** Whether a signal has come, which the processes that run have got as well. */
let isStopped = false;

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

const start = performance.now();
keepCertificatesForNpm();
buildOnce();
shareClusters();

const files = testFiles().filter(RUNS[option] ?? (({ inTest }) => inTest));
const bundle = await bundled(files.map(({ path }) => path));
const needsImages = ({ needs }) => needs.includes('images');
const withImages = groupsOf(files.filter(needsImages));
const withoutImages = groupsOf(files.filter((file) => !needsImages(file)));
const results = [];
await Promise.all([
  runAll(withImages, WITH_IMAGES).then(() => runAll(withoutImages, MORE_AT_THE_END)),
  runAll(withoutImages, WITHOUT_IMAGES).then(() => runAll(withImages, MORE_AT_THE_END)),
]);
tellSlowest(results);
tellCounts(results);
tellFailures(results);
process.exitCode = isStopped ? 1 : Math.max(...results.map(({ code }) => code));

/**
 * Node reads all of these certificates whenever it starts, which takes three times as long as the rest of its start. Of all
 * that tests start only `npm` may need them, for a registry, and gets them from `test/packaging/package.slow.test.ts`.
 */
function keepCertificatesForNpm() {
  const { NODE_EXTRA_CA_CERTS: file } = process.env;
  if (file === undefined) return;
  process.env.KILN_TEST_NPM_CA_CERTS = file;
  delete process.env.NODE_EXTRA_CA_CERTS;
}

/** For all tests that run `dist/`, which ask `test/support/build-once.ts` for it. */
function buildOnce() {
  const said = execFileSync(process.execPath, [join(ROOT, 'scripts/build.mjs')], { encoding: 'utf8' });
  if (said !== '') throw new Error(`the build said:\n${said}`);
  process.env.KILN_TEST_IS_BUILT = 'yes';
}

/** Their folder, in a place from which packages are found and which all tools ignore. */
async function bundled(files) {
  const place = join(ROOT, 'build');
  mkdirSync(place, { recursive: true });
  removeOldBundles(place);
  const folder = mkdtempSync(join(place, 'tests-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await bundleTests([...REQUIRED, ...files], folder);
  return folder;
}

/** For `test/support/postgres-embedded.ts`, which copies files with a command that Windows does not have. */
function shareClusters() {
  if (process.platform === 'win32') return;
  const folder = mkdtempSync(join(tmpdir(), 'kiln-test-clusters-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.env.KILN_TEST_CLUSTERS = folder;
}

/** Takes groups from the list until none is left. */
async function runAll(groups, atOnce) {
  const lanes = Array.from({ length: atOnce }, async () => {
    for (let group = groups.shift(); group && !isStopped; group = groups.shift()) {
      const result = await runGroup(group, words, bundle);
      results.push(result);
      if (result.code !== 0 || result.passes + result.pending > 0) process.stdout.write(result.text);
    }
  });
  await Promise.all(lanes);
}

function tellSlowest(results) {
  const files = results.flatMap(({ times }) => times);
  tellMost('time', files);
  // Without what containers take: it does not depend on what else the machine does.
  tellMost('cpu', files);
}

function tellMost(what, files) {
  const lines = files
    .toSorted((one, other) => other[what] - one[what])
    .slice(0, 10)
    .map(({ file, time, cpu }) => `${seconds(time).padStart(8)} with ${seconds(cpu).padStart(8)}  ${file}`);
  process.stdout.write(`\nThe files with the most ${what === 'cpu' ? 'processor ' : ''}time:\n${lines.join('\n')}\n`);
}

function tellCounts(results) {
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  const counts = `${sum('passes')} passing, ${sum('pending')} pending, ${sum('failures')} failing`;
  process.stdout.write(
    `\n${counts}, after ${seconds(performance.now() - start)} with ${seconds(sum('cpu'))} of processor time\n`,
  );
}

/** Mocha's report of what failed follows the line with the number of failures. */
function tellFailures(results) {
  const reports = results
    .filter(({ code }) => code !== 0)
    .map(({ text }) => {
      const at = text.search(/^.*\d+ failing/m);
      return at < 0 ? text : text.slice(at);
    });
  if (reports.length > 0) process.stdout.write(`\nWhat failed:\n${reports.join('\n')}`);
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

// ── One process of mocha over some files ────────────────────────────────────────────────────────────────────────────────

/**
 * What mocha said, its exit code, what it counted, and the time that it took. The words are options for mocha; `bundle` is
 * the folder of all tests as JavaScript.
 */
async function runGroup(files, words, bundle) {
  const start = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'kiln-test-group-'));
  const report = join(folder, 'report.json');
  const color = process.stdout.isTTY ? ['--color'] : [];
  const reporting = ['--reporter', REPORTER, '--reporter-option', `report=${report}`];
  const first = REQUIRED.flatMap((file) => ['--require', bundledAs(file, bundle)]);
  const bundled = files.map((file) => bundledAs(file, bundle));
  try {
    const { code, text } = await said([MOCHA, ...SETTINGS, ...color, ...reporting, ...first, ...words, ...bundled]);
    const { times, ...counts } = reported(report);
    const named = Object.entries(times).map(([file, [time, cpu]]) => ({ file: sourceOf(file, bundle), time, cpu }));
    const time = performance.now() - start;
    return { files, time, code, text: withSourcePlaces(text, bundle), times: named, ...counts };
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
