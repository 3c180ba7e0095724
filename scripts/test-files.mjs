/** The files of tests, what each of them needs, which is found out from what it imports, and how they are grouped. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/** In seconds of a whole run, of the files that take longest, and of those that `npm run test:fast` does without. */
export const SECONDS = {
  'test/pipeline/push/push.test.ts': 140,
  'test/pipeline/push/operator.slow.test.ts': 130,
  'test/docs/commands.slow.test.ts': 120,
  'test/runtime/contract.test.ts': 100,
  'test/pipeline/smoke/compose.slow.test.ts': 100,
  'test/pipeline/smoke/beside.slow.test.ts': 75,
  'test/pipeline/image/push.slow.test.ts': 60,
  'test/pipeline/image/bad-input.slow.test.ts': 60,
  'test/runtime/rollout/rollout.test.ts': 60,
  'test/pipeline/smoke/smoke.test.ts': 60,
  'test/pipeline/smoke/withdrawal.slow.test.ts': 60,
  'test/runtime/migrate/killed.slow.test.ts': 60,
  'test/packaging/package.slow.test.ts': 60,
  'test/compiler/change/chains.test.ts': 50,
  'test/console/browser.test.ts': 45,
  'test/runtime/api.test.ts': 45,
  'test/pipeline/image/platforms.slow.test.ts': 45,
  'test/runtime/rollout/pooler.slow.test.ts': 45,
  'test/runtime/migrate/silent-servers.slow.test.ts': 40,
  'test/pipeline/new/new.slow.test.ts': 40,
  'test/pipeline/database-of-project.slow.test.ts': 40,
  'test/console/data-view.slow.test.ts': 33,
  'test/compiler/change/undo.test.ts': 30,
  'test/runtime/migrate/withdraw-retyped.test.ts': 30,
  'test/pipeline/image/engine-load.slow.test.ts': 30,
  'test/runtime/migrate/withdraw.slow.test.ts': 30,
  'test/pipeline/image/bad-luck.slow.test.ts': 30,
  'test/pipeline/image/tool.slow.test.ts': 30,
  'test/docs/examples.test.ts': 25,
  'test/pipeline/start.test.ts': 20,
  'test/runtime/deliver/account-mails.test.ts': 20,
  'test/runtime/migrate/compiled-releases.test.ts': 20,
  'test/language-server/rename.test.ts': 16,
  'test/compiler/mutations.test.ts': 15,
  'test/compiler/syntax-problems.test.ts': 14,
  'test/compiler/difference/api-changes.test.ts': 11,
  'test/language-server/same-as-check.test.ts': 11,
  'test/pipeline/withdraw.test.ts': 10,
  'test/pipeline/build.test.ts': 10,
  'test/compiler/due-times.test.ts': 6,
  'test/runtime/expressions/linear-pattern.test.ts': 6,
  'test/pipeline/hooks-bundle.test.ts': 6,
  'test/compiler/definition-schema.test.ts': 5,
  'test/runtime/http/log-output.test.ts': 5,
  'test/pipeline/ledger/ledger.test.ts': 5,
};
const OTHER_SECONDS = 3;
/** Of those that `npm run test:slow` alone runs. */
const OTHER_SLOW_SECONDS = 12;

/** Those that take so many seconds have a process of their own. */
const LONG = 30;

/** More share what they load and start; fewer are spread more evenly over the processors. */
const MOST_FILES = 30;
const MOST_FILES_WITH_IMAGES = 4;
const MOST_SECONDS = 80;

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
  for (const file of found) {
    if (file !== COMMANDS) for (const imported of importsOf(file)) found.add(imported);
  }
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

/** Files that need the same and are run by the same commands, in the order of their paths. Groups that take longest come first. */
export function groupsOf(files) {
  const isLong = ({ path }) => secondsOf(path) >= LONG;
  const long = files.filter(isLong).map(({ path }) => [path]);
  const byNeeds = new Map();
  for (const { path, needs, inTest, inSlow } of files.filter((file) => !isLong(file))) {
    // Where a file has tests that are run alone, mocha leaves out the tests of all others that it has loaded.
    const key = `${needs} ${inTest && inSlow}`;
    byNeeds.set(key, [...(byNeeds.get(key) ?? []), path]);
  }
  const others = [...byNeeds].flatMap(([needs, paths]) =>
    inSlices(paths, needs.includes('images') ? MOST_FILES_WITH_IMAGES : MOST_FILES),
  );
  return [...long, ...others].sort((one, other) => secondsOfAll(other) - secondsOfAll(one));
}

function secondsOfAll(paths) {
  return paths.reduce((sum, path) => sum + secondsOf(path), 0);
}

/** Whether it is among those of `npm run test:fast`: it needs nothing but Node, and little time. */
export function isFast({ path, inTest, needs }) {
  return inTest && needs.length === 0 && secondsOf(path) === OTHER_SECONDS;
}

function secondsOf(path) {
  return SECONDS[path] ?? (isSlowAlone(path) ? OTHER_SLOW_SECONDS : OTHER_SECONDS);
}

function isSlowAlone(path) {
  return path.endsWith('.slow.test.ts');
}

function inSlices(paths, most) {
  const count = Math.ceil(Math.max(paths.length / most, secondsOfAll(paths) / MOST_SECONDS));
  const size = Math.ceil(paths.length / count);
  return Array.from({ length: count }, (_, at) => paths.slice(at * size, (at + 1) * size));
}
