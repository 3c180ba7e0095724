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
  'test/pipeline/new/new.test.ts': 'postgres',
  'test/packaging/package.test.ts': 'postgres',
};

/** Those that take longest have a process of their own, and begin first. */
export const LONG = [
  'test/compiler/change/chains.test.ts',
  'test/runtime/rollout/rollout.test.ts',
  'test/runtime/migrate/killed.test.ts',
  'test/console/browser.test.ts',
  'test/runtime/contract.test.ts',
  'test/runtime/api.test.ts',
  'test/pipeline/database-of-project.test.ts',
  'test/pipeline/new/new.test.ts',
  'test/compiler/mutations.test.ts',
  'test/pipeline/cli.test.ts',
];

/** More share what they load and start; fewer are spread more evenly over the processors. */
const MOST_FILES = 14;
const MOST_FILES_WITH_IMAGES = 4;

const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** Each with its path from the root, and with what it needs. */
export function testFiles() {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
    .map((path) => ({ path, needs: needsOf(path) }));
}

function needsOf(path) {
  const imported = importedBy(path);
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

/** Files that need the same, in the order of their paths. The long ones come first. */
export function groupsOf(files) {
  const long = LONG.filter((path) => files.some((file) => file.path === path)).map((path) => [path]);
  const byNeeds = new Map();
  for (const { path, needs } of files) {
    if (!LONG.includes(path)) byNeeds.set(`${needs}`, [...(byNeeds.get(`${needs}`) ?? []), path]);
  }
  const others = [...byNeeds].flatMap(([needs, paths]) =>
    inSlices(paths, needs.includes('images') ? MOST_FILES_WITH_IMAGES : MOST_FILES),
  );
  return [...long, ...others.sort((one, other) => other.length - one.length)];
}

function inSlices(paths, most) {
  const count = Math.ceil(paths.length / most);
  const size = Math.ceil(paths.length / count);
  return Array.from({ length: count }, (_, at) => paths.slice(at * size, (at + 1) * size));
}
