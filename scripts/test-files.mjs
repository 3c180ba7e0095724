/** The files of tests, what each of them needs, which is found out from what it imports, and how they are grouped. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Whoever imports one of these, directly or not, starts what is named here. */
const HELPERS = {
  'test/support/runtime-base.ts': 'images',
  'test/support/postgres-embedded.ts': 'postgres',
  'test/docs-page/chromium.ts': 'browser',
};

/** Those that take longest have a process of their own, and begin first. */
const LONG = [
  'test/compiler/change/chains.test.ts',
  'test/runtime/rollout/rollout.test.ts',
  'test/runtime/migrate/killed.test.ts',
  'test/runtime/api.test.ts',
  'test/docs-page/browser.test.ts',
  'test/pipeline/ledger/ledger.test.ts',
  'test/runtime/contract.test.ts',
];

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
  return Object.keys(HELPERS)
    .filter((helper) => imported.has(helper))
    .map((helper) => HELPERS[helper]);
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

/** Files that need the same and are of one folder, so that they share what they load and start. The long ones come first. */
export function groupsOf(files) {
  const groups = new Map();
  for (const file of files) {
    const key = groupOf(file);
    groups.set(key, [...(groups.get(key) ?? []), file.path]);
  }
  return [...groups.values()].sort((one, other) => rank(one) - rank(other) || other.length - one.length);
}

function groupOf({ path, needs }) {
  if (LONG.includes(path)) return path;
  // Where nothing is started, loading the modules is most of the work.
  const folder = needs.length === 0 ? dirname(path).split('/').slice(0, 2).join('/') : dirname(path);
  return `${folder} ${needs}`;
}

function rank([first]) {
  return LONG.includes(first) ? LONG.indexOf(first) : LONG.length;
}
