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
  // By the `npm test` of the projects that it makes, and by the installed command line.
  'test/pipeline/new/new.slow.test.ts': 'postgres',
  'test/packaging/package.slow.test.ts': 'postgres',
};

/** In seconds of a whole run, of the files that take longest. All others take less than five. */
export const SECONDS = {
  'test/compiler/change/chains.test.ts': 400,
  'test/pipeline/push/push.test.ts': 250,
  'test/runtime/rollout/rollout.test.ts': 220,
  'test/docs/commands.slow.test.ts': 170,
  'test/pipeline/smoke/beside.slow.test.ts': 150,
  'test/pipeline/smoke/compose.slow.test.ts': 110,
  'test/runtime/migrate/killed.slow.test.ts': 90,
  'test/console/browser.test.ts': 85,
  'test/pipeline/image/push.slow.test.ts': 80,
  'test/pipeline/smoke/smoke.test.ts': 60,
  'test/runtime/api.test.ts': 60,
  'test/runtime/contract.test.ts': 50,
  'test/runtime/migrate/withdraw.slow.test.ts': 40,
  'test/runtime/migrate/silent-servers.slow.test.ts': 40,
  'test/pipeline/push/withdraw.slow.test.ts': 35,
  'test/pipeline/smoke/withdrawal.slow.test.ts': 60,
  'test/pipeline/push/failed-release.slow.test.ts': 45,
  'test/runtime/migrate/withdraw-data.test.ts': 18,
  'test/compiler/change/undo.test.ts': 26,
  'test/pipeline/image/platforms.slow.test.ts': 45,
  'test/pipeline/new/new.slow.test.ts': 45,
  'test/compiler/mutations.test.ts': 45,
  'test/pipeline/database-of-project.test.ts': 40,
  'test/pipeline/build.test.ts': 35,
  'test/packaging/package.slow.test.ts': 30,
  'test/pipeline/cli.test.ts': 30,
  'test/runtime/http/limits.test.ts': 22,
  'test/language-server/rename.test.ts': 20,
  'test/pipeline/image/bad-input.test.ts': 18,
  'test/language-server/protocol.test.ts': 17,
  'test/compiler/syntax-problems.test.ts': 14,
  'test/pipeline/push/records.test.ts': 14,
  'test/compiler/client/types.test.ts': 12,
  'test/compiler/difference/api-changes.test.ts': 11,
  'test/language-server/same-as-check.test.ts': 11,
  'test/runtime/http/shutdown.test.ts': 9,
  'test/compiler/definition-schema.test.ts': 8,
  'test/editors/textmate-agrees.test.ts': 8,
  'test/language-server/completion-fits.test.ts': 8,
  'test/compiler/coverage.test.ts': 7,
  'test/pipeline/new/ci-files.test.ts': 7,
  'test/pipeline/new/deployment-files.test.ts': 7,
  'test/pipeline/push/init.test.ts': 7,
  'test/pipeline/push/queue.test.ts': 7,
  'test/compiler/openapi/examples.test.ts': 6,
  'test/pipeline/push/deployed.test.ts': 6,
  'test/pipeline/ledger/append.test.ts': 5,
  'test/pipeline/ledger/ledger.test.ts': 5,
};
const OTHER_SECONDS = 3;

/** Those that need no images and take so many seconds have a process of their own. */
const LONG = 30;

/** More share what they load and start; fewer are spread more evenly over the processors. */
const MOST_FILES = 14;
const MOST_FILES_WITH_IMAGES = 4;

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
      const isSlowAlone = path.endsWith('.slow.test.ts');
      return {
        path,
        needs: needsOf(imported),
        inTest: !isSlowAlone,
        inSlow: isSlowAlone || imported.has(SLOW),
      };
    });
}

function needsOf(imported) {
  const needs = Object.keys(STARTERS).filter((starter) => imported.has(starter));
  return [...new Set(needs.map((starter) => STARTERS[starter]))];
}

/** Itself, and all of this repository that it imports, directly or not. */
function importedBy(path) {
  const found = new Set([path]);
  for (const file of found) for (const imported of importsOf(file)) found.add(imported);
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

/** Files that need the same, in the order of their paths. Groups that take longest come first. */
export function groupsOf(files) {
  const isLong = ({ path, needs }) => secondsOf(path) >= LONG && !needs.includes('images');
  const long = files.filter(isLong).map(({ path }) => [path]);
  const byNeeds = new Map();
  for (const { path, needs } of files.filter((file) => !isLong(file))) {
    byNeeds.set(`${needs}`, [...(byNeeds.get(`${needs}`) ?? []), path]);
  }
  const others = [...byNeeds].flatMap(([needs, paths]) =>
    inSlices(paths, needs.includes('images') ? MOST_FILES_WITH_IMAGES : MOST_FILES),
  );
  const seconds = (group) => group.reduce((sum, path) => sum + secondsOf(path), 0);
  return [...long, ...others].sort((one, other) => seconds(other) - seconds(one));
}

/** Whether it is among those of `npm run test:fast`: it needs nothing but Node. */
export function isFast({ inTest, needs }) {
  return inTest && needs.length === 0;
}

function secondsOf(path) {
  return SECONDS[path] ?? OTHER_SECONDS;
}

function inSlices(paths, most) {
  const count = Math.ceil(paths.length / most);
  const size = Math.ceil(paths.length / count);
  return Array.from({ length: count }, (_, at) => paths.slice(at * size, (at + 1) * size));
}
