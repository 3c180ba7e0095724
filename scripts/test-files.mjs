/** The files of tests, what each of them needs, which is found out from what it imports, and how they are grouped. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Whoever imports one of these, directly or not, starts what is named here. */
export const STARTERS = {
  'test/support/runtime-base.ts': 'images',
  'test/support/postgres-embedded.ts': 'postgres',
  'pipeline/database/project-database.ts': 'postgres',
  'test/console/chromium.ts': 'browser',
  // By the installed command line.
  'test/packaging/package.slow.test.ts': 'postgres',
};

const TIMES = new URL('test-times.json', import.meta.url);

/** The two runs, by the place of their seconds in each pair. */
export const [TEST, SLOW_TEST] = [0, 1];

/** Of the files that take longest, the seconds in a whole `npm test` and in a whole `npm run test:slow`. */
export const SECONDS = JSON.parse(readFileSync(TIMES, 'utf8'));
const LEAST_SECONDS = 5;
/** Of all others. */
const OTHER_SECONDS = [1, 3];

/** Those that take so many seconds have a process of their own. */
const LONG = 30;

/** More share what they load and start; fewer are spread more evenly over the processors. */
const MOST_FILES = 30;
const MOST_FILES_WITH_IMAGES = 8;
const MOST_SECONDS = 45;

const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** Has what `npm run test:slow` alone does. */
const SLOW = 'test/support/slow.ts';

/**
 * Each with its path from the root, what it needs, and which of `npm test` and `npm run test:slow` runs it. Those that import
 * `SLOW` do more in the second.
 */
export function testFiles() {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
    .map((path) => {
      const imported = importedBy(path);
      return {
        path,
        needs: needsOf(imported),
        inTest: !isSlowAlone(path),
        inSlow: isSlowAlone(path) || imported.has(SLOW),
      };
    });
}

function needsOf(imported) {
  const needs = Object.keys(STARTERS).filter((starter) => imported.has(starter));
  return [...new Set(needs.map((starter) => STARTERS[starter]))];
}

/** It loads the code of a command when that is run, and tests that run one with Postgres import it themselves. */
const COMMANDS = 'pipeline/cli/commands.ts';

/** Itself, and all of this repository that it imports, directly or not. */
function importedBy(path) {
  const found = new Set([path]);
  for (const file of found) if (file !== COMMANDS) for (const imported of importsOf(file)) found.add(imported);
  return found;
}

const known = new Map();

function importsOf(path) {
  if (!known.has(path)) known.set(path, readImports(path));
  return known.get(path);
}

function readImports(path) {
  if (!/\.[cm]?[jt]s$/.test(path) || !existsSync(join(ROOT, path))) return [];
  const found = readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORT);
  return [...found].map(([, relative]) => join(dirname(path), relative).replaceAll('\\', '/'));
}

/**
 * Files that need the same and are run by the same commands, in the order of their paths, for one of both. Groups that take
 * longest come first.
 */
export function groupsOf(files, run) {
  const isLong = ({ path }) => secondsOf(path, run) >= LONG;
  const long = files.filter(isLong).map(({ path }) => [path]);
  const byNeeds = new Map();
  for (const { path, needs, inTest, inSlow } of files.filter((file) => !isLong(file))) {
    // Where a file has tests that are run alone, mocha leaves out the tests of all others that it has loaded.
    const key = `${needs} ${inTest && inSlow}`;
    byNeeds.set(key, [...(byNeeds.get(key) ?? []), path]);
  }
  const secondsOfAll = (paths) => paths.reduce((sum, path) => sum + secondsOf(path, run), 0);
  const isFull = (paths, next, most) => paths.length === most || secondsOfAll([...paths, next]) > MOST_SECONDS;
  const others = [...byNeeds].flatMap(([needs, paths]) =>
    inGroups(paths, isFull, needs.includes('images') ? MOST_FILES_WITH_IMAGES : MOST_FILES),
  );
  return [...long, ...others].sort((one, other) => secondsOfAll(other) - secondsOfAll(one));
}

function inGroups(paths, isFull, most) {
  const groups = [[]];
  for (const path of paths) {
    if (isFull(groups.at(-1), path, most)) groups.push([path]);
    else groups.at(-1).push(path);
  }
  return groups;
}

/** Whether it is among those of `npm run test:fast`: it needs nothing but Node, and little time. */
export function isFast({ path, inTest, needs }) {
  return inTest && needs.length === 0 && secondsOf(path, TEST) < LEAST_SECONDS;
}

function secondsOf(path, run) {
  return SECONDS[path]?.[run] ?? OTHER_SECONDS[run];
}

/** Writes down what a whole run has measured. */
export function keepTimes(times, run) {
  const known = new Map(Object.entries(SECONDS).map(([path, pair]) => [path, pair.with(run, null)]));
  for (const { file, time } of times) {
    const seconds = Math.round(time / 1000);
    if (seconds >= LEAST_SECONDS) known.set(file, (known.get(file) ?? [null, null]).with(run, seconds));
  }
  const lines = [...known].filter(([, pair]) => pair.some(Number)).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = lines.map(([path, pair]) => `  ${JSON.stringify(path)}: [${pair.map(String).join(', ')}]`).join(',\n');
  writeFileSync(TIMES, `{\n${text}\n}\n`);
}

function isSlowAlone(path) {
  return path.endsWith('.slow.test.ts');
}
