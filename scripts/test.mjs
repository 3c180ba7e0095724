/**
 * Runs `npm run check` and the tests that a change is likely to break; with `--slow` all other tests, with `--fast` those
 * that need no Postgres, no container and no browser. They are run in groups, some groups at once: many tests wait for a
 * database, a container or a browser. What a group has said is shown when it is through; at the end come the slowest files,
 * and what failed in any of the groups once more.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleTests, removeOldBundles } from './test-bundle.mjs';
import { groupsOf, isFast, keepTimes, ROOT, SLOW_TEST, TEST, testFiles } from './test-files.mjs';
import { isStopped, REQUIRED, runCheck, runGroup, stop } from './test-group.mjs';

/** So many groups run at once: many tests wait. */
const AT_ONCE = availableParallelism() + 2;
const AT_MOST_WITH_IMAGES = 3;
/** What `.ci/run` prepares while other tests run. */
const PREPARED = ['images', 'browser'];
/** How often it is looked whether more is prepared, in milliseconds. */
const LOOK_EVERY = 2000;

/** The files of each run. */
const RUNS = { '--fast': isFast, '--slow': ({ inSlow }) => inSlow };
const option = process.argv.slice(2).find((word) => word in RUNS);
const words = process.argv.slice(2).filter((word) => word !== option);

if (option === '--slow') process.env.KILN_TEST_SLOW = 'yes';

const start = performance.now();
keepCertificatesForNpm();
// The test of the layers is among the tests too, unless words choose others.
const check = words.length > 0 ? 'check' : 'check:code';
const checking = option === undefined ? runCheck(check).then(stopWhereRefused) : undefined;
buildOnce();
shareClusters();

const files = testFiles().filter(RUNS[option] ?? (({ inTest }) => inTest));
const needs = new Map(files.map((file) => [file.path, file.needs]));
if (files.some((file) => file.needs.includes('images'))) shareBase();
const bundle = await bundled(files.map(({ path }) => path));
const results = [];
const run = option === '--slow' ? SLOW_TEST : TEST;
await runAll(groupsOf(files, run));
const refusal = await checking;
if (refusal) {
  process.stdout.write(refusal);
  process.exitCode = 1;
} else {
  tellSlowest(results);
  tellCounts(results);
  tellFailures(results);
  process.exitCode = isStopped ? 1 : Math.max(...results.map(({ code }) => code));
}

/** What `npm run check` has said where it failed: the tests are stopped then. */
function stopWhereRefused({ code, text }) {
  if (code === 0) return undefined;
  stop();
  return `${text}\nnpm run check has failed, and the tests were stopped\n`;
}

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

/** For `test/support/runtime-base.ts`, whose first user loads it. */
function shareBase() {
  const name = `kiln-runtime:test-run-${process.pid}`;
  process.env.KILN_TEST_BASE = name;
  process.once('exit', () => spawnSync('docker', ['image', 'rm', '--force', name], { stdio: 'ignore' }));
}

/** Starts groups in their order, as soon as there is capacity and what they need, until none is left. */
async function runAll(waiting) {
  const running = new Map();
  const follow = (what, work) =>
    running.set(
      what,
      work.finally(() => running.delete(what)),
    );
  if (checking) follow('check', checking);
  while (running.size > 0 || (waiting.length > 0 && !isStopped)) {
    const hasCapacity = !isStopped && running.size < AT_ONCE;
    const at = hasCapacity ? waiting.findIndex((group) => canStart(group, running)) : -1;
    if (at < 0) {
      // What runs keeps this process alive; the last look is not waited for.
      await Promise.race([sleep(LOOK_EVERY, undefined, { ref: running.size === 0 }), ...running.values()]);
    } else {
      const [group] = waiting.splice(at, 1);
      follow(group, runOne(group));
    }
  }
}

async function runOne(group) {
  const result = await runGroup(group, words, bundle);
  results.push(result);
  if (result.code !== 0 || result.passes + result.pending > 0) process.stdout.write(result.text);
}

function canStart(group, running) {
  const wanted = needs.get(group[0]);
  if (wanted.some((need) => PREPARED.includes(need)) && !isPrepared()) return false;
  const withImages = [...running.keys()].filter(([path]) => needs.get(path)?.includes('images'));
  return !wanted.includes('images') || withImages.length < AT_MOST_WITH_IMAGES;
}

/** Whether what takes long to prepare is there, which `.ci/run` tells by a file of variables for the tests. */
function isPrepared() {
  const { KILN_TEST_PREPARED: file } = process.env;
  if (file === undefined) return true;
  if (!existsSync(file)) return false;
  for (const [, name, value] of readFileSync(file, 'utf8').matchAll(/^(\w+)=(.*)$/gm)) process.env[name] = value;
  delete process.env.KILN_TEST_PREPARED;
  return true;
}

function tellSlowest(results) {
  const files = results.flatMap(({ times }) => times);
  if (process.env.KILN_TEST_TIMES === 'keep') keepTimes(files, run);
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
